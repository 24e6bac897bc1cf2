"""The Reference against the oracles, densely: nodes with every encoding of x, or every boundary of
an f32 or int32 one, and a scale of another kind for each row. `python -m quantize_matrix.dense
--help`."""

import argparse
import itertools
import sys
from dataclasses import replace

import numpy as np
from conformance.formats import FLOAT4_AND_6, FLOAT8, FORMATS
from conformance.inputs import boundaries
from conformance.process import QuantizeProcess

from quantize_matrix import data as sampled
from quantize_matrix import oracles, semantics
from quantize_matrix.cases import PRECISIONS, Case
from quantize_matrix.compare import Comparison
from quantize_matrix.data import Data

INTEGERS = ("i8", "ui8", "i16", "ui16", "i4", "ui4", "i2", "ui2")
QUANTIZED = (*INTEGERS, *FLOAT8, *FLOAT4_AND_6)
WIDE = ("f32", "f16", "bf16")

# Special scales: zeros, infinities, NaN, subnormals, the largest value, as far as the type has
# them.
_SPECIAL_SCALES = (0.0, np.inf, 1e-41, -3e38, np.nan, 6e-8, -0.0, 6.5e4, -np.inf)
_SPECIAL_INTEGERS = (0, 2**31 - 1, -1, 16777217, -(2**31))
_SPECIAL_EXPONENTS = (255, 0, 254, 1, 142)


def _scales(name, rng, count):
    """Ordinary values of both signs, some with few bits, and a special or a random one in every
    second row."""
    encodings = sampled.to_encodings(
        name, rng.uniform(1, 2, count) * np.exp2(rng.integers(-5, 6, count))
    )
    form = FORMATS[name]
    if name == "i32":
        encodings = rng.integers(1, 1000, count).astype(np.uint32)
        special = sampled.to_encodings(name, np.array(_SPECIAL_INTEGERS, np.float64))
    elif form.kind == "scale":
        special = np.array(_SPECIAL_EXPONENTS, np.uint8)
    else:
        few_bits = rng.random(count) < 0.3
        encodings = np.where(
            few_bits, sampled.to_encodings(name, rng.integers(1, 30, count) / 8), encodings
        )
        sign = form.slot.type(1 << (form.width - 1))
        encodings = np.where(rng.random(count) < 0.2, encodings | sign, encodings)
        special = sampled.to_encodings(name, np.array(_SPECIAL_SCALES))
    chosen = special[(np.arange(count) // 4 + rng.integers(0, special.size)) % special.size]
    random = form.encodings(rng.integers(0, 1 << 32, count).astype(form.slot))
    row = np.arange(count) % 4
    return np.where(row == 1, chosen, np.where(row == 3, random, encodings)).astype(form.slot)


def _zero_points(name, rng, count):
    if name in FLOAT8:
        return np.zeros(count, np.uint8)
    form = FORMATS[name]
    encodings = form.encodings(rng.integers(0, 1 << 32, count).astype(form.slot))
    if form.kind != "integer":
        return encodings
    ends = sampled.to_encodings(name, rng.choice([-1e5, 0.0, 1e5], count))
    return np.where(rng.random(count) < 0.5, ends, encodings)


def _quotients(y, zero_point, rng, limit):
    """Quotients at which the result changes, at most `limit` of them."""
    if FORMATS[y].kind == "integer":
        low, high = semantics.integer_range(y)
        edges = np.arange(low - 3, high + 3) + 0.5 - zero_point
    else:
        edges = boundaries(FORMATS[y], rng)
        edges = np.concatenate([edges, -edges]) - (zero_point if y in FLOAT4_AND_6 else 0)
    if edges.size > limit:
        edges = rng.choice(edges, limit)
    return edges


def _neighbors(name, values):
    """The encodings of the values and of their neighbors."""
    form = FORMATS[name]
    encodings = sampled.to_encodings(name, values).astype(np.int64)
    return form.encodings(
        np.concatenate([encodings + d for d in (-2, -1, 0, 1, 2)]).astype(form.slot)
    )


def _row_of_x(case, scale, zero_point, rng, limit):
    """Encodings of an f32 or int32 x for one scale, the same number for each."""
    with np.errstate(all="ignore"):
        factor = scale if np.isfinite(scale) and scale else 1.0
        near = _neighbors(case.x, _quotients(case.y, zero_point, rng, limit) * factor)
    form = FORMATS[case.x]
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-38, 3e38])
    random = rng.integers(0, 1 << 32, min(limit, 4000), dtype=np.uint64).astype(form.slot)
    return np.concatenate([near, sampled.to_encodings(case.x, special), random])


def _x_of(case, scales, zero_points, rng, limit):
    form, rows = FORMATS[case.x], scales.size
    if form.width <= 16:
        return np.tile(np.arange(1 << form.width).astype(form.slot), (rows, 1))
    if not case.quantizes:
        small = rng.integers(-600, 600, limit)
        ties = (rng.integers(-64, 64, limit) * 2 + 1) * 2**24 + rng.integers(-1, 2, limit)
        wide = rng.integers(-(2**31), 2**31, limit)
        return np.tile(
            form.encodings(np.concatenate([small, ties, wide]).astype(np.uint32)), (rows, 1)
        )
    scale_values = sampled.values_of(case.scale, scales)
    zero_values = np.zeros(rows)
    if zero_points is not None:
        zero_values = sampled.values_of(case.y, zero_points)
    return np.stack(
        [_row_of_x(case, s, z, rng, limit) for s, z in zip(scale_values, zero_values, strict=True)]
    )


