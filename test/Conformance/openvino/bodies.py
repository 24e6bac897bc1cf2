# If, Loop and TensorIterator with random port maps, slices and back edges, also nested, against
# OpenVINO's CPU plugin in f32, before and after an export.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir %t %if full %{ 40 %} %else %{ 15 %}
import sys
import warnings

import numpy as np
import openvino
from conformance.node_tests import Runner
from openvino import Model, opset13
from round_trips.openvino_check import RoundTrips

warnings.simplefilter("ignore")
op, f32, i64 = opset13, np.float32, np.int64
runner = Runner(*sys.argv[1:3])
core = openvino.Core()
CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
trips = RoundTrips(sys.argv[1], runner.work)
failures, counts = [], {}


class Draw:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def choose(self, *values):
        return values[self.random.integers(len(values))]

    def flag(self):
        return bool(self.random.integers(2))

    def size(self, least=1, most=4):
        return int(self.random.integers(least, most + 1))

    def numbers(self, *shape):
        return self.random.uniform(-1, 1, shape).astype(f32)

    def parameter(self, shape, is_dynamic=False, dtype=f32):
        return op.parameter([-1] * len(shape) if is_dynamic else list(shape), dtype)


def compute(draw, *values):
    """Elementwise arithmetic that keeps the shape of the first value."""
    result = values[0]
    for value in values[1:]:
        result = draw.choose(op.add, op.multiply, op.subtract)(result, value)
    return draw.choose(op.tanh, op.sigmoid, op.negative)(result)


def make_if(draw, depth=1):
    """A layer of one condition and two values, with two results."""
    shape = [draw.size(), draw.size()]
    outer = [draw.parameter([], dtype=np.bool_), draw.parameter(shape), draw.parameter(shape)]
    layer = op.if_op(outer[0])
    given, results = [[], []], []
    for index in (0, 1):
        # A body may ignore an input, and return a value twice.
        used = [1, 2] if draw.flag() else [draw.choose(1, 2)]
        inner = {i: draw.parameter(shape) for i in used}
        value = compute(draw, *inner.values())
        if depth and index:
            value = nest_loop(draw, value, shape)
        body = Model(
            [op.result(value), op.result(op.exp(value) if draw.flag() else value)],
            list(inner.values()),
            "body",
        )
        (layer.set_else_body if index else layer.set_then_body)(body)
        given[index] = inner
        results.append(body.get_results())
    for i in given[0].keys() | given[1].keys():
        layer.set_input(outer[i].output(0), given[0].get(i), given[1].get(i))
    outputs = [layer.set_output(*pair) for pair in zip(*results, strict=True)]
    feed = [np.array(draw.flag()), draw.numbers(*shape), draw.numbers(*shape)]
    return Model([op.result(o) for o in outputs], outer), feed


def nest_loop(draw, value, shape):
    """The value after several iterations of a loop."""
    inner = draw.parameter(shape)
    body = Model(
        [op.result(compute(draw, inner, inner)), op.result(op.constant(np.array(True)))], [inner]
    )
    loop = op.loop(op.constant(np.array(draw.size(), i64)), op.constant(np.array(True)))
    loop.set_function(body)
    loop.set_special_body_ports([-1, 1])
    loop.set_merged_input(inner, value.output(0), body.get_results()[0].output(0))
    return loop.get_iter_value(body.get_results()[0].output(0), -1)


class Cut:
    """The attributes for a tensor that is sliced or concatenated along an axis, in `steps`
    parts."""

    def __init__(self, draw, shape, axis, steps, is_plain):
        self.part, reverse = (1, False) if is_plain else (draw.size(1, 3), draw.flag())
        self.whole, self.inner = list(shape), list(shape)
        self.whole[axis], self.inner[axis] = self.part * steps, self.part
        begin, end = (-1, 0) if reverse else (0, -1)
        self.arguments = (begin, -self.part if reverse else self.part, self.part, end, axis)


