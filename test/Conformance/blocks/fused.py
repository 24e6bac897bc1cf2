# Quantization that computes its scales, fused with the producer of its input
# (quant-float-fuse-block-reductions): norms, gated activations, residual additions and transposes,
# then block_quantize, DynamicQuantizeLinear and its decomposition into ONNX operators for each row.
# Norms and additions are compared with NumPy, other activations with the same function without
# quantization. Odd sizes, one row, no rows, dynamic sizes, two threads, NaN and infinities.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t
import subprocess
import sys
from pathlib import Path

import numpy as np
from conformance import block_cases as cases

F32 = np.float32


def sum_rows(x):
    """Additions in the order of the elements, each rounded to f32."""
    return np.add.accumulate(x, axis=-1, dtype=F32)[..., -1:]


def rms_norm(x, w, b):
    mean = sum_rows(x * x) / F32(x.shape[-1])
    return x / np.sqrt(mean + F32(1e-5)) * w


def layer_norm(x, w, b):
    size = F32(x.shape[-1])
    mean, squares = sum_rows(x) / size, sum_rows(x * x) / size
    return (x - mean) / np.sqrt(squares - mean * mean + F32(1e-5)) * w + b


def residual_norm(x, w, b):
    return rms_norm(x + b, w, b)


# The nodes that compute %h from %x, %w and %b. T is the type of %x, V that of a row. Also their
# oracle, or None.
PRODUCERS = {
    "rms": (
        '%h = quant_float.node "RMSNormalization"(%x, %w) opset 23 : (T, V) -> T',
        rms_norm,
    ),
    "layer": (
        '%h = quant_float.node "LayerNormalization"(%x, %w, %b) opset 17 : (T, V, V) -> T',
        layer_norm,
    ),
    "residual": (
        '%sum = quant_float.node "Add"(%x, %b) opset 14 : (T, V) -> T\n'
        '%h = quant_float.node "RMSNormalization"(%sum, %w) opset 23 : (T, V) -> T',
        residual_norm,
    ),
    "swiglu": (
        '%sig = quant_float.node "Sigmoid"(%x) opset 13 : (T) -> T\n'
        '%g = quant_float.node "Mul"(%x, %sig) opset 14 : (T, T) -> T\n'
        '%h = quant_float.node "Mul"(%g, %w) opset 14 : (T, V) -> T',
        None,
    ),
    "gelu": ('%h = quant_float.node "Gelu"(%x) opset 20 : (T) -> T', None),
    "transpose": (
        '%t = quant_float.node "Transpose"(%x) opset 13 {perm = [1, 0]} : (T) -> U\n'
        '%n = quant_float.node "Neg"(%t) opset 13 : (U) -> U\n'
        '%h = quant_float.node "Add"(%n, %x) opset 14 : (U, T) -> T',
        lambda x, w, b: x - x.T,
    ),
}
MXFP8 = ("rceil", "f8E4M3FN", "f8E8M0FNU")
NVFP4 = ("ggml", "f4E2M1FN", "f8E4M3FN")
ROWS = ("absmax", "i8", "f32")
# Producer, shape, block, rule, dynamic sizes (none, the first, all), threads.
RUNS = [
    *((name, (37, 192), (1, 32), MXFP8, "", 1) for name in PRODUCERS if name != "transpose"),
    *((name, (37, 100), (1, -1), ROWS, "", 1) for name in PRODUCERS if name != "transpose"),
    ("transpose", (100, 100), (1, 32), MXFP8, "", 1),
    ("transpose", (96, 96), (1, 16), NVFP4, "", 1),
    ("rms", (21, 4096), (1, 32), MXFP8, "rows", 1),
    ("layer", (5, 320), (1, -1), ROWS, "rows", 1),
    ("swiglu", (5, 320), (1, 16), NVFP4, "rows", 1),
    ("rms", (19, 70), (1, 32), MXFP8, "all", 1),
    ("layer", (19, 70), (1, -1), ROWS, "all", 1),
    ("gelu", (19, 1100), (1, 32), MXFP8, "all", 1),
    ("rms", (1, 640), (1, 32), MXFP8, "", 1),
    ("rms", (80, 4096), (1, 16), NVFP4, "", 2),
    ("layer", (0, 64), (1, 32), MXFP8, "rows", 1),
    ("gelu", (0, 64), (1, -1), ROWS, "", 1),
    ("residual", (33, 9000), (1, -1), ROWS, "", 1),
]


