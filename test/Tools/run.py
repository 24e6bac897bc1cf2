# quant-float-run, in addition to cli.py's checks of every tool: selection of the function, names of
# inputs, sizes, random values, outputs, timing, and equal bits of both targets.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/Inputs %python %s %tools_dir/quant-float-run %t
import platform
import re
import sys

import ml_dtypes
import numpy as np
from tool import Tool

tool = Tool(sys.argv[1], sys.argv[2])
run, work, failures = tool.run, tool.work, tool.failures


def load(folder, index=0):
    path = work / folder / f"output_{index}.npy"
    return np.load(path) if path.exists() else None


def expect_equal(first, second, what):
    if first is None or second is None or not np.array_equal(first, second):
        failures.append(f"{what}: {first} and {second} differ")


PAIR = """
func.func @pair(%a: tensor<?x4xf32> {quant_float.name = "a in"}, %b: tensor<2x?xf16> {quant_float.name = "b"})
    -> (tensor<2x?xf8E5M2>, tensor<?x4xf8E4M3FN>) {
  %0 = quant_float.cast %b opset 19 : tensor<2x?xf16> to tensor<2x?xf8E5M2>
  %1 = quant_float.cast %a opset 19 : tensor<?x4xf32> to tensor<?x4xf8E4M3FN>
  return %0, %1 : tensor<2x?xf8E5M2>, tensor<?x4xf8E4M3FN>
}
"""
(work / "pair.mlir").write_text(PAIR)
a = np.array([[1, -2, 3.3, 1e9], [np.nan, -0.0, 0.01, np.inf]], "f4")
b = np.array([[0.5, 7.7, 60000], [1, 2, -3]], "f2")
np.save(work / "a.npy", a)
np.save(work / "b.npy", b)
np.save(work / "x=y.npy", a)

# The longest name applies.
(work / "names.mlir").write_text(
    """
func.func @names(%x: tensor<2xf32> {quant_float.name = "x"}, %y: tensor<2xf32> {quant_float.name = "x=y"}) -> tensor<2xf32> {
  return %y : tensor<2xf32>
}
"""
)
np.save(work / "one.npy", np.float32([1, 2]))
np.save(work / "two.npy", np.float32([3, 4]))
run(0, "names.mlir", "--inputs", "x=y=one.npy", "x=two.npy", "--outputs", "names")
expect_equal(load("names"), np.float32([1, 2]), "names")

for target in ("reference", "cpu"):
    on = ("--target", target)
    # In order, by name (blanks included), by index, and mixed, with the model first or last.
    run(0, "pair.mlir", "--inputs", "a.npy", "b.npy", "--outputs", f"{target}/deep/order", *on)
    run(0, "--inputs", "b=b.npy", "a in=a.npy", "pair.mlir", "--outputs", f"{target}/name", *on)
    run(0, "pair.mlir", "--inputs=1=b.npy", "--inputs=x=y.npy", "--outputs", f"{target}/both", *on)
    for folder in ("deep/order", "name", "both"):
        expect_equal(
            load(f"{target}/{folder}", 0),
            # 60000 exceeds the midpoint of 57344 and 65536 only when rounding to 65536.
            np.array([[0.5, 7.7, 57344], [1, 2, -3]], "f4")
            .astype(ml_dtypes.float8_e5m2)
            .view("u1"),
            f"{target} {folder} output 0",
        )
        expect_equal(
            load(f"{target}/{folder}", 1),
            np.array([[0x38, 0xC0, 0x45, 0x7E], [0x7F, 0x80, 0x05, 0x7E]], "u1"),
            f"{target} {folder} output 1",
        )
    # Random values depend on the seed alone.
    shapes = ("--shapes", "a in=?x4", "b=2x5", "--shapes", "a in=3x?")
    run(0, "pair.mlir", "--random", "7", *shapes, "--outputs", f"{target}/r7", *on)
    run(0, "pair.mlir", "--random", "7", *shapes, "--outputs", f"{target}/again", *on)
    run(0, "pair.mlir", "--random", "8", *shapes, "--outputs", f"{target}/r8", *on)
    expect_equal(load(f"{target}/r7", 1), load(f"{target}/again", 1), "random 7")
    if np.array_equal(load(f"{target}/r7", 1), load(f"{target}/r8", 1)):
        failures.append("seeds 7 and 8 yield the same values")
    for index in (0, 1):
        expect_equal(load("reference/r7", index), load(f"{target}/r7", index), f"targets, {index}")
    # A tensor without elements, and a timing.
    run(0, "pair.mlir", "--random", "1", "--shapes", "a in=0x4", "b=2x0", *on, stdout="output_0: ")
    timing = run(0, "pair.mlir", "--random", "1", *shapes, "--time", "--repeat", "3", *on)
    for key in ("best_seconds", "median_seconds", "elements_per_second"):
        if not re.search(rf"^{key}: [0-9.e+-]+$", timing, re.MULTILINE):
            failures.append(f"--time: no {key} in '{timing}'")
    if "elements: 22\n" not in timing:
        failures.append(f"--time: expected 22 elements in '{timing}'")

