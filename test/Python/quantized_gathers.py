# Gathers from tables that DequantizeLinear, or Cast, Sub and Mul, decode: the bits of numpy, for
# every table type, granularity and kind of gather, with one thread and with two, and for a CPU
# without AVX-512.
# RUN: %python %s
import itertools

import ml_dtypes
import numpy as np
import quant_float as qf
from onnx import TensorProto as T
from onnx import helper, numpy_helper

random = np.random.default_rng(29)
ROWS, COLUMNS, BLOCK = 96, 80, 16
TYPES = {
    "i8": (T.INT8, np.int8, -128, 127),
    "u8": (T.UINT8, np.uint8, 0, 255),
    "i4": (T.INT4, ml_dtypes.int4, -8, 7),
    "u4": (T.UINT4, ml_dtypes.uint4, 0, 15),
    "i16": (T.INT16, np.int16, -32768, 32767),
    "e4m3fn": (T.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn, -448, 448),
    "e5m2": (T.FLOAT8E5M2, ml_dtypes.float8_e5m2, -1000, 1000),
    "f4": (T.FLOAT4E2M1, ml_dtypes.float4_e2m1fn, -6, 6),
    "f16": (T.FLOAT16, np.float16, -9, 9),
    "bf16": (T.BFLOAT16, ml_dtypes.bfloat16, -9, 9),
}
INTEGERS = ("i8", "u8", "i4", "u4", "i16")
# The scale's shape, and the attributes of DequantizeLinear.
SCALES = {
    "tensor": ((), {}),
    "row": ((ROWS,), {"axis": 0}),
    "column": ((COLUMNS,), {"axis": 1}),
    "block of a row": ((ROWS, COLUMNS // BLOCK), {"axis": 1, "block_size": BLOCK}),
    "block of rows": ((ROWS // BLOCK, COLUMNS), {"axis": 0, "block_size": BLOCK}),
}


class Model:
    def __init__(self):
        self.nodes, self.inputs, self.constants, self.outputs, self.expected = [], {}, [], [], []

    def add(self, op, names, **attributes):
        self.nodes.append(helper.make_node(op, names, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def constant(self, array, kind=None):
        name = f"c{len(self.constants)}"
        if kind is None:
            tensor = numpy_helper.from_array(array, name)
        else:
            tensor = helper.make_tensor(name, kind, array.shape, array.astype(np.float32).ravel())
        self.constants.append(tensor)
        return name

    def argument(self, array, shape=None):
        name = f"x{len(self.inputs)}"
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        self.inputs[name] = helper.make_tensor_value_info(name, kind, shape or array.shape), array
        return name

    def output(self, name, label, expected):
        self.outputs.append(helper.make_tensor_value_info(name, T.FLOAT, None))
        self.expected.append((label, expected))

    def check(self, **options):
        infos = [info for info, _ in self.inputs.values()]
        graph = helper.make_graph(self.nodes, "g", infos, self.outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
        got = qf.compile(model, **options)(*[array for _, array in self.inputs.values()])
        for (label, wanted), result in zip(self.expected, got, strict=True):
            assert result.shape == wanted.shape, (label, options, result.shape, wanted.shape)
            assert result.tobytes() == wanted.tobytes(), (label, options)


def make_table(model, kind, granularity, with_point, by_cast):
    """The name of the decoded table, and its values."""
    number, dtype, low, high = TYPES[kind]
    encodings = random.uniform(low, high, (ROWS, COLUMNS)).astype(dtype)
    shape, attributes = SCALES[granularity]
    scale = random.uniform(0.01, 0.1, shape).astype(np.float32)
    point = random.uniform(max(low, -9), min(high, 9), shape).astype(dtype) if with_point else None

    def spread(array):
        if granularity == "row":
            return array[:, None]
        return np.repeat(array, BLOCK, attributes["axis"]) if "block" in granularity else array

    values = encodings.astype(np.float32)
    if with_point:
        values = values - spread(point.astype(np.float32))
    values = values * spread(scale)
    table = model.constant(encodings, number)
    if by_cast:
        table = model.add("Cast", [table], to=T.FLOAT)
        if with_point:
            table = model.add(
                "Sub", [table, model.constant(np.asarray(spread(point.astype(np.float32))))]
            )
        return model.add("Mul", [table, model.constant(np.asarray(spread(scale)))]), values
    names = [table, model.constant(scale)]
    if with_point:
        names.append(model.constant(point, number))
    return model.add("DequantizeLinear", names, **attributes), values


def read(model, table, values, label):
    """Gathers of every kind from the table."""
    few = random.integers(-COLUMNS, COLUMNS, (2, 5))
    x = model.argument(few)
    model.output(model.add("Gather", [table, x]), (label, "rows"), values[few])
    columns = random.integers(0, COLUMNS, 3)
    y = model.add("Gather", [table, model.argument(columns)], axis=1)
    model.output(y, (label, "columns"), values[:, columns])
    elements = random.integers(0, ROWS, (1, COLUMNS))
    y = model.add("GatherElements", [table, model.argument(elements)], axis=0)
    model.output(y, (label, "elements"), np.take_along_axis(values, elements, 0))
    pairs = np.stack([random.integers(0, ROWS, 6), random.integers(0, COLUMNS, 6)], 1)
    y = model.add("GatherND", [table, model.argument(pairs)])
    model.output(y, (label, "pairs"), values[tuple(pairs.T)])
    y = model.add("Slice", [table, *(model.constant(np.array([n])) for n in (32, 48, 0))])
    model.output(y, (label, "slice"), values[32:48])
    turned = model.add("Transpose", [table], perm=[1, 0])
    model.output(model.add("Gather", [turned, x]), (label, "transposed"), values.T[few])
    cut = model.add("Reshape", [table, model.constant(np.array([ROWS, 5, COLUMNS // 5]))])
    reshaped = values.reshape(ROWS, 5, -1)
    model.output(model.add("Gather", [cut, x]), (label, "reshaped"), reshaped[few])
    first = model.add("Gather", [table, model.constant(np.array(3))])
    model.output(first, (label, "first"), values[3])


models = []
cells = itertools.product(TYPES, SCALES, (False, True), (False, True))
for kind, granularity, with_point, by_cast in cells:
    if kind in ("f16", "bf16") and not by_cast:
        continue
    if by_cast and "block" in granularity or with_point and kind not in INTEGERS:
        continue
    if not models or len(models[-1].expected) > 60:
        models.append(Model())
    label = (kind, granularity, with_point, by_cast)
    read(models[-1], *make_table(models[-1], *label), label)

# A dynamic number of rows, from a table that is also the operand of a matmul, like tied embeddings.
tied = Model()
table, values = make_table(tied, "i8", "row", True, False)
indices = random.integers(0, ROWS, (3, 4))
tied.output(
    tied.add("Gather", [table, tied.argument(indices, ("a", "b"))]), "tied", values[indices]
)
ones = np.eye(7, ROWS, dtype=np.float32)
tied.output(tied.add("MatMul", [tied.argument(ones), table]), "product", values[:7])
models.append(tied)

for model in models:
    model.check()
    model.check(threads=2)
    model.check(cpu="x86-64-v3")
