# Ops that read, write, repeat, sort or surround elements, Einsum, and the convolutions, pooling and
# normalizations that structured_ops.py omits, in versions, types and attributes that ONNX's node
# tests omit. The outputs of quant-float-run equal those of ONNX Runtime, or of the reference
# evaluator if ONNX Runtime has no kernel or interprets the specification differently, with static
# and dynamic sizes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import numpy as np
from conformance.op_cases import F16, F32, F64, Constant, add, floats, integers, rng, run


def scalar(value):
    constant = Constant()
    constant.value = np.array(value, np.int64)
    return constant


def indices(size, *shape, dtype=np.int64):
    return rng.integers(-size, size, shape).astype(dtype)


def add_rearrangements():
    for upper, k in itertools.product((0, 1), (-9, -2, 0, 1, 7)):
        add("Trilu", 14, floats(2, 4, 5), Constant(k), upper=upper)
    for dtype in (F64, F16, np.int64, np.uint8, np.int8, np.bool_):
        add("Trilu", 14, floats(4, 3).astype(dtype), oracle="reference")
    add("Trilu", 14, floats(3, 4), np.array(1, np.int64))
    for k in (-3, 0, 2):
        add("EyeLike", 9, floats(4, 5), k=k)
        add("EyeLike", 9, integers(4, 5, dtype=np.int32), k=k, dtype=11)
    image = floats(2, 3, 4, 5)
    for mode in ("constant", "reflect", "edge"):
        add("Pad", 2, image, mode=mode, pads=[0, 1, 2, 3, 1, 0, 1, 2], value=1.5)
        add("Pad", 11, image, Constant(0, 1, 2, 3, 1, 0, 1, 2), mode=mode)
        add("Pad", 13, image, Constant(0, -1, 2, -1, 0, 1, -1, -1), mode=mode)
        add("Pad", 18, image, Constant(2, 1, 1, 0), None, Constant(-1, 1), mode=mode)
        for dtype in (F64, np.int32, np.int64, np.int8, np.uint8, np.bool_):
            value = floats(3, 4).astype(dtype)
            add("Pad", 13, value, Constant(1, 2, 0, 1), mode=mode, oracle="reference")
    add("Pad", 19, image, Constant(0, 1, 5, 11, 1, 0, 1, 2), mode="wrap")
    add("Pad", 13, floats(3), Constant(9, 8), mode="reflect", oracle="reference")
    add("Pad", 13, floats(1, 2), Constant(1, 0, 2, 0), mode="reflect", oracle="reference")
    add("Pad", 13, image, Constant(0, 0, 1, 1, 0, 0, 1, 1), np.array(-2.5, F32))
    add("Pad", 13, floats(2, 3, dtype=F16), Constant(0, 1, 1, 1), Constant(7, dtype=F16))
    for repeats in ((1, 1, 1), (2, 1, 3), (0, 2, 1), (3, 3, 3)):
        add("Tile", 6, floats(2, 3, 4), Constant(*repeats))
        add("Tile", 13, integers(2, 3, 4, dtype=np.uint8), Constant(*repeats), oracle="reference")
    for opset, modes in ((1, ({},)), (11, ({"mode": "DCR"}, {"mode": "CRD"}, {}))):
        for mode in modes:
            add("DepthToSpace", opset, floats(2, 18, 2, 3), blocksize=3, **mode)
    add("SpaceToDepth", 13, floats(2, 3, 4, 6), blocksize=2)
    for batch in (0, 1):
        lengths = np.array([1, 3, 2, 4][: 4 if batch == 0 else 3], np.int64)
        tensor = floats(4, 4, 2) if batch == 0 else floats(4, 3, 2)
        add("ReverseSequence", 10, tensor, lengths, batch_axis=batch, time_axis=1 - batch)


