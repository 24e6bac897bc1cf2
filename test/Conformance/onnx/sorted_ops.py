# Selections and sorts of every element type, of lengths around those of vectors and of buffers,
# with ties and NaNs: TopK and Unique against NumPy, and NonMaxSuppression of many boxes against
# ONNX Runtime.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import numpy as np
from conformance.op_cases import F16, F32, F64, Constant, add, rng, run

INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)


def draw(dtype, *shape):
    """A third of the elements are duplicates, and all floats with special ordering rules are
    included."""
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        special = [info.min, info.max, 0, 1]
    else:
        values = rng.standard_normal(shape).astype(dtype)
        special = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(dtype).smallest_subnormal]
    chosen = rng.random(shape) < 1 / 3
    values[chosen] = rng.choice(np.array(special, dtype), int(chosen.sum()))
    return values


def rank(values):
    """Keys in the order of the elements: NaN is the largest."""
    return np.unique(values, return_inverse=True)[1].reshape(values.shape)


def formula(op, inputs, attributes):
    assert op == "TopK"
    values, axis = inputs[0], attributes.get("axis", -1)
    keys = rank(values)
    if attributes.get("largest", 1):
        keys = -keys
    count = int(inputs[1][0])
    order = np.argsort(keys, axis=axis, kind="stable").take(range(count), axis)
    return [np.take_along_axis(values, order, axis), order]


def add_selection(values, count, **attributes):
    add("TopK", 11, values, np.array([count]), oracle="formula", outputs=2, **attributes)


for dtype in (F16, F32, F64, *INTEGERS):
    for largest in (0, 1):
        add_selection(draw(dtype, 3, 77), 5, largest=largest)
        add_selection(draw(dtype, 2, 301), 41, largest=largest, sorted=0)
        add_selection(draw(dtype, 100, 3), 100, axis=0, largest=largest)
# Static counts select the algorithm.
for count in (0, 1, 2, 8, 9, 64, 399, 400):
    for largest in (0, 1):
        values = rng.permutation(400).astype(F32)
        add(
            "TopK",
            11,
            values.reshape(1, 400),
            Constant(count),
            oracle="reference" if count == 0 else None,
            outputs=2,
            largest=largest,
        )
for size in (1, 7, 8, 9, 15, 16, 17, 31, 33, 65):
    add_selection(draw(F32, 2, size), size)
    add_selection(draw(F32, 2, size), max(size // 2, 1), largest=0)
# Ascending or descending order.
for values in (np.arange(5000), -np.arange(5000), np.zeros(5000)):
    add_selection(values.astype(F32), 70)
    add_selection(values.astype(F32), 3000)
add_selection(draw(F32, 2, 500, 3), 90, axis=1)

for count, dtype in ((2, F32), (100, F32), (1000, np.int64)):
    values = rng.integers(0, count, 1000).astype(dtype)
    add("Unique", 11, values, outputs=4, types=(None, 7, 7, 7))
    add("Unique", 11, values, outputs=4, types=(None, 7, 7, 7), sorted=0)
    add("Unique", 11, values.reshape(250, 4) // 40, outputs=4, types=(None, 7, 7, 7), axis=0)

for count, classes, limit in ((300, 2, 20), (301, 1, 301)):
    boxes = rng.random((2, count, 4)).astype(F32)
    scores = rng.permutation(2 * classes * count).reshape(2, classes, count).astype(F32) / 1000
    for least in (0.0, 0.5, 0.99):
        add(
            "NonMaxSuppression",
            11,
            boxes,
            scores,
            np.array([limit]),
            np.array([0.4], F32),
            np.array([least], F32),
        )
    add("NonMaxSuppression", 11, boxes, scores, np.array([limit]), np.array([0.4], F32))
# Rows of full vectors, with more selected boxes than there are, and with fewer scores above the
# threshold than selected boxes.
for count, limit in itertools.product((1, 15, 16, 48, 256), (1, 20, 512)):
    boxes = rng.random((1, count, 4)).astype(F32)
    # Most boxes overlap, so that the best few do not suffice.
    boxes[:, : count * 3 // 4] = boxes[:, :1]
    scores = rng.permutation(count).reshape(1, 1, count).astype(F32) / count
    for least in ((), (np.array([0.1], F32),)):
        limits = (np.array([limit]), np.array([0.5], F32))
        add("NonMaxSuppression", 11, boxes, scores, *limits, *least)
run(*sys.argv[1:4], formula=formula)
