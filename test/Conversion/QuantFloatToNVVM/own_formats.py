# Formats without GPU instructions, with the portable expansion: casts, quantizations and
# dequantizations for GPUs executed on the CPU, against exact arithmetic.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-opt %llvm_bin/mlir-translate %clangxx %cuda_include %t
import sys
from pathlib import Path

import numpy as np
from conformance.described import DESCRIBED, OWN
from nvvm import host
from nvvm.kernels import Operand, operation

CHIPS = ("sm_100a", "sm_90", "sm_80")
MODE = 'domain "quant_float"'
random = np.random.default_rng(1)


def cast(source, to, saturate="true"):
    return operation(
        "cast", f"mode quant_float opset 1 saturate {saturate}", (Operand(source),), to
    )


def make_numbers(name):
    middle = DESCRIBED[name].midpoints.astype(np.float32).view(np.uint32)
    near = np.concatenate([middle, middle + np.uint32(1), middle - np.uint32(1)])
    encodings = np.concatenate(
        [near, near | np.uint32(1 << 31), random.integers(0, 1 << 32, 4000, dtype=np.uint32)]
    )
    return encodings[: encodings.size // 12 * 12]


def numbers_of(encodings):
    with np.errstate(all="ignore"):
        wide = encodings.view(np.float32).astype(np.longdouble)
    return np.copysign(wide, np.where(encodings >> 31, -1.0, 1.0))


def cases():
    """Computations with their operands and expected encodings, and which encodings are NaN."""
    every = np.arange(256, dtype=np.uint8).repeat(3)
    for name in OWN:
        described = DESCRIBED[name]
        encodings = make_numbers(name)
        values = described.values(every)
        isnan = np.isnan(described.values(np.arange(256)))
        for saturate in ("true", "false"):
            expected = described.encode(numbers_of(encodings), saturate == "true")
            yield cast("f32", name, saturate), (encodings,), expected, None
            scales = random.uniform(-2, 2, encodings.size).astype(np.float32)
            with np.errstate(all="ignore"):
                quotient = encodings.view(np.float32) / scales
            expected = described.encode(quotient.astype(np.longdouble), saturate == "true")
            operands = (Operand("f32"), Operand("f32"))
            computation = operation("quantize_elements", f"saturate {saturate}", operands, name)
            yield computation, (encodings, scales.view(np.uint32)), expected, isnan
        wide = values.astype(np.float32).view(np.uint32)
        quiet = np.uint32(0x7FC00000)
        wide = np.where(
            np.isnan(values), np.where(np.signbit(values), quiet | np.uint32(1 << 31), quiet), wide
        )
        yield cast(name, "f32"), (every,), wide, None
        for to in DESCRIBED:
            if to != name and to in OWN:
                yield cast(name, to), (every,), DESCRIBED[to].encode(values), None


def main(program, translate, compiler, cuda_include, folder):
    tools = host.Tools(program, translate, compiler, cuda_include)
    every = list(cases())
    failures, elements = [], 0
    for chip in CHIPS:
        library, _ = host.build(tools, Path(folder), chip, [case[0] for case in every])
        for computation, operands, expected, isnan in every:
            found = host.run(library, computation, *operands)
            elements += found.size
            same = found == expected
            if isnan is not None:
                same |= isnan[found] & isnan[expected]
            if not same.all():
                i = np.flatnonzero(~same)[0]
                failures.append(
                    f"{chip}: {computation.name}: {(~same).sum()} differ, {[int(encodings[i]) for encodings in operands]}: "
                    f"expected {int(expected[i]):#x}, but got {int(found[i]):#x}"
                )
    print(
        f"{len(every)} computations for {len(CHIPS)} chips, {elements} elements, {len(failures)} failures"
    )
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