def add_gathers():
    data = floats(3, 4, 5)
    for axis in (0, 1, -1):
        size = data.shape[axis]
        for dtype in (np.int32, np.int64):
            add("GatherElements", 13, data, indices(size, 3, 4, 5, dtype=dtype), axis=axis)
    add("GatherElements", 11, data, indices(4, 2, 7, 3), axis=1)
    add("GatherElements", 13, integers(4, 6, dtype=np.uint8), indices(6, 4, 2), axis=1)
    for length in (1, 2, 3):
        tuples = np.stack([indices(data.shape[i], 2, 6) for i in range(length)], -1)
        add("GatherND", 11, data, tuples, refused="must be static")
        add("GatherND", 13, data, Constant(*tuples[0]))
    for batch in (1, 2):
        tuples = indices(4, 3, 4, 1) if batch == 1 else indices(5, 3, 4, 1)
        add("GatherND", 12, data, tuples, batch_dims=batch, refused="must be static")
    for axis, dtype in itertools.product((0, 1, -1), (np.int64, np.int32, F32)):
        places = indices(9, 3, 2).astype(dtype)
        add("OneHot", 11, places, Constant(7), floats(2), axis=axis, oracle="formula")
    add("OneHot", 9, indices(9, 4), Constant(7.0, dtype=F32), integers(2), oracle="formula")
    add("OneHot", 11, indices(9, 40), Constant(7), floats(2, dtype=F64), oracle="formula")


def add_scatters():
    data = floats(3, 4, 5)
    for axis in (0, 1, -1):
        size = data.shape[axis]
        shape = [3, 4, 5]
        shape[axis] = 2
        # Without a reduction, no element is written twice.
        order = np.argsort(rng.random((3, 4, 5)), axis).take(range(2), axis)
        add("ScatterElements", 11, data, order.astype(np.int64), floats(*shape), axis=axis)
        if axis:
            add("Scatter", 9, data, order.astype(np.int64), floats(*shape), axis=axis)
        for reduction, opset in (("add", 16), ("mul", 16), ("max", 18), ("min", 18)):
            places = indices(size, *shape)
            add(
                "ScatterElements",
                opset,
                data,
                places,
                floats(*shape),
                axis=axis,
                reduction=reduction,
            )
    for reduction in ("none", "add", "mul", "max", "min"):
        tuples = np.stack(np.unravel_index(rng.permutation(12)[:6], (3, 4)), -1).astype(np.int64)
        if reduction != "none":
            tuples = np.concatenate([tuples, tuples[:3]])
        known = {"refused": "must be static", "reduction": reduction}
        updates = floats(len(tuples), 5)
        add("ScatterND", 18, data, tuples, updates, **known)
        add("ScatterND", 18, data, Constant(*tuples), updates, reduction=reduction)
        encodings = integers(3, 4, dtype=np.int32)
        add(
            "ScatterND",
            18,
            encodings,
            Constant(*tuples),
            integers(len(tuples), dtype=np.int32),
            reduction=reduction,
        )
    for dtype in (np.uint8, np.int8, np.int64, F64, F16, np.bool_):
        rows = Constant([2], [0])
        add(
            "ScatterND",
            13,
            floats(3, 4).astype(dtype),
            rows,
            floats(2, 4).astype(dtype),
            oracle="reference",
        )


