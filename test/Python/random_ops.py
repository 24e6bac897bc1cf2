# ONNX's random ops: the results are those of rule S6, computed here by numpy from the paper's
# generator. They are the same with dynamic sizes and for every supported CPU level of this machine,
# and have the distribution that ONNX specifies. Each node without a seed has its own random
# numbers. Invalid requests are errors.
# RUN: %python %s
import math
import platform
import sys

import ml_dtypes
import numpy as np
import quant_float as qf
from conformance.philox import random_bits
from onnx import AttributeProto, helper, numpy_helper
from onnx import TensorProto as T

LEVELS = ("x86-64", "x86-64-v3", "x86-64-v4", "host") if platform.machine() == "x86_64" else ("host",)  # fmt: skip
F32, F64 = np.float32, np.float64
TYPES = {T.FLOAT: F32, T.FLOAT16: np.float16, T.BFLOAT16: ml_dtypes.bfloat16, T.DOUBLE: F64}
COUNT = 30 * 1001
# Seeds and ranges.
UNIFORM = ((None, 0.0, 1.0), (0.0, 0.0, 1.0), (-3.0, -2.5, 7.0), (7.25, 3.0, 3.0), (1.0, 1e3, 4e4))
failures = []


def expect(what, holds):
    if not holds:
        failures.append(what)


def same(what, result, expected):
    bad = (
        result.shape != expected.shape
        or result.dtype != expected.dtype
        or (result.tobytes() != expected.tobytes())
    )
    if bad:
        failures.append(f"{what}: {result.ravel()[:4]} instead of {expected.ravel()[:4]}")


# Rule S6.


def make_key(seed, number=0):
    return (1 << 63) + number if seed is None else int(np.array(seed, F32).view(np.uint32))


def words(key, count, stream):
    return random_bits(count, 32, key, stream << 62)


def fraction(key, count, kind, stream=0):
    if kind != F64:
        return (words(key, count, stream) >> 8).astype(F32) * F32(2**-24)
    upper, lower = (words(key, count, stream + i).astype(F64) for i in (0, 1))
    return (np.floor(upper / 2**5) * 2**26 + np.floor(lower / 2**6)) * 2**-53


def uniform(key, count, kind, low=0.0, high=1.0):
    span = high - low
    real = F64 if kind == F64 else F32
    return (fraction(key, count, kind) * real(span) + real(low)).astype(kind)


def normal(key, count, kind, mean=0.0, scale=1.0):
    if kind == F64:
        v, streams = fraction(key, count, F64) + 2**-53, 2
    else:
        v, streams = ((words(key, count, 0).astype(F32) + F32(1)) * F32(2**-32)).astype(F64), 1
    angle = 2 * math.pi * fraction(key, count, kind, streams).astype(F64)
    return np.sqrt(-2 * np.log(v)) * np.cos(angle) * scale + mean


# Nodes.