def get_types(shape, dynamic):
    rows, columns = ("?" if dynamic == "all" else size for size in shape)
    rows = "?" if dynamic else rows
    return {
        "T": f"tensor<{rows}x{columns}xf32>",
        "U": f"tensor<{columns}x{rows}xf32>",
        "V": f"tensor<{columns}xf32>",
    }


def write_function(text, types, results):
    for name, value in types.items():
        text = text.replace(f"({name}", f"({value}").replace(f" {name})", f" {value})")
        text = text.replace(f" {name},", f" {value},").replace(f"> {name}\n", f"> {value}\n")
    values, value_types = zip(*results, strict=True)
    joined = ", ".join(value_types)
    return (
        f"func.func @main(%x: {types['T']}, %w: {types['V']}, %b: {types['V']}) -> ({joined}) {{\n"
        f"{text}\nreturn {', '.join(values)} : {joined}\n}}\n"
    )


def run(tool, work, name, model, inputs, count, threads=1):
    source, out = work / f"{name}.mlir", work / name
    source.write_text(model)
    command = [tool, source, "--inputs", *inputs, "--outputs", out, "--threads", str(threads)]
    subprocess.run([str(part) for part in command], check=True)
    return [np.load(out / f"output_{i}.npy") for i in range(count)]


def make_inputs(work, shape, kind):
    random = np.random.default_rng([*shape, len(kind)])
    x = random.standard_normal(shape).astype(F32)
    w, b = random.standard_normal((2, shape[1])).astype(F32)
    if kind == "special" and shape[0] > 4:
        x[1, 3], x[2, 20], x[3, 5] = np.nan, np.inf, -np.inf
        x[4] = 0
        x[0] = np.ldexp(x[0], 100)
    inputs = []
    for name, array in (("x", x), ("w", w), ("b", b)):
        inputs.append(work / f"{name}.npy")
        np.save(inputs[-1], array)
    return (x, w, b), inputs


def check_blocks(tool, work):
    failures = 0
    for index, (producer, shape, block, rule, dynamic, threads) in enumerate(RUNS):
        text, oracle = PRODUCERS[producer]
        types = get_types(shape, dynamic)
        _, results, lines = cases.text(rule, shape, block, "f32", dynamic == "all")
        if dynamic == "rows":
            lines = [line.replace(f"tensor<{shape[0]}x", "tensor<?x") for line in lines]
            results = [each.replace(f"tensor<{shape[0]}x", "tensor<?x") for each in results]
        lines = [line.replace("%x", "%h") for line in lines]
        names = ["%q", "%s", "%y"]
        fused = write_function(
            "\n".join([text + "\n", *lines]), types, list(zip(names, results, strict=True))
        )
        plain = write_function(text + "\n", types, [("%h", types["T"])])
        for kind in ("usual", "special"):
            arrays, inputs = make_inputs(work, shape, kind)
            name = f"{index}-{producer}-{kind}"
            with np.errstate(all="ignore"):
                if oracle is None:
                    (h,) = run(tool, work, name + "-plain", plain, inputs, 1)
                else:
                    h = oracle(*arrays).astype(F32)
                outputs = run(tool, work, name, fused, inputs, 3, threads)
                if h.size:
                    label = f"{producer} {shape} {block} {dynamic}, {kind}"
                    failures += cases.check(label, rule, h, block, outputs)
    return failures


