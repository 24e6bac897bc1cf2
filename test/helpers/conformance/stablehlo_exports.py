"""Casts and quantizations that are exported to StableHLO: all pairs of types, on all values or dense edge values."""

import shutil
import subprocess

import ml_dtypes
import numpy as np

np.seterr(all="ignore")
TYPES = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu, "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "i1": np.bool_, "i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4, "i8": np.int8, "ui8": np.uint8,
    "i16": np.int16, "ui16": np.uint16, "i32": np.int32, "ui32": np.uint32, "i64": np.int64, "ui64": np.uint64,
}  # fmt: skip
FLOAT8 = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"]
# Pairs that are refused, because the result would be rounded twice.
REFUSED = {("f64", to) for to in ["f16", "bf16", "f8E8M0FNU", "f4E2M1FN", *FLOAT8]}
REFUSED |= {
    (source, to) for source in ["i32", "ui32", "i64", "ui64"] for to in ["bf16", "f8E8M0FNU"]
}


def values(name):
    dtype = np.dtype(TYPES[name])
    if name == "i1":
        return np.array([False, True])
    if name in ("i4", "ui4"):
        info = ml_dtypes.iinfo(dtype)
        return np.arange(info.min, info.max + 1).astype(dtype)
    if name == "f4E2M1FN":
        return np.arange(16, dtype=np.uint8).view(dtype)
    if dtype.itemsize == 1:
        return np.arange(256, dtype=np.uint8).view(dtype)
    if dtype.itemsize == 2:
        return np.arange(65536, dtype=np.uint16).view(dtype)
    if name == "f32":
        high = np.arange(0, 65536, 3, dtype=np.uint32) << 16
        return (
            (high[:, None] | np.array([0, 1, 0x7FFF, 0x8000, 0x8001], np.uint32))
            .reshape(-1)
            .view(np.float32)
        )
    if name == "f64":
        wide = values("f32").astype(np.float64)
        return np.concatenate([wide, np.nextafter(wide, np.inf)])
    info = np.iinfo(dtype)
    powers = [1 << k for k in range(dtype.itemsize * 8)]
    numbers = [v for p in powers for d in (-1, 0, 1) for v in (p + d, -p + d, 3 * p // 2 + d)]
    return np.array([v for v in [*numbers, info.min, info.max] if info.min <= v <= info.max], dtype)


def export(tools, source, *passes):
    command = [tools / "quant-float-opt", "--allow-unregistered-dialect", source, *passes]
    command += ["--convert-onnx-to-stablehlo", "--mlir-print-op-generic"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def evaluate(tools, work, source, arguments, *options):
    paths = [work / f"in{i}.npy" for i in range(len(arguments))]
    for path, array in zip(paths, arguments, strict=True):
        np.save(path, array)
    out = work / f"{source.stem}.out"
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run(
        [tools / "quant-float-run", source, *options, "--inputs", *paths, "--outputs", out],
        check=True,
    )
    return [
        np.load(path) for path in sorted(out.glob("*.npy"), key=lambda path: int(path.stem[7:]))
    ]


def compare(label, got, expected, tolerance=0.0):
    expected = expected.view(got.dtype) if expected.dtype != got.dtype else expected
    wide, wanted = got.astype(np.float64), expected.astype(np.float64)
    same = (wide == wanted) & (np.signbit(wide) == np.signbit(wanted)) | np.isnan(wide) & np.isnan(
        wanted
    )
    if got.dtype.kind in "iu":
        same = got == expected
    if tolerance:
        same |= np.abs(wide - wanted) <= tolerance * np.maximum(
            np.abs(wanted), np.abs(wanted).max(initial=0)
        )
    if not same.all():
        place = tuple(np.argwhere(~same)[0])
        print(
            f"{label}: {np.count_nonzero(~same)} of {same.size} differ: {got[place]}, expected {expected[place]}, at {place}"
        )
    return same.all()


def check(execute, tools, work, name, lines, arguments, types, labels, is_flushed=False):
    """Exports one function of all lines, and compares the results of `execute` with the reference's."""
    source = work / f"{name}.mlir"
    inputs = ", ".join(f"%a{i}: {kind}" for i, (_, kind) in enumerate(arguments))
    results = ", ".join(f"%r{i}" for i in range(len(lines)))
    body = "\n  ".join(lines)
    source.write_text(
        f"func.func @main({inputs}) -> ({', '.join(types)}) {{\n  {body}\n  return {results} : {', '.join(types)}\n}}\n"
    )
    arrays = [array for array, _ in arguments]
    got = execute(export(tools, source), arrays)
    expected = evaluate(tools, work, source, arrays, "--target", "reference")
    failures = 0
    for label, ours, wanted in zip(labels, got, expected, strict=True):
        # XLA flushes subnormal f32 numbers in conversions from and to f64, and bf16 goes through f32.
        flushed = is_flushed and label.startswith(
            ("cast f32 to f64", "cast bf16 to f64", "cast f64 to f32")
        )
        kept = np.abs(wanted.astype(np.float64)) >= 2.0**-126 if flushed else slice(None)
        failures += not compare(label, ours[kept], wanted[kept])
    return failures, sum(array.size for array in got)


def variants(source, to):
    """The attributes of all casts between two types."""
    if (source, to) in REFUSED or source == to:
        return
    yield " opset 28"
    if to in FLOAT8:
        yield " opset 28 saturate false"
        if source not in ("i4", "ui4", "f4E2M1FN", "f8E8M0FNU"):
            yield " opset 19"
    if to == "f8E8M0FNU":
        yield " opset 28 round_mode down"
        yield " opset 28 round_mode nearest"
        yield " opset 28 saturate false"


def casts(execute, tools, work, is_flushed=False):
    failures = count = cells = 0
    for source in TYPES:
        array = values(source)
        kind = f"tensor<{array.size}x{source}>"
        cases = [(to, attributes) for to in TYPES for attributes in variants(source, to)]
        types = [f"tensor<{array.size}x{to}>" for to, _ in cases]
        lines = [
            f"%r{i} = quant_float.cast %a0{attributes} : {kind} to {types[i]}"
            for i, (_, attributes) in enumerate(cases)
        ]
        labels = [f"cast {source} to {to}{attributes}" for to, attributes in cases]
        bad, results = check(
            execute,
            tools,
            work,
            f"cast_{source}",
            lines,
            [(array, kind)],
            types,
            labels,
            is_flushed,
        )
        failures, count, cells = failures + bad, count + results, cells + len(lines)
    print(f"{cells} casts, {count} values")
    return failures


def quantizations(execute, tools, work):
    random = np.random.default_rng(2)
    x = np.concatenate([random.normal(scale=30, size=3000), np.arange(-2000, 2000) * 0.05]).astype(
        np.float32
    )
    x = np.concatenate(
        [x, np.float32([np.inf, -np.inf, np.nan, 0, -0.0, 3e38, -3e38, 1e9])]
    ).reshape(-1, 4)
    rows = x.shape[0]
    scales = {"": (np.float32(0.1), "tensor<f32>"), " axis 1": (np.float32([0.1, 0.25, 1.7, 300]), "tensor<4xf32>"),
              " axis 0 block_size 64": (random.uniform(0.01, 2, (-(-rows // 64), 4)).astype(np.float32), None)}  # fmt: skip
    failures = count = cells = 0
    for number, (attributes, (scale, scale_type)) in enumerate(scales.items()):
        scale_type = scale_type or f"tensor<{scale.shape[0]}x4xf32>"
        arguments = [(x, f"tensor<{rows}x4xf32>"), (scale, scale_type)]
        lines, types, labels = [], [], []
        for to in (
            "i8",
            "ui8",
            "i4",
            "ui4",
            "i16",
            "ui16",
            "f8E4M3FN",
            "f8E5M2",
            "f8E4M3FNUZ",
            "f4E2M1FN",
        ):
            zero_point = ""
            zero_type = ""
            if to[0] in "iu":
                low, high = (0, 4) if to[0] == "u" else (-4, 4)
                zero = random.integers(low, high, scale.shape).astype(TYPES[to])
                arguments.append((zero, scale_type.replace("f32", to)))
                zero_point, zero_type = f", %a{len(arguments) - 1}", f", {arguments[-1][1]}"
            own = f"tensor<{rows}x4x{to}>"
            i = len(lines)
            lines.append(
                f"%r{i} = quant_float.quantize %a0, %a1{zero_point}{attributes} opset 28 : {arguments[0][1]}, {scale_type}{zero_type} to {own}"
            )
            lines.append(
                f"%r{i + 1} = quant_float.dequantize %r{i}, %a1{zero_point}{attributes} opset 28 : {own}, {scale_type}{zero_type} to {arguments[0][1]}"
            )
            lines.append(
                f"%r{i + 2} = quant_float.qdq %a0, %a1{zero_point}{attributes} storage {to} opset 28 : {arguments[0][1]}, {scale_type}{zero_type} to {arguments[0][1]}"
            )
            types += [own, arguments[0][1], arguments[0][1]]
            labels += [f"{op}{attributes} {to}" for op in ("quantize", "dequantize", "qdq")]
        bad, results = check(
            execute, tools, work, f"quantize_{number}", lines, arguments, types, labels
        )
        failures, count, cells = failures + bad, count + results, cells + len(lines)
    print(f"{cells} quantizations, {count} values")
    return failures
