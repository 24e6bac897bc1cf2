# Torch ops that quantize, against numpy: PyTorch's formulas, in the types in which it computes them.
# RUN: %python %s %tools_dir %t
import pathlib
import sys

import ml_dtypes
import numpy as np
from conformance import torch_modules
from conformance.torch_modules import NAMES, Module, bits, name

tools, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
Module.tools, Module.work = tools, work
random = np.random.default_rng(1)
f32, f64 = np.float32, np.float64
bf16 = ml_dtypes.bfloat16


SPECIAL = f32(
    [
        0,
        -0.0,
        1,
        -1,
        0.5,
        1.5,
        2.5,
        448,
        464,
        465,
        480,
        1e6,
        -1e9,
        1e19,
        3e38,
        2**-9,
        2**-10,
        3 * 2**-11,
    ]
    + [
        2**-126,
        2**-127,
        1.25 * 2**-127,
        1.5 * 2**-127,
        2**-149,
        np.inf,
        -np.inf,
        np.nan,
        127.5,
        128.5,
        -128.5,
    ]
    + [300, -300, 2147483648, -2147483648, -2147483904, 4294967296]
)


def edges(scale, low=-160, high=300):
    """Values around the ties and the steps of a quantization."""
    steps = np.arange(low, high)
    near = np.concatenate([f32((steps + 0.5) * scale), f32(steps * scale)])
    encodings = near.view(np.int32)[:, None] + np.arange(-5, 6, dtype=np.int32)
    near = encodings.reshape(-1).view(f32)
    return np.concatenate(
        [SPECIAL, near[np.isfinite(near)], f32(random.standard_normal(2000) * 60 * scale)]
    )


def to_integer(x, dtype):
    """x86-64's conversion to 32 or 64 bits, then the low bits."""
    word = np.int64 if dtype in (np.uint8, np.int64) else np.int32
    limit = f64(2) ** (np.iinfo(word).bits - 1)
    inside = (x.astype(f64) >= -limit) & (x.astype(f64) < limit)
    return np.where(inside, np.where(inside, x, 0).astype(word), np.iinfo(word).min).astype(dtype)


def to_scale(x):
    """f8E8M0FNU: PyTorch rounds the bits of the magnitude."""
    encoding = bits(x.astype(f32)) & 0x7FFFFFFF
    encoding = (encoding + np.uint32(0x3FFFFF) + (encoding >= 0x800000)) >> 23
    return np.minimum(encoding, 255).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)


def to_float8(x, dtype):
    if dtype == ml_dtypes.float8_e8m0fnu:
        return to_scale(x)
    if dtype == ml_dtypes.float8_e4m3fn:
        x = np.clip(x.astype(f32), -448, 448)
    return x.astype(f32).astype(dtype)


