# Matmuls, convolutions, pooling, reductions, normalizations and Resize, in versions, types and
# attributes that ONNX's node tests omit. The outputs of quant-float-run equal those of ONNX
# Runtime, or of the reference evaluator if ONNX Runtime has no exact kernel, with static and
# dynamic sizes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import numpy as np
from conformance.op_cases import F16, F32, F64, Constant, add, floats, integers, run

# The error with dynamic sizes.
UNKNOWN = "the number of axes must be static if keepdims is 0"


def add_products():
    add("MatMul", 1, floats(3, 4), floats(4, 5))
    add(
        "MatMul",
        9,
        floats(2, 1, 3, 4, dtype=F64),
        floats(5, 4, 6, dtype=F64),
        refused="expected size 1, but got 5",
    )
    add("MatMul", 13, floats(3, 4, dtype=F16), floats(4, 70, dtype=F16))
    for columns in (17, 33, 65):
        add("MatMul", 13, floats(3, 40), floats(40, columns))
    add("MatMul", 13, integers(3, 4, dtype=np.int32), integers(4, 2, dtype=np.int32))
    add("MatMul", 13, integers(4, dtype=np.uint32), integers(2, 4, 2, dtype=np.uint32))
    add("MatMulInteger", 10, integers(3, 40), integers(40, 5))
    points = integers(5), integers(3)
    add("MatMulInteger", 10, integers(3, 40), integers(40, 5), np.array(7, np.int8), points[0])
    matrices = integers(2, 3, 8, dtype=np.uint8), integers(2, 8, 5)
    add(
        "MatMulInteger",
        10,
        *matrices,
        None,
        integers(1),
        refused="the number of elements of input 3",
    )
    rows = integers(3, dtype=np.uint8)
    add("MatMulInteger", 10, *matrices, rows, points[0], oracle="formula")
    for opset in (7, 9, 11):
        add("Gemm", opset, floats(3, 4), floats(4, 5), floats(5), alpha=0.5, beta=-2.0)
    add("Gemm", 6, floats(3, 4), floats(4, 5), floats(5), broadcast=1, oracle="formula")
    add("Gemm", 13, floats(4, 3, dtype=F64), floats(5, 4, dtype=F64), transA=1, transB=1)
    add(
        "Gemm",
        13,
        floats(3, 4, dtype=F16),
        floats(5, 4, dtype=F16),
        floats(3, 1, dtype=F16),
        refused="expected size 5, but got 1",
        transB=1,
    )


