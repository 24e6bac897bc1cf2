# The array functions on every pair of types: against ml_dtypes and numpy if those round once as
# well, against the Reference always; arrays of any shape; shared kernels.
# RUN: %python %s %if full %{ --full %}
import itertools
import sys

import expect
import ml_dtypes
import numpy as np
import quant_float as qf
from conformance.philox import random_bits
from quant_float import _arrays

full = "--full" in sys.argv
generator = np.random.default_rng(7)
FLOATS = [t for t in qf.DTYPES.values() if t.is_float]
INTEGERS = [t for t in qf.DTYPES.values() if not t.is_float and t.name != "bool"]
FLOAT8 = [t for t in FLOATS if t.name.startswith("float8e") and t.name != "float8e8m0"]
NARROW = [t for t in FLOATS if t.bits < 8]

GRANULARITIES = [(None, None), (0, None), (1, None), (-1, None), (1, 4), (2, 3)]
SCALE_SHAPES = [(), (1,), (3, 1, 1), (1, 3, 1, 1), (2, 1, 4, 1), (5,), (2, 3, 4, 5)]


def choose(cases, number, count):
    """A random subset, or all in full runs."""
    return cases if full else [cases[(number * count + i) % len(cases)] for i in range(count)]


def make(element, shape, finite=False):
    """Values of all magnitudes of the type, special ones among them."""
    size = int(np.prod(shape))
    if element.name == "bool":
        return generator.integers(0, 2, shape).astype(np.bool_)
    if element.bits <= 8:
        bits = generator.permutation(np.resize(np.arange(2**element.bits, dtype=np.uint8), size))
        if not element.is_float and element.bits < 8:
            # As ml_dtypes stores them: sign-extended, or zero-extended.
            return bits.astype(np.int8).astype(element.numpy).reshape(shape)
        array = bits.view(element.numpy).reshape(shape)
    else:
        kind = expect.ENCODINGS[element.itemsize]
        bits = generator.integers(0, 2**element.bits, size, dtype=kind, endpoint=False)
        array = bits.view(element.numpy).reshape(shape).copy()
        if element.is_float:
            # Half of them have magnitudes in the range of narrow types.
            near = np.ldexp(generator.standard_normal(shape), generator.integers(-20, 20, shape))
            with np.errstate(over="ignore"):
                near = near.astype(element.numpy)
            array = np.where(generator.random(shape) < 0.5, near, array)
    if finite:
        with np.errstate(all="ignore"):
            array = np.where(np.isfinite(array.astype(np.float64)), array, element.numpy.type(1))
    return array.astype(element.numpy) if array.dtype != element.numpy else array


def check_casts():
    pairs = list(itertools.product(qf.DTYPES.values(), repeat=2))
    if not full:
        pairs = [p for i, p in enumerate(pairs) if i % 19 == 0 or p[0].name == "float"]
    for source, to in pairs:
        x = make(source, (3, 257))
        what = f"cast {source} to {to}"
        y = qf.cast(x, to)
        expect.same(what, y, qf.cast(x, to, target="reference"))
        check_cast_by_peers(what, source, to, x, y)


def check_cast_by_peers(what, source, to, x, y):
    """Casts that ml_dtypes and numpy compute with the same result: floats that are rounded once,
    without overflow."""
    if not (source.is_float and to.is_float) or "float8e8m0" in (source.name, to.name):
        return
    if "float8ue5m3" in (source.name, to.name):
        return
    if source.name == "double" and to.bits < 32:
        return  # ml_dtypes rounds twice
    with np.errstate(all="ignore"):
        wanted = x.astype(to.numpy)
        inside = np.isfinite(wanted.astype(np.float64)) & np.isfinite(x.astype(np.float64))
        if to.bits <= 8:
            inside &= np.abs(x.astype(np.float64)) <= float(ml_dtypes.finfo(to.numpy).max)
    expect.same(what + " by its peers", y[inside], wanted[inside])


def check_attributes():
    x = np.array([1e9, -np.inf, np.nan, 464, 0, -0.0], np.float32)
    for to, saturate in itertools.product(FLOAT8, (True, False)):
        y = qf.cast(x, to, saturate=saturate)
        expect.same(
            f"{to} saturate {saturate}", y, qf.cast(x, to, saturate=saturate, target="reference")
        )
        most = ml_dtypes.finfo(to.numpy).max
        expect.true(f"{to} saturate {saturate}: {y[0]}", (y[0] == most) == saturate)
    for mode, wanted in [("up", 4), ("down", 2), ("nearest", 4), (None, 4)]:
        y = qf.cast(np.array([3], np.float32), "float8e8m0", round_mode=mode)
        expect.true(f"round_mode {mode}: {y}", float(y[0]) == wanted)
    y = qf.cast(np.array([np.inf], np.float32), "float8e4m3fnuz", opset=19)
    expect.true(f"C4 at opset 19: {y}", np.isnan(y.astype(np.float32))[0])