def make_model(op, opset, inputs, attributes, opens=False, kinds=(), constants=(), outputs=1):
    values = [
        helper.make_tensor_value_info(
            f"x{i}",
            helper.np_dtype_to_tensor_dtype(x.dtype),
            [f"d{i}{j}" for j in range(x.ndim)] if opens else x.shape,
        )
        for i, x in enumerate(inputs)
    ]
    names = [value.name for value in values] + [f"c{i}" for i in range(len(constants))]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, names, results)
    for name, value in attributes.items():
        kind = AttributeProto.INTS if isinstance(value, list) else None
        node.attribute.append(helper.make_attribute(name, value, attr_type=kind))
    infos = [helper.make_tensor_value_info(n, k, None) for n, k in zip(results, kinds, strict=True)]
    initializers = [numpy_helper.from_array(np.array(c), f"c{i}") for i, c in enumerate(constants)]
    graph = helper.make_graph([node], "g", values, infos, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def run(op, opset, inputs, attributes, opens=False, kinds=(T.FLOAT,), constants=(), cpu="host"):
    model = make_model(op, opset, inputs, attributes, opens, kinds, constants, len(kinds))
    return qf.compile(model, cpu=cpu)(*inputs)


def within(what, values, cumulative):
    """The Kolmogorov-Smirnov distance from a distribution. For this number of values, it is larger
    with a probability of 10^-6."""
    values = np.sort(values.astype(F64).ravel())
    n = len(values)
    expected = cumulative(values)
    steps = np.arange(n + 1) / n
    distance = max(np.max(steps[1:] - expected), np.max(expected - steps[:-1]))
    expect(f"{what}: distance {distance}", distance * math.sqrt(n) < 2.7)


def check_uniform():
    for kind, element in ((v, k) for k, v in TYPES.items()):
        for seed, low, high in UNIFORM:
            given = {} if seed is None else {"seed": seed}
            if (low, high) != (0.0, 1.0):
                given |= {"low": low, "high": high}
            low, high = (float(F32(x)) for x in (low, high))
            what = f"RandomUniform {kind.__name__} {seed} {low} {high}"
            expected = uniform(make_key(seed), COUNT, kind, low, high)
            y = run("RandomUniform", 1, [], {"shape": [30, 7, 143], "dtype": element} | given, kinds=[element])  # fmt: skip
            same(what, y, expected.reshape(30, 7, 143))
            y = run("RandomUniformLike", 22, [np.zeros((1001, 30), kind)], given, kind != F32, [element])  # fmt: skip
            same(what + " like", y, expected.reshape(1001, 30))
            if kind in (F32, F64) and high > low:
                within(what, y, lambda v, a=low, b=high: (v - a) / (b - a))
    # Another element type than the input's, and required attributes only.
    y = run("RandomUniformLike", 1, [np.zeros((3, 5), np.int8)], {"dtype": T.FLOAT}, True)
    same("of integers", y, uniform(make_key(None), 15, F32).reshape(3, 5))
    same("f32", run("RandomUniform", 22, [], {"shape": [4]}), uniform(make_key(None), 4, F32))
    same("one", run("RandomUniform", 22, [], {"shape": []}), uniform(make_key(None), 1, F32)[0:1].reshape(()))  # fmt: skip
    same("none", run("RandomUniform", 22, [], {"shape": [0, 3]}), np.zeros((0, 3), F32))


def check_normal():
    error = np.vectorize(math.erf)
    for element, kind in TYPES.items():
        for seed in (None, 2.0):
            more = {} if seed is None else {"seed": seed}
            for mean, scale in ((0.0, 1.0), (-1.0, 4.0)):
                given = {} if mean == 0 else {"mean": mean, "scale": scale}
                exact = normal(make_key(seed), COUNT, kind, mean, scale)
                every = [
                    run(
                        "RandomNormal",
                        1,
                        [],
                        {"shape": [COUNT], "dtype": element} | given | more,
                        kinds=[element],
                    ),  # fmt: skip
                    run(
                        "RandomNormalLike",
                        22,
                        [np.zeros(COUNT, kind)],
                        given | more,
                        True,
                        [element],
                    ),  # fmt: skip
                ]
                for y in every:
                    what = f"RandomNormal {kind.__name__} {seed} {mean} {scale}"
                    expect(what, y.dtype == kind)
                    epsilon = float(ml_dtypes.finfo(kind).eps)
                    worst = np.max(np.abs(y.astype(F64) - exact) / (np.abs(exact) + scale))
                    limit = 12 * (epsilon if kind == F64 else max(epsilon, 2**-23))
                    expect(f"{what}: off by {worst}", worst < limit)
                if kind in (F32, F64):
                    root = scale * math.sqrt(2)
                    within(what, y, lambda v, m=mean, r=root: (1 + error((v - m) / r)) / 2)
    same("the type of the input", *(run("RandomNormalLike", 22, [np.zeros(9, F32)], {"seed": 1.0}, o) for o in (False, True)))  # fmt: skip


def check_choices():
    for kind in (F32, np.float16, F64):
        p = np.random.default_rng(3).random((7, 500)).astype(kind)
        p[0, :5] = 0, 1, 2, -1, np.nan
        for element in (None, T.BOOL, T.INT8, T.UINT64, T.DOUBLE, T.FLOAT16, T.FLOAT):
            name = helper.np_dtype_to_tensor_dtype(p.dtype) if element is None else element
            given = {} if element is None else {"dtype": element}
            u = fraction(make_key(5.0), p.size, kind).reshape(p.shape)
            expected = (u < p).astype(helper.tensor_dtype_to_np_dtype(name))
            y = run("Bernoulli", 15, [p], given | {"seed": 5.0}, kind != F32, [name])
            same(f"Bernoulli {kind.__name__} {name}", y, expected)
    p = np.full(COUNT, 0.3, F32)
    y = run("Bernoulli", 22, [p], {})
    expect("Bernoulli's mean", abs(y.mean() - 0.3) < 5 * math.sqrt(0.21 / COUNT))

    for kind in (F32, np.float16, F64):
        real = F64 if kind == F64 else F32
        x = np.array([[0, 1, 2, -1], [-np.inf, 0, -np.inf, 0], [5, -50, -50, 5]], kind)
        for element, opens in ((T.INT32, False), (T.INT64, True)):
            given = {"sample_size": 4000, "seed": 1.5, "dtype": element}
            y = run("Multinomial", 7, [x], given, opens, [element])
            shares = np.exp(x.astype(F64) - x.max(axis=1, keepdims=True)).astype(real)
            sums = np.cumsum(shares, axis=1, dtype=real)
            u = fraction(make_key(1.5), 12000, kind).reshape(3, 4000)
            expected = (sums[:, None, :] <= (u * sums[:, -1:])[:, :, None]).sum(axis=2)
            what = f"Multinomial {kind.__name__} {element}"
            expect(what, y.dtype == helper.tensor_dtype_to_np_dtype(element))
            # exp is not correctly rounded.
            expect(what, y.shape == (3, 4000) and np.mean(y != expected) < 1e-3)
            expect(what + ": classes that are not possible", not np.isin(y[1], (0, 2)).any())
            for row, drawn in zip(shares.astype(F64), y, strict=True):
                share = row / row.sum()
                off = np.bincount(drawn, minlength=4) - 4000 * share
                spread = np.sqrt(4000 * share * (1 - share)) + 1e-3
                expect(f"{what}: {off / spread}", (np.abs(off) < 5 * spread).all())
    same("one of one", run("Multinomial", 22, [np.zeros((2, 1), F32)], {}, kinds=[T.INT32]), np.zeros((2, 1), np.int32))  # fmt: skip


def check_dropout():
    for kind, element in ((F32, T.FLOAT), (np.float16, T.FLOAT16), (F64, T.DOUBLE)):
        x = np.random.default_rng(5).standard_normal((9, 77)).astype(kind)
        x[0, :3] = np.inf, -0.0, np.nan
        real = F64 if kind == F64 else F32
        for seed, ratio in ((None, 0.0), (3, 0.25), (None, 0.75)):
            key = make_key(None) if seed is None else seed
            u = fraction(key, x.size, kind).reshape(x.shape)
            given = {} if seed is None else {"seed": seed}
            mask = u >= real(ratio)
            scale = real(1) / (real(1) - real(ratio))
            kept = np.where(mask, x.astype(real) * scale, real(0)).astype(kind)
            what = f"Dropout {kind.__name__} {seed} {ratio}"
            constants = [np.array(ratio, F32), np.array(True)]
            y, m = run("Dropout", 13, [x], given, kinds=[element, T.BOOL], constants=constants)
            same(what, y, kept)
            same(what + " mask", m, mask)
            # Both are runtime values.
            for training in (True, False):
                inputs = [x, np.array(ratio, F32), np.array(training)]
                y, m = run("Dropout", 22, inputs, given, True, [element, T.BOOL])
                same(f"{what} {training}", y, kept if training else x)
                same(f"{what} {training} mask", m, mask if training else np.ones_like(mask))


def check_graphs():
    # Each node has its own random numbers, which are the same in every call.
    nodes = [helper.make_node("RandomUniform", [], [f"y{i}"], shape=[100]) for i in range(3)]
    infos = [helper.make_tensor_value_info(f"y{i}", T.FLOAT, [100]) for i in range(3)]
    graph = helper.make_graph(nodes, "g", [], infos)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=8)
    for level in LEVELS:
        try:
            kernel = qf.compile(model, cpu=level)
            for _ in range(2):
                for i, y in enumerate(kernel()):
                    same(f"node {i} {level}", y, uniform(make_key(None, i), 100, F32))
        except qf.RunError as error:
            if "CPU" not in str(error):
                raise
    # The same bits on every CPU.
    bits = None
    for level in LEVELS:
        try:
            y = run("RandomNormal", 22, [], {"shape": [5000], "seed": 4.0}, cpu=level)
        except qf.RunError as error:
            if "CPU" not in str(error):
                raise
            continue
        bits = bits or y.tobytes()
        expect(f"other bits {level}", bits == y.tobytes())