for options in (("--threads", "2"), ("--threads", "0"), ("-O0",), ("-O3",), ("--cpu", "host")):
    run(0, "pair.mlir", "--inputs", "a.npy", "b.npy", "--outputs", "option", *options)
    expect_equal(load("option", 1), load("reference/name", 1), f"{options}")

# Wrong usage.
for arguments, message in (
    ("--inputs a.npy", "input 1 'b': expected a file in --inputs"),
    ("--inputs a.npy b.npy b.npy", "expected 2 files or fewer"),
    ("--inputs b=b.npy b=b.npy", "input 1 'b' is specified twice"),
    ("--inputs a.npy none.npy", "none.npy: error: input 1 'b' cannot be"),
    ("--inputs b=", "expected FILE or NAME=FILE, but got 'b='"),
    ("--inputs", "quant-float-run: error: --inputs: expected at least one value"),
    ("--random 1", "the dynamic sizes of float[?x4] must be specified by --shapes a in=..."),
    ("--shapes c=1", "no input is named 'c'; the inputs are 'a in', 'b'"),
    ("--shapes b=3x3", "expected sizes of float16[2x?], but got float16[3x3]"),
    ("--shapes b=2", "expected sizes of float16[2x?], but got float16[2]"),
    ("--shapes b", "expected NAME=SIZES, but got 'b'"),
    ("--shapes b=2x-1", "expected sizes like 1x3x?, but got '2x-1'"),
    ("--random one", "--random: expected a number, but got 'one'"),
    ("--threads 5000", "--threads: expected 0 to 4096, but got 5000"),
    ("--repeat 0", "--repeat: expected 1 to 1000000, but got 0"),
    ("-O4", "-O: expected 0 to 3, but got 4"),
    ("-O22", "-O: expected 0 to 3, but got 22"),
    ("--target tpu", "--target: expected cpu, reference or nvvm, but got 'tpu'"),
    ("--chip sm_90", "--chip: expected --target nvvm"),
    ("--inputs a.npy b.npy --outputs a.npy", "cannot be written"),
):
    run(2, "pair.mlir", *arguments.split(), stderr=message)
# The last argument is the model, not a value of the option.
run(2, "--inputs", "pair.mlir", stderr="--inputs: expected at least one value")
# Invalid input.
run(1, "pair.mlir", "--cpu", "no-such-cpu", stderr="unknown cpu 'no-such-cpu'")
run(1, "pair.mlir", "--inputs", "b.npy", "b.npy", stderr="expected float in a .npy type 'f4'")
run(1, "-", stdin="module {}", stderr="there is no function to run")

