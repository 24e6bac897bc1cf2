# block_quantize and block_dequantize: scales, elements and values by every rule against the oracle
# in NumPy, with compiled code and the Reference; blocks of any rank, which share kernels; errors.
# RUN: %python %s %src_root/include/quant-float/IR/QuantFloatEnums.td
import itertools
import re
import sys
import typing

import expect
import ml_dtypes
import numpy as np
import quant_float as qf
from conformance import block_cases, blocks

F32 = np.float32
random = np.random.default_rng(3)
NAMES = {"f32": "float", "i8": "int8", "i4": "int4"}


def quantize_and_dequantize(case, x, block, **options):
    rule, element, scale = (NAMES.get(word, word) for word in case)
    q, s, *t = qf.block_quantize(x, element, scale, block, rule, **options)
    level = {"tensor_scale": t[0], "order": "tensor_first"} if t else {}
    return q, s, qf.block_dequantize(q, s, block, **level, **options), *t


def check_rules():
    """By every rule, and with every kind of block by some."""
    cases = [(case, (1, 32), "edge") for case in block_cases.RULES]
    some = (("rceil", "f8E4M3FN", "f8E8M0FNU"), ("torchao", "f4E2M1FN", "f8E4M3FN"))
    cases += [(case, block, "special") for case in some for block in block_cases.SHAPES]
    for case, block, kind in cases:
        x = block_cases.inputs((9, 70), kind)
        what = f"{' '.join(case)} {block} {kind}"
        outputs = quantize_and_dequantize(case, x, block)
        expect.true(f"oracle: {what}", not block_cases.check(what, case, x, block, outputs))
    for case in some:
        x = block_cases.inputs((9, 70), "edge")
        given = quantize_and_dequantize(case, x, 32)
        for got, wanted in zip(quantize_and_dequantize(case, x, 32, target="reference"), given, strict=True):  # fmt: skip
            expect.same(f"Reference: {case}", got, wanted)


def check_types():
    """The narrower inputs and results, MXINT8, and Python's numbers."""
    x = random.standard_normal((4, 64)).astype(ml_dtypes.bfloat16)
    for dtype in (ml_dtypes.bfloat16, np.float16):
        narrow = x.astype(dtype)
        q, s = qf.block_quantize(narrow, "float4e2m1", "float8e8m0", 32, "floor")
        wide, scales = qf.block_quantize(narrow.astype(F32), "float4e2m1", "float8e8m0", 32, "floor")  # fmt: skip
        expect.same(f"elements of {dtype}", q, wide)
        expect.same(f"scales of {dtype}", s, scales)
        y = qf.block_dequantize(q, s, 32)
        expect.same(f"to {dtype}", qf.block_dequantize(q, s, 32, dtype=dtype), y.astype(dtype))
    q, s = qf.block_quantize([[1.0, -3.0, 0.5, 2.0]], "int8", "float8e8m0", 4, "floor")
    expect.same("MXINT8", qf.block_dequantize(q, s, 4), F32([[1, -3, 0.5, 2]]))


def check_levels():
    """The scale of the tensor from a calibration, and as an argument."""
    x = (random.standard_normal((3, 48)) * 5).astype(F32)
    for rule in blocks.TWO_LEVELS:
        types = ("float4e2m1", "float8e4m3fn", 16, rule)
        amax = F32(40)
        *_, t = qf.block_quantize(x, *types, tensor_amax=amax)
        expect.same(f"{rule}: scale from a calibration", t, np.array(blocks.tensor_scale(amax)))
        for options, level in (
            ({"tensor_amax": [40.0]}, blocks.Level(amax=amax)),
            ({"tensor_scale": 0.25}, blocks.Level(scale=F32(0.25))),
        ):
            q, s, *_ = qf.block_quantize(x, *types, **options)
            wanted = blocks.scales(rule, "f4E2M1FN", "f8E4M3FN", block_cases.amaxes(x, (1, 16)), level)  # fmt: skip
            expect.same(f"{rule} {options}: scales", s.view(np.uint8), wanted)
            encodings = block_cases.spread(wanted, (1, 16), x.shape)
            wanted = blocks.elements(rule, "f4E2M1FN", "f8E4M3FN", x, encodings, level)
            expect.same(f"{rule} {options}: elements", q.view(np.uint8), wanted.astype(np.uint8))
    q, s = qf.block_quantize(x, *types, tensor_scale=0.3)
    for order in ("block_first", "tensor_first", None):
        encodings = block_cases.spread(s.view(np.uint8), (1, 16), x.shape)
        wanted = blocks.dequantize(q.view(np.uint8), "f4E2M1FN", encodings, "f8E4M3FN", F32(0.3), order == "tensor_first")  # fmt: skip
        expect.same(
            f"{order}", qf.block_dequantize(q, s, 16, tensor_scale=0.3, order=order), wanted
        )


