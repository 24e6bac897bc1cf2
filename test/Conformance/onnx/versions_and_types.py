# Cases of elementwise, shape and data-moving ops that ONNX's node tests omit: old versions
# (attributes that became inputs, broadcasting by axis), integers, f16 and dynamic sizes. One model
# for each opset, against numpy.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import math
import sys
from types import SimpleNamespace

import ml_dtypes
import numpy as np
from conformance.node_tests import Runner
from onnx import helper

f16, f32, f64 = np.float16, np.float32, np.float64
bf16 = ml_dtypes.bfloat16
i8, i32, i64 = np.int8, np.int32, np.int64
ui8, ui32 = np.uint8, np.uint32
nan, inf = np.nan, np.inf

random = np.random.default_rng(0)
x = random.normal(size=(2, 3, 4)).astype(f32)
channel = np.array([1, 2, 3], f32)
row = np.array([1, 2, 3, 4], f32)
odd = np.array([nan, inf, -inf, -0.0, 0.5, -3], f32)
integers = np.array([7, -7, 5, -128, 0, 127], i8)
divisors = np.array([2, 2, -3, -1, 5, 0], i8)
quotients = np.array([3, -3, -1, -128, 0, 0], i8)
halves = random.normal(size=(64,)).astype(f16)
more_halves = random.normal(size=(64,)).astype(f16)


class C:
    """An input that is an initializer."""

    def __init__(self, *values, dtype=i64):
        self.array = np.array(values, dtype)


def scalar(value, dtype=i64):
    constant = C(dtype=dtype)
    constant.array = np.array(value, dtype)
    return constant


def round_once(function, *arrays):
    """Computed in f32 and rounded once to the type of the arrays."""
    return function(*(a.astype(f32) for a in arrays)).astype(arrays[0].dtype)


erf = np.vectorize(math.erf, otypes=[f32])

