"""Casts and quantizations that are exported to other compilers' ops, imported again and compiled, against the reference evaluator."""

import subprocess

import numpy as np

from conformance import stablehlo_exports as exports

TYPES = exports.TYPES
EDGES = [np.inf, -np.inf, np.nan, 0, -0.0, 3e38, -3e38, 1e9, 0.6, -12.149999618530273, 1e-40]
# The attributes of scales of an input with 4 columns, and their shapes for a number of rows.
GRANULARITIES = {
    "": lambda rows: (),
    " axis 1": lambda rows: (4,),
    " axis -2 block_size 8": lambda rows: (rows // 8, 4),
}


def constant(array, element):
    """The op that defines a constant, whose floats are given by their bits."""
    kind = f"tensor<{''.join(f'{size}x' for size in array.shape)}{element}>"
    if element[0] in "iu":
        op = "quant_float.constant" if element[0] == "u" else "arith.constant"
        text = np.array2string(
            array.astype(np.int64), separator=", ", threshold=array.size + 1
        ).replace("\n", "")
        return f"{op} dense<{text}> : {kind}"
    return f'arith.constant dense<"0x{array.tobytes().hex()}"> : {kind}'


class Module:
    """A function whose ops are exported; each op has a result."""

    def __init__(self):
        self.arguments, self.lines, self.results, self.labels = [], [], [], []

    def argument(self, array, element):
        kind = f"tensor<{''.join(f'{size}x' for size in array.shape)}{element}>"
        self.arguments.append((array, kind))
        return f"%a{len(self.arguments) - 1}", kind

    def parameter(self, array, element, is_constant):
        if not is_constant:
            return self.argument(array, element)
        name = f"%c{len(self.lines)}"
        op = constant(array, element)
        self.lines.append(f"{name} = {op}")
        return name, op.rpartition(" : ")[2]

    def add(self, label, op, kind):
        self.lines.append(f"%r{len(self.results)} = {op}")
        self.results.append(kind)
        self.labels.append(label)

    def text(self):
        arguments = ", ".join(f"%a{i}: {kind}" for i, (_, kind) in enumerate(self.arguments))
        types = ", ".join(self.results)
        names = ", ".join(f"%r{i}" for i in range(len(self.results)))
        body = "\n  ".join(self.lines)
        return f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n  return {names} : {types}\n}}\n"


def check(
    tools, work, name, module, passes, execute=None, keep=lambda label, expected: slice(None)
):
    """Returns the numbers of failures and of values. `execute` runs the exported module, by default after the import.
    `keep` selects the values to compare."""
    source, exported = work / f"{name}.mlir", work / f"{name}_exported.mlir"
    source.write_text(module.text())
    command = [tools / "quant-float-opt", "--allow-unregistered-dialect", source, *passes]
    command += ["--mlir-print-op-generic", "-o", exported]
    subprocess.run(command, check=True)
    arrays = [array for array, _ in module.arguments]
    got = (execute or exports.evaluate)(tools, work, exported, arrays)
    expected = exports.evaluate(tools, work, source, arrays, "--target", "reference")
    failures = count = 0
    for label, kind, ours, wanted in zip(module.labels, module.results, got, expected, strict=True):
        # The sign and the payload of a NaN are not compared.
        element = kind.rpartition("x")[2].rstrip(">")
        if element[:2] in ("f8", "bf"):
            ours, wanted = ours.view(TYPES[element]), wanted.view(TYPES[element])
        kept = keep(label, wanted)
        failures += not exports.compare(f"{name}: {label}", ours[kept], wanted[kept])
        count += ours[kept].size
    return failures, count


def make_scales(random, shape, powers):
    if powers:
        return np.float32(2.0) ** random.integers(-6, 6, shape)
    return random.uniform(0.01, 2, shape).astype(np.float32)


def make_zero_points(random, shape, storage):
    width = int(storage.lstrip("ui"))
    low, high = (0, 2**width) if storage[0] == "u" else (-(2 ** (width - 1)), 2 ** (width - 1))
    return random.integers(low, high, shape).astype(TYPES[storage])


