# The attributes of FakeConvert that the importer fixes: the mode, and the plugin's treatment of
# operands that are constants of the model or inputs.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir/quant-float-translate %t
# The tools select the mode as well, also for a model in MLIR.
# RUN: quant-float-compile %t/m.xml --emit mlir -o %t/default.mlir
# RUN: quant-float-compile %t/m.xml --emit mlir -o %t/exact.mlir --fakeconvert-mode exact
# RUN: quant-float-compile %t/m.mlir --emit mlir -o %t/overridden.mlir --fakeconvert-mode exact
# RUN: cmp %t/exact.mlir %t/overridden.mlir
# RUN: not cmp -s %t/default.mlir %t/exact.mlir
# A splat may represent too many elements to be inspected.
# RUN: quant-float-compile %S/Inputs/splat.mlir --emit mlir -o - --fakeconvert-mode openvino | FileCheck %s --check-prefix=SPLAT
# SPLAT: quant_float.fakeconvert %{{[^,]+}}, %{{[^,]+}} to f8E4M3FN mode openvino reciprocal nearest opset 13
# RUN: quant-float-check %t/m.xml
# RUN: quant-float-run %t/one.xml --random 1 --outputs %t/plugin
# RUN: quant-float-run %t/one.xml --random 1 --outputs %t/exact --fakeconvert-mode exact
# RUN: not cmp -s %t/plugin/output_0.npy %t/exact/output_0.npy
# RUN: quant-float-run %t/one.xml --random 1 --outputs %t/same --fakeconvert-mode openvino
# RUN: cmp %t/plugin/output_0.npy %t/same/output_0.npy
# RUN: not quant-float-compile %t/m.xml -o %t/o.mlir --fakeconvert-mode fast 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# UNKNOWN: for the --fakeconvert-mode option: Cannot find option named 'fast'!
import pathlib
import re
import subprocess
import sys

import numpy as np
import openvino as ov
from openvino import opset13 as ops

translate, folder = sys.argv[1], pathlib.Path(sys.argv[2])
parameters, cases = [], []


def constant(type, values):
    shape = ov.Shape(np.shape(values))
    return ov.op.Constant(getattr(ov.Type, type), shape, np.ravel(values).tolist())


def parameter(type, shape):
    parameters.append(ops.parameter(ov.PartialShape(shape), getattr(ov.Type, type)))
    return parameters[-1]


def add(expected, type, *operands, destination="f8e4m3"):
    """A FakeConvert, and the rest after its operands: the number of the remaining operands, and the
    attributes."""
    operands = [constant(type, o) if isinstance(o, float | list) else o for o in operands]
    result = ops.result(ops.fake_convert(*operands, destination_type=destination))
    cases.append((result, expected))


X, ROW, ZEROS = "[2,3]", [2.0, 3.0, 4.0], [-0.0, -0.0, -0.0]
OPENVINO, REFERENCE = "to f8E4M3FN mode openvino", "to f8E4M3FN mode openvino_reference"
for type, constant_scale, input_scale in (
    ("f32", "", ""),
    ("f16", " reciprocal nearest", ""),
    ("bf16", " reciprocal openvino", " reciprocal nearest"),
):
    known = OPENVINO + constant_scale
    x, s = parameter(type, X), parameter(type, "[3]")
    # A constant scale of one element: zeros become +0 unless it is 1.
    add(f"2 {known} positive_zero", type, x, 2.0)
    add(f"2 {known}", type, x, [[1.0]])
    add(f"2 {known}".replace("E4M3FN", "E5M2"), type, x, ROW, destination="f8e5m2")
    # A constant shift of zeros is dropped. For bf16, only if it has one element.
    add(f"2 {known} positive_zero", type, x, 2.0, 0.0)
    add(f"{3 if type == 'bf16' else 2} {known}", type, x, ROW, ZEROS)
    add(f"3 {known}", type, x, ROW, [0.0, -0.0, 0.0])
    add(f"3 {known} positive_zero", type, x, 2.0, 0.5)
    # Operands that are inputs.
    add(f"2 {OPENVINO}", type, x, s)
    add(f"{3 if type == 'bf16' else 2} {OPENVINO}{input_scale}", type, x, s, ZEROS)
    add(f"2 {OPENVINO}{input_scale}", type, x, parameter(type, "[]"), 0.0)
    add(f"3 {known} neutral_shift", type, x, ROW, parameter(type, "[3]"))
    add(f"3 {OPENVINO}{input_scale} neutral_shift", type, x, s, s)
    # The reference folds constants only. Constant data alone does not suffice.
    add(f"2 {REFERENCE}", type, [[1.0, 2.0, 3.0]], 2.0)
    add(f"2 {OPENVINO}", type, [[1.0, 2.0, 3.0]], s)

