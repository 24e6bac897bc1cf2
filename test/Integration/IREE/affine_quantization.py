# Modules with IREE's affine quantization: code compiled and run by IREE has the bits of
# quant-float-run on the generic form of the module that IREE prints after its phases input and abi,
# with and without fences.
# REQUIRES: full
# RUN: %python -m environment %src_root %obj_root/iree
# RUN: %obj_root/iree/bin/python %s %tools_dir %t
import pathlib
import subprocess
import sys

import iree.compiler
import iree.runtime
import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
scripts = pathlib.Path(sys.executable).parent
random = np.random.default_rng(1)
CONFIG = iree.runtime.Config("local-task")


def run_with_iree(source, arrays):
    blob = iree.compiler.compile_file(
        str(source), target_backends=["llvm-cpu"], extra_args=["--iree-llvmcpu-target-cpu=host"]
    )
    context = iree.runtime.SystemContext(config=CONFIG)
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, blob))
    outputs = context.modules.module["main"](*arrays)
    return [
        output.to_host()
        for output in (outputs if isinstance(outputs, (list, tuple)) else [outputs])
    ]


def run_here(source, arrays, name, options):
    given, generic = work / f"{name}.input.mlir", work / f"{name}.generic.mlir"
    arguments = [scripts / "iree-compile", source, *options, "-o", given]
    subprocess.run(arguments, check=True)
    subprocess.run(
        [scripts / "iree-opt", given, "--mlir-print-op-generic", "-o", generic], check=True
    )
    files = []
    for index, array in enumerate(arrays):
        files.append(work / f"{name}.{index}.npy")
        np.save(files[-1], array)
    command = [tools / "quant-float-run", generic, "--outputs", work / name, "--inputs", *files]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return generic.read_text(), [np.load(path) for path in sorted((work / name).glob("*.npy"))]


def make_module(
    rank_map, scale, zero, storage, low, high, flags, scale_text, zero_text, arguments=""
):
    """Quantizes and dequantizes a tensor of 64x1024."""
    q_flag = ", storage_unsigned" if flags else ""
    d_flag = ", input_unsigned" if flags else ""
    maps = f"[#id, {rank_map}, {rank_map}, #id]"
    return f"""
#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<64x1024xf32>{arguments}) -> (tensor<64x1024x{storage}>, tensor<64x1024xf32>) {{
{scale_text}
{zero_text}
  %qe = tensor.empty() : tensor<64x1024x{storage}>
  %q = "iree_linalg_ext.quantize_affine"(%x, %s, %z, %qe) <{{indexing_maps = {maps},
    quant_max = {high} : i64, quant_min = {low} : i64{q_flag}}}>
    : (tensor<64x1024xf32>, {scale}, {zero}, tensor<64x1024x{storage}>) -> tensor<64x1024x{storage}>
  %de = tensor.empty() : tensor<64x1024xf32>
  %d = "iree_linalg_ext.dequantize_affine"(%q, %s, %z, %de) <{{indexing_maps = {maps}{d_flag}}}>
    : (tensor<64x1024x{storage}>, {scale}, {zero}, tensor<64x1024xf32>) -> tensor<64x1024xf32>
  return %q, %d : tensor<64x1024x{storage}>, tensor<64x1024xf32>
}}
"""


# All encodings of f16, including ties and limits.
X = np.arange(1 << 16).astype(np.uint16).view(np.float16).astype(np.float32).reshape(64, 1024)
ROWS = ", ".join(str(np.float32(value)) for value in random.uniform(0.01, 2, 64).astype(np.float32))
ZEROS = ", ".join(map(str, random.integers(-100, 100, 64)))
SCALAR = ("  %s = arith.constant 0.1 : f32", "  %z = arith.constant 3 : i64")
CONSTANT_ROWS = (f"  %s = arith.constant dense<[{ROWS}]> : tensor<64xf32>",)
CONSTANT_ROWS += (f"  %z = arith.constant dense<[{ZEROS}]> : tensor<64xi32>",)
PER_ROW = ", %s: tensor<64xf32>, %z: tensor<64xi8>"
scales = random.uniform(0.01, 2, 64).astype(np.float32)
scales[:6] = [0, -0.0, -0.5, np.nan, np.inf, 1e-30]
zeros = random.integers(-100, 100, 64).astype(np.int8)
CASES = {
    "tensor": (make_module("#none", "f32", "i64", "i8", -128, 127, "", *SCALAR), [X]),
    "unsigned": (make_module("#none", "f32", "i64", "i8", 0, 255, "u", *SCALAR), [X]),
    "narrow": (make_module("#none", "f32", "i64", "i8", -100, 100, "", *SCALAR), [X]),
    "rows": (
        make_module(
            "#row", "tensor<64xf32>", "tensor<64xi32>", "i8", -128, 127, "", *CONSTANT_ROWS
        ),
        [X],
    ),
    "computed": (
        make_module(
            "#row", "tensor<64xf32>", "tensor<64xi8>", "i8", -128, 127, "", "", "", PER_ROW
        ),
        [X, scales, zeros],
    ),
}
failures = []
for name, (text, arrays) in CASES.items():
    source = work / f"{name}.mlir"
    source.write_text(text)
    expected = run_with_iree(source, arrays)
    for options in (
        ("--compile-to=input",),
        ("--compile-to=abi",),
        ("--compile-to=abi", "--iree-execution-model=async-external"),
    ):
        generic, got = run_here(source, arrays, name, options)
        assert ("hal.tensor.import" in generic) == ("--compile-to=abi" in options), generic
        assert ("!hal.fence" in generic) == (len(options) == 2), generic
        for index, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
            bits = f"u{theirs.itemsize}"
            wrong = ours.view(bits) != theirs.view(bits)
            if theirs.dtype.kind == "f":
                wrong &= ~(np.isnan(ours) & np.isnan(theirs))
            print(f"{name} {options} result {index}: {int(wrong.sum())} of {wrong.size} differ")
            if wrong.any():
                failures.append(f"{name}: {ours[wrong][:4]} {theirs[wrong][:4]} {X[wrong][:4]}")
sys.exit("\n".join(failures) if failures else 0)
