# Asserts that other compilers emit, in functions and in the bodies of linalg.generic: the model
# runs if they hold, and fails with their message otherwise.
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)


def run(name, text, *arrays, threads=1):
    """The first output, or the error message."""
    source = work / f"{name}.mlir"
    source.write_text(text)
    files = []
    for index, array in enumerate(arrays):
        files.append(work / f"{name}.{index}.npy")
        np.save(files[-1], array)
    command = [
        tools / "quant-float-run",
        source,
        f"--threads={threads}",
        "--outputs",
        work / name,
        "--inputs",
        *files,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        assert done.returncode == 1, done
        return done.stderr.strip()
    return np.load(work / name / "output_0.npy")


GATHER = """
func.func @main(%w: tensor<10x4xf32>, %i: tensor<?xi64>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %low = arith.constant 0 : i64
  %high = arith.constant 10 : i64
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi64>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%x: i64, %o: f32):
    %below = arith.cmpi slt, %x, %high : i64
    cf.assert %below, "index must be smaller than dim size"
    %above = arith.cmpi sge, %x, %low : i64
    cf.assert %above, "index must be larger or equal to 0"
    %k = arith.index_cast %x : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %w[%k, %j] : tensor<10x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""
w = np.arange(40, dtype=np.float32).reshape(10, 4)
for threads in (1, 2):
    for indices in ([0, 9, 3], [], [5] * 100):
        indices = np.array(indices, np.int64)
        got = run("gather", GATHER, w, indices, threads=threads)
        assert np.array_equal(got, w[indices]), got
    message = run("gather", GATHER, w, np.array([1, 10], np.int64), threads=threads)
    assert "index must be smaller than dim size" in message, message
    message = run("gather", GATHER, w, np.array([1, -1, 2], np.int64), threads=threads)
    assert "index must be larger or equal to 0" in message, message
    # An index far out of bounds.
    message = run("gather", GATHER, w, np.array([1 << 60], np.int64), threads=threads)
    assert "index must be smaller than dim size" in message, message
print("asserts in linalg.generic")

BATCH = """
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %holds = arith.cmpi sge, %n, %c1 : index
  cf.assert %holds, "expected a batch"
  %y = func.call @inner(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func private @inner(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = arith.truncf %x : tensor<?x8xf32> to tensor<?x8xf8E4M3FN>
  %z = arith.extf %y : tensor<?x8xf8E4M3FN> to tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}
"""
x = np.arange(24, dtype=np.float32).reshape(3, 8)
got = run("batch", BATCH, x)
assert got.shape == (3, 8) and got[0, 7] == 7 and got[2, 7] == 24, got
message = run("batch", BATCH, x[:0])
assert "expected a batch" in message, message
print("asserts of functions")
