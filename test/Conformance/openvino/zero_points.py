# DequantizeLinear with zero points as OpenVINO's layers: every type with zero points, zero points
# 0, 1 and the extremes, constants and inputs, per tensor, per axis and in blocks, full and partial.
# The CPU plugin computes the bits of rule D5: the exact difference, rounded once to f32, times the
# scale.
# RUN: rm -rf %t && mkdir %t && %python %s quant-float-translate %t
import itertools
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import openvino
from onnx import TensorProto, helper

translate, folder = sys.argv[1], pathlib.Path(sys.argv[2])
random = np.random.default_rng(40)
ROWS, COLUMNS = 4, 12
PLUGIN = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
# ONNX's type, its name in OpenVINO, and the type of the elements.
TYPES = {
    "INT32": np.dtype(np.int32),
    "INT8": np.dtype(np.int8),
    "UINT8": np.dtype(np.uint8),
    "INT16": np.dtype(np.int16),
    "UINT16": np.dtype(np.uint16),
    "INT4": np.dtype(ml_dtypes.int4),
    "UINT4": np.dtype(ml_dtypes.uint4),
    "FLOAT4E2M1": np.dtype(ml_dtypes.float4_e2m1fn),
}
FLOAT4 = (0, 0.5, 1, -1, 6, -6)
# The shape of scales, and the attributes.
GRANULARITIES = {
    "tensor": ((), {}),
    "rows": ((ROWS,), {"axis": 0}),
    "columns": ((COLUMNS,), {"axis": 1}),
    "blocks": ((ROWS, 3), {"axis": 1, "block_size": 4}),
    "cut": ((ROWS, 3), {"axis": 1, "block_size": 5}),
}
# A single partial block.
GRANULARITIES |= {
    f"one{power}": ((ROWS, 1), {"axis": 1, "block_size": size})
    for power, size in (("", 1000), ("40", 2**40), ("62", 2**62))
}


def get_zeros(kind):
    dtype = TYPES[kind]
    if kind == "FLOAT4E2M1":
        return FLOAT4
    least, most = (
        (ml_dtypes if dtype.itemsize == 1 and "4" in kind else np).iinfo(dtype).min,
        (ml_dtypes if dtype.itemsize == 1 and "4" in kind else np).iinfo(dtype).max,
    )
    return (0, 1, int(least), int(most))


def make_values(kind, shape):
    dtype = TYPES[kind]
    if kind == "FLOAT4E2M1":
        return random.choice(np.float32([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -3, -6]), shape).astype(
            dtype
        )
    values = get_zeros(kind)
    found = random.integers(values[2], values[3] + 1, shape)
    found.flat[: len(values)] = values
    return found.astype(dtype)


def make_tensor(name, kind, array):
    number = getattr(TensorProto, kind)
    return helper.make_tensor(name, number, array.shape, array.astype(np.float64).ravel().tolist())


def spread(parameter, granularity):
    """Broadcasts the parameter to the elements of the input."""
    if granularity == "tensor":
        return parameter
    if granularity == "rows":
        return parameter[:, None]
    if granularity == "columns" or granularity.startswith("one"):
        return parameter
    size = 4 if granularity == "blocks" else 5
    return np.repeat(parameter, size, 1)[:, :COLUMNS]


count = 0
for kind, granularity in itertools.product(TYPES, GRANULARITIES):
    shape, attributes = GRANULARITIES[granularity]
    nodes, inputs, outputs, initializers, fed, wanted = [], [], [], [], {}, []
    number = getattr(TensorProto, kind)
    for index, (zero, is_constant) in enumerate(
        itertools.product((*get_zeros(kind), "random"), (True, False))
    ):
        x = make_values(kind, (ROWS, COLUMNS))
        z = make_values(kind, shape) if zero == "random" and shape else None
        z = np.full(shape, 0 if zero == "random" else zero).astype(TYPES[kind]) if z is None else z
        # Powers of two and others.
        s = np.asarray(random.choice(np.float32([0.5, 0.1, 3]), shape))
        names = [f"{name}{index}" for name in "xsz"]
        nodes.append(helper.make_node("DequantizeLinear", names, [f"y{index}"], **attributes))
        for name, array in zip(names, (x, s, z), strict=True):
            is_scale = name[0] == "s"
            type_number = TensorProto.FLOAT if is_scale else number
            # OpenVINO does not support inputs of these types.
            if is_constant or is_scale or kind in ("INT4", "UINT4", "FLOAT4E2M1"):
                initializers.append(make_tensor(name, "FLOAT" if is_scale else kind, array))
            else:
                inputs.append(helper.make_tensor_value_info(name, type_number, array.shape))
                fed[name] = array
        outputs.append(
            helper.make_tensor_value_info(f"y{index}", TensorProto.FLOAT, (ROWS, COLUMNS))
        )
        # Differences of 32-bit integers and of float4 are exact in f64.
        difference = x.astype(np.float64) - spread(z.astype(np.float64), granularity)
        wanted.append(difference.astype(np.float32) * spread(s, granularity))
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    imports = [helper.make_opsetid("", 23)]
    path = folder / f"{kind}-{granularity}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=11), path)
    output = path.with_suffix(".xml")
    subprocess.run([translate, "--export-openvino", path, "-o", output], check=True)
    compiled = openvino.Core().compile_model(output, "CPU", PLUGIN)
    for name, want in zip(compiled(fed).to_dict().items(), wanted, strict=True):
        port, value = name
        assert np.array_equal(value, want), (kind, granularity, port, value, want)
        count += value.size
    # Imported again, the model is the same.
    again = folder / "again.xml"
    subprocess.run([translate, "--export-openvino", output, "-o", again], check=True)
    assert again.read_bytes() == output.read_bytes(), path
print(f"{count} elements")
