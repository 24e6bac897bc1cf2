# Ops with data-dependent result shapes, and ops whose sizes are inputs, against ONNX Runtime or the
# reference evaluator.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import numpy as np
from conformance.op_cases import F16, F32, F64, add, floats, rng, run

UNKNOWN = "must have a static number"


def numbers(*values, dtype=np.int64):
    return np.array(values, dtype)


def sparse(*shape, dtype=F32):
    return (rng.integers(-2, 3, shape) * (rng.random(shape) < 0.5)).astype(dtype)


def add_reshapes():
    data = floats(2, 3, 4)
    for shape in (
        (24,),
        (4, 6),
        (-1,),
        (-1, 6),
        (2, -1, 2),
        (0, -1),
        (0, 0, 0),
        (0, 0, -1),
        (1, 24, 1, 1),
    ):
        add("Reshape", 13, data, numbers(*shape), refused=UNKNOWN)
    add("Reshape", 14, floats(2, 0, 3), numbers(0, 4), allowzero=1, refused=UNKNOWN)
    add("Reshape", 14, floats(2, 0, 3), numbers(3, 0, 2), allowzero=1, refused=UNKNOWN)
    for shape in ((2, 3, 4), (2, 1, 4), (1, 1), (3, 1), (1,), (5, 1, 3, 2)):
        add("Expand", 13, floats(3, 1), numbers(*shape), refused=UNKNOWN)
    add("Expand", 13, floats(4, 5), numbers(2, 1, 1), refused=UNKNOWN)
    add("ConstantOfShape", 9, numbers(2, 3), refused=UNKNOWN)


def add_axes():
    data = floats(3, 4, 5)
    for axis, exclusive, reverse in itertools.product((0, 1, 2, -1, -3), (0, 1), (0, 1)):
        flags = dict(exclusive=exclusive, reverse=reverse)
        add("CumSum", 14, data, np.array(axis), **flags)
        add("CumProd", 26, data, np.array(axis, np.int32), oracle="reference", **flags)
    for axes in ((0,), (1,), (3,), (-1,), (0, 3), (3, 0), (-1, 1, 4)):
        add("Unsqueeze", 13, data, numbers(*axes), refused=UNKNOWN)
    narrow = floats(1, 3, 1, 1, 4)
    for axes in ((0,), (-2,), (2, 0), (0, 2, 3), (-3, 3)):
        add("Squeeze", 13, narrow, numbers(*axes), refused=UNKNOWN)
    add("Squeeze", 21, floats(1, 1), numbers(1, 0), refused=UNKNOWN)
    for axes in ((0, 2), (-1, 1), (1, -3)):
        for mode in ("constant", "reflect", "edge"):
            add(
                "Pad",
                18,
                data,
                numbers(2, 0, 1, 2),
                None,
                numbers(*axes),
                mode=mode,
                refused=UNKNOWN,
            )
    for axis in (0, 1, 2):
        add("Tile", 1, data, numbers(3), numbers(axis), oracle="formula")
    for axis, (inverse, half) in itertools.product((0, 1, 2, -2, -3), ((0, 0), (1, 0), (0, 1))):
        place = None, np.array(axis)
        known = "must be known to be 1 or 2"
        flags = dict(inverse=inverse, onesided=half)
        add("DFT", 20, floats(4, 6, 3, 1), *place, oracle="reference", refused=known, **flags)


def refuse_axes():
    data = floats(1, 3, 5)
    for axis, why in ((3, "axis must be at most 2"), (-4, "axis must be at least -3")):
        add("CumSum", 14, data, np.array(axis), oracle="none", refused=why)
        add("Squeeze", 13, data, numbers(axis), oracle="none", refused=(why, UNKNOWN))
        bounds = numbers(1), numbers(2)
        add(
            "Slice", 13, data, *bounds, numbers(axis), oracle="none", refused=(why, "must be known")
        )
    for axis, why in ((1, "axis must be at most 0"), (-2, "axis must be at least -1")):
        add("CumSum", 14, np.zeros(4, F32), np.array(axis), oracle="none", refused=why)
    wide = "the size of axis 1 must match the other sizes"
    add("Squeeze", 13, data, numbers(1), oracle="none", refused=(wide, UNKNOWN))
    twice = "no axis may be specified twice"
    add("Squeeze", 13, floats(1, 1, 1), numbers(0, -3), oracle="none", refused=(twice, UNKNOWN))
    add("Unsqueeze", 13, data, numbers(1, 1), oracle="none", refused=(twice, UNKNOWN))
    pads = numbers(1, 0, 0, 1), None
    add("Pad", 18, data, *pads, numbers(1, -2), oracle="none", refused=(twice, UNKNOWN))
    bounds = numbers(0, 1), numbers(2, 3), numbers(2, -1)
    add("Slice", 13, data, *bounds, oracle="none", refused=(twice, "must be known"))
    last = "excluding the last one, must be at most 1", "must be known to be 1 or 2"
    add("DFT", 20, floats(2, 4, 1), None, np.array(2), oracle="none", refused=last)
    empty = "the size of axis 1 must be at least 1"
    add("DFT", 20, floats(1, 0, 1), np.array(4), oracle="none", refused=(empty, last[1]))


