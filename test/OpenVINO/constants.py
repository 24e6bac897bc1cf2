# Constants of every element type, as OpenVINO writes them and as it converts them to numbers
# itself: packed, de-duplicated, unaligned, in any order, as attributes and as resources, and
# without elements.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir/quant-float-run %t
# RUN: quant-float-translate --import-openvino %t/m.xml | FileCheck %s
import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import openvino as ov
from openvino import opset13 as ops

run, folder = sys.argv[1], pathlib.Path(sys.argv[2])

# CHECK-DAG: quant_float.constant dense_resource<{{.*}}> : tensor<37x41xui4>
# CHECK-DAG: arith.constant dense<[true, false, false, true, true, false, true, false, true, true]> : tensor<10xi1>
# CHECK-DAG: arith.constant dense<[-8, 7, -1, 0, 3]> : tensor<5xi4>
# CHECK-DAG: arith.constant dense<> : tensor<0x3xf8E5M2>
# CHECK-DAG: arith.constant dense<{{.*}}> : tensor<16xf32>
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.5, 2.0, -3.0]
VALUES = {
    "boolean": [1, 0, 1, 1, 0],
    "bf16": [*FLOATS, 2.0**-130, 3.0e38, np.inf, np.nan],
    "f16": [*FLOATS, 2.0**-24, 65504.0, -np.inf, np.nan],
    "f32": [*FLOATS, 2.0**-149, 1.0e38, np.inf, np.nan],
    "f64": [*FLOATS, 0.1, 2.0**-1000, 1.0e300, -np.inf, np.nan],
    "f8e4m3": [*FLOATS, 2.0**-9, 448.0, -448.0, np.nan],
    "f8e5m2": [*FLOATS, 2.0**-16, 57344.0, np.inf, np.nan],
    "f8e8m0": [2.0**-127, 1.0, 0.25, 2.0**127],
    "f4e2m1": [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.5, -6.0, -0.0],
    "nf4": [-1.0, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.09105004, 0.0,
            0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0],
    "i4": [-8, 7, -1, 0, 3],
    "i8": [-128, 127, -1, 0],
    "i16": [-32768, 32767, -1],
    "i32": [-(2**31), 2**31 - 1, -1],
    "i64": [-(2**63), 2**63 - 1, -1],
    "u1": [1, 0, 0, 1, 1, 0, 1, 0, 1, 1],
    "u2": [3, 0, 1, 2, 2, 3, 1],
    "u4": [15, 0, 1, 8, 7],
    "u8": [255, 0, 128],
    "u16": [65535, 0, 32768],
    "u32": [2**32 - 1, 0, 2**31],
    "u64": [2**64 - 1, 0, 2**63],
}  # fmt: skip
# The types in which the .npy file of an output stores the elements.
VIEWS = {
    "bf16": ml_dtypes.bfloat16,
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e8m0": ml_dtypes.float8_e8m0fnu,
    "f4e2m1": ml_dtypes.float4_e2m1fn,
}

constants = []


def add(type, values, shape):
    made = ov.op.Constant(getattr(ov.Type, type), ov.Shape(shape), list(values))
    constants.append((type, made))


for type, values in VALUES.items():
    add(type, values, [len(values)])
    # The same bytes again, a scalar, an empty tensor, and more than an attribute holds.
    add(type, values, [1, len(values)])
    add(type, values[1:2], [])
    if type not in ("nf4", "u1"):
        add(type, [], [0, 3])
    add(type, [values[(i * 7 + i // 13) % len(values)] for i in range(37 * 41)], [37, 41])

model = ov.Model([ops.result(made) for _, made in constants], [], "m")
ov.serialize(model, folder / "m.xml")
offsets = [int(offset) for offset in re.findall(r' offset="(\d+)"', (folder / "m.xml").read_text())]
assert len(offsets) == len(constants)
assert len(set(offsets)) < len(offsets), "nothing is shared"
assert offsets != sorted(offsets), "the offsets have an order"
assert any(offset % 8 for offset in offsets), "everything is aligned"

subprocess.run([run, folder / "m.xml", "--target", "reference", "--outputs", folder], check=True)
failures = []
for index, (type, made) in enumerate(constants):
    encodings = np.load(folder / f"output_{index}.npy")
    found = encodings.view(VIEWS[type]) if type in VIEWS else encodings
    # As a type to which OpenVINO converts all values of the element type.
    is_integer = found.dtype.kind in "biu" and type != "nf4"
    wide = (
        np.uint64
        if type == "u64"
        else np.int64
        if is_integer
        else np.float64
        if type == "f64"
        else np.float32
    )
    converted = ops.convert(made, np.dtype(wide))
    expected = ov.Tensor(converted.get_element_type(), made.get_output_shape(0))
    assert ov.Model([ops.result(converted)], [], "c").evaluate([expected], [])
    found = found.astype(wide)
    if found.shape != tuple(expected.shape) or found.tobytes() != expected.data.tobytes():
        failures.append(f"{type} {found.shape}: expected {expected.data}, but got {found}")
print(f"{len(constants)} constants of {len(VALUES)} element types, {len(failures)} different")
sys.exit("\n".join(failures) if failures else 0)