# Several functions: --entry takes the symbol or the graph's name.
TWO = """
func.func @one(%x: tensor<2xf32>) -> tensor<2xf16> attributes {quant_float.graph_name = "first"} {
  %0 = quant_float.cast %x opset 13 : tensor<2xf32> to tensor<2xf16>
  return %0 : tensor<2xf16>
}
func.func @two(%x: tensor<2xf32>) -> tensor<2xi8> {
  %0 = quant_float.cast %x opset 13 : tensor<2xf32> to tensor<2xi8>
  return %0 : tensor<2xi8>
}
func.func @relu(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = quant_float.node "Sort"(%x) opset 13 : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
(work / "two.mlir").write_text(TWO)
for target in ("reference", "cpu"):
    on = ("--random", "1", "--target", target)
    run(0, "two.mlir", "--entry", "first", *on, stdout="output_0: float16[2]")
    run(0, "two.mlir", "--entry", "two", *on, stdout="output_0: int8[2]")
    run(2, "two.mlir", *on, stderr="expected --entry to choose one of the functions 'one', 'two'")
    run(2, "two.mlir", "--entry", "none", *on, stderr="no function is named 'none'")
    run(1, "two.mlir", "--entry", "relu", *on, stderr="two.mlir:11:8: error: ")

# Results that are arguments, constants, empty, scalars, or the same value twice, and a function
# without inputs.
RESULTS = """
func.func @f(%x: tensor<?x4xf32>, %u: tensor<4xui4>, %b: tensor<3xi1>)
    -> (tensor<?x4xf32>, tensor<?x4xf8E5M2>, tensor<?x4xf8E5M2>, tensor<?x4xf16>, tensor<2xui4>,
        tensor<4xui4>, tensor<3xf32>, tensor<0xf32>, tensor<i4>, tensor<3xi1>, tensor<2xi1>) {
  %0 = quant_float.cast %x opset 19 : tensor<?x4xf32> to tensor<?x4xf8E5M2>
  %1 = quant_float.cast %0 opset 19 : tensor<?x4xf8E5M2> to tensor<?x4xf16>
  %c = quant_float.constant dense<[1, 15]> : tensor<2xui4>
  %e = arith.constant dense<> : tensor<0xf32>
  %i = arith.constant dense<-3> : tensor<i4>
  %k = arith.constant dense<[true, false]> : tensor<2xi1>
  %f = quant_float.cast %b opset 19 : tensor<3xi1> to tensor<3xf32>
  return %x, %0, %0, %1, %c, %u, %f, %e, %i, %b, %k
      : tensor<?x4xf32>, tensor<?x4xf8E5M2>, tensor<?x4xf8E5M2>, tensor<?x4xf16>, tensor<2xui4>,
        tensor<4xui4>, tensor<3xf32>, tensor<0xf32>, tensor<i4>, tensor<3xi1>, tensor<2xi1>
}
"""
(work / "results.mlir").write_text(RESULTS)
for target in ("reference", "cpu"):
    on = ("--target", target, "--outputs", target)
    run(0, "results.mlir", "--random", "5", "--shapes", "0=3x4", *on)
    for index in range(11):
        expect_equal(load("reference", index), load(target, index), f"{target}: result {index}")
    expect_equal(load(target, 1), load(target, 2), f"{target}: one value twice")
    expect_equal(load(target, 4), np.array([1, 15], "u1"), f"{target}: constant of ui4")
    expect_equal(load(target, 8), np.array(-3, "i1"), f"{target}: scalar")
    expect_equal(load(target, 10), np.array([True, False]), f"{target}: constant of bool")
(work / "constant.mlir").write_text(
    """
func.func @f() -> tensor<2xf32> {
  %0 = arith.constant dense<[1.0, 15.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
)
for target in ("reference", "cpu"):
    run(0, "constant.mlir", "--target", target, stdout="output_0: float[2]")

# Constants, also large ones, which are not part of the code.
count = 100_000
weights = np.arange(count, dtype="u1")
hexadecimal = "0x01000000" + weights.tobytes().hex().upper()
LARGE = f"""
func.func @f() -> (tensor<{count}xf32>, tensor<2xf16>) {{
  %w = arith.constant dense_resource<w> : tensor<{count}xf8E5M2>
  %0 = quant_float.cast %w opset 19 : tensor<{count}xf8E5M2> to tensor<{count}xf32>
  %c = arith.constant dense<[1.5, 70000.0]> : tensor<2xf32>
  %1 = quant_float.cast %c opset 19 : tensor<2xf32> to tensor<2xf16>
  return %0, %1 : tensor<{count}xf32>, tensor<2xf16>
}}
{{-# dialect_resources: {{ builtin: {{ w: "{hexadecimal}" }} }} #-}}
"""
(work / "large.mlir").write_text(LARGE)
for target in ("reference", "cpu"):
    run(0, "large.mlir", "--target", target, "--outputs", target)
    values = load(target)
    wanted = weights.view(ml_dtypes.float8_e5m2).astype("f4")
    if values is None or not np.array_equal(values, wanted, equal_nan=True):
        failures.append(f"{target}: different values of the large constant")
    expect_equal(load(target, 1), np.array([1.5, np.inf], "f2"), f"{target}: small constant")

# Code for another architecture cannot run here.
foreign = "apple-m1" if platform.machine() == "x86_64" else "znver4"
message = "cannot run in this process, which is for '"
run(1, "constant.mlir", "--target", "cpu", "--cpu", foreign, stderr=message)

tool.finish()