def add_slices():
    data = floats(4, 5, 6)
    for starts, ends, axes, steps in (
        ((1,), (3,), (0,), (1,)),
        ((0, -3), (2**63 - 1, -1), (2, 1), (2, 1)),
        ((-1, 4), (-(2**63), 0), (1, 2), (-1, -2)),
        ((9, 0, 2), (0, -9, 2), (0, 1, -1), (-3, -1, 1)),
    ):
        add(
            "Slice",
            13,
            data,
            *map(lambda x: numbers(*x), (starts, ends, axes, steps)),
            refused="must be known",
        )
        add(
            "Slice",
            13,
            data,
            numbers(*starts, dtype=np.int32),
            numbers(*ends)[: len(ends)].clip(-(2**31), 2**31 - 1).astype(np.int32),
            numbers(*axes, dtype=np.int32),
            refused="must be known",
        )
    add("Slice", 10, data, numbers(1, 2), numbers(3, 5), refused="must be known")


def add_ranges():
    for start, limit, delta in ((0, 5, 1), (3, 12, 4), (7, -8, -3), (2, 2, 1), (5, 1, 2)):
        for dtype in (np.int64, np.int32, F32, F64):
            add("Range", 11, *(np.array(x, dtype) for x in (start, limit, delta)))


def add_selections():
    for shape in ((7,), (0,), (3, 4), (2, 3, 4), (2, 0, 3)):
        for dtype in (F32, np.int64, np.bool_):
            add("NonZero", 13, sparse(*shape, dtype=dtype), oracle="reference")
    for dtype in (F64, F16, np.int8, np.uint8, np.int32):
        add("NonZero", 9, sparse(4, 5, dtype=dtype), oracle="reference")
    special = np.array([0.0, -0.0, np.nan, np.inf, 1e-45, -1], F32)
    add("NonZero", 13, special, oracle="reference")
    add("NonZero", 13, np.zeros((3, 4), F32))
    data = floats(3, 4, 5)
    for axis in (0, 1, 2, -1):
        for count in (0, 1, data.shape[axis]):
            condition = rng.random(count) < 0.6
            add("Compress", 11, data, condition, axis=axis, oracle="reference")
    add("Compress", 9, data, rng.random(17) < 0.5, oracle="reference")
    add("Compress", 11, data.astype(np.int8), rng.random(60) < 0.5, oracle="reference")


def add_uniques():
    data = rng.integers(-2, 3, (4, 3, 5))
    for axis, order in itertools.product((None, 0, 1, -1), (0, 1)):
        attributes = {"sorted": order} if axis is None else {"sorted": order, "axis": axis}
        for dtype in (F32, np.int64):
            few = data.astype(dtype)
            # Some slices along each axis are equal.
            few[2], few[:, 1], few[:, :, 3] = few[0], few[:, 2], few[:, :, 0]
            add("Unique", 11, few, outputs=4, types=(None, 7, 7, 7), **attributes)
    for dtype in (F64, np.int8, np.uint8, np.bool_):
        few = rng.integers(0, 3, (3, 4)).astype(dtype)
        add("Unique", 11, few, outputs=4, types=(None, 7, 7, 7), oracle="reference")
    add("Unique", 11, np.zeros(0, F32))
    add("Unique", 11, floats(1))
    special = np.array([np.nan, 1, -0.0, np.inf, 0.0, np.nan, -np.inf, 1], F32)
    add("Unique", 11, special, outputs=(0, 2), types=(None, 7), oracle="reference")


def add_suppressions():
    for batch, classes, count, center in itertools.product((1, 2), (1, 3), (1, 20), (0, 1)):
        boxes = rng.random((batch, count, 4)).astype(F32)
        if center:
            boxes[..., 2:] *= 0.5
        # Also with equal scores.
        scores = (rng.integers(0, 12, (batch, classes, count)) / 16).astype(F32)
        for opset, limits in (
            (10, (numbers(4), np.array([0.3], F32), np.array([0.2], F32))),
            (11, (np.array(100), np.array(0.5, F32))),
            (11, (np.array(2), None, np.array(0.5, F32))),
            (11, (numbers(0),)),
            (11, ()),
        ):
            add("NonMaxSuppression", opset, boxes, scores, *limits, center_point_box=center)


add_reshapes()
add_axes()
refuse_axes()
add_slices()
add_ranges()
add_selections()
add_uniques()
add_suppressions()


def compute(op, inputs, attributes):
    """Tile's first version, which no other implementation supports."""
    data, count, axis = inputs
    return [np.concatenate([data] * int(count[0]), int(axis[0]))]


run(*sys.argv[1:], formula=compute)