def add_orders():
    for axis, exclusive, reverse in itertools.product((0, 2, -2), (0, 1), (0, 1)):
        add(
            "CumSum",
            14,
            floats(3, 4, 5),
            Constant(axis, dtype=np.int32),
            exclusive=exclusive,
            reverse=reverse,
        )
    add("CumSum", 11, integers(4, 9, dtype=np.int32), Constant(1))
    add("CumSum", 11, integers(4, 9, dtype=np.int64), Constant(0), exclusive=1)
    add("CumSum", 11, floats(9, dtype=F64), np.array(0, np.int64))
    add("CumSum", 11, floats(1), Constant(0), exclusive=1)
    add("CumProd", 26, floats(3, 5), scalar(1), oracle="reference")
    add("CumProd", 26, integers(3, 3, dtype=np.int32), scalar(0), reverse=1, oracle="reference")
    for axis in (0, 1, -1):
        for n in (1, 2, 3):
            add("TopK", 1, floats(3, 4, 5), axis=axis, k=n, outputs=2)
            for largest in (0, 1):
                add("TopK", 11, floats(3, 7, 4), Constant(n), axis=axis, largest=largest, outputs=2)
    add("TopK", 10, floats(2, 100), Constant(17), outputs=2)
    # Many elements are equal.
    for dtype in (np.int32, np.int64):
        add("TopK", 11, integers(5, 300, dtype=dtype) // 200, Constant(300), outputs=2)
    add("TopK", 11, integers(300, dtype=np.uint8) // 50, Constant(200), oracle="formula", outputs=2)
    add("TopK", 11, floats(2, 1), Constant(1), outputs=2)
    add("TopK", 11, floats(2, 5), Constant(0), outputs=2, oracle="reference")


def add_einsums():
    for equation, *shapes in (
        ("ij,jk->ik", (3, 4), (4, 5)),
        ("ij,jk", (3, 4), (4, 5)),
        ("bij, bjk -> bik", (2, 3, 4), (2, 4, 5)),
        ("bqh,bkh->hbqk", (2, 3, 4), (2, 6, 4)),
        ("ij->ji", (3, 4)),
        ("ba", (3, 4)),
        ("ii->i", (4, 4)),
        ("ii", (4, 4)),
        ("ijk->", (2, 3, 4)),
        ("i,j->ij", (3,), (4,)),
        ("i,i", (5,), (5,)),
        ("ij,ij->i", (3, 4), (3, 4)),
        ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 6)),
        ("...i->...", (2, 3, 4)),
        ("ab,bc,cd->ad", (2, 3), (3, 4), (4, 5)),
        ("ab,bc,ca", (2, 3), (3, 4), (4, 2)),
        ("aAb,Ab->a", (2, 3, 4), (3, 4)),
        ("i->", (4,)),
    ):
        # A broadcast size of 1 must be static.
        tensors = [floats(*shape) for shape in shapes]
        broadcasts = (
            {"refused": "expected size", "oracle": "reference"} if len(shapes[0]) == 4 else {}
        )
        add("Einsum", 12, *tensors, equation=equation, **broadcasts)
    # So must the sizes of repeated subscripts, if the size is larger in another operand.
    for equation, *shapes in (
        ("ij,jk->ik", (3, 1), (4, 5)),
        ("ij,ij->ij", (1, 4), (3, 1)),
        ("i,i->", (1,), (5,)),
        ("ab,bc,cd->ad", (2, 1), (1, 1), (4, 5)),
        ("bij,bjk->bik", (1, 3, 4), (2, 4, 5)),
    ):
        tensors = [floats(*shape) for shape in shapes]
        checks = {"refused": "must match the other sizes", "oracle": "reference"}
        add("Einsum", 12, *tensors, equation=equation, **checks)
    for shape in ((1, 1), (1, 3), (1,)):
        add("Einsum", 12, floats(*shape), equation="...->", oracle="reference")
        add("Einsum", 12, floats(*shape), floats(*shape), equation="...,...->", oracle="reference")
    add("Einsum", 12, floats(1, 1), equation="ii->i")
    add("Einsum", 12, floats(3, 4, dtype=F64), floats(4, 5, dtype=F64), equation="ij,jk->ik")
    add(
        "Einsum",
        12,
        integers(3, 4, dtype=np.int32),
        integers(4, dtype=np.int32),
        equation="ij,j->i",
    )


def add_windows():
    image, line, volume = floats(2, 4, 5, 6), floats(1, 3, 7), floats(1, 2, 3, 4, 3)
    weight = floats(4, 3, 3, 2)
    for opset in (1, 11, 22):
        add("ConvTranspose", opset, image, weight, floats(3), strides=[2, 3], pads=[1, 0, 2, 1])
    add("ConvTranspose", 11, image, weight)
    add("ConvTranspose", 11, image, weight, strides=[3, 2], output_padding=[2, 1])
    add("ConvTranspose", 11, image, weight, dilations=[2, 3], pads=[3, 2, 4, 1])
    add("ConvTranspose", 11, image, weight, group=2, strides=[2, 2])
    add("ConvTranspose", 11, image, floats(4, 1, 3, 3), floats(4), group=4, pads=[1, 1, 1, 1])
    add("ConvTranspose", 11, image, weight, strides=[2, 2], output_shape=[10, 12])
    for mode in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        add("ConvTranspose", 11, image, weight, strides=[3, 2], auto_pad=mode)
        add("ConvTranspose", 11, image, floats(4, 1, 4, 5), strides=[2, 1], auto_pad=mode)
    add("ConvTranspose", 11, line, floats(3, 2, 4), strides=[3], pads=[4, 5])
    add("ConvTranspose", 11, volume, floats(2, 3, 2, 1, 3), floats(3), strides=[2, 3, 1])
    add("ConvTranspose", 11, floats(1, 2, 1, 1), floats(2, 3, 1, 1))
    half = floats(1, 2, 3, 3, dtype=F16), floats(2, 2, 3, 3, dtype=F16)
    add("ConvTranspose", 11, *half, strides=[2, 2], oracle="reference")
    for p in (1, 2, 3):
        add("LpPool", 11, image, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1], p=p)
        add(
            "LpPool",
            18,
            image,
            kernel_shape=[3, 2],
            dilations=[1, 2],
            ceil_mode=1,
            strides=[2, 3],
            p=p,
        )
        add("GlobalLpPool", 2, image, p=p)
        add("GlobalLpPool", 2, volume, p=p)


