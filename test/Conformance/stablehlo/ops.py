# Ops of StableHLO in generic form, compiled, against NumPy and ml_dtypes: conversions of all elements or of dense edge values, and
# every other op of the table on small tensors with NaN, infinities, zeros of both signs and subnormal numbers.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import statistics
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np

TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "i1": np.bool_,
    "i2": ml_dtypes.int2,
    "i4": ml_dtypes.int4,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui2": ml_dtypes.uint2,
    "ui4": ml_dtypes.uint4,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
}
NAMES = {np.dtype(dtype): name for name, dtype in TYPES.items()}
FLOATS = [name for name in TYPES if name[0] in "fb"]
NARROW = [name for name in FLOATS if name[1] in "48"]
INTEGERS = [name for name in TYPES if name[0] in "iu" and name != "i1"]


def tensor_type(array):
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + NAMES[array.dtype] + ">"


class Module:
    """A function whose arguments and results are those of all cases."""

    def __init__(self):
        self.lines, self.inputs, self.results, self.expected, self.labels = [], [], [], [], []

    def argument(self, array):
        self.inputs.append(np.array(array, order="C"))
        return f"%a{len(self.inputs) - 1}"

    def op(
        self, name, operands, expected, attributes="", region="", label="", exact=True, constants=()
    ):
        """One op on arrays, and its expected result. Operands in `constants` are not arguments."""
        names = []
        for i, operand in enumerate(operands):
            if i not in constants:
                names.append(self.argument(operand))
                continue
            names.append(f"%c{len(self.results)}_{i}")
            value = f"dense<{operand.item()}> : {tensor_type(operand)}"
            self.lines.append(
                f'{names[-1]} = "stablehlo.constant"() <{{value = {value}}}> : () -> {tensor_type(operand)}'
            )
        types = ", ".join(tensor_type(operand) for operand in operands)
        result = f"%r{len(self.results)}"
        full = name if "." in name else f"stablehlo.{name}"
        text = f'{result} = "{full}"({", ".join(names)})'
        if attributes:
            text += f" <{{{attributes}}}>"
        if region:
            text += f" ({{\n{region}\n}})"
        self.lines.append(f"{text} : ({types}) -> {tensor_type(expected)}")
        self.results.append(result)
        self.expected.append((expected, exact))
        self.labels.append(f"{name} {label or types}")

    def text(self):
        arguments = ", ".join(f"%a{i}: {tensor_type(array)}" for i, array in enumerate(self.inputs))
        inputs = ", ".join(tensor_type(array) for array in self.inputs)
        outputs = ", ".join(tensor_type(array) for array, _ in self.expected)
        body = "\n".join(self.lines)
        return (
            f'"builtin.module"() ({{\n"func.func"() <{{function_type = ({inputs}) -> ({outputs}), sym_name = "main"}}> ({{\n'
            f"^bb0({arguments}):\n{body}\n"
            f'"func.return"({", ".join(self.results)}) : ({outputs}) -> ()\n}}) : () -> ()\n}}) : () -> ()\n'
        )

    def run(self, tools, work):
        source = work / "module.mlir"
        source.write_text(self.text())
        paths = []
        for i, array in enumerate(self.inputs):
            paths.append(work / f"in{i}.npy")
            np.save(paths[-1], array)
        out = work / "out"
        command = [tools / "quant-float-run", source, "--inputs", *paths, "--outputs", out]
        if subprocess.run(command, check=False).returncode:
            sys.exit(f"{source}: quant-float-run failed")
        failures = 0
        for i, ((expected, exact), label) in enumerate(
            zip(self.expected, self.labels, strict=True)
        ):
            got = np.load(out / f"output_{i}.npy")
            failures += not compare(got, expected, exact, label)
        return failures