# (opset, op, inputs, attributes, expected outputs)
CASES = [
    # Broadcasting before opset 7.
    (1, "Add", [x, channel], {"broadcast": 1, "axis": 1, "consumed_inputs": [0, 0]}, [x + channel[:, None]]),
    (6, "Mul", [x, row], {"broadcast": 1}, [x * row]),
    (6, "Sub", [x, channel], {"broadcast": 1, "axis": -2}, [x - channel[:, None]]),
    (6, "Div", [x, np.ones((2, 3), f32) * 2], {"broadcast": 1, "axis": 0}, [x / 2]),
    (6, "Add", [integers.astype(i32), divisors.astype(i32)], {}, [integers.astype(i32) + divisors]),
    (1, "Less", [x, channel], {"broadcast": 1, "axis": 1}, [x < channel[:, None]]),
    (6, "Greater", [x, row], {"broadcast": 1}, [x > row]),
    (1, "And", [x > 0, row > 2], {"broadcast": 1}, [(x > 0) & (row > 2)]),
    (1, "Equal", [integers.astype(i32), divisors.astype(i32)], {}, [integers == divisors]),
    (1, "Pow", [np.abs(x), channel], {"broadcast": 1, "axis": 1}, [np.abs(x) ** channel[:, None]]),
    (1, "PRelu", [x, channel], {}, [np.where(x < 0, x * channel[:, None], x)]),
    (1, "Max", [odd, odd[::-1].copy()], {}, [np.maximum(odd, odd[::-1])]),
    (1, "Mean", [x, -x, x * 3], {}, [x]),
    # Attributes that became inputs.
    (1, "Clip", [odd], {"max": 2.0}, [np.minimum(odd, f32(2))]),
    (6, "Clip", [odd], {"min": -1.0}, [np.minimum(np.maximum(odd, f32(-1)), np.finfo(f32).max)]),
    (1, "Reshape", [x], {"shape": [0, -1]}, [x.reshape(2, 12)]),
    (1, "Slice", [x], {"starts": [1, -3], "ends": [100, -1], "axes": [1, 2]}, [x[:, 1:, -3:-1]]),
    (1, "Slice", [x], {"starts": [1], "ends": [2]}, [x[1:2]]),
    (1, "Squeeze", [x[:1]], {"axes": [0]}, [x[0]]),
    (1, "Unsqueeze", [x], {"axes": [0, 4]}, [x[None, ..., None]]),
    (1, "Concat", [x, x], {}, [np.concatenate([x, x], 1)]),
    (2, "Split", [x], {"axis": 2, "split": [1, 3]}, [x[..., :1], x[..., 1:]]),
    (6, "Dropout", [x], {"is_test": 1}, [x]),
    (11, "Squeeze", [x[:, :1]], {"axes": [-2]}, [x[:, 0]]),
    (11, "Flatten", [x], {"axis": -1}, [x.reshape(6, 4)]),
    (9, "Flatten", [x], {"axis": 0}, [x.reshape(1, 24)]),
    # Inputs.
    (13, "Slice", [x, C(-1), C(-100), C(2), C(-2)], {}, [x[..., ::-2]]),
    (13, "Slice", [x, C(5, 0), C(-5, 2), C(2, 1), C(-1, 1)], {}, [x[:, 0:2, ::-1]]),
    (13, "Split", [x, C(1, 2)], {"axis": 1}, [x[:, :1], x[:, 1:]]),
    (18, "Split", [x], {"axis": 2, "num_outputs": 3}, [x[..., :2], x[..., 2:], x[..., 4:]]),
    (14, "Reshape", [x[:0], C(0, 5)], {"allowzero": 1}, [np.zeros((0, 5), f32)]),
    (13, "Clip", [integers, scalar(3, i8), scalar(-3, i8)], {}, [np.full(6, -3, i8)]),
    (13, "Clip", [odd, None, scalar(0, f32)], {}, [np.minimum(odd, f32(0))]),
    # Integers.
    (14, "Div", [integers, divisors], {}, [quotients]),
    (14, "Div", [integers.view(ui8), divisors.view(ui8)], {}, [np.array([3, 124, 0, 0, 0, 0], ui8)]),
    (14, "Add", [integers.view(ui8), np.full(6, 200, ui8)], {}, [integers.view(ui8) + ui8(200)]),
    (15, "Pow", [np.array([2, -3, 3, 1, -1, 2], i32), np.array([10, 3, 40, -5, -3, -1], i32)], {},
     [np.array([1024, -27, 3**40 - (1 << 32) * ((3**40 + (1 << 31)) >> 32), 1, -1, 0], i32)]),
    (15, "Pow", [np.array([4, 9, 2], i32), np.array([0.5, 0.5, -1], f32)], {}, [np.array([2, 3, 0], i32)]),
    (13, "Max", [integers.view(ui8), divisors.view(ui8)], {}, [np.maximum(integers.view(ui8), divisors.view(ui8))]),
    (13, "Min", [integers, divisors], {}, [np.minimum(integers, divisors)]),
    (14, "Relu", [integers], {}, [np.maximum(integers, 0)]),
    (13, "Abs", [integers], {}, [np.abs(integers)]),
    (13, "Neg", [integers], {}, [-integers]),
    (13, "Mod", [integers, divisors], {"fmod": 1}, [np.array([1, -1, 2, 0, 0, 0], i8)]),
    (13, "Less", [np.array([1, 4000000000], ui32), np.array([4000000000, 1], ui32)], {}, [np.array([True, False])]),
    # NaN, infinities, zeros.
    (13, "Max", [odd, np.zeros(1, f32)], {}, [np.maximum(odd, f32(0))]),
    (14, "Relu", [odd], {}, [np.maximum(odd, f32(0))]),
    (13, "Sigmoid", [np.array([-inf, inf, -200, 200, 0, nan], f32)], {}, [np.array([0, 1, 0, 1, 0.5, nan], f32)]),
    # f16: one rounding.
    (14, "Add", [halves, more_halves], {}, [round_once(np.add, halves, more_halves)]),
    (14, "Div", [halves, more_halves], {}, [round_once(np.divide, halves, more_halves)]),
    (14, "Mul", [halves.astype(bf16), more_halves.astype(bf16)], {},
     [round_once(np.multiply, halves.astype(bf16), more_halves.astype(bf16))]),
    (13, "Sqrt", [np.abs(halves)], {}, [round_once(np.sqrt, np.abs(halves))]),
    # Moves of elements of every width.
    (13, "Where", [x > 0, np.full(x.shape, 3, ui8), np.zeros((), ui8)], {}, [np.where(x > 0, ui8(3), ui8(0))]),
    (13, "Transpose", [x > 0], {"perm": [2, 0, 1]}, [(x > 0).transpose(2, 0, 1)]),
    (13, "Concat", [halves.astype(bf16), more_halves.astype(bf16)], {"axis": 0},
     [np.concatenate([halves, more_halves]).astype(bf16)]),
    (13, "Gather", [integers.view(ui8).reshape(3, 2), np.array([[-1, 0]], i32)], {},
     [integers.view(ui8).reshape(3, 2)[[[-1, 0]]]]),
    (13, "Gather", [x, scalar(-1)], {"axis": 1}, [x[:, -1]]),
    (13, "Expand", [channel.astype(f64)[:, None], C(2, 1, 4)], {}, [np.broadcast_to(channel.astype(f64)[:, None], (2, 3, 4))]),
    # Less common ops, one line each.
    (20, "Floor", [x], {}, [np.floor(x)]),
    (20, "Ceil", [x], {}, [np.ceil(x)]),
    (20, "Round", [x * 8 / 2], {}, [np.round(x * 8 / 2)]),
    (20, "Sign", [odd], {}, [np.sign(odd)]),
    (20, "Sin", [x], {}, [np.sin(x)]),
    (20, "Cos", [x], {}, [np.cos(x)]),
    (20, "Tan", [x], {}, [np.tan(x)]),
    (20, "Erf", [x], {}, [erf(x)]),
    (20, "Elu", [x], {"alpha": 2.0}, [np.where(x < 0, 2 * np.expm1(x), x)]),
    (20, "Celu", [x], {"alpha": 2.0}, [np.where(x < 0, 2 * np.expm1(x / 2), x)]),
    (20, "Selu", [x], {}, [f32(1.05070102) * np.where(x < 0, f32(1.67326319) * np.expm1(x), x)]),
    (20, "Gelu", [x], {}, [x / 2 * (1 + erf(x / f32(np.sqrt(2))))]),
    (20, "Gelu", [x], {"approximate": "tanh"}, [x / 2 * (1 + np.tanh(f32(np.sqrt(2 / np.pi)) * (x + f32(0.044715) * x**3)))]),
    (20, "LeakyRelu", [x], {"alpha": 0.1}, [np.where(x < 0, f32(0.1) * x, x)]),
    (20, "PRelu", [x, row], {}, [np.where(x < 0, x * row, x)]),
    (20, "ThresholdedRelu", [x], {}, [np.where(x > 1, x, f32(0))]),
    (20, "HardSigmoid", [x], {"alpha": 0.5}, [np.clip(x / 2 + f32(0.5), 0, 1)]),
    (20, "HardSwish", [x], {}, [x * np.clip(x / 6 + f32(0.5), 0, 1)]),
    (20, "Softplus", [x * 100], {}, [np.logaddexp(x * 100, f32(0))]),
    (20, "Softsign", [x], {}, [x / (1 + np.abs(x))]),
    (20, "Mish", [x], {}, [x * np.tanh(np.logaddexp(x, f32(0)))]),
    (20, "IsNaN", [odd], {}, [np.isnan(odd)]),
    (20, "IsInf", [odd], {"detect_negative": 0}, [odd == inf]),
    (20, "Or", [x > 0, x < -1], {}, [(x > 0) | (x < -1)]),
    (20, "Xor", [x > 0, x < 1], {}, [(x > 0) ^ (x < 1)]),
    (20, "Not", [x > 0], {}, [x <= 0]),
    (20, "LessOrEqual", [odd, odd[::-1].copy()], {}, [odd <= odd[::-1]]),
    (20, "GreaterOrEqual", [odd, odd[::-1].copy()], {}, [odd >= odd[::-1]]),
    (20, "Sum", [x, row, channel[:, None]], {}, [x + row + channel[:, None]]),
    (20, "BitwiseAnd", [integers, divisors], {}, [integers & divisors]),
    (20, "BitwiseOr", [integers, divisors], {}, [integers | divisors]),
    (20, "BitwiseXor", [integers, divisors], {}, [integers ^ divisors]),
    (20, "BitwiseNot", [integers], {}, [~integers]),
    (20, "Size", [x], {}, [np.array(24, i64)]),
    (28, "BitShift", [integers, np.array([1, 1, 7, 3, 1, 9], i8)], {"direction": "RIGHT"},
     [np.array([3, -4, 0, -16, 0, 0], i8)]),
    (28, "BitShift", [integers, np.array([1, 1, 7, -3, 1, 9], i8)], {"direction": "LEFT"},
     [np.array([14, -14, -128, 0, 0, 0], i8)]),
    (28, "Mod", [np.array([5.5, -5.5, -0.0, 4, 3], f32), np.array([2, 2, 3, -2, -inf], f32)], {},
     [np.array([1.5, 0.5, 0.0, -0.0, -inf], f32)]),
]  # fmt: skip