def add_convolutions():
    for opset in (1, 11, 22):
        add("Conv", opset, floats(2, 3, 9), floats(4, 3, 3), floats(4), pads=[2, 0], strides=[2])
    image, volume = floats(1, 6, 8, 7), floats(1, 2, 4, 5, 6)
    weight = floats(4, 3, 3, 2)
    add("Conv", 11, image, weight, floats(4), group=2, dilations=[2, 1], pads=[1, 0, 2, 1])
    add("Conv", 11, image, floats(6, 1, 3, 3), floats(6), group=6, pads=[1, 1, 1, 1])
    add("Conv", 11, image, floats(12, 1, 3, 3), group=6, strides=[2, 3])
    add("Conv", 11, volume, floats(3, 2, 2, 2, 3), floats(3), strides=[2, 1, 2])
    for width in (33, 74, 75):
        add(
            "Conv",
            11,
            floats(1, 4, 5, width),
            floats(3, 4, 3, 3),
            pads=[1, 1, 1, 1],
            strides=[2, 2],
        )
        add("Conv", 11, floats(2, 4, 5, width), floats(4, 1, 3, 3), group=4, strides=[1, 2])
    # Strided windows of one element.
    for axes in ((9,), (8, 7), (4, 5, 6)):
        single = (1,) * len(axes)
        add(
            "Conv",
            11,
            floats(2, 6, *axes),
            floats(4, 3, *single),
            floats(4),
            group=2,
            strides=[3, 2, 2][: len(axes)],
        )
        add(
            "Conv",
            11,
            floats(1, 6, *axes),
            floats(6, 1, *single),
            group=6,
            strides=[2, 1, 3][: len(axes)],
        )
    column = floats(1, 6, 9, 1)
    add("Conv", 11, column, floats(4, 6, 3, 1), floats(4), pads=[1, 0, 2, 0])
    add("Conv", 11, column, floats(4, 3, 3, 1), group=2)
    add("Conv", 11, column, floats(4, 6, 3, 1), pads=[0, 1, 0, 0], strides=[1, 2])
    add("Conv", 11, column, floats(6, 1, 3, 3), group=6, pads=[1, 1, 1, 1])
    add("Conv", 11, floats(2, 6, 1, 1), floats(4, 6, 1, 1), floats(4))
    for mode in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        add("Conv", 11, image, floats(2, 6, 4, 3), auto_pad=mode, strides=[3, 2])
    add(
        "Conv", 11, floats(1, 2, 6, 6, dtype=F64), floats(2, 2, 3, 3, dtype=F64), oracle="reference"
    )
    half = floats(1, 2, 6, 6, dtype=F16), floats(2, 2, 3, 3, dtype=F16), floats(2, dtype=F16)
    add("Conv", 11, *half)
    # Coprime strides and dilations, on converted elements.
    phases = floats(1, 1, 5, 13, dtype=F16), floats(11, 1, 1, 4, dtype=F16)
    add("Conv", 11, *phases, strides=[3, 3], dilations=[2, 2])
    encodings = integers(1, 4, 7, 7, dtype=np.uint8)
    add("ConvInteger", 10, encodings, integers(3, 4, 3, 3, dtype=np.uint8), np.array(9, np.uint8))
    # One accumulator for each image, vectorized along it, with constant weights.
    weights = Constant(*integers(1, 19, 1), dtype=np.int8)
    add("ConvInteger", 10, integers(29, 19, 1, dtype=np.uint8), weights)
    points = np.array(3, np.uint8), np.array([5], np.uint8)
    add(
        "ConvInteger",
        10,
        encodings,
        integers(4, 2, 3, 3, dtype=np.uint8),
        *points,
        refused="the size of input 3",
        group=2,
        pads=[1, 2, 0, 1],
    )


def add_transposed_volume():
    # One column more than full vectors.
    inputs = floats(2, 4, 4, 5, 7), floats(4, 3, 3, 5, 5), floats(6)
    attributes = dict(pads=[4, 2, 1, 4, 2, 1], dilations=[3, 1, 1], output_padding=[1, 0, 0])
    add("ConvTranspose", 11, *inputs, group=2, strides=[2, 1, 1], **attributes)


