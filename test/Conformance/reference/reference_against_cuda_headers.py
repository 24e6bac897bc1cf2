# The Reference against the host functions of NVIDIA's cuda_fp8.h, cuda_fp6.h and cuda_fp4.h, f64 sources included. The headers
# come from the PyPI package nvidia-cuda-runtime, whatever toolkit this machine has.
# RUN: %python %s %tools_dir/quant-float-reference-cast %src_root/test/Conformance/waivers.toml %clangxx %S/Inputs/cuda-headers-cast.cpp %t

import itertools
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
from conformance import inputs
from conformance.compare import Comparison
from conformance.formats import FORMATS
from conformance.process import CastProcess

# From f64, f32, f16 and bf16 to the six formats (f8E8M0FNU not from f16), and back to f16 and bf16
# (f8E8M0FNU only to bf16).
PAIRS = 34


def build(compiler, source, program):
    include = Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13" / "include"
    subprocess.run(
        [compiler, "-std=c++17", "-O2", "-isystem", include, source, "-o", program], check=True
    )


def options(to):
    if to == "f8E8M0FNU":
        return [
            (saturate, mode) for saturate in (False, True) for mode in ("up", "down", "nearest")
        ]
    return [
        (saturate, "up")
        for saturate in ((False, True) if to in ("f8E4M3FN", "f8E5M2") else (True,))
    ]


def main(reference_program, waiver_file, compiler, source_file, program):
    build(compiler, source_file, program)
    pairs = set()
    with CastProcess(reference_program) as reference, CastProcess(program) as headers:
        comparison = Comparison("cuda_headers", reference, waiver_file)
        for source, to in itertools.product(FORMATS, FORMATS):
            if headers.cast(source, to, np.zeros(1, FORMATS[source].slot)) is not None:
                pairs.add((source, to))
                encodings = inputs.encodings(source, to)
                for saturate, mode in options(to):
                    found = headers.cast(source, to, encodings, saturate=saturate, round_mode=mode)
                    comparison.check(
                        source, to, encodings, found, saturate=saturate, round_mode=mode
                    )
        status = comparison.finish()
    if len(pairs) != PAIRS:
        print(f"expected {PAIRS} pairs, but got {len(pairs)}")
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