def check_shapes():
    """Each block separately: sizes of any rank, also 0 and 1, and arrays that are copied."""
    shapes = [
        ((70,), (32,)),
        ((5,), (-1,)),
        ((2, 3, 40), (1, 1, 16)),
        ((2, 3, 40), (1, -1, -1)),
        ((2, 3, 4, 5), (-1, 2, 1, 1)),
        ((2, 3, 4, 5), (-1, -1, -1, -1)),
        ((4, 6), (3, 4)),
        ((1, 1, 1), (1, 1, 32)),
        ((0, 8), (1, 4)),
        ((3, 0), (1, 4)),
        ((3, 0), (-1, -1)),
    ]
    for shape, block in shapes:
        x = random.standard_normal(shape).astype(F32)
        q, s = qf.block_quantize(x, "float8e4m3fn", "float", block, "absmax")
        y = qf.block_dequantize(q, s, block)
        steps = [size if each == -1 else each for size, each in zip(shape, block, strict=True)]
        counts = tuple(1 if each == -1 else -(-size // each) for size, each in zip(shape, block, strict=True))  # fmt: skip
        expect.true(f"{shape} {block}: scales of shape {s.shape}", s.shape == counts)
        wanted, values = np.empty(counts, F32), np.empty(shape, F32)
        for at in itertools.product(*map(range, counts)):
            part = tuple(slice(i * step, (i + 1) * step) for i, step in zip(at, steps, strict=True))
            amax = np.max(np.abs(x[part]), initial=0)
            wanted[at] = amax / F32(448) if amax else 1
            rounded = np.clip(x[part] / wanted[at], -448, 448).astype(ml_dtypes.float8_e4m3fn)
            values[part] = rounded.astype(F32) * wanted[at]
        expect.same(f"{shape} {block}: scales", s, wanted)
        expect.same(f"{shape} {block}: values", y, values)
    turned = np.asfortranarray(random.standard_normal((6, 8)).astype(F32))
    straight = np.ascontiguousarray(turned)
    for got, wanted in zip(
        *(qf.block_quantize(x, "float8e5m2", "float8e8m0", 4, "even") for x in (turned, straight)),
        strict=True,
    ):
        expect.same("another memory layout", got, wanted)


def check_kernels():
    """Arrays whose rows have the same blocks share a kernel."""
    qf.kernel_cache.clear()
    for shape in ((6, 64), (2, 3, 64), (2, 3, 1, 32), (4, 96)):
        q, s = qf.block_quantize(np.ones(shape, F32), "float4e2m1", "float8e8m0", 32, "floor")
        qf.block_dequantize(q, s, 32)
    expect.true("kernels are shared", qf.kernel_cache.info().misses == 2)


def check_random():
    """Stochastic rounding away from zero: never with random bits of zero, always with all bits
    set."""
    x = np.full((2, 32), 1.25, F32)
    x[:, 0] = 6
    types = ("float4e2m1", "float8e8m0", 32, "floor")
    for bits, wanted in ((0, 1.0), (255, 1.5)):
        q, s = qf.block_quantize(x, *types, random=np.full(x.shape, bits, np.uint8))
        found = qf.block_dequantize(q, s, 32)
        expect.true(f"random bits {bits}", (found[:, 1:] == wanted).all() and (found[:, 0] == 6).all())  # fmt: skip


def check_out():
    x = random.standard_normal((4, 64)).astype(F32)
    wanted = qf.block_quantize(x, "float4e2m1", "float8e4m3fn", 16, "torchao")
    out = tuple(np.empty_like(each) for each in wanted)
    given = (out[0], None, out[2])
    found = qf.block_quantize(x, "float4e2m1", "float8e4m3fn", 16, "torchao", out=given)
    expect.true("results are given arrays", found[0] is out[0] and found[2] is out[2])
    for got, want in zip(found, wanted, strict=True):
        expect.same("given arrays", got, want)
    y = np.empty((4, 64), F32)
    result = qf.block_dequantize(*wanted[:2], 16, tensor_scale=wanted[2], out=y)
    expect.true("the result is the given array", result is y)


def check_refusals():
    x, q = np.ones((2, 32), F32), np.ones((2, 32), ml_dtypes.float4_e2m1fn)
    s = np.ones((2, 1), ml_dtypes.float8_e8m0fnu)
    mx, nv = ("float4e2m1", "float8e8m0"), ("float4e2m1", "float8e4m3fn")
    shared = np.zeros((2, 32), np.uint8)
    values = shared.view(ml_dtypes.float8_e4m3fn)
    for error, words, call in (
        (ValueError, "rule must be one of floor, ceil, ", lambda: qf.block_quantize(x, *mx, 32, "up")),
        (TypeError, "rule must be a string, but got 1", lambda: qf.block_quantize(x, *mx, 32, 1)),
        (qf.ModelError, "rule floor does not define scales of 'f8E4M3FN'", lambda: qf.block_quantize(x, *nv, 16, "floor")),
        (qf.ModelError, "input must have elements of f32, f16 or bf16, but got 'f64'", lambda: qf.block_quantize(np.ones((2, 32)), *mx, 32, "floor")),
        (ValueError, "x must have at least one dimension", lambda: qf.block_quantize(1.0, *mx, 32, "floor")),
        (TypeError, "block must be an integer or a tuple of integers, but got 1.5", lambda: qf.block_quantize(x, *mx, 1.5, "floor")),
        (ValueError, "block must have 2 sizes, one for each dimension of x, but got (32,)", lambda: qf.block_quantize(x, *mx, (32,), "floor")),
        (ValueError, "a size of block must be at least 1, or -1, but got (1, 0)", lambda: qf.block_quantize(x, *mx, (1, 0), "floor")),
        (ValueError, "a size of block must be between -1 and ", lambda: qf.block_quantize(x, *mx, -2, "floor")),
        (TypeError, "a size of block must be an integer, but got True", lambda: qf.block_quantize(x, *mx, True, "floor")),
        (ValueError, "tensor_scale requires a rule with two levels, but got 'floor'", lambda: qf.block_quantize(x, *mx, 32, "floor", tensor_scale=1.0)),
        (ValueError, "tensor_amax and tensor_scale exclude each other", lambda: qf.block_quantize(x, *nv, 16, "torchao", tensor_amax=1.0, tensor_scale=1.0)),
        (ValueError, "tensor_amax must be one value, but got shape (2,)", lambda: qf.block_quantize(x, *nv, 16, "torchao", tensor_amax=[1.0, 2.0])),
        (TypeError, "tensor_amax must have type float, but got double", lambda: qf.block_quantize(x, *nv, 16, "torchao", tensor_amax=np.ones(1))),
        (ValueError, "random must have the shape of x, (2, 32), but got (2, 1)", lambda: qf.block_quantize(x, *mx, 32, "floor", random=np.ones((2, 1), np.uint8))),
        (TypeError, "out must be a tuple of 2 arrays, but got ndarray", lambda: qf.block_quantize(x, *mx, 32, "floor", out=q)),
        (TypeError, "out must have 2 arrays, but got 1", lambda: qf.block_quantize(x, *mx, 32, "floor", out=(q,))),
        (ValueError, "out[1] must have shape (2, 1), but got (2, 32)", lambda: qf.block_quantize(x, *mx, 32, "floor", out=(None, shared.view(ml_dtypes.float8_e8m0fnu)))),
        (qf.RunError, "overlaps", lambda: qf.block_quantize(x, "float8e4m3fn", "float8e8m0", 1, "floor", out=(values, shared.view(ml_dtypes.float8_e8m0fnu)))),
        (qf.RunError, "block_quantize: output 1: overlaps output 0", lambda: qf.block_quantize(x, "float8e4m3fn", "float8e8m0", 1, "floor", out=(values, shared.view(ml_dtypes.float8_e8m0fnu)), target="reference")),
        (ValueError, "scale must have shape (2, 2), but got (2, 1)", lambda: qf.block_dequantize(q, s, 16)),
        (ValueError, "order requires a tensor_scale", lambda: qf.block_dequantize(q, s, 32, order="block_first")),
        (ValueError, "order must be one of block_first, tensor_first, but got 'first'", lambda: qf.block_dequantize(q, s, 32, tensor_scale=1.0, order="first")),
        (qf.ModelError, "elements must be f8E4M3FN, f8E5M2, ", lambda: qf.block_dequantize(x, s, 32)),
    ):  # fmt: skip
        expect.raises(words, error, words, call)


# The names are those of the dialect.
text = open(sys.argv[1]).read()
for words, name in ((qf.typing.BlockRule, "BlockScaleRule"), (qf.typing.ScaleOrder, "ScaleOrder")):
    part = text[text.index(f'QuantFloat_Enum<"{name}"') :].split("]>;")[0]
    known = tuple(re.findall(r'I32EnumAttrCase<"\w+", \d+, "(\w+)">', part))
    expect.true(f"{name}: {known}", known == typing.get_args(words))

check_rules()
check_types()
check_levels()
check_shapes()
check_kernels()
check_random()
check_out()
check_refusals()
expect.finish()