def make(rows, limit, number, op, x, scale, y, precision=None, saturate=True):
    """A case and its data."""
    quantizes = op == "QuantizeLinear"
    quantized = y if quantizes else x
    # Every version has these values. float6 is new in 28, which ONNX Runtime does not load.
    opset = 28 if quantized in ("f6E2M3FN", "f6E3M2FN") else 25
    attributes = {"output_dtype": FORMATS[y].onnx}
    if precision:
        attributes["precision"] = FORMATS[precision].onnx
    if quantizes and y in FLOAT8:
        attributes["saturate"] = int(saturate)
    case = Case(
        op, opset, x, scale, y, (), (), () if number % 3 else None, attributes=attributes,
        precision=precision, saturate=saturate, number=number,
    )  # fmt: skip
    rng = case.rng
    scales = _scales(scale, rng, rows)
    zero_points = _zero_points(quantized, rng, rows) if number % 3 else None
    encodings = _x_of(case, scales, zero_points, rng, limit)
    axis, block, shape = 0, None, (rows,)
    if number % 5 == 4:
        # A row is one partial block.
        axis, block, shape = 1, encodings.shape[1] + 1, (rows, 1)
        attributes["block_size"] = block
    attributes["axis"] = axis
    case = replace(
        case, shape=encodings.shape, scale_shape=shape, zp_shape=shape if number % 3 else None,
        axis=axis, block=block,
    )  # fmt: skip
    if zero_points is not None:
        zero_points = zero_points.reshape(shape)
    return case, Data(encodings, scales.reshape(shape), zero_points)


def _quantize_rows(full):
    """(x, scale, y, precision, saturate): each x with its own type of scale, and the other
    combinations, all or in rotation."""
    turn = itertools.count()
    for x, y in itertools.product((*WIDE, "i32"), QUANTIZED):
        others = [
            (scale, precision)
            for scale in (*WIDE, "i32", "f8E8M0FNU")
            for precision in PRECISIONS
            if (scale, precision) != (x, None)
        ]
        if not full:
            others = [others[(7 * next(turn)) % len(others)]]
        for scale, precision in [(x, None), *others]:
            modes = (True, False) if y in FLOAT8 else (True,)
            for saturate in modes if full or scale == x else modes[next(turn) % 2 :][:1]:
                yield x, scale, y, precision, saturate


def every(full):
    number = itertools.count()
    rows, limit = 2, 4000 if full else 600
    for x, scale, y, *options in _quantize_rows(full):
        # All encodings of a 16-bit x are enough.
        count = rows if FORMATS[x].width == 16 else 4 * rows
        # Every boundary of every type, once.
        most = 1 << 17 if full and x == scale and options[0] is None else limit
        yield make(count, most, next(number), "QuantizeLinear", x, scale, y, *options)
    rows = 8 if full else 1
    for x in (*QUANTIZED, "i32"):
        for scale, y in itertools.product((*WIDE, "f8E8M0FNU"), WIDE):
            count = rows if FORMATS[x].width == 16 else 8 * rows
            yield make(count, limit, next(number), "DequantizeLinear", x, scale, y)


class Formulas:
    """The matrix's model of the rules: NumPy's arithmetic, and its own rounding functions."""

    name = "formulas"

    def run(self, cases, datas):
        for case, data in zip(cases, datas, strict=True):
            yield case, data, sampled.expected(case, data)[0]


def by_reference(program):
    """Like data.expected."""

    def expected(case, data):
        types = (case.x, case.scale, case.y)
        given = (types, data.x, data.scale, data.zero_point)
        place = {"axis": case.axis, "block": case.block}
        if not case.quantizes:
            encodings = program.dequantize(*given, **place)
        else:
            encodings = program.quantize(*given, case.division, case.saturate, **place)
        if case.y in FLOAT4_AND_6:
            # The result does not show where a NaN was.
            return encodings, sampled.expected(case, data)[1]
        if case.y in INTEGERS:
            return encodings, np.zeros(encodings.shape, bool)
        return encodings, np.isnan(FORMATS[case.y].values(encodings)).reshape(encodings.shape)

    return expected


ORACLES = {o.name: o for o in (Formulas, oracles.OnnxRuntime, oracles.OnnxReference)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("oracle", choices=ORACLES)
    parser.add_argument("program", help="quant-float-reference-quantize")
    parser.add_argument("waivers", help="the table of known differences")
    parser.add_argument("--full", action="store_true", help="more scales, all pairs of types")
    options = parser.parse_args()
    oracle = ORACLES[options.oracle]()
    with QuantizeProcess(options.program) as program:
        comparison = Comparison(oracle, options.waivers, by_reference(program))
        for case, data in every(options.full):
            if getattr(oracle, "has_kernel", lambda case: True)(case):
                for answer in oracle.run([case], [data]):
                    comparison.check(*answer)
        # Not all deviations occur per axis.
        return comparison.finish(uses_every_waiver=False)


if __name__ == "__main__":
    sys.exit(main())