def check_stochastic():
    """A quarter of the distance from 1 to 1.125: the upper quarter of the random values round
    up."""
    random = np.arange(256, dtype=np.uint8)
    x = np.full(256, 1.03125, np.float32)
    for target in ("cpu", "reference"):
        y = qf.cast(x, "float8e4m3fn", round_mode="stochastic", random=random, target=target)
        expect.same(
            f"stochastic, {target}",
            y.astype(np.float32),
            np.where(random >= 192, np.float32(1.125), np.float32(1)),
        )
    half = qf.cast(
        x.reshape(2, 128),
        "bf16",
        round_mode="stochastic",
        random=random.reshape(2, 128).astype(np.uint16),
    )
    # A quarter of the distance from 2 to 3, and from -2 to -3.
    rows = np.float32([[2.25], [-2.25]]) * np.float32([[1], [0.5]]) * np.ones(256, np.float32)
    both = np.broadcast_to(random, rows.shape)
    wanted = np.float32([[1], [-1]]) * np.where(both >= 192, np.float32(3), np.float32(2))
    scales, zeros = np.float32([1, 0.5]), np.int8([10, 0])
    for target in ("cpu", "reference"):
        y = qf.quantize(rows, scales, zeros, axis=0, random=both, target=target)
        expect.same(f"stochastic quantize, {target}", y, (wanted + zeros[:, None]).astype(np.int8))
        blocks = np.repeat(scales[:, None], 2, axis=1)
        y = qf.qdq(
            rows, blocks, storage="f6E2M3FN", axis=1, block_size=200, random=both, target=target
        )
        expect.same(f"stochastic qdq, {target}", y, rows)
    expect.same(
        "values of the type do not change", half, x.reshape(2, 128).astype(ml_dtypes.bfloat16)
    )


def check_philox():
    """The bits of the op, by the generator as its paper defines it."""
    for dtype, width in (("uint2", 2), ("ui4", 4), ("uint8", 8), ("uint16", 16), ("uint32", 32)):
        for shape, seed, offset in (((7, 33), 2**64 - 3, 2**32 - 5), (0, 1, 2), ((), 5, 6)):
            found = qf.philox(shape, seed, offset, dtype=dtype)
            sizes = shape if isinstance(shape, tuple) else (shape,)
            wanted = random_bits(int(np.prod(sizes)), width, seed, offset).reshape(sizes)
            expect.same(f"philox {dtype} {shape}", found, wanted.astype(found.dtype))
    out = np.empty(5, np.uint16)
    expect.true("philox out", qf.philox(5, 1, dtype="uint16", out=out) is out)
    expect.same("philox goes on", qf.philox(8, 9, 2)[:4], qf.philox((3, 4), 9)[2])


def make_scales(count, element):
    return np.exp2(generator.integers(-4, 4, count)).astype(np.float32).astype(element.numpy)


def dequantize_by_numpy(q, scale, zero, to):
    """Rule D5 with numpy's floats. Scale and zero point broadcast."""
    wide = q.astype(np.float64) - (0 if zero is None else zero.astype(np.float64))
    return (wide.astype(np.float32) * scale.astype(np.float32)).astype(to.numpy)


def quantize_by_numpy(x, scale, zero, to):
    """Rules D1 and D3 for scales of powers of two, whose division is exact."""
    quotient = x.astype(np.float32) / scale.astype(np.float32)
    if to.is_float:
        most = float(ml_dtypes.finfo(to.numpy).max)
        return np.clip(quotient, -most, most).astype(to.numpy)
    info = ml_dtypes.iinfo(to.numpy)
    total = np.rint(quotient.astype(np.float64)) + (0 if zero is None else zero.astype(np.float64))
    return np.clip(total, info.min, info.max).astype(np.int64).astype(to.numpy)