# Conversions and reshapes are looked through, and values that are computed from constants are
# constants.
x = parameter("f32", X)
two, one, zero = (ops.convert(constant("f16", v), "f32") for v in (2.0, 1.0, 0.0))
add(f"2 {OPENVINO} positive_zero", "f32", x, two, zero)
add(f"2 {OPENVINO}", "f32", x, one)
add(f"2 {OPENVINO}", "f32", x, ops.convert(constant("i8", 1.0), "f32"))
add(f"2 {OPENVINO}", "f32", x, ops.unsqueeze(one, constant("i64", [0])))
add(f"3 {OPENVINO} positive_zero", "f32", x, ops.multiply(two, two), ops.multiply(two, two))
add(f"2 {OPENVINO}", "f32", x, ops.relu(parameter("f32", "[]")))
add(f"2 {REFERENCE}", "f32", ops.multiply(two, two), two)
# Large ones are resources.
large = parameter("f32", "[400]")
add(f"2 {OPENVINO}", "f32", large, [2.0] * 400, [-0.0] * 400)
add(f"3 {OPENVINO}", "f32", large, [2.0] * 400, [0.0, -0.0] * 200)
add(f"3 {OPENVINO}", "f32", large, [2.0] * 400, [0.0] * 399 + [1.0])

ov.serialize(ov.Model([result for result, _ in cases], parameters, "m"), folder / "m.xml")
x = ops.parameter([256], np.float32)
one = ops.fake_convert(x, constant("f32", 3.0), destination_type="f8e4m3")
ov.serialize(ov.Model([ops.result(one)], [x], "one"), folder / "one.xml")


def import_model(*arguments):
    """The ops that define the results, in order."""
    command = [translate, "--import-openvino", folder / "m.xml", *arguments]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (folder / "m.mlir").write_text(text)
    made = {}
    for line in re.findall(r"^ *(%\w+ = quant_float.fakeconvert .*)", text, re.M):
        name, operands, rest = re.match(r"(%\w+) = \S+ (.*?) (to .*?) opset 13", line).groups()
        made[name] = f"{operands.count(',') + 1} {' '.join(rest.split())}"
    return [made[name] for name in re.search(r"return (.*?) :", text)[1].split(", ")]


failures = []


def compare(what, expected, found):
    for wanted, got in zip(expected, found, strict=True):
        if wanted != got:
            failures.append(f"{what}: expected {wanted!r}, but got {got!r}")


expected = [text for _, text in cases]
compare("default", expected, import_model())
compare("openvino", expected, import_model("--fakeconvert-mode=openvino"))
# Other modes fix and drop nothing.
counts = [result.input(0).get_source_output().get_node().get_input_size() for result, _ in cases]
for mode, shown in (("exact", ""), ("openvino_reference", " mode openvino_reference")):
    expected = [
        f"{count} {re.search(r'to f8E[^ ]*', text)[0]}{shown}"
        for count, (_, text) in zip(counts, cases, strict=True)
    ]
    compare(mode, expected, import_model(f"--fakeconvert-mode={mode}"))
sys.exit("\n".join(failures) if failures else 0)
