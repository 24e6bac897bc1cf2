"""Stochastic rounding in exact arithmetic, and a model of all ops with stochastic rounding and
generated random bits, whose results must be the same on all machines."""

import numpy as np

from .described import DESCRIBED, MORE
from .philox import random_bits

SEED, OFFSET, SHAPE = 0xDEADBEEFCAFEF00D, 2**32 - 2, (37, 129)
WIDTHS = (2, 4, 8, 16, 32)
CASTS = (("f8E4M3FN", 8), ("!quant_float.f8UE5M3", 8), ("bf16", 16), ("f16", 16), ("f4E2M1FN", 4))
# The result type, the random bits, whether there is a zero point, and whether there is a scale for
# each row.
QUANTIZATIONS = (
    ("i8", 8, True, True),
    ("ui4", 2, False, False),
    ("i16", 16, True, False),
    ("f8E5M2", 8, False, True),
    ("f6E2M3FN", 4, False, False),
)
INPUT_ELEMENTS = ("i64", "i64", "f32", "f32", "f32", "i8", "i16")
OUTPUT_ELEMENTS = (
    *(f"ui{width}" for width in WIDTHS),
    *(to for to, _ in CASTS),
    *(to for to, *_ in QUANTIZATIONS),
)


def get_range(to):
    width = int(to.lstrip("ui"))
    return (0, 2**width - 1) if to.startswith("u") else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)


def round_to_integer(q, random, width, to, zero_points):
    """S5: exactly floor(fraction * 2^width) of the random values round a magnitude up."""
    size = np.abs(q.astype(np.longdouble))
    size = np.where(np.isfinite(size), np.minimum(size, 2.0**40), 0)
    ups = np.floor(np.ldexp(size - np.floor(size), width)).astype(np.int64)
    number = np.floor(size).astype(np.int64) + (random.astype(np.int64) >= (1 << width) - ups)
    number = np.where(np.isinf(q), 2**40, number)
    low, high = get_range(to)
    return np.clip(np.where(np.signbit(q), -number, number) + zero_points, low, high)


def write_model():
    """Arguments: seed, offset, the values, a scale, scales of rows, their zero points of i8, and
    one of i16."""
    rows, columns = SHAPE
    whole = f"{rows}x{columns}x"
    types = [f"tensor<{whole}ui{width}>" for width in WIDTHS]
    lines = [
        f"%r{width} = quant_float.philox %s, %o like %x : tensor<i64>, tensor<i64>, tensor<{whole}f32> to {type}"
        for width, type in zip(WIDTHS, types, strict=True)
    ]
    names = [f"%r{width}" for width in WIDTHS]
    for to, width in CASTS:
        types.append(f"tensor<{whole}{to}>")
        names.append(f"%c{len(names)}")
        lines.append(
            f"{names[-1]} = quant_float.cast %x, %r{width} mode quant_float opset 1 round_mode stochastic\n"
            f"    : tensor<{whole}f32>, tensor<{whole}ui{width}> to {types[-1]}"
        )
    for to, width, has_zero_point, is_per_row in QUANTIZATIONS:
        size, scale = (f"{rows}x", "%rows") if is_per_row else ("", "%scale")
        operands = [("%x", f"{whole}f32"), (scale, f"{size}f32")]
        if has_zero_point:
            operands.append((f"%z{to}", f"{size}{to}"))
        operands.append((f"%r{width}", f"{whole}ui{width}"))
        types.append(f"tensor<{whole}{to}>")
        names.append(f"%q{len(names)}")
        lines.append(
            f"{names[-1]} = quant_float.quantize {', '.join(name for name, _ in operands)} {'axis 0 ' if is_per_row else ''}"
            f'opset 1 domain "quant_float" round_mode stochastic\n'
            f"    : {', '.join(f'tensor<{type}>' for _, type in operands)} to {types[-1]}"
        )
    body = "\n  ".join(lines)
    arguments = (
        f"%s: tensor<i64>, %o: tensor<i64>, %x: tensor<{whole}f32>, %scale: tensor<f32>, %rows: tensor<{rows}xf32>, "
        f"%zi8: tensor<{rows}xi8>, %zi16: tensor<i16>"
    )
    return (
        f"func.func @stochastic({arguments}) -> ({', '.join(types)}) {{\n"
        f"  {body}\n  return {', '.join(names)} : {', '.join(types)}\n}}\n"
    )


def make_inputs():
    generator = np.random.default_rng(3)
    x = generator.standard_normal(SHAPE).astype(np.float32) * 50
    x[0, :4] = [np.inf, -np.inf, np.nan, -0.0]
    rows = (2.0 ** generator.uniform(-3, 3, SHAPE[0])).astype(np.float32)
    zeros = generator.integers(-128, 128, SHAPE[0]).astype(np.int8)
    numbers = [np.array(number, np.uint64).view(np.int64) for number in (SEED, OFFSET)]
    return [*numbers, x, np.array(0.75, np.float32), rows, zeros, np.array(-300, np.int16)]


def expect_outputs(inputs):
    """Encodings, in the bytes that they have in memory."""
    x, scale, rows, row_zeros, zero = inputs[2:]
    bits = {width: random_bits(x.size, width, SEED, OFFSET).reshape(SHAPE) for width in WIDTHS}
    expected = [bits[width].astype(f"u{max(1, width // 8)}") for width in WIDTHS]
    for to, width in CASTS:
        wide = x.ravel().astype(np.longdouble)
        encodings = (DESCRIBED | MORE)[to].encode_by_bits(wide, bits[width].ravel(), width)
        expected.append(encodings.reshape(SHAPE))
    for to, width, has_zero_point, is_per_row in QUANTIZATIONS:
        q = x / (rows[:, None] if is_per_row else scale)
        if to.startswith("f"):
            wide = q.ravel().astype(np.longdouble)
            encodings = (DESCRIBED | MORE)[to].encode_by_bits(wide, bits[width].ravel(), width)
            expected.append(encodings.reshape(SHAPE))
            continue
        zeros = (row_zeros.astype(int)[:, None] if is_per_row else int(zero)) * has_zero_point
        encodings = round_to_integer(q, bits[width], width, to, zeros)
        nan = np.isnan(q)
        encodings[nan] = np.broadcast_to(zeros, SHAPE)[nan]
        size = max(1, int(to.lstrip("ui")) // 8)
        expected.append(
            encodings.astype(f"{'u' if to.startswith('u') else 'i'}{size}").view(f"u{size}")
        )
    return expected
