# Quantization with the formats that ONNX lacks, in compiled code and the Reference, against the
# formulas in numpy and exact rounding.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t
import pathlib
import platform
import subprocess
import sys

import ml_dtypes
import numpy as np
from conformance.described import DESCRIBED, OWN

program, work = sys.argv[1], pathlib.Path(sys.argv[2])
CPUS = ["host", "x86-64-v3", "x86-64"] if platform.machine() == "x86_64" else ["host"]
TARGETS = [*(["--cpu", cpu] for cpu in CPUS), ["--target", "reference"]]
ROWS, COLUMNS, BLOCK = 64, 96, 32
random = np.random.default_rng(1)
failures = []
compared = 0


def run(operands, ops, *options):
    """The results of several ops on the same operands. The first operand depends on the op."""
    arguments, lines, results = [], [], []
    for i, (op, types, result) in enumerate(ops):
        arguments += [f"%x{i}_{j}: {type}" for j, type in enumerate(types)]
        names = ", ".join(f"%x{i}_{j}" for j in range(len(types)))
        lines.append(f"  %y{i} = quant_float.{op.format(names)} : {', '.join(types)} to {result}\n")
        results.append(result)
    values = ", ".join(f"%y{i}" for i in range(len(ops)))
    types = ", ".join(results)
    (work / "m.mlir").write_text(
        f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n{''.join(lines)}  return {values} : {types}\n}}\n"
    )
    paths = [work / f"{i}.npy" for i in range(len(operands))]
    for path, operand in zip(paths, operands, strict=True):
        np.save(path, operand)
    command = [
        program,
        work / "m.mlir",
        "--inputs",
        *(paths * len(ops)),
        "--outputs",
        work,
        *options,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [np.load(work / f"output_{i}.npy") for i in range(len(ops))]


def compare(what, got, expected, isnan):
    """The sign of a NaN is not specified (D8)."""
    global compared
    compared += got.size
    same = isnan(got) & isnan(expected) | (got == expected)
    if not same.all():
        i = tuple(np.argwhere(~same)[0])
        failures.append(
            f"{what}: {(~same).sum()} differ, {i}: expected {expected[i]}, but got {got[i]}"
        )


def make_scales(name, shape):
    if name == "f32":
        scales = random.uniform(0.01, 100, shape).astype(np.float32)
        scales.flat[: min(scales.size, 6)] = [0.0, np.inf, np.nan, -0.5, 1e-40, 3e38][: scales.size]
        return scales, scales
    encodings = random.integers(0, 256, shape, dtype=np.uint8)
    return encodings, DESCRIBED[name].values(encodings.ravel()).reshape(shape).astype(np.float32)


def spread(values, how):
    if how == "blocked":
        return np.repeat(values, BLOCK, axis=1)
    return values[:, None] if how == "axis" else values


HOW = {
    "tensor": ((), "", ""),
    "axis": ((ROWS,), "axis 0", f"{ROWS}x"),
    "blocked": (
        (ROWS, COLUMNS // BLOCK),
        f"axis 1 block_size {BLOCK}",
        f"{ROWS}x{COLUMNS // BLOCK}x",
    ),
}
CASES = [
    ("f32", "tensor"), ("f32", "axis"), ("!quant_float.f8UE5M3", "blocked"), ("!quant_float.f8UE5M3", "axis"),
    ("f8E4M3FN", "blocked"), ("f8E3M4", "tensor"), ("f8E4M3B11FNUZ", "axis"),
]  # fmt: skip
WHOLE = f"tensor<{ROWS}x{COLUMNS}x{{}}>"


def quantize(scale, how):
    shape, granularity, sizes = HOW[how]
    encodings, scales = make_scales(scale, shape)
    x = (
        random.standard_normal((ROWS, COLUMNS)) * np.exp2(random.integers(-30, 30, (ROWS, COLUMNS)))
    ).astype(np.float32)
    x[0, :5] = [0.0, -0.0, np.inf, -np.inf, np.nan]
    with np.errstate(all="ignore"):
        quotient = x / spread(scales, how)
    ops, expected = [], []
    for to in (*OWN, "i8"):
        for saturate in ("true", "false"):
            op = f'quantize {{}} {granularity} opset 1 domain "quant_float" saturate {saturate}'
            ops.append((op, [WHOLE.format("f32"), f"tensor<{sizes}{scale}>"], WHOLE.format(to)))
            if to == "i8":
                whole = np.clip(np.rint(np.nan_to_num(quotient, nan=0)), -128, 127)
                expected.append((to, whole.astype(np.int8)))
            else:
                numbers = quotient.ravel().astype(np.longdouble)
                expected.append(
                    (to, DESCRIBED[to].encode(numbers, saturate == "true").reshape(x.shape))
                )
    for target in TARGETS:
        for (op, *_), (to, wanted), got in zip(
            ops, expected, run([x, encodings], ops, *target), strict=True
        ):

            def isnan(encodings, to=to):
                if to == "i8":
                    return np.zeros(encodings.shape, bool)
                return np.isnan(DESCRIBED[to].values(encodings.ravel())).reshape(encodings.shape)

            compare(f"{scale} to {to} {op} {target}", got, wanted, isnan)


def dequantize(scale, how, to):
    shape, granularity, sizes = HOW[how]
    encodings, scales = make_scales(scale, shape)
    x = random.integers(0, 256, (ROWS, COLUMNS), dtype=np.uint8)
    dtype = np.dtype({"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}[to])
    op = f'dequantize {{}} {granularity} opset 1 domain "quant_float"'
    ops, expected = [], []
    for source in (*OWN, "f4E2M1FN"):
        if source == "f4E2M1FN":
            values = (x & 15).view(ml_dtypes.float4_e2m1fn).astype(np.float32)
        else:
            values = DESCRIBED[source].values(x.ravel()).reshape(x.shape).astype(np.float32)
        with np.errstate(all="ignore"):
            expected.append((values * spread(scales, how)).astype(dtype).astype(np.float32))
        ops.append((op, [WHOLE.format(source), f"tensor<{sizes}{scale}>"], WHOLE.format(to)))
    for target in TARGETS:
        for (_, types, _), wanted, got in zip(
            ops, expected, run([x, encodings], ops, *target), strict=True
        ):
            got = got.view(dtype) if to == "bf16" else got
            compare(f"{types} {op} to {to} {target}", got.astype(np.float32), wanted, np.isnan)


for scale, how in CASES:
    quantize(scale, how)
for (scale, how), to in zip(CASES, ["f32", "f16", "bf16"] * 3, strict=False):
    dequantize(scale, how, to)
print(f"{compared} compared, {len(failures)} failures")
sys.exit("\n".join(failures[:20]) if failures else 0)
