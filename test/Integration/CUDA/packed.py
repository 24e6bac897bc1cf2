# GPU kernels that read packed elements of arguments and constants and write packed results, in the
# simulator of a driver: the outputs are those of the CPU, except for unused bits behind the last
# element.
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
for name, shape, given in (
    ("packs", "9", "9"),
    ("packs_rows", "?x67", "5x67"),
    ("packs_many", "?", "1027"),
    ("packs_few", "1x1", "1x1"),
):
    FUNCTIONS[name] = (
        f"%x: tensor<{shape}xf32>",
        f"%0 = quant_float.cast %x opset 28 : tensor<{shape}xf32> to tensor<{shape}xT>",
        f"{shape}xT",
        [f"0={given}"] if "?" in shape else [],
    )
FUNCTIONS["packs_halves"] = (
    "%x: tensor<?x13xf16>, %s: tensor<13xf16>",
    "%0 = quant_float.quantize %x, %s axis 1 opset 28 : tensor<?x13xf16>, tensor<13xf16> to tensor<?x13xT>",
    "?x13xT",
    ["0=11x13"],
)
FUNCTIONS["repacks"] = (
    "%x: tensor<7x13xT> {quant_float.packed}",
    '%0 = quant_float.node "Transpose"(%x) opset 25 attributes {perm = array<i64: 1, 0>} : (tensor<7x13xT>) -> tensor<13x7xT>',
    "13x7xT",
    [],
)
random = np.random.default_rng(9)
for element, bits in (("i4", 4), ("ui2", 2), ("f6E2M3FN", 6)):
    text = ""
    for name, (arguments, body, result, _) in FUNCTIONS.items():
        packed = " {quant_float.packed}" if "T" in result else ""
        text += f"func.func @{name}({arguments}) -> (tensor<{result}>{packed}) {{\n{body}\nreturn %0 : tensor<{result}>\n}}\n"
    data = random.bytes(-(-100 * 701 * bits // 8)).hex()
    text += f'{{-# dialect_resources: {{ builtin: {{ w: "0x01000000{data}" }} }} #-}}\n'
    text = text.replace("xT>", f"x{element}>")
    if element.startswith("ui"):
        # arith.constant accepts signless types only.
        text = text.replace("arith.constant", "quant_float.constant")
    (work / "model.mlir").write_text(text)
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

print(*failures, sep="\n")
sys.exit(bool(failures))