with np.errstate(all="ignore"):
    # Conversions.
    for source in (f32, bf16, f64):
        x = np.concatenate(
            [SPECIAL, f32(np.exp(random.standard_normal(3000) * 20) * random.choice([-1, 1], 3000))]
        )
        x = x.astype(source)
        module = Module(x)
        for to in (
            n
            for n in NAMES
            if n.startswith("float8") or n in ("int8", "uint8", "int16", "int32", "int64")
        ):
            dtype = np.dtype(getattr(ml_dtypes, to, None) or to)
            (y,) = module.call(
                "prims.convert_element_type", "%arg0", NAMES[to][1], results=[(x.shape, dtype)]
            )
            expected = to_integer(x, dtype.type) if dtype.kind in "iu" else to_float8(x, dtype)
            module.give(to, y, expected)
        module.check(f"convert-{name(source)}")

    # The reciprocal of a single scale is computed in f64, and NaN yields 0.
    for scale, zero, low, high, dtype in (
        (0.1, 3, -128, 127, np.int8),
        (0.02, 0, -128, 127, np.int8),
        (0.0231, 128, 0, 255, np.uint8),
        (0.3, -5, -8, 7, np.int8),
        (0.013, 0, 1, 127, np.int8),
        (0.01, 100, -32768, 32767, np.int16),
        (1e-40, 3, -128, 127, np.int8),
    ):
        x, kind = edges(scale), NAMES[name(dtype)][1]
        encodings = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1).astype(dtype)
        module = Module(x, encodings, np.array([scale]), np.array([zero]))
        scaled = x * f32(1 / scale)
        expected = to_integer(np.clip(np.round(scaled) + f32(zero), f32(low), f32(high)), dtype)
        restored = (encodings.astype(f32) - f32(zero)) * f32(scale)
        for variant, parameters in (("", (scale, zero)), (".tensor", ("%arg2", "%arg3"))):
            rest = (*parameters, low, high, kind)
            prefix, operator = "quantized_decomposed.", variant != ""
            (q,) = module.call(
                prefix + "quantize_per_tensor" + variant,
                "%arg0",
                *rest,
                results=[(x.shape, dtype)],
                operator=operator,
            )
            module.give("quantize" + variant, q, expected)
            (d,) = module.call(
                prefix + "dequantize_per_tensor" + variant,
                "%arg1",
                *rest,
                None,
                results=[(encodings.shape, f32)],
                operator=operator,
            )
            module.give("dequantize" + variant, d, restored)
        module.check(f"per-tensor-{name(dtype)}-{scale}")

    # bf16 is converted to f32, but each step of a dequantization to bf16 is rounded.
    x = edges(0.1).astype(bf16)
    encodings = np.arange(-128, 128).astype(np.int8)
    module = Module(x, encodings)
    rest = (0.1, 3, -128, 127, 1)
    (q,) = module.call(
        "quantized_decomposed.quantize_per_tensor", "%arg0", *rest, results=[(x.shape, np.int8)]
    )
    scaled = x.astype(f32) * f32(1 / 0.1)
    module.give(
        "quantize", q, to_integer(np.clip(np.round(scaled) + f32(3), f32(-128), f32(127)), np.int8)
    )
    (d,) = module.call(
        "quantized_decomposed.dequantize_per_tensor",
        "%arg1",
        *rest,
        15,
        results=[(encodings.shape, bf16)],
    )
    difference = (encodings.astype(f32) - f32(3)).astype(bf16)
    module.give("dequantize", d, (difference.astype(f32) * f32(0.1)).astype(bf16))
    (q,) = module.call(
        "quantized_decomposed.quantize_per_tensor",
        "%arg0",
        0.5,
        1,
        -448,
        448,
        24,
        results=[(x.shape, ml_dtypes.float8_e4m3fn)],
    )
    scaled = x.astype(f32) * f32(2)
    rounded = np.clip(np.round(scaled) + f32(1), f32(-448), f32(448))
    module.give("float8", q, to_float8(rounded, ml_dtypes.float8_e4m3fn))
    module.check("bf16")

    # Channels, with scales and zero points that are constants or arguments.
    scales = f32([0.1, 0.02, 0.37, 1.5])
    x = np.stack([edges(float(s))[:9000] for s in scales])[:, None, :].repeat(2, 1)
    encodings = (
        np.arange(256).astype(np.uint8).view(np.int8).reshape(1, 1, 256).repeat(4, 0).repeat(2, 1)
    )
    for stem, zeros in (
        ("zero", [0, 0, 0, 0]),
        ("several", [3, -128, 127, 0]),
        ("outside", [1000, -129, 0, 7]),
    ):
        zeros = np.array(zeros, np.int64)
        s, z = scales[:, None, None], zeros[:, None, None]
        for constant in (True, False):
            module = Module(x, encodings, *(() if constant else (scales, zeros)))
            parameters = (scales, zeros) if constant else ("%arg2", "%arg3")
            rest = (*parameters, 0, -128, 127, 1)
            (q,) = module.call(
                "quantized_decomposed.quantize_per_channel",
                "%arg0",
                *rest,
                results=[(x.shape, np.int8)],
            )
            scaled = np.round(x * (f32(1) / s)) + z.astype(f32)
            module.give("quantize", q, to_integer(np.clip(scaled, f32(-128), f32(127)), np.int8))
            (d,) = module.call(
                "quantized_decomposed.dequantize_per_channel",
                "%arg1",
                *rest,
                None,
                results=[(encodings.shape, f32)],
            )
            module.give("dequantize", d, (encodings.astype(np.int64) - z).astype(f32) * s)
            module.check(f"per-channel-{stem}-{'constant' if constant else 'argument'}")

    # Tokens and groups: the zero point is added before the values are rounded.
    x = np.resize(edges(0.1), (300, 64))
    x = np.where(np.isnan(x), f32(0.25), x)
    s, z = random.uniform(0.02, 0.3, (300, 1)), random.integers(-100, 100, (300, 1))
    module = Module(x, s, z)
    parameters = ("%arg1", "%arg2", -128, 127, 1)
    (q,) = module.call(
        "quantized_decomposed.quantize_per_token",
        "%arg0",
        *parameters,
        results=[(x.shape, np.int8)],
    )
    tokens = to_integer(np.clip(np.round(x.astype(f64) * (1.0 / s) + z), -128, 127), np.int8)
    module.give("quantize", q, tokens)
    (d,) = module.call(
        "quantized_decomposed.dequantize_per_token",
        q,
        *parameters,
        6,
        results=[(x.shape, f32)],
        operator=True,
    )
    module.give("dequantize", d, ((tokens - z) * s).astype(f32))
    module.check("per-token")

    for stem, zeros in (("zero", 0), ("several", 5)):
        s = random.uniform(0.02, 0.3, (300, 2)).astype(f32)
        z = random.integers(-zeros, zeros + 1, (300, 2))
        module = Module(x)
        parameters = (s, z, -8, 7, 1, 32)
        (q,) = module.call(
            "quantized_decomposed.quantize_per_channel_group",
            "%arg0",
            *parameters,
            results=[(x.shape, np.int8)],
        )
        split, s, z = x.reshape(300, 2, 32), s[:, :, None], z[:, :, None]
        groups = np.clip(np.round(split * (f32(1) / s) + z.astype(f32)), f32(-8), f32(7)).astype(
            np.int8
        )
        module.give("quantize", q, groups.reshape(x.shape))
        (d,) = module.call(
            "quantized_decomposed.dequantize_per_channel_group",
            q,
            *parameters,
            6,
            results=[(x.shape, f32)],
        )
        module.give("dequantize", d, ((groups - z).astype(f32) * s).reshape(x.shape))
        module.check(f"groups-{stem}")

    # Parameters that are computed.
    x = f32(
        random.standard_normal((50, 64)) * random.uniform(0.01, 30, (50, 1))
        + random.uniform(-20, 20, (50, 1))
    )
    module = Module(x)
    low, high = np.minimum(x.min(), f32(0)), np.maximum(x.max(), f32(0))
    scale = np.maximum((high - low) / f32(255), f32(2**-12))
    zero = np.clip(0 - np.round(low / scale).astype(np.int32), 0, 255)
    values = module.call(
        "quantized_decomposed.choose_qparams.tensor",
        "%arg0",
        0,
        255,
        2.0**-12,
        0,
        results=[((1,), f64), ((1,), np.int64)],
        operator=True,
    )
    module.give("scale", values[0], [f64(scale)])
    module.give("zero point", values[1], [np.int64(zero)])
    extent = np.maximum(-low, high)
    values = module.call(
        "quantized_decomposed.choose_qparams_symmetric.tensor",
        "%arg0",
        -127,
        127,
        1e-7,
        1,
        results=[((1,), f64), ((1,), np.int64)],
    )
    module.give("symmetric scale", values[0], [f64(np.maximum(extent / f32(127), f32(1e-7)))])
    module.give("symmetric zero point", values[1], [np.int64(0)])
    low, high = (
        np.minimum(x.min(1, keepdims=True), f32(0)),
        np.maximum(x.max(1, keepdims=True), f32(0)),
    )
    scale = np.maximum((high - low) / f32(255), f32(np.finfo(f32).eps))
    lowest, highest = low / scale, high / scale
    errors = (f32(-128) + lowest) + (f32(127) + highest)
    zero = np.where(errors > 0, f32(-128) - lowest, f32(127) - highest)
    values = module.call(
        "quantized_decomposed.choose_qparams_per_token_asymmetric",
        "%arg0",
        1,
        results=[((50, 1), f64), ((50, 1), np.int64)],
    )
    module.give("scales of tokens", values[0], scale.astype(f64))
    module.give(
        "zero points of tokens",
        values[1],
        np.round(np.clip(zero, f32(-128), f32(127))).astype(np.int64),
    )
    module.check("choose")

    # Fake quantization: NaN gives the lowest value and, per channel, so do values of at least 2^63.
    x = np.resize(edges(0.1), (3, 5000))
    module = Module(x)
    y, mask = module.call(
        "aten.fake_quantize_per_tensor_affine_cachemask",
        "%arg0",
        0.1,
        3,
        -128,
        127,
        results=[(x.shape, f32), (x.shape, np.bool_)],
    )
    value = np.round(x * (f32(1) / f32(0.1))) + f32(3)
    clamped = np.where(np.isnan(value), f32(-128), np.clip(value, f32(-128), f32(127)))
    module.give("per tensor", y, (clamped - f32(3)) * f32(0.1))
    module.give("mask", mask, (value >= -128) & (value <= 127))
    s, z = f32([0.1, 0.3, 0.7]), np.array([0, -100, 17], np.int32)
    (y,) = module.call(
        "aten.fake_quantize_per_channel_affine",
        "%arg0",
        s,
        z,
        0,
        -128,
        127,
        results=[(x.shape, f32)],
    )
    s, z = s[:, None], f32(z)[:, None]
    value = np.round(x * (f32(1) / s)) + z
    clamped = np.where(value < 2.0**63, np.clip(value, f32(-128), f32(127)), f32(-128))
    module.give("per channel", y, (clamped - z) * s)
    module.check("fake-quantize")

    # torchao divides.
    x = np.resize(edges(0.1), (4, 64))
    s = random.uniform(0.05, 0.6, (4, 2)).astype(f32)
    e4m3 = np.dtype(ml_dtypes.float8_e4m3fn)
    module = Module(x, s)
    (q,) = module.call(
        "torchao.quantize_affine_float8_non_decomposed",
        "%arg0",
        "%arg1",
        24,
        results=[(x.shape, e4m3)],
    )
    repeated = s.repeat(32, 1)
    encodings = np.clip(x / repeated, f32(-448), f32(448)).astype(e4m3)
    module.give("quantize", q, encodings)
    (d,) = module.call(
        "torchao.dequantize_affine_float8_non_decomposed", q, "%arg1", 6, results=[(x.shape, f32)]
    )
    module.give("dequantize", d, encodings.astype(f32) * repeated)
    module.check("torchao")

    # Integer matmuls, and matmuls of float8 whose sums are exact.
    a, b = (
        random.integers(0, 256, (17, 32)).astype(np.uint8),
        random.integers(-128, 128, (32, 9)).astype(np.int8),
    )
    f, g = (random.integers(-8, 9, shape).astype(f32).astype(e4m3) for shape in ((16, 32), (32, 8)))
    module = Module(a, b, f, g)
    (c,) = module.call("aten._int_mm", "%arg0", "%arg1", results=[((17, 9), np.int32)])
    module.give("_int_mm", c, a.astype(np.int32) @ b.astype(np.int32))
    (c,) = module.call(
        "aten._scaled_mm",
        "%arg2",
        "%arg3",
        f32(0.3),
        f32(0.25),
        None,
        None,
        15,
        results=[((16, 8), bf16)],
    )
    sums = f.astype(f32) @ g.astype(f32)
    module.give("_scaled_mm", c, (sums * f32(0.3) * f32(0.25)).astype(bf16))
    module.check("matmuls")

    # bf16 is rounded after each op. Scalar operands of multiplications and divisions are not.
    x = np.concatenate([SPECIAL, f32(random.standard_normal(3000))]).astype(bf16)
    module = Module(x)
    wide = x.astype(f32)
    for what, op, arguments, expected in (
        ("add", "aten.add.Scalar", (0.1, 1), wide + f32(bf16(0.1))),
        ("mul", "aten.mul.Scalar", (0.1,), wide * f32(0.1)),
        ("div", "aten.div.Scalar", (0.3,), wide / f32(0.3)),
        ("pow", "aten.pow.Tensor_Scalar", (3,), (wide * wide).astype(bf16).astype(f32) * wide),
        ("relu", "aten.relu", (), np.where(wide < 0, f32(0), wide)),
        (
            "clamp",
            "aten.clamp",
            (-0.7, 0.0),
            np.where(wide > 0, f32(0), np.where(wide < bf16(-0.7), bf16(-0.7), wide)),
        ),
    ):
        (y,) = module.call(op, "%arg0", *arguments, results=[(x.shape, bf16)])
        module.give(what, y, expected.astype(f32).astype(bf16))
    module.check("arithmetic")

print(f"{torch_modules.checked} elements equal")
