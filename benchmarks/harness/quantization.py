# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of quantize, dequantize and qdq: data, modules, and expected results.

x has rows of 1024 elements, or one of fewer; a row's granularity is "tensor", "axis" (a scale for
each row of x) or "block" (one for each 32 neighbors in a row).
"""

import numpy as np

from .formats import FORMATS, Format, aligned_empty, make_data, make_special

COLUMNS = 1024  # of rows that do not specify their own
BLOCK = 32
OPERATIONS = ("quantize", "dequantize", "qdq")


def storage(row: dict) -> Format:
    """The quantized type."""
    return FORMATS[row.get("storage") or row["to" if row["op"] == "quantize" else "from"]]


def width(row: dict) -> int:
    """The elements of a row of x, or those of x if there are fewer."""
    return row.get("columns", COLUMNS)


def _is_integer(form: Format) -> bool:
    return form.name.startswith("i")


def parameter_shape(row: dict, count: int) -> tuple[int, ...]:
    rows, columns = count // width(row), width(row)
    return {"tensor": (), "axis": (rows,), "block": (rows, columns // BLOCK)}[row["granularity"]]


def _spread(row: dict, parameter: np.ndarray) -> np.ndarray:
    """A parameter for each element of x, or one that broadcasts."""
    if row["granularity"] == "axis":
        return parameter[:, None]
    if row["granularity"] == "block":
        return np.repeat(parameter, BLOCK, axis=1)
    return parameter


def kept(array: np.ndarray) -> np.ndarray:
    """A copy at a page boundary."""
    copy = aligned_empty(array.nbytes)
    copy[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return copy.view(array.dtype).reshape(array.shape)


def make_inputs(row: dict, count: int) -> list[np.ndarray]:
    """x, scale, zero point. An encoder's x is computed from scales and values of the quantized
    type. 1 in 16 is out of range."""
    random = np.random.default_rng(20241)
    form = storage(row)
    shape = parameter_shape(row, count)
    scale = random.uniform(0.01, 0.1, shape).astype(np.float32)
    zero_point = np.zeros(shape, np.int8)
    lowest, highest = -form.largest, form.largest
    if _is_integer(form):
        lowest -= 1
        zero_point = random.integers(lowest // 2, highest // 2 + 1, shape).astype(np.int8)
    if row["op"] == "dequantize":
        if _is_integer(form):
            x = random.integers(int(lowest), int(highest) + 1, count).astype(np.int8)
            x = x.astype(form.numpy)
        else:
            x = make_data(form, FORMATS["f32"], count)
        return [kept(x.reshape(-1, width(row))), kept(scale), kept(zero_point.astype(form.numpy))]
    if _is_integer(form):
        x = random.uniform(lowest, highest, count) * random.choice([1] * 15 + [2], count)
    else:
        x = make_data(FORMATS["f32"], form, count, row.get("nans", False))
    x = x.reshape(-1, width(row))
    x = (x - _spread(row, zero_point).astype(np.float32)) * _spread(row, scale)
    return [
        kept(make_special(x.astype(np.float32), row.get("data"))),
        kept(scale),
        kept(zero_point.astype(form.numpy)),
    ]


def expected(row: dict, inputs: list[np.ndarray]) -> np.ndarray:
    """The expected quantized or f32 values."""
    form = storage(row)
    x, scale, zero_point = inputs[0], _spread(row, inputs[1]), _spread(row, inputs[2])
    is_integer = _is_integer(form)
    zero_point = zero_point.astype(np.int32) if is_integer else np.int32(0)
    encodings = x
    if row["op"] != "dequantize":
        with np.errstate(over="ignore"):
            quotient = x / scale
        if is_integer:
            # Beyond this, all values saturate.
            encodings = np.rint(np.clip(quotient, -1e6, 1e6)).astype(np.int32) + zero_point
            encodings = np.clip(encodings, -form.largest - 1, form.largest).astype(form.numpy)
        else:
            encodings = np.clip(quotient, -form.largest, form.largest).astype(form.numpy)
    if row["op"] == "quantize":
        return encodings.reshape(-1)
    wide = encodings.astype(np.int32) - zero_point if is_integer else encodings
    return (wide.astype(np.float32) * scale).reshape(-1)


def _attributes(row: dict) -> dict:
    return {
        "tensor": {},
        "axis": {"axis": 0},
        "block": {"axis": 1, "block_size": BLOCK},
    }[row["granularity"]]


def module(row: dict) -> str:
    form = storage(row)
    dims = {"tensor": "", "axis": "?x", "block": f"?x{width(row) // BLOCK}x"}[row["granularity"]]
    types = [
        f"tensor<?x{width(row)}x{FORMATS[row['from']].mlir}>",
        f"tensor<{dims}f32>",
        f"tensor<{dims}{form.mlir}>",
    ]
    result = f"tensor<?x{width(row)}x{FORMATS[row['to']].mlir}>"
    words = " ".join(f"{name} {value}" for name, value in _attributes(row).items())
    if row["op"] == "qdq":
        words += f" storage {form.mlir}"
    packed = " {quant_float.packed}" if row.get("packed") else ""
    return (
        f"func.func @{row['name']}(%x: {types[0]}{packed}, %s: {types[1]}, %z: {types[2]}) -> {result} {{\n"
        f"  %y = quant_float.{row['op']} %x, %s, %z {words} opset {row['opset']}"
        f" : {', '.join(types)} to {result}\n"
        f"  return %y : {result}\n"
        "}\n"
    )


def packed(array: np.ndarray) -> np.ndarray:
    """Two i4 in a byte, low half first."""
    encodings = array.view(np.uint8).reshape(-1)
    return kept(((encodings[0::2] & 15) | (encodings[1::2] << 4)).astype(np.uint8))


def onnx_model(row: dict, inputs: list[np.ndarray]):
    """A model of the nodes with constant parameters, as in every model that quantizers write. An x
    of i4 is constant, too: no binding supports packed tensors."""
    from onnx import helper, numpy_helper

    form = storage(row)
    constants = [numpy_helper.from_array(inputs[1], "s")]
    packs = form.name == "i4"
    raw = {"z": inputs[2]} | ({"x": inputs[0]} if packs else {})
    for name, array in raw.items():
        data = (packed(array) if packs else array).tobytes()
        constants.append(helper.make_tensor(name, form.onnx, array.shape, data, raw=True))
    values = ["x", "y"]
    names = {"quantize": ["QuantizeLinear"], "dequantize": ["DequantizeLinear"]}.get(
        row["op"], ["QuantizeLinear", "DequantizeLinear"]
    )
    if len(names) == 2:
        values.insert(1, "q")
    nodes = [
        helper.make_node(name, [values[i], "s", "z"], [values[i + 1]], **_attributes(row))
        for i, name in enumerate(names)
    ]
    shape = list(inputs[0].shape)
    ends = [
        helper.make_tensor_value_info(value, FORMATS[row[end]].onnx, shape)
        for value, end in (("x", "from"), ("y", "to"))
    ]
    starts = [] if packs else [ends[0]]
    graph = helper.make_graph(nodes, row["name"], starts, [ends[1]], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