def check_quantization():
    f32, f16, bf16 = map(qf.dtype, ("f32", "f16", "bf16"))
    storages = [t for t in INTEGERS if t.bits <= 16] + FLOAT8 + NARROW
    for number, storage in enumerate(storages):
        source = (f32, f16, bf16)[number % 3]
        x = make(source, (4, 6, 10), finite=True)
        x = np.clip(x.astype(np.float32), -1e4, 1e4).astype(source.numpy)
        whole = not storage.is_float
        for axis, block_size in choose(GRANULARITIES, number, 2):
            shape = ()
            expand = np.asarray
            if block_size:
                size = x.shape[axis]
                shape = list(x.shape)
                shape[axis] = -(-size // block_size)

                def expand(a, axis=axis, block_size=block_size, size=size):
                    full_size = np.repeat(a, block_size, axis)
                    return np.take(full_size, range(size), axis)
            elif axis is not None:
                shape = (x.shape[axis],)

                def expand(a, axis=axis):
                    sizes = [1, 1, 1]
                    sizes[axis] = -1
                    return a.reshape(sizes)

            scale = make_scales(shape, source)
            zero = make(storage, shape) if whole else None
            options = {"axis": axis, "block_size": block_size}
            what = f"{source} {storage} {options}"
            given = scale if shape else np.asarray(scale)
            q = qf.quantize(x, given, zero, dtype=storage, **options)
            wide = None if zero is None else expand(zero)
            wanted = quantize_by_numpy(x, expand(given), wide, storage)
            expect.same(f"quantize {what}", q, wanted)
            d = qf.dequantize(q, given, zero, **options)
            wanted = dequantize_by_numpy(q, expand(given), wide, source)
            expect.same(f"dequantize {what}", d, wanted)
            r = qf.qdq(x, given, zero, storage=storage, **options)
            expect.same(f"qdq {what}", r, d)
            if full or number % 5 == 0:
                reference = qf.qdq(x, given, zero, storage=storage, target="reference", **options)
                expect.same(f"qdq {what} by the Reference", r, reference)


def check_scalars():
    x = make(qf.dtype("f32"), (5, 3), finite=True)
    expect.same(
        "numbers of Python",
        qf.quantize(x, 0.5, 3, dtype="i8"),
        qf.quantize(x, np.float32(0.5), np.int8(3)),
    )
    expect.same("without a zero point", qf.quantize(x, 2), qf.quantize(x, 2, np.uint8(0)))
    q = np.array([[1, 2], [3, 250]], np.uint8)
    expect.same("dequantize", qf.dequantize(q, 0.25, 1), (q.astype(np.float32) - 1) * 0.25)
    expect.same(
        "dequantize to f16",
        qf.dequantize(q, np.float32(0.25), dtype=np.float16),
        (q.astype(np.float32) * 0.25).astype(np.float16),
    )
    weights = make(qf.dtype("float4e2m1"), (3, 64))
    exponents = np.full((3, 2), 2, ml_dtypes.float8_e8m0fnu)
    y = qf.dequantize(weights, exponents, dtype="bf16", axis=1, block_size=32)
    expect.same("MXFP4", y, (weights.astype(np.float32) * 2).astype(ml_dtypes.bfloat16))
    y = qf.quantize(x, np.float16(0.5), dtype="f8e4m3", precision="f16")
    expect.same(
        "precision",
        y,
        qf.quantize(x, np.float16(0.5), dtype="f8e4m3", precision="f16", target="reference"),
    )


def check_numbers():
    """Python's numbers are rounded once, whatever numpy's error state is."""
    up, tie = 1 + 2**-8 + 2**-40, 1 + 2**-8
    cases = [
        ("bf16", up, 0x3F81), ("bf16", -up, 0xBF81), ("bf16", tie, 0x3F80),
        ("bf16", 1 + 3 * 2**-8 - 2**-40, 0x3F81), ("bf16", 2**60 + 2**52 + 1, 0x5D81),
        ("bf16", 1e300, 0x7F80), ("bf16", -1e-320, 0x8000), ("bf16", 2**-134 * up, 1),
        ("bf16", True, 0x3F80), ("bf16", float("-inf"), 0xFF80), ("bf16", float("nan"), 0x7FC0),
        ("f16", 1 + 2**-11 + 2**-40, 0x3C01), ("f16", 1e6, 0x7C00),
        ("f32", 2**60 + 2**36 + 1, 0x5D800001), ("f32", 1e-60, 0), ("f32", 0.1, 0x3DCCCCCD),
        ("f64", 0.1, 0x3FB999999999999A), ("f8E5M2", 1 + 2**-3 + 2**-40, 0x3D),
    ]  # fmt: skip
    with np.errstate(all="raise"):
        for element, number, wanted in cases:
            kind = qf.dtype(element)
            array = _arrays.take(number, "scale", element=kind).array
            expect.same(
                f"{number!r} as {element}",
                array,
                np.array(wanted, expect.ENCODINGS[kind.itemsize]).view(kind.numpy),
            )
        x = np.array([3, -5], ml_dtypes.bfloat16)
        scale = np.array(0x3F81, np.uint16).view(ml_dtypes.bfloat16)
        expect.same("as a scale", qf.qdq(x, up, storage="i8"), qf.qdq(x, scale, storage="i8"))


def check_fakeconvert():
    kinds = itertools.product(
        ("f32", "f16", "bf16"), ("f8e4m3", "f8e5m2"), ("exact", "openvino", "openvino_reference")
    )
    for number, (element, to, mode) in enumerate(kinds):
        kind = qf.dtype(element)
        x = make(kind, (2, 3, 4, 5), finite=True)
        for shape in choose(SCALE_SHAPES, number, 3):
            scale = make_scales(shape, kind)
            scale = scale if shape else np.asarray(scale)
            for shift in (None, np.full(shape, 0.25, kind.numpy)):
                what = f"fakeconvert {element} {to} {mode} {shape} {shift is not None}"
                y = qf.fakeconvert(x, scale, shift, dtype=to, mode=mode)
                if full or shift is None:
                    wanted = qf.fakeconvert(
                        x, scale, shift, dtype=to, mode=mode, target="reference"
                    )
                    expect.same(what, y, wanted)
                if shift is None and mode == "exact" and element == "f32":
                    with np.errstate(over="ignore"):
                        scaled = x * scale
                    most = float(ml_dtypes.finfo(qf.dtype(to).numpy).max)
                    rounded = np.clip(scaled, -most, most).astype(qf.dtype(to).numpy)
                    expect.same(what + " by numpy", y, rounded.astype(np.float32) / scale)
    x = np.linspace(-3, 3, 9, dtype=np.float32)
    expect.same(
        "a number as shift",
        qf.fakeconvert(x.reshape(3, 3), np.float32([1, 2, 4]), 0.5),
        qf.fakeconvert(x.reshape(3, 3), np.float32([1, 2, 4]), np.float32([0.5] * 3)),
    )


def check_shapes():
    x = make(qf.dtype("f32"), (24,), finite=True)
    wanted = qf.cast(x, "f16")
    for shape in [(24,), (1, 24), (2, 3, 4), (24, 1), (1,) * 40 + (24,)]:
        expect.same(f"{shape}", qf.cast(x.reshape(shape), "f16"), wanted.reshape(shape))
    for shape in [(0,), (0, 3), (3, 0, 2)]:
        expect.same(
            f"{shape}", qf.cast(np.empty(shape, np.float32), "i8"), np.empty(shape, np.int8)
        )
    many = np.resize(x, 1 << 18)
    for threads in (0, 2):
        y = qf.cast(many, "f16", threads=threads)
        expect.same(f"{threads} threads", y, np.resize(wanted, 1 << 18))
    y = qf.quantize(np.empty((0, 3), np.float32), np.ones(3, np.float32), axis=1)
    expect.same("no rows", y, np.empty((0, 3), np.uint8))
    y = qf.quantize(np.empty((2, 0), np.float32), np.ones((2, 0), np.float32), axis=1, block_size=4)
    expect.same("no blocks", y, np.empty((2, 0), np.uint8))
    y = qf.fakeconvert(np.empty((0, 3), np.float32), np.ones((1, 3), np.float32))
    expect.same("no rows of fakeconvert", y, np.empty((0, 3), np.float32))
    expect.same(
        "rank 0",
        qf.cast(np.float32(1.06), "f8e4m3"),
        np.array(1.0, "f4").astype(ml_dtypes.float8_e4m3fn),
    )
    expect.same("a scalar of ml_dtypes", qf.cast(ml_dtypes.bfloat16(2), "f32"), np.array(2, "f4"))


def check_cache():
    qf.kernel_cache.clear()
    for shape in [(3,), (4, 5), (2, 3, 4), ()]:
        qf.cast(np.ones(shape, np.float32), "f8e5m2")
        qf.qdq(np.ones(shape, np.float32), 0.5, storage="i8")
    info = qf.kernel_cache.info()
    expect.true(f"shapes share kernels: {info}", info.size == info.misses == 2 and info.hits == 6)
    qf.kernel_cache.resize(3)
    for to in ("f16", "bf16", "i8", "u8"):
        qf.cast(np.ones(3, np.float32), to)
    info = qf.kernel_cache.info()
    expect.true(f"the oldest are evicted: {info}", info.size == info.max_size == 3)
    misses = info.misses
    qf.cast(np.ones(3, np.float32), "u8")
    expect.true("the newest stay", qf.kernel_cache.info().misses == misses)
    qf.cast(np.ones(3, np.float32), "f16")
    expect.true("the oldest are compiled again", qf.kernel_cache.info().misses == misses + 1)
    qf.kernel_cache.resize(256)


check_casts()
check_stochastic()
check_philox()
check_attributes()
check_quantization()
check_scalars()
check_numbers()
check_fakeconvert()
check_shapes()
check_cache()
expect.finish()