def compare(got, expected, exact, label):
    """Compares bits, with NaN as a class, or values within 2 units in the last place, or a tolerance as `exact`."""
    got = got.view(expected.dtype) if got.dtype != expected.dtype else got
    if got.shape != expected.shape:
        print(f"{label}: shape {got.shape}, expected {expected.shape}")
        return False
    if expected.dtype == np.bool_ or np.dtype(expected.dtype).kind in "iu":
        same = got == expected
    elif NAMES[expected.dtype] in INTEGERS:
        same = got.astype(np.int64) == expected.astype(np.int64)
    else:
        word = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[expected.dtype.itemsize]
        same = got.view(word) == expected.view(word)
        wide_got, wide = got.astype(np.float64), expected.astype(np.float64)
        same |= np.isnan(wide_got) & np.isnan(wide)
        if exact is not True:
            same |= np.abs(wide_got - wide) <= (exact or 3e-7) * np.abs(wide)
    if np.all(same):
        return True
    place = np.argwhere(~same)[0]
    print(
        f"{label}: {np.count_nonzero(~same)} of {same.size} differ, first at {tuple(place)}: "
        f"{got[tuple(place)]}, expected {expected[tuple(place)]}"
    )
    return False


# ---- Conversions ----


def all_values(name):
    """All values of a type of at most 16 bits, and dense edge values of f32 and integers."""
    dtype = np.dtype(TYPES[name])
    if name in ("i1",):
        return np.array([False, True])
    if name in INTEGERS and int(name.lstrip("ui")) < 8:
        info = ml_dtypes.iinfo(dtype)
        return np.arange(info.min, info.max + 1).astype(dtype)
    if name == "f4E2M1FN":
        return np.arange(16, dtype=np.uint8).view(dtype)
    if dtype.itemsize == 1:
        return np.arange(256, dtype=np.uint8).view(dtype)
    if dtype.itemsize == 2:
        return np.arange(65536, dtype=np.uint16).view(dtype)
    if name == "f32":
        high = np.arange(65536, dtype=np.uint32) << 16
        low = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
        return (high[:, None] | low).reshape(-1).view(np.float32)
    if name == "f64":
        wide = all_values("f32").astype(np.float64)
        return np.concatenate([wide, np.nextafter(wide, np.inf), np.nextafter(wide, -np.inf)])
    info = np.iinfo(dtype)
    powers = np.array([1 << k for k in range(dtype.itemsize * 8 - 1)], object)
    values = [v for p in powers for d in (-1, 0, 1) for v in (p + d, -p + d, 3 * p // 2 + d)]
    kept = [v for v in [*values, info.min, info.max] if info.min <= v <= info.max]
    return np.array(kept, dtype)


def to_integer(values, name):
    """Toward zero, saturating; NaN gives 0."""
    bits = int(name.lstrip("ui"))
    low, high = (0, 2**bits - 1) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    wide = values.astype(np.float64)
    whole = np.trunc(np.where(np.isnan(wide), 0, wide))
    inside = (whole >= low) & (whole < 2.0 ** (bits - (name[0] != "u")))
    result = np.where(inside, whole, 0).astype(np.uint64 if name[0] == "u" else np.int64)
    result = np.where(whole < low, np.asarray(low, result.dtype), result)
    result = np.where(~inside & (whole > 0), np.asarray(high, result.dtype), result)
    return result.astype(TYPES[name])


def to_scale(values):
    """f8E8M0FNU: ties up; zeros, negative values and overflow give NaN."""
    wide = values.astype(np.float64)
    mantissa, exponent = np.frexp(wide)
    power = exponent - 1 + (mantissa >= 0.75)
    encoding = np.clip(power + 127, 0, 254)
    nan = ~(wide > 0) | np.isinf(wide) | (power > 127)
    return np.where(nan, 255, encoding).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)


def convert(values, name):
    source = NAMES[values.dtype]
    dtype = TYPES[name]
    if name == "i1":
        return values.astype(np.float64) != 0 if source in FLOATS else values.astype(bool)
    if source in FLOATS and name in INTEGERS:
        return to_integer(values, name)
    if name in INTEGERS:
        return values.astype(np.int64).astype(dtype)
    if name == "f8E8M0FNU":
        return to_scale(values)
    if source not in FLOATS:
        # Integers of 64 bits round once to f64, and then once more.
        return values.astype(np.float64).astype(dtype)
    # All values of f8E8M0FNU are values of f32.
    result = (values.astype(np.float32) if source == "f8E8M0FNU" else values).astype(dtype)
    if name == "f4E2M1FN":
        nan = np.isnan(values.astype(np.float64))
        result = np.where(nan, 8, result.view(np.uint8)).astype(np.uint8).view(dtype)
    return result


def test_conversions(tools, work):
    failures = count = 0
    for source in TYPES:
        module = Module()
        values = all_values(source)
        operand = module.argument(values)
        for name in TYPES:
            if name == source:
                continue
            used = values
            # The rounding of 64-bit values in two steps is ml_dtypes' own.
            if source in ("f64", "i64", "ui64", "ui32", "i32") and name in NARROW + [
                "bf16",
                "f16",
                "f32",
            ]:
                keep = values.astype(np.float32).astype(np.float64) == values.astype(np.float64)
                used = values[keep]
            expected = convert(used, name)
            own = operand if used is values else module.argument(used)
            result = f"%r{len(module.results)}"
            module.lines.append(
                f'{result} = "stablehlo.convert"({own}) : ({tensor_type(used)}) -> {tensor_type(expected)}'
            )
            module.results.append(result)
            module.expected.append((expected, True))
            module.labels.append(f"convert {source} to {name}")
            count += used.size
        failures += module.run(tools, work)
    print(f"{count} conversions of {len(TYPES)} types")
    return failures


# ---- Other ops ----

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    1e-40,
    -1e-45,
    3.4e38,
    np.inf,
    -np.inf,
    np.nan,
]