ROWS_BY_NODES = """
%axes = arith.constant dense<1> : tensor<1xi64>
%c = arith.constant dense<127.0> : tensor<f32>
%m = arith.constant dense<1.0e-9> : tensor<f32>
%a = quant_float.node "Abs"(%h) opset 13 : (T) -> T
%am = quant_float.node "ReduceMax"(%a, %axes) opset 18 {keepdims = 1 : i64} : (T, tensor<1xi64>) -> C
%s0 = quant_float.node "Div"(%am, %c) opset 14 : (C, tensor<f32>) -> C
%s = quant_float.node "Max"(%s0, %m) opset 13 : (C, tensor<f32>) -> C
%d = quant_float.node "Div"(%h, %s) opset 14 : (T, C) -> T
%r = quant_float.node "Round"(%d) opset 11 : (T) -> T
%q = quant_float.cast %r opset 19 : T to Q
"""
DYNAMIC = """
%q, %s, %z = quant_float.node "DynamicQuantizeLinear"(%h) opset 11 : (T) -> (Q, tensor<f32>, tensor<ui8>)
"""


def quantize_rows(h):
    scale = np.maximum(np.abs(h).max(axis=1, keepdims=True) / F32(127), F32(1e-9))
    return np.rint(h / scale).astype(np.int8), scale


def quantize_dynamic(h):
    low, high = min(h.min(initial=0), F32(0)), max(h.max(initial=0), F32(0))
    scale = F32(high - low) / F32(255) if high != low else F32(1)
    zero = np.uint8(np.clip(np.rint(-low / scale), 0, 255))
    encodings = np.clip(np.rint(h / scale).astype(np.int32) + zero, 0, 255)
    return encodings.astype(np.uint8), scale, zero


def check_nodes(tool, work):
    failures = 0
    for index, (producer, shape, dynamic) in enumerate(
        [
            ("rms", (37, 100), ""),
            ("layer", (19, 4096), "rows"),
            ("residual", (7, 33), "all"),
            ("swiglu", (5, 320), ""),
            ("gelu", (64, 1000), ""),
            ("transpose", (96, 96), ""),
        ]
    ):
        text, oracle = PRODUCERS[producer]
        types = get_types(shape, dynamic)
        rows = types["T"].split("x")[0]
        types |= {"C": f"{rows}x1xf32>", "Q": types["T"].replace("f32", "i8")}
        arrays, inputs = make_inputs(work, shape, "usual")
        name = f"nodes{index}"
        plain = write_function(text + "\n", types, [("%h", types["T"])])
        if oracle is None:
            (h,) = run(tool, work, name + "-plain", plain, inputs, 1)
        else:
            h = oracle(*arrays).astype(F32)
        by_rows = write_function(
            (text + ROWS_BY_NODES)
            .replace("to Q", f"to {types['Q']}")
            .replace(": T to", f": {types['T']} to"),
            types,
            [("%q", types["Q"]), ("%s", types["C"])],
        )
        types["Q"] = types["T"].replace("f32", "ui8")
        whole = write_function(
            (text + DYNAMIC).replace("(Q,", f"({types['Q']},"),
            types,
            [("%q", types["Q"]), ("%s", "tensor<f32>"), ("%z", "tensor<ui8>")],
        )
        for kind, model, expected in (
            ("rows", by_rows, quantize_rows(h)),
            ("dynamic", whole, quantize_dynamic(h)),
        ):
            found = run(tool, work, f"{name}-{kind}", model, inputs, len(expected))
            for number, (one, other) in enumerate(zip(found, expected, strict=True)):
                if not np.array_equal(one, other):
                    print(
                        f"{producer} {shape} {kind}: output {number}: {np.sum(one != other)} differ"
                    )
                    failures += 1
    return failures


def main(tool, work):
    return check_blocks(tool, Path(work)) + check_nodes(tool, Path(work))


sys.exit(bool(main(*sys.argv[1:])))
