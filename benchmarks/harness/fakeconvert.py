# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of fakeconvert: data, modules, and expected results.

x has rows of 1024 elements, or one of fewer; there is one scale for all ("tensor") or one for each
row ("axis"), and the same holds for the shift, in rows that have one.
"""

import numpy as np

from .formats import FORMATS, Format, make_data, make_special
from .quantization import kept, width


def storage(row: dict) -> Format:
    """The destination."""
    return FORMATS[row["storage"]]


def _shape(row: dict, count: int) -> tuple[int, ...]:
    return {"tensor": (1,), "axis": (count // width(row), 1)}[row["granularity"]]


def make_inputs(row: dict, count: int) -> list[np.ndarray]:
    """x, scale, shift. x is computed from scales, shifts and values of the destination type."""
    random = np.random.default_rng(20242)
    shape = _shape(row, count)
    scale = random.uniform(10, 100, shape).astype(np.float32)
    shift = random.uniform(-2, 2, shape).astype(np.float32)
    x = make_data(FORMATS["f32"], storage(row), count, row.get("nans", False))
    x = x.reshape(-1, width(row))
    x = (x + shift) / scale if row.get("shift") else x / scale
    x = kept(make_special(x.astype(np.float32), row.get("data")))
    return [x, kept(scale), *([kept(shift)] if row.get("shift") else [])]


def expected(row: dict, inputs: list[np.ndarray]) -> np.ndarray:
    """The expected f32 values in the row's mode."""
    form = storage(row)
    x, scale = inputs[:2]
    with np.errstate(over="ignore"):
        scaled = x * scale
    if row.get("shift"):
        scaled = scaled - inputs[2]
    capped = np.clip(scaled, -form.largest, form.largest)
    if row["mode"] == "openvino":
        capped = capped.astype(np.float16)
    result = capped.astype(form.numpy).astype(np.float32)
    if row.get("shift"):
        result = result + inputs[2]
    if row["mode"] == "exact":
        return (result / scale).reshape(-1)
    # A single constant scale makes every zero positive.
    zero = np.float32(0 if _makes_positive(row) else -0.0)
    return (result * (np.float32(1) / scale) + zero).reshape(-1)


def _makes_positive(row: dict) -> bool:
    return row["mode"] == "openvino" and row["granularity"] == "tensor" and not row.get("shift")


def module(row: dict) -> str:
    form = storage(row)
    x = f"tensor<?x{width(row)}xf32>"
    scale = {"tensor": "tensor<1xf32>", "axis": "tensor<?x1xf32>"}[row["granularity"]]
    has_shift = row.get("shift", False)
    words = f"to {form.mlir} mode {row['mode']}"
    if _makes_positive(row):
        words += " positive_zero"
    return (
        f"func.func @{row['name']}(%x: {x}, %s: {scale}"
        f"{f', %t: {scale}' if has_shift else ''}) -> {x} {{\n"
        f"  %y = quant_float.fakeconvert %x, %s{', %t' if has_shift else ''} {words}"
        f" opset {row['opset']} : {x}, {scale}{f', {scale}' if has_shift else ''} to {x}\n"
        f"  return %y : {x}\n"
        "}\n"
    )


def openvino_model(row: dict, inputs: list[np.ndarray]):
    """FakeConvert with constant scale and shift, as in every model that NNCF writes."""
    import openvino
    from openvino import opset13

    x = opset13.parameter(list(inputs[0].shape), np.float32)
    constants = [opset13.constant(array) for array in inputs[1:]]
    name = {"e4m3fn": "f8e4m3", "e5m2": "f8e5m2"}[row["storage"]]
    y = opset13.fake_convert(x, *constants, destination_type=name)
    return openvino.Model([y], [x])
