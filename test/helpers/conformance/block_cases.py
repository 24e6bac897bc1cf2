"""Models of block_quantize and block_dequantize with every rule, and the comparison of their
outputs with the oracle of `blocks`."""

import ml_dtypes
import numpy as np

from conformance import blocks

F32 = np.float32
ELEMENTS = [*blocks.FLOATS, *blocks.INTEGERS]
FLOAT_SCALES = ["f32", "f16", "bf16", "f8E4M3FN", "f8UE5M3"]
RULES = [(rule, e, "f8E8M0FNU") for rule in blocks.POWERS for e in ELEMENTS]
RULES += [("absmax", e, s) for e in ELEMENTS for s in FLOAT_SCALES]
RULES += [("deepgemm", "f8E4M3FN", s) for s in ("f32", "f8E8M0FNU")]
RULES += [("ggml", "f4E2M1FN", s) for s in ("f8E4M3FN", "f8E8M0FNU")]
RULES += [(rule, "f4E2M1FN", "f8E4M3FN") for rule in blocks.TWO_LEVELS]
SHAPES = [(1, 32), (1, 16), (2, 8), (128, 128), (1, -1), (-1, -1), (-1, 1)]
DTYPES = {"f32": F32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def inputs(shape, kind):
    """Rows of different magnitudes. `kind` is usual, edge or special."""
    random = np.random.default_rng([*shape, len(kind)])
    x = random.standard_normal(shape).astype(F32)
    if kind == "edge":
        # The values of each block are near powers of two, multiples of the largest elements, and
        # ties.
        exponents = random.integers(-140, 127, (shape[0], 1))
        x = np.ldexp(random.choice([1, 1.5, 1.75, 1.9375, 7, 6, 0.25, 5, 0], shape), exponents)
        nudges = random.integers(-1, 2, shape)
        x = x.astype(F32)
        x = (
            (x.view(np.int32) + np.where((x > 0) & (x < 1e38), nudges, 0))
            .astype(np.int32)
            .view(F32)
        )
        x = x * random.choice([1, -1], shape).astype(F32)
        x[0] = random.choice([0.0, -0.0], shape[1])
    if kind == "special":
        x[1, 3], x[2, 20], x[3, 5] = np.nan, np.inf, -np.inf
        x[4] = 0
        x[5] = 2.0**-149
        x[6] = np.finfo(F32).max
    return x


def spread(values, block, shape):
    """A value of each block for each element."""
    for axis, size in enumerate(block):
        size = shape[axis] if size == -1 else size
        values = np.repeat(values, size, axis)
    return values[: shape[0], : shape[1]]


def amaxes(x, block):
    rows = x.shape[0] if block[0] == -1 else block[0]
    columns = x.shape[1] if block[1] == -1 else block[1]
    grid = [-(-x.shape[0] // rows), -(-x.shape[1] // columns)]
    result = np.zeros(grid, F32)
    for i in range(grid[0]):
        for j in range(grid[1]):
            part = np.abs(x[i * rows : (i + 1) * rows, j * columns : (j + 1) * columns])
            result[i, j] = np.max(part)
    return result


def count(shape, block):
    return [1 if b == -1 else -(-n // b) for n, b in zip(shape, block, strict=True)]


def text(case, shape, block, x_type, is_dynamic):
    """`is_dynamic` is one value, or one for rows and one for columns."""
    rule, element, scale = case
    dynamic = np.broadcast_to(is_dynamic, 2)
    sizes = ["?" if d else str(n) for n, d in zip(shape, dynamic, strict=True)]
    scale_sizes = [
        "?" if d and b != -1 else n
        for n, d, b in zip(count(shape, block), dynamic, block, strict=True)
    ]
    mlir_scale = "!quant_float.f8UE5M3" if scale == "f8UE5M3" else scale
    x = f"tensor<{'x'.join(sizes)}x{x_type}>"
    q = f"tensor<{'x'.join(sizes)}x{element}>"
    s = f"tensor<{'x'.join(map(str, scale_sizes))}x{mlir_scale}>"
    y = f"tensor<{'x'.join(sizes)}xf32>"
    two = rule in blocks.TWO_LEVELS
    level, results = (", tensor<f32>", "%q, %s, %t") if two else ("", "%q, %s")
    lines = [
        f"  {results} = quant_float.block_quantize %x block [{block[0]}, {block[1]}] rule {rule} : {x} to {q}, {s}{level}",
        f"  %y = quant_float.block_dequantize %q, %s {'tensor_scale(%t : tensor<f32>) ' if two else ''}block [{block[0]}, {block[1]}] {'order tensor_first ' if two else ''}: {q}, {s} to {y}",
    ]
    return x, [q, s, y, *(["tensor<f32>"] if two else [])], lines


def number_type(element):
    return np.int8 if element in blocks.INTEGERS else np.uint8


def check(name, case, x, block, outputs, level=None):
    """Returns the number of differences. `level` is the scale of the tensor if it is given."""
    rule, element, scale = case
    shape = x.shape
    q, s, *rest = outputs
    y, *t = rest or [None]
    x = x.astype(F32)
    bad = 0
    with np.errstate(all="ignore"):
        amax = amaxes(x, block)
        if rule in blocks.TWO_LEVELS and level is None:
            level = blocks.Level(amax=F32(np.max(amax)))
        expected = blocks.scales(rule, element, scale, amax, level)
        found = s if scale in DTYPES else s.view(np.uint8)
        if scale == "bf16":
            found = found.view(ml_dtypes.bfloat16)
        bits = f"u{found.dtype.itemsize}"
        nan = np.isnan(blocks.decode_scale(expected, scale)) & np.isnan(
            blocks.decode_scale(found, scale)
        )
        wrong = (found.view(bits) != expected.view(bits)) & ~nan
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            print(
                f"{name}: scale {at} of amax {amax[at]!r}: expected {expected[at]!r}, got {found[at]!r}"
            )
            bad += 1
        encodings = spread(found, block, shape)
        want = blocks.elements(rule, element, scale, x, encodings, level)
        got = q.view(number_type(element)).astype(np.int16)
        if element in blocks.FLOATS:
            # D8: the sign of a NaN is not defined; a NaN is zero where the type has none.
            sign = 1 << (blocks.FLOATS[element][2] - 1)
            is_nan = (want == -1) & np.isin(
                got & ~sign,
                [0x7F]
                if element == "f8E4M3FN"
                else range(0x7D, 0x80)
                if element == "f8E5M2"
                else [0],
            )
        else:
            is_nan = np.zeros(shape, bool)
        wrong = (got != want) & ~is_nan
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            print(
                f"{name}: element {at}, {x[at]!r} with the scale {encodings[at]!r}: expected {want[at]}, got {got[at]}"
            )
            bad += 1
        if y is None:
            return bad
        factor = blocks.tensor_scale(level.amax) if t else None
        if t and not (t[0].view(np.uint32) == factor.view(np.uint32)) and not np.isnan(factor):
            print(f"{name}: scale of the tensor: expected {factor!r}, got {t[0]!r}")
            bad += 1
        want = blocks.dequantize(
            np.where(is_nan, 0, got), element, encodings, scale, factor, bool(t)
        )
        wrong = (
            (want.view(np.uint32) != y.view(np.uint32)) & ~(np.isnan(want) & np.isnan(y)) & ~is_nan
        )
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            print(
                f"{name}: dequantized {at}: {got[at]} with {encodings[at]!r}: expected {want[at]!r}, got {y[at]!r}"
            )
            bad += 1
    return bad


def write_model(rules, shape, block, x_type="f32", is_dynamic=False):
    """A function with the results of all rules."""
    lines, types, values = [], [], []
    for i, case in enumerate(rules):
        x, results, case_lines = text(case, shape, block, x_type, is_dynamic)
        for line in case_lines:
            for name in ("q", "s", "t", "y"):
                line = line.replace(f"%{name}", f"%{name}{i}")
            lines.append(line)
        types += results
        values += [f"%{name}{i}" for name in ("q", "s", "y", "t")[: len(results)]]
    joined = ", ".join(types)
    lines.append(f"  return {', '.join(values)} : {joined}")
    return f"func.func @main(%x: {x}) -> ({joined}) {{\n" + "\n".join(lines) + "\n}\n"


def write_kernels(rules, shape, block, x_type="f32", is_dynamic=False, is_packed=False):
    """A function that quantizes an input by each rule, with a given scale of the tensor for rules
    that have one."""
    lines, arguments, types, values = [], [], [], []
    for i, case in enumerate(rules):
        x, (q, s, *_), _ = text(case, shape, block, x_type, is_dynamic)
        arguments.append(f"%x{i}: {x}")
        given = ""
        if case[0] in blocks.TWO_LEVELS:
            arguments.append(f"%t{i}: tensor<f32>")
            given = f"tensor_scale(%t{i} : tensor<f32>) "
        lines.append(
            f"  %q{i}, %s{i} = quant_float.block_quantize %x{i} {given}block [{block[0]}, {block[1]}] rule {case[0]} : {x} to {q}, {s}"
        )
        types += [q, s]
        values += [f"%q{i}", f"%s{i}"]
    lines.append(f"  return {', '.join(values)} : {', '.join(types)}")
    if is_packed:
        types[::2] = [f"{q} {{quant_float.packed}}" for q in types[::2]]
    return f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n" + "\n".join(lines) + "\n}\n"  # fmt: skip


def get_bits(element):
    return blocks.FLOATS[element][2] if element in blocks.FLOATS else int(element[1:])


def check_all(name, rules, data, block, folder):
    """Returns the number of differences of the outputs in a folder."""
    failures = index = 0
    for case in rules:
        number = 4 if case[0] in blocks.TWO_LEVELS else 3
        outputs = [np.load(folder / f"output_{index + i}.npy") for i in range(number)]
        index += number
        failures += check(f"{name}: {' '.join(case)}", case, data, block, outputs)
    return failures


def save_input(path, data):
    np.save(path, data.view(np.uint16) if data.dtype == ml_dtypes.bfloat16 else data)