def make_iteration(draw, is_loop, is_dynamic):
    """Sliced, invariant and merged inputs, last values and concatenated outputs."""
    steps, rank = draw.size(), draw.size(2, 3)
    shape = [draw.size() for _ in range(rank)]
    axis = int(draw.random.integers(rank))
    shape[axis] = draw.size(1, 3)
    # Loop only has slices of size one.
    cut = Cut(draw, shape, axis, steps, is_plain=is_loop)
    inner_shape = cut.inner
    outer = [draw.parameter(s, is_dynamic) for s in (cut.whole, inner_shape, inner_shape)]
    inner = [draw.parameter(inner_shape) for _ in range(3)]
    if is_loop:
        number = op.parameter(draw.choose([], [1]), draw.choose(np.int32, i64))
        inner.append(number)
    value = compute(draw, *inner[:3])
    if is_loop:
        scalar = op.reshape(op.convert(number, "f32"), op.constant(np.zeros(0, i64)), False)
        value = op.add(value, scalar)
    if draw.flag():
        value = nest_loop(draw, value, inner_shape)
    other = op.multiply(value, inner[1])
    results = [op.result(value), op.result(other)]
    feed = [draw.numbers(*p) for p in (cut.whole, inner_shape, inner_shape)]
    if is_loop:
        limit = draw.choose(1e9, 1.0)
        total = op.reduce_sum(op.abs(value), np.arange(rank))
        results.append(op.result(op.less(total, op.constant(f32(limit)))))
    body = Model(results, inner, "body")
    ports = [result.output(0) for result in body.get_results()]
    if is_loop:
        trip = op.constant(np.array(steps, draw.choose(np.int32, i64)))
        layer = op.loop(trip, op.constant(np.array(True)))
        layer.set_function(body)
        layer.set_special_body_ports([3, 2])
    else:
        layer = op.tensor_iterator()
        layer.set_function(body)
    layer.set_sliced_input(inner[0], outer[0].output(0), *cut.arguments[:3], *cut.arguments[3:])
    layer.set_merged_input(inner[1], outer[1].output(0), ports[0])
    layer.set_invariant_input(inner[2], outer[2].output(0))
    outputs = [layer.get_iter_value(ports[0], -1)]
    reverse = draw.flag() and not is_loop
    begin, end, stride = (-1, 0, -cut.part) if reverse else (0, -1, cut.part)
    outputs.append(layer.get_concatenated_slices(ports[1], begin, stride, cut.part, end, axis))
    if not is_dynamic and draw.flag():
        outputs.append(layer.get_iter_value(ports[1], -1))
    return Model([op.result(o) for o in outputs], outer), feed


def check(name, model, feed):
    counts[name] = number = counts.get(name, 0) + 1
    folder = runner.work / f"{name}_{number}"
    folder.mkdir()
    openvino.save_model(model, folder / "model.xml", compress_to_fp16=False)
    trips.check(f"{name} {number}", folder / "model.xml")
    expected = list(core.compile_model(model, "CPU", CONFIG)(feed).values())
    # Exported from the module alone, without the original file.
    text, plain = folder / "plain.mlir", folder / "plain.xml"
    ways = (("--import-openvino", folder / "model.xml", "-o", text),)
    ways += (("--export-openvino", text, "-o", plain),)
    errors = [done.stderr for way in ways if (done := trips.call(*way)).returncode]
    again = [] if errors else core.compile_model(plain, "CPU", CONFIG)(feed).values()
    if errors or not all(map(np.array_equal, expected, again)):
        failures.append(f"{name} {number}: without its source: {errors or 'different outputs'}")
    files = []
    for index, value in enumerate(feed):
        files.append(folder / f"x{index}.npy")
        np.save(files[-1], value)
    result = runner.call(
        "quant-float-run", folder / "model.xml", "-O0", "--outputs", folder, "--inputs", *files
    )
    if result.returncode != 0:
        failures.append(f"{name} {number}: {result.stderr}")
        return
    for index, wanted in enumerate(expected):
        got = np.load(folder / f"output_{index}.npy")
        if got.shape != wanted.shape or not np.allclose(got, wanted, 1e-4, 1e-5):
            failures.append(f"{name} {number}: output {index}: expected {wanted}, but got {got}")


for seed in range(int(sys.argv[3])):
    check("If", *make_if(Draw(seed)))
    for is_dynamic in (False, True):
        check("TensorIterator", *make_iteration(Draw(1000 + seed), False, is_dynamic))
        check("Loop", *make_iteration(Draw(2000 + seed), True, is_dynamic))
trips.report()
failures += trips.wrong
print(f"{counts}, {len(failures)} failures")
sys.exit("\n".join(failures) if failures else 0)
