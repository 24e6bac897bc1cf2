# Kernels for GPUs that read packed elements, of arguments and of constants, under the simulator of a driver: the outputs are those
# of the CPU. Packed outputs, whose bytes threads would share, are refused.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np

tools, obj_root, work = map(Path, (sys.argv[1], *sys.argv[4:]))
compiler, cuda_include = sys.argv[2:4]
failures = []


def run(code, tool, *arguments, environment=None, stderr=""):
    result = subprocess.run(
        [tools / tool, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False, cwd=work
    )  # fmt: skip
    if result.returncode != code or stderr not in result.stderr:
        failures.append(f"{tool} {arguments}: exit code {result.returncode}, {result.stderr[-500:]}")  # fmt: skip


FUNCTIONS = {
    "dequantize": (
        "%x: tensor<?x67xT> {quant_float.packed}, %s: tensor<67xf32>",
        "%0 = quant_float.dequantize %x, %s axis 1 opset 28 : tensor<?x67xT>, tensor<67xf32> to tensor<?x67xf32>",
        "?x67xf32",
        ["0=5x67"],
    ),
    "blocks": (
        "%x: tensor<3x64xT> {quant_float.packed}, %s: tensor<3x2xf32>",
        "%0 = quant_float.dequantize %x, %s axis 1 block_size 32 opset 28 : tensor<3x64xT>, tensor<3x2xf32> to tensor<3x64xf32>",
        "3x64xf32",
        [],
    ),
    "moved": (
        "%x: tensor<7x13xT> {quant_float.packed}",
        '%1 = quant_float.node "Transpose"(%x) opset 25 attributes {perm = array<i64: 1, 0>} : (tensor<7x13xT>) -> tensor<13x7xT>\n'
        "%0 = quant_float.cast %1 opset 28 : tensor<13x7xT> to tensor<13x7xf32>",
        "13x7xf32",
        [],
    ),
    "constant": (
        "%s: tensor<f32>",
        "%w = arith.constant dense_resource<w> : tensor<100x701xT>\n"
        "%0 = quant_float.dequantize %w, %s opset 28 : tensor<100x701xT>, tensor<f32> to tensor<100x701xf32>",
        "100x701xf32",
        [],
    ),
}
random = np.random.default_rng(9)
for element, bits in (("i4", 4), ("ui2", 2), ("f6E2M3FN", 6)):
    text = ""
    for name, (arguments, body, result, _) in FUNCTIONS.items():
        text += f"func.func @{name}({arguments}) -> tensor<{result}> {{\n{body}\nreturn %0 : tensor<{result}>\n}}\n"
    data = random.bytes(-(-100 * 701 * bits // 8)).hex()
    text += f'{{-# dialect_resources: {{ builtin: {{ w: "0x01000000{data}" }} }} #-}}\n'
    (work / "model.mlir").write_text(text.replace("xT>", f"x{element}>"))
    run(0, "quant-float-compile", "model.mlir", "-o", "device.ll", "--target", "nvvm", "--chip", "sm_90", "--emit", "llvm-ir")  # fmt: skip
    device = (work / "device.ll").read_text()
    kernels = work / f"{element}.so"
    cuda.build_kernels(device, kernels, compiler, cuda_include)
    environment = cuda.simulator_environment(obj_root, [kernels], chip=90)
    for name, (*_, shapes) in FUNCTIONS.items():
        given = ("model.mlir", "--entry", name, "--random", 3, *(["--shapes", *shapes] if shapes else []))  # fmt: skip
        run(0, "quant-float-run", *given, "--outputs", "cpu")
        run(0, "quant-float-run", *given, "--target", "nvvm", "--outputs", "gpu", environment=environment)  # fmt: skip
        one, other = (work / folder / "output_0.npy" for folder in ("cpu", "gpu"))
        if not other.exists() or one.read_bytes() != other.read_bytes():
            failures.append(f"{name} of {element}: the outputs differ")
        other.unlink(missing_ok=True)

(
    work / "packs.mlir"
).write_text("""func.func @packs(%x: tensor<9xf32>) -> (tensor<9xi4> {quant_float.packed}) {
  %0 = quant_float.cast %x opset 28 : tensor<9xf32> to tensor<9xi4>
  return %0 : tensor<9xi4>
}
""")
run(1, "quant-float-compile", "packs.mlir", "-o", "packs.o", "--target", "nvvm", "--chip", "sm_90",
    stderr="has no kernel: expected results that are not packed, but got 'i4', of which threads would share bytes")  # fmt: skip
print(*failures, sep="\n")
sys.exit(bool(failures))
