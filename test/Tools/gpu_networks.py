# Programs for GPUs other than elementwise ones: square roots are correctly rounded, kernels are
# launched in loops, and wide integers are rejected. For CPUs: branches, and two kinds of outputs of
# one reduction.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import os
import pathlib
import subprocess
import sys

import numpy as np

tools_dir, work = map(pathlib.Path, sys.argv[1:])
failures = []

MAPS = 'indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]'


def elementwise(result, source, line, size):
    return f"""%{result} = linalg.generic {{{MAPS}}} ins(%{source} : tensor<{size}xf32>) outs(%e : tensor<{size}xf32>) {{
    ^bb0(%a: f32, %b: f32):
      %s = {line} : f32
      linalg.yield %s : f32
    }} -> tensor<{size}xf32>"""


BRANCH = f"""func.func @branch(%x: tensor<SIZExf32>, %y: tensor<?xf32>) -> tensor<SIZExf32> {{
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  %p = arith.cmpi ugt, %d, %c10 : index
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<SIZExf32>
  {elementwise("h", "x", "arith.addf %a, %one", "SIZE")}
  %r = scf.if %p -> tensor<SIZExf32> {{
    {elementwise("g", "h", "arith.mulf %a, %a", "SIZE")}
    scf.yield %g : tensor<SIZExf32>
  }} else {{
    scf.yield %h : tensor<SIZExf32>
  }}
  return %r : tensor<SIZExf32>
}}
"""
SCAN = """func.func @scan(%x: tensor<4x40xf32>) -> (tensor<4x40xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x40xf32>
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %g:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x40xf32>) outs(%e, %f : tensor<4x40xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %q = arith.addf %a, %c : f32
    linalg.yield %q, %q : f32, f32
  } -> (tensor<4x40xf32>, tensor<4xf32>)
  return %g#0, %g#1 : tensor<4x40xf32>, tensor<4xf32>
}
"""
LOOP = f"""func.func @loop(%x: tensor<40xf32>, %y: tensor<?xf32>) -> tensor<40xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<40xf32>
  {elementwise("h", "x", "arith.mulf %a, %a", "40")}
  %r = scf.for %i = %c0 to %d step %c1 iter_args(%e1 = %h) -> tensor<40xf32> {{
    {elementwise("g", "x", "arith.addf %a, %b", "40").replace("outs(%e ", "outs(%e1 ")}
    scf.yield %g : tensor<40xf32>
  }}
  return %r : tensor<40xf32>
}}
"""
ROOT = """func.func @root(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = quant_float.node "Sqrt"(%x) opset 13 : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
WIDE = """func.func @wide(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = arith.fptosi %a : f32 to i128
    %f = arith.sitofp %i : i128 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def expect(condition, message):
    if not condition:
        failures.append(message)


def run(tool, *arguments, **environment):
    command = [tools_dir / f"quant-float-{tool}", *map(str, arguments)]
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=work, env=os.environ | environment
    )
    return result.returncode, result.stderr


for size, other in ((400_000, 37), (400_000, 3)):
    (work / "branch.mlir").write_text(BRANCH.replace("SIZE", str(size)))
    x = np.random.default_rng(3).standard_normal(size).astype(np.float32)
    np.save(work / "x.npy", x)
    np.save(work / "y.npy", np.zeros(other, np.float32))
    code, said = run("run", "branch.mlir", "--inputs", "x.npy", "y.npy", "--outputs", ".")
    expect(code == 0, f"branch.mlir: exit code {code}: {said}")
    sums = x + np.float32(1)
    expected = sums * sums if other > 10 else sums
    expect(
        code == 0 and np.array_equal(np.load(work / "output_0.npy"), expected),
        f"branch.mlir with {other}: wrong values",
    )

(work / "scan.mlir").write_text(SCAN)
x = np.arange(160, dtype=np.float32).reshape(4, 40)
np.save(work / "x.npy", x)
code, said = run("run", "scan.mlir", "--inputs", "x.npy", "--outputs", ".")
expect(code == 0, f"scan.mlir: exit code {code}: {said}")
expect(
    code == 0 and np.array_equal(np.load(work / "output_0.npy"), np.cumsum(x, axis=1)),
    "scan.mlir: wrong values",
)

(work / "root.mlir").write_text(ROOT)
code, said = run("compile", "root.mlir", "--target", "nvvm", "--chip", "sm_90", "-o", "root.ptx")
ptx = (work / "root.ptx").read_text() if code == 0 else ""
expect(
    "sqrt.rn.f32" in ptx and ".approx" not in ptx and ".extern" not in ptx,
    f"root.ptx: expected rounded roots: {said}",
)

(work / "loop.mlir").write_text(LOOP)
code, said = run("compile", "loop.mlir", "--target", "nvvm", "--chip", "sm_90", "-o", "loop.so")
expect(code == 0, f"loop.mlir: exit code {code}: {said}")
for name, text, message in (
    ("wide", WIDE, "has no kernel: expected integers of at most 64 bits, but got 'vector<4xi128>'"),
):
    (work / f"{name}.mlir").write_text(text)
    code, said = run(
        "compile", f"{name}.mlir", "--target", "nvvm", "--chip", "sm_90", "-o", "out.ptx"
    )
    expect(
        code == 1 and message in said,
        f"{name}.mlir: exit code {code}: expected '{message}', but got '{said}'",
    )

# A missing toolkit.
code, said = run(
    "compile",
    "root.mlir",
    "--target",
    "nvvm",
    "--chip",
    "sm_90",
    "-o",
    "none.ptx",
    CUDA_ROOT="/nonexistent",
)
expect(
    code == 1 and "/nonexistent" in said and not (work / "none.ptx").exists(),
    f"CUDA_ROOT: exit code {code}: {said}",
)

sys.exit("\n".join(failures) if failures else 0)