def make_case(opset, dynamic):
    """All cases of an opset as one model, with dynamic or static sizes."""
    nodes, inputs, outputs, initializers, values, expected = [], [], [], [], [], []
    for n, (_, op, arrays, attributes, results) in enumerate(c for c in CASES if c[0] == opset):
        names = []
        for i, array in enumerate(arrays):
            names.append("" if array is None else f"x{n}_{i}")
            if array is None:
                continue
            constant = isinstance(array, C)
            array = array.array if constant else np.asarray(array)
            number = helper.np_dtype_to_tensor_dtype(array.dtype)
            tensor = helper.make_tensor(names[-1], number, array.shape, array.tobytes(), raw=True)
            if constant:
                initializers.append(tensor)
                continue
            # Sizes of 1 may be broadcast or removed, so they must be static.
            sizes = [f"s{n}_{i}_{k}" if dynamic and s > 1 else s for k, s in enumerate(array.shape)]
            inputs.append(helper.make_tensor_value_info(names[-1], number, sizes))
            values.append(tensor)
        results_names = [f"y{n}_{i}" for i in range(len(results))]
        nodes.append(helper.make_node(op, names, results_names, name=f"n{n}", **attributes))
        for name, result in zip(results_names, results, strict=True):
            number = helper.np_dtype_to_tensor_dtype(result.dtype)
            outputs.append(helper.make_tensor_value_info(name, number, None))
            expected.append(
                helper.make_tensor(name, number, result.shape, result.tobytes(), raw=True)
            )
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    name = f"opset_{opset}_{'unknown' if dynamic else 'known'}"
    return SimpleNamespace(
        name=name, model=model, data_sets=[(values, expected)], rtol=1e-6, atol=1e-7
    )


runner = Runner(*sys.argv[1:])
failures = []
for opset in sorted({case[0] for case in CASES}):
    for dynamic in (False, True):
        failures += runner.run(make_case(opset, dynamic))
sys.exit("\n".join(failures) if failures else 0)