def grid(dtype):
    """All pairs of special values."""
    values = np.array(SPECIAL, np.float64).astype(dtype)
    return np.repeat(values, len(values)), np.tile(values, len(values))


def narrow(function, *operands):
    """Computes in f32 and rounds once."""
    wide = function(*[operand.astype(np.float32) for operand in operands])
    return convert(wide.astype(np.float32), NAMES[operands[0].dtype])


def region(op, dtype):
    element = f"tensor<{NAMES[np.dtype(dtype)]}>"
    return (
        f'^bb0(%x: {element}, %y: {element}):\n%z = "stablehlo.{op}"(%x, %y) : ({element}, {element}) -> {element}\n'
        f'"stablehlo.return"(%z) : ({element}) -> ()'
    )


def add_elementwise(module, random):
    binary = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}
    binary |= {"maximum": np.maximum, "minimum": np.minimum}
    unary = {"abs": np.abs, "negate": np.negative, "ceil": np.ceil, "floor": np.floor}
    unary |= {"sqrt": np.sqrt, "round_nearest_even": np.rint}
    unary |= {"sign": lambda x: np.where(x == 0, x, np.sign(x)), "is_finite": np.isfinite}
    unary["round_nearest_afz"] = lambda x: np.copysign(
        np.where(
            np.isfinite(x),
            np.trunc(np.abs(x) + (np.abs(x) - np.trunc(np.abs(x)) >= 0.5)),
            np.abs(x),
        ),
        x,
    )
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        x, y = grid(dtype)
        for name, function in binary.items():
            expected = narrow(function, x, y) if dtype != np.float32 else None
            if expected is None:
                expected = function(x, y)
            # The sign of the maximum of both zeros is not defined.
            if name in ("maximum", "minimum"):
                keep = ~((x == 0) & (y == 0))
                module.op(name, [x[keep], y[keep]], expected[keep])
                continue
            module.op(name, [x, y], expected)
        for name, function in unary.items():
            if name == "is_finite":
                expected = np.isfinite(x.astype(np.float64))
            else:
                expected = narrow(function, x)
            module.op(name, [x], expected)
        if dtype != ml_dtypes.float8_e5m2:
            # NumPy returns the other zero for f16.
            module.op("chlo.next_after", [x, y], np.where(x == y, y, np.nextafter(x, y)))
            for name, function in {
                "is_inf": np.isinf,
                "is_pos_inf": lambda v: v == np.inf,
                "is_neg_inf": lambda v: v == -np.inf,
            }.items():
                module.op(f"chlo.{name}", [x], function(x.astype(np.float64)))
        for direction, function in {
            "EQ": np.equal, "NE": np.not_equal, "LT": np.less,
            "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal,
        }.items():  # fmt: skip
            wide = [operand.astype(np.float64) for operand in (x, y)]
            module.op(
                "compare", [x, y], function(*wide),
                f"comparison_direction = #stablehlo<comparison_direction {direction}>, "
                "compare_type = #stablehlo<comparison_type FLOAT>",
            )  # fmt: skip
    x = random.uniform(-4, 4, 200).astype(np.float32)
    for name, function in {
        "exponential": np.exp, "sine": np.sin, "cosine": np.cos, "tanh": np.tanh,
        "tan": np.tan, "logistic": lambda v: 1 / (1 + np.exp(-v)),
    }.items():  # fmt: skip
        module.op(name, [x], function(x.astype(np.float64)).astype(np.float32), exact=False)
    inverse = np.concatenate([np.clip(np.tanh(x), -0.99, 0.99), np.float32([1e-3, -1e-6])])
    quantile = statistics.NormalDist().inv_cdf
    expected = [quantile((float(v) + 1) / 2) / 2**0.5 for v in inverse]
    module.op("chlo.erf_inv", [inverse], np.float32(expected), exact=1e-6)
    module.op(
        "chlo.erf_inv", [np.float32([1, -1, 0, np.nan])], np.float32([np.inf, -np.inf, 0, np.nan])
    )
    x = np.abs(x)
    module.op("log", [x], np.log(x.astype(np.float64)).astype(np.float32), exact=False)
    module.op("rsqrt", [x], (1 / np.sqrt(x.astype(np.float64))).astype(np.float32), exact=False)
    y = random.uniform(-3, 3, 200).astype(np.float32)
    module.op("power", [x, y], np.power(x.astype(np.float64), y).astype(np.float32), exact=False)
    module.op("remainder", [y, x], np.fmod(y, x))
    low, high = np.float32(-1).reshape(()), np.float32(2).reshape(())
    values = grid(np.float32)[0]
    clamped = np.where(np.isnan(values), values, np.minimum(np.maximum(low, values), high))
    module.op("clamp", [low, values, high], clamped)
    module.op(
        "reduce_precision", [values], reduce_precision(values, 4, 3),
        "exponent_bits = 4 : i32, mantissa_bits = 3 : i32",
    )  # fmt: skip
    module.op(
        "reduce_precision", [all_values("bf16")], reduce_precision(all_values("bf16"), 5, 2),
        "exponent_bits = 5 : i32, mantissa_bits = 2 : i32",
    )  # fmt: skip
    condition = random.integers(0, 2, 50).astype(bool)
    for dtype in (np.float32, np.int8, ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
        a, b = (random.integers(-8, 8, 50).astype(dtype) for _ in range(2))
        module.op("select", [condition, a, b], np.where(condition, a, b).astype(dtype))


def reduce_precision(values, exponent_bits, mantissa_bits):
    """Subnormal results become zero, as XLA computes it."""
    wide = values.astype(np.float64)
    bias = 2 ** (exponent_bits - 1) - 1
    exponent = np.frexp(wide)[1] - 1
    step = np.exp2(exponent - mantissa_bits)
    rounded = np.where(wide == 0, wide, np.rint(wide / step) * step)
    rounded = np.where(np.abs(rounded) >= 2.0 ** (bias + 1), np.copysign(np.inf, wide), rounded)
    rounded = np.where(np.abs(rounded) < 2.0 ** (1 - bias), np.copysign(0, wide), rounded)
    return np.where(np.isfinite(wide), rounded, wide).astype(values.dtype)


def add_integers(module, random):
    for dtype in (
        np.int8,
        np.uint8,
        np.int32,
        np.uint16,
        np.int64,
        ml_dtypes.int4,
        ml_dtypes.uint4,
    ):
        info = ml_dtypes.iinfo(dtype)
        low, high = max(int(info.min), -1000), min(int(info.max), 1000)
        x, y = (random.integers(low, high + 1, 100) for _ in range(2))
        y = np.where(y == 0, 1, y)
        # Truncate the results, which ml_dtypes' own integers saturate or wrap.
        cases = {"add": x + y, "subtract": x - y, "multiply": x * y}
        cases |= {"maximum": np.maximum(x, y), "minimum": np.minimum(x, y)}
        cases |= {"and": x & y, "or": x | y, "xor": x ^ y}
        cases["divide"] = np.trunc(x / y).astype(np.int64)
        cases["remainder"] = np.fmod(x, y)
        for name, wide in cases.items():
            module.op(name, [x.astype(dtype), y.astype(dtype)], wrap(wide, dtype))
        module.op("not", [x.astype(dtype)], wrap(~x, dtype))
        module.op(
            "compare", [x.astype(dtype), y.astype(dtype)], x < y,
            "comparison_direction = #stablehlo<comparison_direction LT>",
        )  # fmt: skip
        if NAMES[np.dtype(dtype)] not in ("i4", "ui4"):
            bits = np.dtype(dtype).itemsize * 8
            amount = random.integers(0, bits + 2, 100)
            unsigned = x.astype(dtype).view(f"u{bits // 8}").astype(object)
            inside = amount < bits
            left = np.where(inside, unsigned << np.where(inside, amount, 0), 0) & (2**bits - 1)
            right = np.where(inside, unsigned >> np.where(inside, amount, 0), 0)
            for name, shifted in (("shift_left", left), ("shift_right_logical", right)):
                expected = shifted.astype(f"u{bits // 8}").view(dtype)
                module.op(name, [x.astype(dtype), amount.astype(dtype)], expected)
            encodings = [format(int(value), f"0{bits}b") for value in unsigned]
            ones = np.array([digits.count("1") for digits in encodings])
            zeros = np.array([len(digits) - len(digits.lstrip("0")) for digits in encodings])
            module.op("popcnt", [x.astype(dtype)], ones.astype(dtype))
            module.op("count_leading_zeros", [x.astype(dtype)], zeros.astype(dtype))
    a, b = random.integers(0, 2, (2, 20)).astype(bool)
    for name, expected in {
        "and": a & b, "or": a | b, "xor": a ^ b, "add": a | b, "multiply": a & b,
        "maximum": a | b, "minimum": a & b,
    }.items():  # fmt: skip
        module.op(name, [a, b], expected)
    module.op("not", [a], ~a)


def wrap(wide, dtype):
    """The low bits."""
    info = ml_dtypes.iinfo(dtype)
    bits = info.bits
    low = np.asarray(wide, np.int64) & ((1 << bits) - 1) if bits < 64 else np.asarray(wide)
    if info.min < 0 and bits < 64:
        low = np.where(low >= 1 << (bits - 1), low - (1 << bits), low)
    return low.astype(dtype)


def ints(values):
    return "array<i64" + (": " + ", ".join(map(str, values)) if len(values) else "") + ">"


def add_movement(module, random):
    for dtype in (np.float32, ml_dtypes.float8_e4m3fn, ml_dtypes.int4, np.uint8, np.bool_):
        x = random.integers(0, 2 if dtype == np.bool_ else 8, (2, 3, 4)).astype(dtype)
        scalar = x[0, 0, 0]
        scalar = np.asarray(scalar).reshape(())
        module.op("transpose", [x], x.transpose(2, 0, 1), f"permutation = {ints([2, 0, 1])}")
        module.op("reshape", [x], x.reshape(6, 4))
        module.op("reverse", [x], x[:, ::-1, ::-1], f"dimensions = {ints([1, 2])}")
        module.op(
            "slice", [x], x[0:1, 1:3, 0:4:2],
            f"start_indices = {ints([0, 1, 0])}, limit_indices = {ints([1, 3, 4])}, strides = {ints([1, 1, 2])}",
        )  # fmt: skip
        module.op(
            "concatenate", [x, x[:, :1]], np.concatenate([x, x[:, :1]], 1), "dimension = 1 : i64"
        )
        module.op(
            "broadcast", [x], np.broadcast_to(x, (5, 2, 3, 4)), "broadcast_sizes = array<i64: 5>"
        )
        module.op(
            "broadcast_in_dim", [x[:, 0]], np.broadcast_to(x[:, 0].T[None, :, None, :], (3, 4, 2, 2)),
            f"broadcast_dimensions = {ints([3, 1])}",
        )  # fmt: skip
        module.op(
            "broadcast_in_dim",
            [scalar],
            np.full((2, 2), scalar),
            f"broadcast_dimensions = {ints([])}",
        )
        padded = np.full((2 + 1, 3 + 2 - 1, 4 + 3 * 2 + 1), scalar)
        wide = np.full((2, 3, 10), scalar)
        wide[:, :, ::3] = x
        padded[1:, 2:, :10] = wide[:, 1:]
        padded = np.full((3, 4, 11), scalar)
        padded[1:, :2, :10] = wide[:, 1:]
        module.op(
            "pad", [x, scalar], padded,
            f"edge_padding_low = {ints([1, -1, 0])}, edge_padding_high = {ints([0, 2, 1])}, "
            f"interior_padding = {ints([0, 0, 2])}",
        )  # fmt: skip
    for dtype in (np.int32, np.float32, np.uint8, ml_dtypes.bfloat16):
        expected = np.broadcast_to(np.arange(5)[:, None], (5, 2)).astype(dtype)
        module.op("iota", [], expected, "iota_dimension = 0 : i64")
    x = random.normal(size=(2, 3)).astype(np.float32)
    module.op("get_dimension_size", [x], np.int32(3).reshape(()), "dimension = 1 : i64")
    module.op("bitcast_convert", [x], x.view(np.int32))
    module.op("bitcast_convert", [x.view(np.uint32)], x)
    encodings = np.arange(256, dtype=np.int8)
    for name in ("f8E4M3FN", "f8E5M2", "f8E4M3", "f8E8M0FNU"):
        module.op("bitcast_convert", [encodings], encodings.view(TYPES[name]), label=name)
        module.op("bitcast_convert", [encodings.view(TYPES[name])], encodings, label=name)


def add_gathers(module, random):
    def numbers(offsets, axis, vector):
        return (
            f"dimension_numbers = #stablehlo.gather<offset_dims = {offsets}, collapsed_slice_dims = [{axis}], "
            f"start_index_map = [{axis}], index_vector_dim = {vector}>"
        )

    x = random.integers(-8, 8, (5, 3, 4)).astype(np.float32)
    # Indices out of range are clamped.
    indices = np.array([[0, 4, -3], [7, 2, 2]], np.int32)
    for axis in range(3):
        taken = np.take(x, np.clip(indices, 0, x.shape[axis] - 1), axis)
        sizes = [1 if i == axis else size for i, size in enumerate(x.shape)]
        offsets = [i if i < axis else i + 2 for i in range(2)]
        sliced = f", slice_sizes = {ints(sizes)}"
        module.op("gather", [x, indices], taken, numbers(offsets, axis, 2) + sliced)
        module.op("gather", [x, indices[..., None]], taken, numbers(offsets, axis, 2) + sliced)
        last = np.moveaxis(taken, (axis, axis + 1), (0, 1))
        module.op("gather", [x, indices], last, numbers([2, 3], axis, 2) + sliced)
    starts = [np.array(start, np.int32) for start in (4, -1, 1)]
    module.op("dynamic_slice", [x, *starts], x[2:5, 0:2, 1:4], f"slice_sizes = {ints([3, 2, 3])}")


def dot_numbers(lhs_batch, rhs_batch, lhs, rhs):
    fields = []
    for name, axes in (
        ("lhs_batching_dimensions", lhs_batch), ("rhs_batching_dimensions", rhs_batch),
        ("lhs_contracting_dimensions", lhs), ("rhs_contracting_dimensions", rhs),
    ):  # fmt: skip
        if axes:
            fields.append(f"{name} = [{', '.join(map(str, axes))}]")
    return f"dot_dimension_numbers = #stablehlo.dot<{', '.join(fields)}>"


def add_contractions(module, random):
    def values(shape, dtype):
        return random.integers(-8 if np.dtype(dtype).kind != "u" else 0, 8, shape).astype(dtype)

    # Sums of small integers are exact in every type.
    pairs = [
        (np.float32, np.float32, np.float32), (np.float64, np.float64, np.float64),
        (ml_dtypes.bfloat16, ml_dtypes.bfloat16, np.float32), (np.float16, np.float32, np.float32),
        (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fn, np.float32),
        (ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16),
        (np.int8, np.int8, np.int32), (np.uint8, np.int8, np.int32),
        (ml_dtypes.int4, ml_dtypes.int4, np.int32), (np.int32, np.int32, np.int32),
        (np.int8, np.int8, np.int8), (np.int16, np.int16, np.int16), (np.int64, np.int64, np.int64),
    ]  # fmt: skip
    for lhs, rhs, result in pairs:
        a, b = values((4, 7), lhs), values((7, 5), rhs)
        exact = a.astype(np.int64) @ b.astype(np.int64)
        expected = wrap(exact, result) if np.dtype(result).kind in "iu" else exact.astype(result)
        module.op("dot_general", [a, b], expected, dot_numbers([], [], [1], [0]))
    shapes = [
        ((2, 3, 4), (2, 4, 5), ([0], [0], [2], [1]), "bij,bjk->bik"),
        ((3, 2, 4), (4, 5, 2), ([1], [2], [2], [0]), "ibj,jkb->bik"),
        ((2, 3, 4, 5), (5, 4, 6), ([], [], [2, 3], [1, 0]), "abcd,dce->abe"),
        ((2, 3, 4), (5, 4, 6), ([], [], [2], [1]), "abc,dce->abde"),
        ((7,), (7,), ([], [], [0], [0]), "a,a->"),
        ((3,), (4,), ([], [], [], []), "a,b->ab"),
        ((2, 3), (3,), ([], [], [1], [0]), "ab,b->a"),
        ((2, 3, 4), (2, 3, 4), ([0, 1], [0, 1], [2], [2]), "abc,abc->ab"),
    ]
    for left, right, numbers, equation in shapes:
        for dtype, result in ((np.float32, np.float32), (np.int8, np.int32)):
            a, b = values(left, dtype), values(right, dtype)
            expected = np.asarray(np.einsum(equation, a.astype(np.int64), b.astype(np.int64)))
            module.op(
                "dot_general",
                [a, b],
                expected.astype(result),
                dot_numbers(*numbers),
                label=equation,
            )
    a, b = values((3, 4), np.float32), values((4, 2), np.float32)
    module.op("dot", [a, b], a @ b)
    add_convolutions(module, values)


def convolve(x, kernel, strides, padding, lhs_dilation, rhs_dilation, groups, reverse):
    """A convolution of [b, f, h, w] and [o, i, h, w] by its definition."""
    x, kernel = x.astype(np.int64), kernel.astype(np.int64)
    for axis, flag in enumerate(reverse):
        if flag:
            kernel = np.flip(kernel, axis + 2)
    wide = np.zeros(
        x.shape[:2]
        + tuple((s - 1) * d + 1 for s, d in zip(x.shape[2:], lhs_dilation, strict=True)),
        np.int64,
    )
    wide[:, :, :: lhs_dilation[0], :: lhs_dilation[1]] = x
    for axis, (low, high) in enumerate(padding):
        widths = [(0, 0)] * 4
        widths[axis + 2] = (max(low, 0), max(high, 0))
        wide = np.pad(wide, widths)
        wide = np.take(wide, range(max(-low, 0), wide.shape[axis + 2] - max(-high, 0)), axis + 2)
    spans = [(k - 1) * d + 1 for k, d in zip(kernel.shape[2:], rhs_dilation, strict=True)]
    sizes = [(s - span) // t + 1 for s, span, t in zip(wide.shape[2:], spans, strides, strict=True)]
    out = np.zeros((x.shape[0], kernel.shape[0], *sizes), np.int64)
    per_group, inputs = kernel.shape[0] // groups, kernel.shape[1]
    for o in range(kernel.shape[0]):
        first = o // per_group * inputs
        for i, j in np.ndindex(*sizes):
            window = wide[
                :, first : first + inputs,
                i * strides[0] : i * strides[0] + spans[0] : rhs_dilation[0],
                j * strides[1] : j * strides[1] + spans[1] : rhs_dilation[1],
            ]  # fmt: skip
            out[:, o, i, j] = (window * kernel[o]).sum((1, 2, 3))
    return out


def add_convolutions(module, values):
    cases = [
        ((1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1), 1, (0, 0)),
        ((2, 1), ((1, 2), (0, 1)), (1, 1), (1, 2), 1, (0, 1)),
        ((1, 1), ((1, 1), (1, 1)), (2, 3), (1, 1), 1, (0, 0)),
        ((1, 2), ((-1, 0), (1, -1)), (1, 1), (1, 1), 2, (1, 1)),
    ]
    layouts = [("[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", (0, 1, 2, 3), (0, 1, 2, 3))]
    layouts.append(("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", (0, 2, 3, 1), (2, 3, 1, 0)))
    for dtype, result in (
        (np.float32, np.float32),
        (np.int8, np.int32),
        (ml_dtypes.float8_e4m3fn, np.float32),
    ):
        for strides, padding, lhs, rhs, groups, reverse in cases:
            for text, order, kernel_order in layouts:
                x, kernel = values((2, 4, 5, 6), dtype), values((4, 4 // groups, 3, 2), dtype)
                expected = convolve(x, kernel, strides, padding, lhs, rhs, groups, reverse)
                flags = ", ".join("true" if flag else "false" for flag in reverse)
                module.op(
                    "convolution",
                    [x.transpose(order), kernel.transpose(kernel_order)],
                    expected.transpose(order).astype(result),
                    f"batch_group_count = 1 : i64, feature_group_count = {groups} : i64, "
                    f"dimension_numbers = #stablehlo.conv<{text}>, window_strides = {ints(strides)}, "
                    f"padding = dense<{[list(p) for p in padding]}> : tensor<2x2xi64>, "
                    f"lhs_dilation = {ints(lhs)}, rhs_dilation = {ints(rhs)}, window_reversal = array<i1: {flags}>",
                    label=f"{text} {lhs} {rhs}",
                )


def add_reductions(module, random):
    x = random.integers(-8, 8, (3, 4, 5)).astype(np.float32)
    x[0, 0, 0], x[1, 2, 3] = np.nan, np.inf
    whole = random.integers(-8, 8, (3, 4, 5))
    for dtype in (np.float32, np.int32, np.int8, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        values = x if dtype == np.float32 else whole.astype(dtype)
        wide = values.astype(np.float64)
        for name, function, start in (
            ("add", np.sum, 0), ("add", np.sum, 3), ("maximum", np.max, -8), ("minimum", np.min, 9),
            ("multiply", np.prod, 1),
        ):  # fmt: skip
            if name in ("add", "multiply") and dtype == ml_dtypes.float8_e4m3fn:
                continue
            axes = (1,) if name == "multiply" else (0, 2)
            expected = function(wide, axes)
            combined = {
                "add": np.add,
                "multiply": np.multiply,
                "maximum": np.maximum,
                "minimum": np.minimum,
            }
            expected = combined[name](expected, start)
            if np.dtype(dtype).kind in "iu":
                expected = wrap(expected.astype(np.int64), dtype)
            module.op(
                "reduce", [values, np.asarray(start).astype(dtype)], expected.astype(dtype),
                f"dimensions = {ints(axes)}", region(name, dtype), label=f"{name} {dtype.__name__}",
            )  # fmt: skip
    flags = random.integers(0, 2, (3, 4)).astype(bool)
    for name, expected, start in (("and", flags.all(1), True), ("or", flags.any(1), False)):
        module.op(
            "reduce",
            [flags, np.asarray(start)],
            expected,
            f"dimensions = {ints([1])}",
            region(name, np.bool_),
        )
    infinity = np.float32(-np.inf).reshape(())
    x = random.normal(size=(1, 6, 6, 2)).astype(np.float32)
    padded = np.pad(x, ((0, 0), (1, 0), (0, 1), (0, 0)), constant_values=-np.inf)
    expected = np.stack(
        [
            [padded[:, i : i + 3, j : j + 2].max((1, 2)) for j in range(0, 6, 2)]
            for i in range(0, 5, 2)
        ]
    )
    attributes = (
        f"window_dimensions = {ints([1, 3, 2, 1])}, window_strides = {ints([1, 2, 2, 1])}, "
        "padding = dense<[[0, 0], [1, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>"
    )
    module.op(
        "reduce_window",
        [x, infinity],
        expected.transpose(2, 0, 1, 3),
        attributes,
        region("maximum", np.float32),
    )
    x = random.integers(-9, 9, (1, 6, 6, 2)).astype(np.float32)
    padded = np.pad(x, ((0, 0), (1, 0), (0, 1), (0, 0)))
    expected = np.stack(
        [
            [padded[:, i : i + 3, j : j + 2].sum((1, 2)) for j in range(0, 6, 2)]
            for i in range(0, 5, 2)
        ]
    )
    module.op(
        "reduce_window", [x, np.float32(0).reshape(())], expected.transpose(2, 0, 1, 3), attributes,
        region("add", np.float32), constants=[1],
    )  # fmt: skip


def main():
    np.seterr(all="ignore")
    tools, work = Path(sys.argv[1]), Path(sys.argv[2])
    failures = test_conversions(tools, work)
    random = np.random.default_rng(1)
    count = 0
    for add in (
        add_elementwise,
        add_integers,
        add_movement,
        add_gathers,
        add_contractions,
        add_reductions,
    ):
        module = Module()
        add(module, random)
        failures += module.run(tools, work)
        count += len(module.results)
    print(f"{count} other results")
    sys.exit(failures != 0)


main()