def add_pools():
    image, volume = floats(2, 3, 9, 8), floats(1, 2, 5, 6, 7)
    for opset in (1, 7, 10, 11, 12, 22):
        add("MaxPool", opset, image, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
        if opset > 1:
            add("AveragePool", opset, image, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
    wide = {"kernel_shape": [3, 3], "strides": [2, 3], "pads": [1, 1, 1, 1], "ceil_mode": 1}
    add("MaxPool", 12, image, outputs=2, **wide)
    add("MaxPool", 12, image, outputs=2, storage_order=1, **wide)
    add("MaxPool", 12, image, outputs=2, kernel_shape=[2, 3], dilations=[2, 2])
    add("MaxPool", 12, volume, kernel_shape=[2, 3, 2], dilations=[1, 2, 2])
    add("MaxPool", 12, floats(1, 2, 11), kernel_shape=[3], auto_pad="SAME_UPPER", strides=[2])
    for dtype in (np.int8, np.uint8):
        add(
            "MaxPool", 12, integers(1, 2, 6, 6, dtype=dtype), kernel_shape=[3, 3], pads=[1, 1, 1, 1]
        )
    add("MaxPool", 12, floats(1, 2, 6, 6, dtype=F64), kernel_shape=[3, 3])
    add("MaxPool", 12, floats(1, 2, 6, 6, dtype=F16), kernel_shape=[3, 3])
    for count in (0, 1):
        add("AveragePool", 19, image, count_include_pad=count, **wide)
        add(
            "AveragePool",
            19,
            image,
            kernel_shape=[2, 3],
            dilations=[2, 1],
            count_include_pad=count,
            pads=[1, 1, 0, 1],
        )
        add(
            "AveragePool",
            11,
            image,
            auto_pad="SAME_LOWER",
            kernel_shape=[3, 2],
            count_include_pad=count,
        )
    add("AveragePool", 11, volume, kernel_shape=[2, 3, 2])
    for op in ("GlobalMaxPool", "GlobalAveragePool"):
        add(op, 1, image)
        add(op, 1, volume)


def add_reductions():
    tensor = floats(2, 3, 4, 5)
    for op in ("Sum", "Max", "Min", "Mean", "Prod", "L1", "L2", "SumSquare"):
        add(f"Reduce{op}", 1, tensor, axes=[1, 3])
        add(f"Reduce{op}", 11, tensor, axes=[-2], keepdims=0)
        add(f"Reduce{op}", 18, tensor, Constant(0, -1))
        add(f"Reduce{op}", 18, tensor, np.array([-1, 1]))
        add(f"Reduce{op}", 18, tensor, np.array([2]), keepdims=0, refused=UNKNOWN)
    add("ReduceLogSum", 11, np.abs(tensor), axes=[1])
    for opset in (13, 18):
        add("ReduceSum", opset, tensor, Constant(), noop_with_empty_axes=1)
        add("ReduceSum", opset, tensor, keepdims=0)
        for axes, noop in itertools.product(((), (0,), (3, 0, 2), (0, 1, 2, 3)), (0, 1)):
            axes = np.array(axes, np.int64)
            attributes = dict(noop_with_empty_axes=noop)
            add("ReduceSum", opset, tensor, axes, **attributes)
            add("ReduceSum", opset, tensor, axes, keepdims=0, refused=UNKNOWN, **attributes)
    for op, values in itertools.product(("Sum", "Exp", ""), (tensor, tensor * 100)):
        op = {"Sum": "ReduceLogSum", "Exp": "ReduceLogSumExp", "": "ReduceL2"}[op]
        add(op, 18, np.abs(values), np.array([1, -4]))
        add(op, 18, np.abs(values), np.array([1, -4]), keepdims=0, refused=UNKNOWN)
    infinite = np.array([[np.inf, 1], [-np.inf, -np.inf]], F32)
    add("ReduceLogSumExp", 18, infinite, np.array([1]))
    add("ReduceSum", 13, integers(3, 40, dtype=np.int32), np.array([0]))
    add("ReduceMax", 18, integers(3, 40, dtype=np.uint8), np.array([0]))
    add("ReduceMean", 18, floats(3, 50, dtype=F16), np.array([1]), oracle="reference")
    for dtype in (np.int32, np.int64):
        add("ReduceSum", 13, integers(3, 40, dtype=dtype), Constant(1))
        add("ReduceMax", 13, integers(3, 40, dtype=dtype), axes=[0])
        add("ReduceMean", 13, np.abs(integers(3, 40, dtype=dtype)), axes=[1])
    add("ReduceMax", 13, integers(3, 40, dtype=np.uint8), axes=[1])
    add("ReduceMin", 13, integers(3, 40, dtype=np.int8), axes=[0])
    add("ReduceMean", 13, floats(3, 500, dtype=F16), axes=[1], oracle="reference")
    for op in ("ArgMax", "ArgMin"):
        add(op, 1, tensor, axis=2)
        add(op, 11, integers(3, 300, dtype=np.int32) // 100, axis=-1, keepdims=0)
        add(op, 12, np.round(tensor), axis=3, select_last_index=1)
        add(op, 13, integers(3, 300, dtype=np.uint8) // 50, axis=1)


def add_normalizations():
    tensor = floats(2, 3, 4, 5)
    # For 16-bit types, ONNX's own function body adds a value of another type.
    for opset, axes in ((9, {}), (13, {}), (13, {"axes": [1, 2]})):
        narrow = tensor.astype(F16)
        add("MeanVarianceNormalization", opset, narrow, oracle="formula", **axes)
    for op in ("Softmax", "LogSoftmax"):
        for opset in (1, 11, 13):
            add(op, opset, tensor)
            add(op, opset, tensor, axis=2)
        add(op, 13, tensor.astype(F64), axis=-3)
        add(op, 13, tensor.astype(F16), axis=1)
    four = floats(3), floats(3), floats(3), np.abs(floats(3))
    for opset in (7, 9, 14, 15):
        add("BatchNormalization", opset, tensor, *four, epsilon=0.01)
    add("BatchNormalization", 6, tensor, *four, is_test=1, oracle="formula")
    whole = [floats(3, 4, 5) for _ in range(3)], np.abs(floats(3, 4, 5))
    add("BatchNormalization", 7, tensor, *whole[0], whole[1], spatial=0, oracle="formula")
    add("BatchNormalization", 15, floats(2, 3), *four)
    add("DynamicQuantizeLinear", 11, tensor)
    add("DynamicQuantizeLinear", 11, np.zeros((3, 3), F32), oracle="formula")


def add_resizes():
    image = floats(1, 2, 5, 6)
    double = Constant(1, 1, 2, 2, dtype=F32)
    uneven = Constant(1, 1, 1.7, 0.6, dtype=F32)
    nothing = Constant(dtype=F32)
    for mode in ("nearest", "linear"):
        add("Upsample", 7, image, mode=mode, scales=[1.0, 1.0, 2.0, 3.0])
        add("Upsample", 9, image, double, mode=mode)
        add("Resize", 10, image, double, mode=mode)
    add("Resize", 10, image, uneven)
    modes = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
    for mode in ("nearest", "linear", "cubic"):
        for coordinates in modes:
            options = {"mode": mode, "coordinate_transformation_mode": coordinates}
            add("Resize", 11, image, nothing, nothing, Constant(1, 2, 9, 4), **options)
            if coordinates != "align_corners":
                add("Resize", 13, image, None, uneven, **options)
    for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
        add("Resize", 13, image, None, uneven, nearest_mode=rounding)
    add("Resize", 11, image, nothing, double, coordinate_transformation_mode="tf_half_pixel_for_nn")
    add(
        "Resize",
        19,
        image,
        None,
        uneven,
        mode="linear",
        coordinate_transformation_mode="half_pixel_symmetric",
    )
    add("Resize", 13, image, None, uneven, mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1)
    region = Constant(0, 0, 0.1, 0.2, 1, 1, 0.9, 1.2, dtype=F32)
    crop = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 7.5}
    for mode in ("nearest", "linear"):
        add("Resize", 13, image, region, None, Constant(1, 2, 7, 7), mode=mode, **crop)
    for mode in ("linear", "cubic"):
        add("Resize", 18, image, None, Constant(1, 1, 0.6, 0.4, dtype=F32), mode=mode, antialias=1)
        add("Resize", 18, image, None, None, Constant(3, 8), mode=mode, antialias=1, axes=[2, 3])
    for policy in ("not_larger", "not_smaller"):
        add(
            "Resize",
            18,
            image,
            None,
            None,
            Constant(7, 9),
            axes=[2, 3],
            keep_aspect_ratio_policy=policy,
        )
    add("Resize", 13, integers(1, 2, 5, 6, dtype=np.uint8), None, double)
    add(
        "Resize",
        13,
        integers(1, 2, 5, 6, dtype=np.int8),
        None,
        double,
        mode="linear",
        oracle="reference",
    )
    add(
        "Resize", 13, floats(1, 2, 5, 6, dtype=F64), None, double, mode="linear", oracle="reference"
    )


def formula(op, inputs, attributes):
    """The specified results, for versions that neither ONNX Runtime nor the reference evaluator
    supports."""
    if op == "MatMulInteger":
        a, b, rows, columns = (value.astype(np.int32) for value in inputs)
        return [(a - rows[:, None]) @ (b - columns)]
    if op == "MeanVarianceNormalization":
        axes, x = tuple(attributes.get("axes", [0, 2, 3])), inputs[0].astype(F64)
        centered = x - x.mean(axes, keepdims=True)
        return [(centered / (x.std(axes, keepdims=True) + 1e-9)).astype(F16)]
    if op == "Gemm":
        return [inputs[0] @ inputs[1] + inputs[2]]
    if op == "BatchNormalization":
        shape = (3, 4, 5) if attributes.get("spatial", 1) == 0 else (3, 1, 1)
        scale, bias, mean, variance = (value.reshape(shape) for value in inputs[1:])
        return [(inputs[0] - mean) / np.sqrt(variance + 1e-5) * scale + bias]
    # D9: all elements are equal.
    assert op == "DynamicQuantizeLinear"
    return [inputs[0].astype(np.uint8), np.array(1, F32), np.array(0, np.uint8)]


add_products()
add_convolutions()
add_transposed_volume()
add_pools()
add_reductions()
add_normalizations()
add_resizes()
run(*sys.argv[1:4], formula=formula)
