# Matmuls of float8 tensors that are computed by casts, with the linalg ops that other compilers
# generate: products and accumulation in f32, with ml_dtypes and numpy.
# RUN: %python %s %tools_dir %t
import itertools
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
ID, SCALAR = "affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> ()>"
PARALLEL = 'iterator_types = ["parallel", "parallel"]'


def quantize(name, shape, separate):
    """Divides, clips and casts. If `separate`, a second op casts back."""
    text = f"""
  %{name}_init = tensor.empty() : tensor<{shape}xf8E4M3FN>
  %{name}_8 = linalg.generic {{indexing_maps = [{ID}, {SCALAR}, {ID}], {PARALLEL}}}
      ins(%{name}, %s{name} : tensor<{shape}xf32>, tensor<f32>) outs(%{name}_init : tensor<{shape}xf8E4M3FN>) {{
  ^bb0(%x: f32, %s: f32, %o: f8E4M3FN):
    %d = arith.divf %x, %s : f32
    %m = arith.maximumf %d, %low : f32
    %n = arith.minimumf %m, %high : f32
    %t = arith.truncf %n : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }} -> tensor<{shape}xf8E4M3FN>"""
    if separate:
        text += f"""
  %{name}_wide = arith.extf %{name}_8 : tensor<{shape}xf8E4M3FN> to tensor<{shape}xf32>"""
    return text, (f"%{name}_wide", f"tensor<{shape}xf32>") if separate else (
        f"%{name}_8",
        f"tensor<{shape}xf8E4M3FN>",
    )


def matmul(a, b, shape, generic):
    if not generic:
        return f"""
  %r = linalg.matmul ins({a[0]}, {b[0]} : {a[1]}, {b[1]}) outs(%zeros : tensor<{shape}xf32>) -> tensor<{shape}xf32>"""
    types = [type_.rpartition("x")[2][:-1] for _, type_ in (a, b)]
    names, widen = [], ""
    for name, type_ in zip(("lhs", "rhs"), types, strict=True):
        names.append(f"%{name}" if type_ == "f32" else f"%{name}_f32")
        if type_ != "f32":
            widen += f"    %{name}_f32 = arith.extf %{name} : {type_} to f32\n"
    return f"""
  %r = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins({a[0]}, {b[0]} : {a[1]}, {b[1]}) outs(%zeros : tensor<{shape}xf32>) {{
  ^bb0(%lhs: {types[0]}, %rhs: {types[1]}, %sum: f32):
{widen}    %p = arith.mulf {names[0]}, {names[1]} : f32
    %n = arith.addf %sum, %p : f32
    linalg.yield %n : f32
  }} -> tensor<{shape}xf32>"""


def run(name, text, *arrays, cpu="host", threads=1):
    source = work / f"{name}.mlir"
    source.write_text(text)
    files = []
    for index, array in enumerate(arrays):
        files.append(work / f"{name}.{index}.npy")
        np.save(files[-1], array)
    options = [f"--cpu={cpu}", f"--threads={threads}"]
    command = [
        tools / "quant-float-run",
        source,
        *options,
        "--outputs",
        work / name,
        "--inputs",
        *files,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{name}:\n{done.stderr}\n{text}"
    return np.load(work / name / "output_0.npy")


for rows, depth, columns in ((4, 64, 16), (3, 16, 5), (33, 64, 48)):
    a = (random.standard_normal((rows, depth)) * 30).astype(np.float32)
    b = (random.standard_normal((depth, columns)) * 3).astype(np.float32)
    scales = np.float32([0.25, 0.0625])
    with np.errstate(all="ignore"):
        a8, b8 = (
            np.clip(x / s, -448, 448).astype(ml_dtypes.float8_e4m3fn).astype(np.float64)
            for x, s in zip((a, b), scales, strict=True)
        )
    exact, bound = a8 @ b8, np.abs(a8) @ np.abs(b8) * depth * 2.0**-24
    for separate_a, separate_b, generic in itertools.product((False, True), repeat=3):
        shape = f"{rows}x{columns}"
        text_a, operand_a = quantize("a", f"{rows}x{depth}", separate_a)
        text_b, operand_b = quantize("b", f"{depth}x{columns}", separate_b)
        text = f"""
func.func @main(%a: tensor<{rows}x{depth}xf32>, %b: tensor<{depth}x{
            columns
        }xf32>, %sa: tensor<f32>, %sb: tensor<f32>) -> tensor<{shape}xf32> {{
  %low = arith.constant -448.0 : f32
  %high = arith.constant 448.0 : f32
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<{shape}xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<{shape}xf32>) -> tensor<{shape}xf32>{
            text_a
        }{text_b}{matmul(operand_a, operand_b, shape, generic)}
  return %r : tensor<{shape}xf32>
}}
"""
        results = [
            run(f"matmul_{shape}", text, a, b, *scales, cpu=cpu, threads=threads)
            for cpu, threads in (("host", 1), ("x86-64", 2))
        ]
        for result in results:
            assert (np.abs(result - exact) <= bound).all(), (shape, np.abs(result - exact).max())
        # The accumulation order is that of rule R7 on every machine.
        assert np.array_equal(*results), shape
    print(f"{rows}x{depth} by {depth}x{columns}: 8 forms")