def add_norms():
    tensor = floats(2, 6, 4, 5)
    for size in (1, 2, 3, 5, 7):
        if size % 2:
            add("LRN", 13, tensor, size=size, alpha=0.3, beta=0.6, bias=1.7)
        else:
            add("LRN", 1, tensor, size=size, alpha=0.3, beta=0.6, bias=1.7, oracle="formula")
    for opset in (6, 22):
        add("InstanceNormalization", opset, tensor, floats(6), floats(6), epsilon=0.01)
    add("InstanceNormalization", 6, floats(2, 3, 9), floats(3), floats(3))
    for axis, p in itertools.product((0, 2, -1), (1, 2)):
        add("LpNormalization", 1, tensor, axis=axis, p=p)
    add("LpNormalization", 22, np.zeros((2, 3), F32), axis=1)
    for opset in (1, 11, 13):
        for axis in (0, 1, 3):
            add("Hardmax", opset, np.round(tensor), axis=axis)
    for opset in (11, 13):
        add("ReduceLogSumExp", opset, tensor * 50, axes=[1, 3])
    add("ReduceLogSumExp", 18, tensor, Constant(0, -1), keepdims=0)
    add("ReduceLogSumExp", 13, floats(3, 4, dtype=F64) * 900, axes=[1])
    infinite = np.array([[-np.inf, -np.inf], [np.inf, 1], [-np.inf, 2], [np.nan, 1]], F32)
    add("ReduceLogSumExp", 13, infinite, axes=[1], oracle="formula")
    add("Shrink", 9, tensor, bias=0.3, lambd=0.7)
    add("Shrink", 9, integers(40), bias=5.0, lambd=60.0)
    for op in ("Sinh", "Cosh", "Asinh", "Atan"):
        add(op, 9, tensor)
    for op in ("Asin", "Acos", "Atanh"):
        add(op, 9, np.tanh(tensor))
    add("Acosh", 9, np.abs(tensor) + 1)
    add("Asin", 7, np.tanh(floats(9, dtype=F16)), oracle="reference")


def add_samples():
    paddings, corners = ("zeros", "border", "reflection"), (0, 1)
    for mode, padding, align in itertools.product(
        ("linear", "nearest", "cubic"), paddings, corners
    ):
        options = {"padding_mode": padding, "align_corners": align}
        old = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
        grid = floats(2, 4, 3, 2)
        add("GridSample", 16, floats(2, 3, 5, 6), grid, mode=old, **options)
        add("GridSample", 20, floats(2, 3, 5, 6), grid, mode=mode, **options)
    for mode in ("linear", "nearest"):
        volume, grid = floats(1, 2, 3, 4, 5), floats(1, 2, 3, 2, 3)
        add("GridSample", 20, volume, grid, mode=mode)


def formula(op, inputs, attributes):
    """The specified results, for versions that neither ONNX Runtime nor the reference evaluator
    supports."""
    if op == "OneHot":
        places, values = inputs
        places = places.astype(np.int64)[..., None]
        # From version 11 on, negative indices count from the end. Other indices are out of bounds.
        hot = places == np.arange(7)
        if values.dtype != np.int8:
            hot |= places + 7 == np.arange(7)
        return [np.moveaxis(np.where(hot, values[1], values[0]), -1, attributes.get("axis", -1))]
    if op == "LRN":
        size, count = attributes["size"], inputs[0].shape[1]
        squares = np.zeros_like(inputs[0])
        for c in range(count):
            low, high = max(0, c - (size - 1) // 2), min(count - 1, c + size // 2)
            squares[:, c] = (inputs[0][:, low : high + 1] ** 2).sum(1)
        return [inputs[0] / (1.7 + 0.3 / size * squares) ** 0.6]
    if op == "ReduceLogSumExp":
        return [np.array([[-np.inf], [np.inf], [2], [np.nan]], F32)]
    assert op == "TopK"
    order = np.argsort(-inputs[0].astype(np.int64), kind="stable")[:200]
    return [inputs[0][order], order]


add_rearrangements()
add_gathers()
add_scatters()
add_orders()
add_einsums()
add_windows()
add_norms()
add_samples()
run(*sys.argv[1:4], formula=formula)