def refuse(why, op, opset, inputs, attributes, **more):
    try:
        run(op, opset, inputs, attributes, **more)
        failures.append(f"not refused: {why}")
    except qf.Error as error:
        expect(f"refused with {error}", why in str(error))


def check_refusals():
    refuse("must not have sizes below 0, but has -1", "RandomUniform", 1, [], {"shape": [-1]})
    refuse("at most 64 dimensions, but got 65", "RandomNormal", 1, [], {"shape": [1] * 65})
    refuse("must not be below attribute 'low'", "RandomUniform", 1, [], {"shape": [2], "low": 2.0})
    refuse("must be finite", "RandomUniform", 1, [], {"shape": [2], "low": -3e38, "high": 3e38})
    refuse("'scale' must be finite", "RandomNormal", 1, [], {"shape": [2], "scale": math.inf})
    refuse("but got 'i8'", "RandomUniformLike", 1, [np.zeros(2, np.int8)], {}, kinds=[T.INT8])
    refuse("must have rank 2, but got 1", "Multinomial", 7, [np.zeros(2, F32)], {}, kinds=[T.INT32])
    refuse("must be between 1", "Multinomial", 7, [np.zeros((2, 2), F32)], {"sample_size": 0}, kinds=[T.INT32])  # fmt: skip
    refuse("1, but got 0", "Multinomial", 7, [np.zeros((2, 0), F32)], {}, kinds=[T.INT32])
    refuse("'shape'", "RandomUniform", 1, [], {})
    x = helper.make_tensor_value_info("x", T.FLOAT, [3])
    number, flag, part = (helper.make_tensor_value_info(n, k, s) for n, k, s in (("i", T.INT64, []), ("c", T.BOOL, []), ("p", T.FLOAT, [3])))  # fmt: skip
    out = helper.make_tensor_value_info("o", T.BOOL, [])
    inner = [
        helper.make_node("Identity", ["c"], ["o"]),
        helper.make_node("RandomUniformLike", ["x"], ["p"]),
    ]
    body = helper.make_graph(inner, "body", [number, flag], [out, part])
    loop = helper.make_node("Loop", ["n", ""], ["y"], body=body)
    result = helper.make_tensor_value_info("y", T.FLOAT, [2, 3])
    graph = helper.make_graph([loop], "g", [x], [result], [numpy_helper.from_array(np.array(2), "n")])  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=8)
    try:
        qf.compile(model)
        failures.append("a loop is not rejected")
    except qf.Error as error:
        expect(
            f"refused with {error}",
            "every iteration would get the same random numbers" in str(error),
        )


for check in (check_uniform, check_normal, check_choices, check_dropout, check_graphs, check_refusals):  # fmt: skip
    check()
print(*failures[:20], sep="\n")
sys.exit(bool(failures))
