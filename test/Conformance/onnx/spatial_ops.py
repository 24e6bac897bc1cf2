# Spatial ops on images and signals (assembled or moved windows, regions, transforms, determinants,
# caches), in versions, types and attributes that ONNX's node tests omit. The outputs of
# quant-float-run equal those of ONNX Runtime, or of the reference evaluator if ONNX Runtime has no
# kernel or interprets the specification differently, with static and dynamic sizes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import numpy as np
from conformance.op_cases import F16, F32, F64, Constant, add, floats, integers, rng, run

UNKNOWN = "must have a static number"


def numbers(*values, dtype=np.int64):
    return np.array(values, dtype)


def add_images_of_columns():
    for pads, strides, dilations in (
        ((0, 0, 0, 0), (1, 1), (1, 1)),
        ((1, 0, 2, 1), (2, 1), (1, 2)),
        ((0, 3, 0, 0), (3, 2), (2, 1)),
    ):
        image, block = (7, 6), (2, 3)
        count = [
            (size + pads[i] + pads[i + 2] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
            for i, size in enumerate(image)
        ]
        columns = floats(2, 3 * 6, count[0] * count[1])
        attributes = dict(pads=pads, strides=strides, dilations=dilations)
        add("Col2Im", 18, columns, Constant(*image), Constant(*block), **attributes)
        add("Col2Im", 18, columns, numbers(*image), Constant(*block), refused=UNKNOWN, **attributes)
    add("Col2Im", 18, floats(1, 4, 4), Constant(5), Constant(2), oracle="reference")
    add("Col2Im", 18, floats(1, 16, 4), Constant(3, 3, 2), Constant(2, 2, 2), oracle="reference")
    # "a size of the block must be at least 1", or UNKNOWN with dynamic sizes.
    none = " must be "
    add("Col2Im", 18, floats(1, 4, 4), numbers(5), numbers(0), oracle="none", refused=none)
    for dtype in (F16, F64):
        add(
            "Col2Im", 18, floats(1, 4, 4, dtype=dtype), Constant(5), Constant(2), oracle="reference"
        )


def add_unpools():
    for opset, shape, kernel, strides, pads in (
        (9, (2, 3, 4), (2,), (2,), (0, 0)),
        (11, (1, 2, 3, 2), (2, 3), (2, 3), (0, 0, 0, 0)),
        (22, (1, 1, 3, 3), (3, 3), (2, 2), (1, 1, 0, 1)),
    ):
        begin, end = pads[: len(kernel)], pads[len(kernel) :]
        whole = [
            (size - 1) * s - b - e + k
            for size, s, b, e, k in zip(shape[2:], strides, begin, end, kernel, strict=True)
        ]
        count = np.prod(shape[:2]) * np.prod(whole)
        places = rng.permutation(count)[: np.prod(shape)].reshape(shape)
        attributes = dict(kernel_shape=kernel, strides=strides, pads=pads)
        add("MaxUnpool", opset, floats(*shape), places, **attributes)
    # With an output shape, elements keep their positions, in the first corner. ONNX's node test
    # requires this, and ONNX Runtime deviates.
    places = np.array([[[[5, 7], [13, 15]]]])
    inputs = floats(1, 1, 2, 2), places, numbers(1, 1, 5, 5)
    attributes = dict(kernel_shape=(2, 2), strides=(2, 2), oracle="reference")
    add("MaxUnpool", 9, *inputs, refused=UNKNOWN, **attributes)


def add_deformations():
    for opset, axes, group, offsets, masked in itertools.product(
        (19, 22), (2,), (1, 2), (1, 2), (False, True)
    ):
        image, kernel = (5, 6), (3, 2)
        strides, pads, dilations = (1, 2), (1, 0, 1, 1), (1, 2)
        out = [
            (s + pads[i] + pads[i + axes] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1
            for i, s in enumerate(image)
        ]
        inputs = [
            floats(2, 4, *image),
            floats(4, 4 // group, *kernel),
            floats(2, offsets * 6 * axes, *out) * 2,
            floats(4) if masked else None,
            floats(2, offsets * 6, *out) if masked else None,
        ]
        add(
            "DeformConv",
            opset,
            *inputs[: 5 if masked else 3],
            group=group,
            offset_group=offsets,
            kernel_shape=kernel,
            strides=strides,
            pads=pads,
            dilations=dilations,
            oracle="reference",
        )


def add_regions():
    image = floats(2, 3, 8, 9)
    corners = rng.uniform(-3, 12, (5, 2, 2)).astype(F32)
    regions = np.concatenate([corners.min(1), corners.max(1)], axis=1)
    batch = rng.integers(0, 2, 5)
    for opset, mode, samples, size, scale in itertools.product(
        (10, 16, 22), ("avg", "max"), (0, 2), ((1, 1), (3, 2)), (1.0, 0.5)
    ):
        add(
            "RoiAlign",
            opset,
            image,
            regions,
            batch,
            mode=mode,
            sampling_ratio=samples,
            output_height=size[0],
            output_width=size[1],
            spatial_scale=scale,
            # ONNX Runtime has no kernel.
            oracle="reference" if opset == 22 else None,
        )
    old = dict(coordinate_transformation_mode="output_half_pixel", output_height=3, output_width=3)
    add("RoiAlign", 16, image, regions, batch, **old)
    add("RoiAlign", 16, image.astype(F64), regions.astype(F64), batch, output_width=3)


def add_determinants():
    for opset, shape in ((11, (1, 1)), (11, (3, 3)), (22, (2, 3, 5, 5)), (22, (2, 8, 8))):
        add("Det", opset, floats(*shape))
    add("Det", 11, floats(4, 4, dtype=F64), oracle="reference")
    # Zero pivots, and singular matrices.
    add("Det", 11, np.array([[0, 2, 1], [3, 0, 4], [0, 5, 0]], F32))
    add("Det", 11, np.array([[1, 2, 3], [2, 4, 6], [1, 0, 1]], F32))
    add("Det", 11, np.zeros((2, 3, 3), F32))


def add_transforms():
    known = "must be known to be 1 or 2"
    for opset, (shape, axis) in itertools.product(
        (17, 20), (((2, 8, 1), 1), ((2, 7, 2), 1), ((3, 5, 4, 2), 2), ((6, 2, 2), 0))
    ):
        for length, inverse, half in itertools.product((None, 4, 9), (0, 1), (0, 1)):
            if half and (inverse or shape[-1] == 2):
                continue
            attributes = dict(inverse=inverse, onesided=half)
            inputs = [floats(*shape), Constant(length) if length else None]
            if inputs[1]:
                inputs[1].value = np.array(length)
            if opset == 20:
                place = Constant()
                place.value = np.array(axis)
                inputs.append(place)
            else:
                attributes["axis"] = axis
                inputs = inputs if length else inputs[:1]
            add("DFT", opset, *inputs, oracle="reference", refused=known, **attributes)
    add("DFT", 20, floats(2, 6, 1, dtype=F64), oracle="reference", refused=known)
    for half, shape in ((1, (2, 32)), (0, (2, 32)), (1, (1, 17, 1)), (0, (1, 16, 2))):
        inputs = floats(*shape), np.array(3)
        # The reference evaluator requires an imaginary part.
        checks = dict(refused=known, oracle="reference") if len(shape) == 3 else {}
        window, length = np.hanning(8).astype(F32), np.array(8)
        add("STFT", 17, *inputs, window, onesided=half, **checks)
        add("STFT", 17, *inputs, window, length, onesided=half, **checks)
        add("STFT", 17, *inputs, None, length, onesided=half, **checks)
    none = "the frame step must be at least 1"
    add("STFT", 17, floats(1, 8), np.array(0), floats(5), oracle="none", refused=none)


def add_caches():
    for mode, axis, begins in itertools.product(
        ("linear", "circular"), (-2, 1, 2), (None, (0, 3), (2, 1))
    ):
        cache = floats(2, 6, 6, 4)
        sizes = [2, 6, 6, 4]
        sizes[axis] = 3
        inputs = [cache, floats(*sizes)]
        if begins:
            inputs.append(numbers(*begins))
        add("TensorScatter", 24, *inputs, axis=axis, mode=mode, oracle="reference")
    for begins in ((5, 4), (3, 5)):
        update = integers(2, 3, 4)
        inputs = integers(2, 6, 4), update, numbers(*begins)
        add("TensorScatter", 24, *inputs, mode="circular", oracle="reference")


add_images_of_columns()
add_unpools()
add_deformations()
add_regions()
add_determinants()
add_transforms()
add_caches()
run(*sys.argv[1:])
