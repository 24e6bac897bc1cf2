# The pass in another compiler: LLVM's mlir-opt with this project's plugin compiles kernels with ops
# of the dialect on vectors to PTX, with upstream's pipeline, for each chip, and NVIDIA's assembler
# accepts it. mlir-opt has no sanitizer runtime that the plugin could use.
# UNSUPPORTED: sanitizers
# RUN: %python %s %llvm_bin/mlir-opt %obj_root/lib/libQuantFloatPlugin.so %t
import os
import subprocess
import sys
from pathlib import Path

from nvvm import ptx
from nvvm.chips import CHIPS, INSTRUCTION_TYPES, has
from nvvm.kernels import Operand, cast, operation

_SCALE = Operand("f32", ())
# Computations, and the narrow floats that they convert from and to.
COMPUTATIONS = [
    (cast("f32", "f8E4M3FN", shape=(16,)), ["f8E4M3FN"]),
    (cast("f8E5M2", "f16", shape=(8,)), ["f8E5M2"]),
    (cast("f32", "f8E8M0FNU"), ["f8E8M0FNU"]),
    (cast("f32", "f4E2M1FN", shape=(2, 4)), ["f4E2M1FN"]),
    (cast("f6E3M2FN", "bf16", shape=(3,)), ["f6E3M2FN"]),
    (cast("f64", "f8E4M3FNUZ", shape=()), ["f8E4M3FN"]),
    (cast("i32", "f32"), []),
    (operation("quantize", "opset 23", [Operand("f32"), _SCALE], "f8E4M3FN"), ["f8E4M3FN"]),
    (operation("quantize", "opset 23", [Operand("f32", (5,)), _SCALE], "i8"), []),
    (operation("dequantize", "opset 23", [Operand("f8E5M2", (2, 4)), _SCALE], "f32"), ["f8E5M2"]),
    (operation("quantize", "axis 0 opset 23", [Operand("f32", (4, 2)), Operand("f32")], "f8E4M3FN"), ["f8E4M3FN"]),
    (operation("dequantize", "axis 1 block_size 2 opset 23", [Operand("i8", (2, 3)), Operand("f32", (2, 2))], "f32"), []),
    (operation("qdq", "storage f8E4M3FN opset 23", [Operand("f32"), _SCALE], "f32"), ["f8E4M3FN"]),
    (operation("fakeconvert", "to f8E5M2 opset 13", [Operand("f32"), _SCALE], "f32"), ["f8E5M2"]),
]  # fmt: skip


def compile_chip(optimizer, plugin, chip, version):
    pipeline = (
        f"builtin.module(convert-quant-float-to-nvvm{{chip={chip} ptx={version}}},gpu-lower-to-nvvm-pipeline{{cubin-chip={chip} "
        f"cubin-features=+ptx{version} cubin-format=isa}})"
    )
    kernels = ptx.module([computation for computation, _ in COMPUTATIONS])
    done = subprocess.run(
        [optimizer, f"--load-dialect-plugin={plugin}", f"--pass-pipeline={pipeline}"],
        input=f"module attributes {{gpu.container_module}} {{\n{kernels}}}\n",
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{chip}: {done.stderr[:2000]}")
    return ptx.get_assembly(done.stdout)


def main(optimizer, plugin, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    failures = []
    for chip, version in CHIPS.items():
        assembly = compile_chip(optimizer, plugin, chip, version)
        path = folder / f"{chip}.ptx"
        path.write_text(assembly)
        if complaint := ptx.assemble(path, chip, os.devnull):
            failures.append(f"{chip}: {complaint}")
        bodies = ptx.instructions(assembly)
        for computation, narrow in COMPUTATIONS:
            wanted = {INSTRUCTION_TYPES[name] for name in narrow if has(chip, name)}
            found = set(ptx.conversions(bodies[computation.name]))
            if found != wanted:
                failures.append(f"{chip}: {computation.name}: expected {wanted}, but got {found}")
    print(f"{len(COMPUTATIONS)} kernels for {len(CHIPS)} chips, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
