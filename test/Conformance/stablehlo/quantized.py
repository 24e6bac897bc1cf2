# Quantized types of StableHLO, compiled, against NumPy: per tensor and per axis, signed and unsigned storage of 2 to 32 bits, narrower
# storage ranges, and matmuls and additions of quantized tensors, which compute on dequantized values.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import numpy as np

SCALES = [0.1, 0.25, 0.013]


def make_type(storage, scale, zero_point, low=None, high=None, axis=None):
    """The text of a type, and its scales, zero points and range as arrays."""
    bits = int(storage[1:])
    if low is None:
        low, high = (
            (0, 2**bits - 1) if storage[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        )
        bounds = ""
    else:
        bounds = f"<{low}:{high}>"
    if axis is None:
        text = f"!quant.uniform<{storage}{bounds}:f32, {scale}:{zero_point}>"
    else:
        pairs = ", ".join(f"{s}:{z}" for s, z in zip(scale, zero_point, strict=True))
        text = f"!quant.uniform<{storage}{bounds}:f32:{axis}, {{{pairs}}}>"
    return text, np.float32(scale), np.array(zero_point), low, high


def quantize(x, kind):
    _, scale, zero_point, low, high = kind
    rounded = np.rint(x / scale)
    return np.clip(rounded.astype(np.float64) + zero_point, low, high).astype(np.int64)


def dequantize(q, kind):
    return ((q - kind[2]).astype(np.float32) * kind[1]).astype(np.float32)


def run(tools, work, name, text, inputs):
    source = work / f"{name}.mlir"
    source.write_text(text)
    paths = [work / f"{name}{i}.npy" for i in range(len(inputs))]
    for path, array in zip(paths, inputs, strict=True):
        np.save(path, array)
    out = work / f"{name}.out"
    command = [tools / "quant-float-run", source, "--inputs", *paths, "--outputs", out]
    if subprocess.run(command, check=False).returncode:
        sys.exit(f"{source}: quant-float-run failed")
    return [np.load(path) for path in sorted(out.glob("*.npy"), key=lambda p: int(p.stem[7:]))]


def function(arguments, results, lines, returned):
    inputs = ", ".join(kind for _, kind in arguments)
    outputs = ", ".join(results)
    return (
        f'"builtin.module"() ({{\n"func.func"() <{{function_type = ({inputs}) -> ({outputs}), sym_name = "main"}}> ({{\n'
        f"^bb0({', '.join(f'{name}: {kind}' for name, kind in arguments)}):\n" + "\n".join(lines) +
        f'\n"func.return"({", ".join(returned)}) : ({outputs}) -> ()\n}}) : () -> ()\n}}) : () -> ()\n'
    )  # fmt: skip


def main():
    tools, work = Path(sys.argv[1]), Path(sys.argv[2])
    random = np.random.default_rng(3)
    x = np.concatenate([random.normal(scale=8, size=2982), np.arange(-9, 9) * 0.05]).astype(
        np.float32
    )
    x = x.reshape(1000, 3)
    kinds = [
        make_type(storage, SCALES[0], zero_point)
        for storage, zero_point in (
            ("i8", 3),
            ("u8", 128),
            ("i4", -2),
            ("u4", 7),
            ("i16", -300),
            ("u16", 4),
            ("i2", 0),
            ("u2", 1),
        )
    ]
    kinds.append(make_type("i8", SCALES[0], -1, -127, 127))
    kinds.append(make_type("i4", SCALES[1], 0, -7, 7))
    kinds.append(make_type("i32", 0.001, 5))
    kinds.append(make_type("i8", SCALES, [1, -2, 3], axis=1))
    kinds.append(make_type("u4", SCALES, [1, 2, 3], 1, 14, axis=1))
    lines, results, returned = [], [], []
    for i, kind in enumerate(kinds):
        own = f"tensor<1000x3x{kind[0]}>"
        lines.append(f'%q{i} = "stablehlo.uniform_quantize"(%x) : (tensor<1000x3xf32>) -> {own}')
        lines.append(
            f'%d{i} = "stablehlo.uniform_dequantize"(%q{i}) : ({own}) -> tensor<1000x3xf32>'
        )
        results += [own, "tensor<1000x3xf32>"]
        returned += [f"%q{i}", f"%d{i}"]
    got = run(
        tools,
        work,
        "casts",
        function([("%x", "tensor<1000x3xf32>")], results, lines, returned),
        [x],
    )
    failures = 0
    for i, kind in enumerate(kinds):
        q = quantize(x, kind)
        for what, ours, expected in (
            ("quantize", got[2 * i].astype(np.int64), q),
            ("dequantize", got[2 * i + 1], dequantize(q, kind)),
        ):
            if not np.array_equal(ours, expected):
                failures += 1
                print(
                    f"{what} {kind[0]}: {np.count_nonzero(ours != expected)} of {expected.size} differ"
                )

    # Products of scales that are powers of two are exact.
    a, b, c = (
        make_type("i8", 0.5, -4),
        make_type("i8", [0.25, 0.5, 1.0], [0, 0, 0], -127, 127, axis=1),
        make_type("i8", 4.0, 7),
    )
    qa, qb = random.integers(-128, 128, (5, 16)), random.integers(-127, 128, (16, 3))
    expected = quantize(dequantize(qa, a) @ dequantize(qb, b), c)
    total = quantize(dequantize(qa, a) + dequantize(qa, a), c)
    lines = [
        f'%0 = "stablehlo.dot_general"(%a, %b) <{{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], '
        f"rhs_contracting_dimensions = [0]>}}> : (tensor<5x16x{a[0]}>, tensor<16x3x{b[0]}>) -> tensor<5x3x{c[0]}>",
        f'%1 = "stablehlo.add"(%a, %a) : (tensor<5x16x{a[0]}>, tensor<5x16x{a[0]}>) -> tensor<5x16x{c[0]}>',
        f'%2 = "stablehlo.reshape"(%a) : (tensor<5x16x{a[0]}>) -> tensor<80x{a[0]}>',
    ]
    text = function(
        [("%a", f"tensor<5x16x{a[0]}>"), ("%b", f"tensor<16x3x{b[0]}>")],
        [f"tensor<5x3x{c[0]}>", f"tensor<5x16x{c[0]}>", f"tensor<80x{a[0]}>"], lines, ["%0", "%1", "%2"],
    )  # fmt: skip
    got = run(tools, work, "ops", text, [qa.astype(np.int8), qb.astype(np.int8)])
    for what, ours, wanted in zip(
        ("dot", "add", "reshape"), got, (expected, total, qa.reshape(-1)), strict=True
    ):
        if not np.array_equal(ours, wanted):
            failures += 1
            print(f"{what}: {np.count_nonzero(ours != wanted)} of {wanted.size} differ")
    print(f"{len(kinds)} types of {x.size} values")
    sys.exit(failures != 0)


main()