def quantizations(
    tools, work, passes, storages, reals, constants=(True,), powers=False, name="", execute=None
):
    """Quantizes edge values and random ones to all types, with and without a zero point, per tensor, axis and block."""
    random = np.random.default_rng(3)
    failures = count = ops = 0
    x = np.concatenate([random.normal(scale=100, size=3000), np.arange(-500, 500) * 0.25 - 0.125])
    x = np.concatenate([x, EDGES])
    x = np.resize(x, (x.size // 32 + 1) * 32).reshape(-1, 4)
    for real in reals:
        for is_constant in constants:
            for number, (attributes, get_shape) in enumerate(GRANULARITIES.items()):
                module = Module()
                value, kind = module.argument(x.astype(TYPES[real]), real)
                scale = make_scales(random, get_shape(len(x)), powers).astype(TYPES[real])
                if not is_constant and scale.size > 4:
                    scale.flat[:5] = [0, np.nan, np.inf, -0.5, -0.0]
                divisor, divisor_kind = module.parameter(scale, real, is_constant)
                for storage in storages:
                    own = kind.replace(real, storage)
                    for with_zero in (False, True) if storage[0] in "iu" else (False,):
                        zero, zero_kind = "", ""
                        if with_zero:
                            zero, zero_kind = module.parameter(
                                make_zero_points(random, scale.shape, storage),
                                storage,
                                is_constant,
                            )
                            zero, zero_kind = f", {zero}", f", {zero_kind}"
                        module.add(
                            f"quantize{attributes} {storage} {with_zero}",
                            f"quant_float.quantize {value}, {divisor}{zero}{attributes} opset 28 : {kind}, {divisor_kind}{zero_kind} to {own}",
                            own,
                        )
                label = f"quantize_{name}{real}_{is_constant}_{number}"
                bad, values = check(tools, work, label, module, passes, execute)
                failures, count, ops = failures + bad, count + values, ops + len(module.results)
    print(f"{ops} quantizations, {count} values")
    return failures


def dequantizations(
    tools,
    work,
    passes,
    storages,
    reals,
    constants=(True,),
    has_wide_zero=False,
    name="",
    execute=None,
):
    """Dequantizes all values of each type of at most 16 bits. Zero points of 32 bits are 0 unless `has_wide_zero`."""
    random = np.random.default_rng(4)
    failures = count = ops = 0
    for storage in storages:
        encodings = exports.values(storage)
        encodings = np.resize(encodings, -(-encodings.size // 32) * 32).reshape(-1, 4)
        for is_constant in constants:
            module = Module()
            value, kind = module.argument(encodings, storage)
            for attributes, get_shape in GRANULARITIES.items():
                shape = get_shape(len(encodings))
                for real in reals:
                    scale = make_scales(random, shape, False).astype(TYPES[real])
                    factor, factor_kind = module.parameter(scale, real, is_constant)
                    has_zero = storage[0] in "iu" and (
                        storage != "i32" or is_constant or has_wide_zero
                    )
                    for with_zero in (False, True) if has_zero else (False,):
                        zero, zero_kind = "", ""
                        if with_zero:
                            array = make_zero_points(random, shape, storage)
                            if storage == "i32" and not has_wide_zero:
                                array = np.zeros_like(array)
                            zero, zero_kind = module.parameter(array, storage, is_constant)
                            zero, zero_kind = f", {zero}", f", {zero_kind}"
                        own = kind.replace(storage, real)
                        module.add(
                            f"dequantize{attributes} to {real} {with_zero}",
                            f"quant_float.dequantize {value}, {factor}{zero}{attributes} opset 28 : {kind}, {factor_kind}{zero_kind} to {own}",
                            own,
                        )
            label = f"dequantize_{name}{storage}_{is_constant}"
            bad, values = check(tools, work, label, module, passes, execute)
            failures, count, ops = failures + bad, count + values, ops + len(module.results)
    print(f"{ops} dequantizations, {count} values")
    return failures


def casts(tools, work, passes, types, is_refused):
    """Casts all values, or edge values, of each type to each other type."""

    def keep(label, expected):
        # Instructions that convert f32 to bf16 flush subnormal numbers.
        if not label.startswith("cast f32 to bf16"):
            return slice(None)
        return ~(np.abs(expected.astype(np.float32)) <= 2.0**-126)

    failures = count = ops = 0
    for source in types:
        module = Module()
        value, kind = module.argument(exports.values(source), source)
        for to in types:
            own = kind.replace(source, to)
            if is_refused(source, to):
                continue
            for attributes in exports.variants(source, to):
                module.add(
                    f"cast {source} to {to}{attributes}",
                    f"quant_float.cast {value}{attributes} : {kind} to {own}",
                    own,
                )
        bad, values = check(tools, work, f"cast_{source}", module, passes, keep=keep)
        failures, count, ops = failures + bad, count + values, ops + len(module.results)
    print(f"{ops} casts, {count} values")
    return failures
