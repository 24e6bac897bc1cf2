#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures dynamic quantization fused with its producer, against a copy and ONNX Runtime.

    benchmarks/fused.py [--cpus host,x86-64-v3] [--repeat N] [--output FILE.json | --record]

Activations of 16 and 4096 rows of 4096 f32 are normalized, gated or added, and quantized: to blocks
with scales (MXFP8, NVFP4), by a scale for each row, or by DynamicQuantizeLinear. The models without
blocks are ONNX models, which ONNX Runtime runs as well. The copy reads the inputs and writes the
quantized elements. For 4096 rows, it is the faster one of plain and non-temporal stores. All
contenders take turns, and the minimum time of a call counts, in CPU time, which excludes other
processes. `of_copy` is the copy's time divided by that of the contender.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.environment import BUILD, use_build_environment

use_build_environment()

import numpy as np  # noqa: E402
import onnx.parser  # noqa: E402
import onnxruntime  # noqa: E402
from harness import modules  # noqa: E402
from harness.formats import aligned_empty  # noqa: E402
from harness.records import add_output, choose_output, write_rows  # noqa: E402

COLUMNS = 4096
TYPES = {
    "f32": (1, np.float32),
    "u8": (2, np.uint8),
    "i8": (3, np.int8),
    "f8E4M3FN": (17, np.uint8),
}
TYPES |= {"f4E2M1FN": (23, np.uint8), "f8E8M0FNU": (24, np.uint8)}

# The nodes that compute %h from the inputs, in MLIR and in ONNX.
PRODUCERS = {
    "RMSNormalization": ("xw", "h = RMSNormalization (x, w)"),
    "LayerNormalization": ("xwb", "h = LayerNormalization (x, w, b)"),
    "SwiGLU": ("xg", "s = Sigmoid (g) t = Mul (g, s) h = Mul (t, x)"),
    "Gelu": ("x", "h = Gelu (x)"),
    "Add": ("xg", "h = Add (x, g)"),
    "Transpose": ("y", "h = Transpose <perm = [1, 0]> (y)"),
}
OPSETS = {"LayerNormalization": 17, "Gelu": 20, "RMSNormalization": 23}
ROWS = (
    "a = Abs (h) m = ReduceMax <keepdims = 1> (a, axes) r = Div (m, limit) scale = Max (r, least)"
    " d = Div (h, scale) n = Round (d) q = Cast <to = 3> (n)"
)
WHOLE = "q, scale, zero = DynamicQuantizeLinear (h)"
MXFP8 = ("[1, 32]", "rceil", "f8E4M3FN", 32)
# Producer, quantization.
CASES = [
    ("RMSNormalization", "MXFP8"),
    ("SwiGLU", "MXFP8"),
    ("Add", "MXFP8"),
    ("Transpose", "MXFP8"),
    ("RMSNormalization", "rows"),
    ("LayerNormalization", "rows"),
    ("SwiGLU", "rows"),
    ("Add", "rows"),
    ("Add", "tensor"),
    ("Gelu", "tensor"),
]


def get_shapes(rows):
    vector, matrix = (COLUMNS,), (rows, COLUMNS)
    return {"x": matrix, "g": matrix, "y": matrix[::-1], "w": vector, "b": vector}


def write_onnx(producer, quantization, rows):
    inputs, nodes = PRODUCERS[producer]
    shapes = get_shapes(rows)
    arguments = ", ".join(f"float[{','.join(map(str, shapes[name]))}] {name}" for name in inputs)
    constants = "int64[1] axes = {1}, float limit = {127.0}, float least = {1e-9}"
    results = f"int8[{rows},{COLUMNS}] q, float[{rows},1] scale"
    if quantization == "tensor":
        constants, results = "", f"uint8[{rows},{COLUMNS}] q, float scale, uint8 zero"
    body = f"{nodes} {ROWS if quantization == 'rows' else WHOLE}"
    opset = max(18, OPSETS.get(producer, 18))
    text = f'<ir_version: 10, opset_import: ["" : {opset}]>\n'
    text += f"fused ({arguments}) => ({results})"
    text += f" <{constants}> {{{body}}}" if constants else f" {{{body}}}"
    return onnx.parser.parse_model(text)


def write_mlir(producer, rows):
    inputs, nodes = PRODUCERS[producer]
    types = {
        name: f"tensor<{'x'.join(map(str, shape))}xf32>" for name, shape in get_shapes(rows).items()
    }
    types["h"] = types["s"] = types["t"] = types["x"]
    lines = []
    for node in nodes.replace(") ", ")\n").splitlines():
        result, call = node.split(" = ", 1)
        kind, operands = call.split(" ", 1)[0], call[call.rindex("(") + 1 : -1].split(", ")
        attributes = " {perm = [1, 0]}" if kind == "Transpose" else ""
        opset = OPSETS.get(kind, 14 if kind in ("Add", "Mul") else 13)
        names, kinds = (
            ", ".join(f"%{name}" for name in operands),
            ", ".join(types[name] for name in operands),
        )
        lines.append(
            f'%{result} = quant_float.node "{kind}"({names}) opset {opset}{attributes} : ({kinds}) -> {types[result]}'
        )
    block, rule, element, size = MXFP8
    results = [f"tensor<{rows}x{COLUMNS}x{element}>", f"tensor<{rows}x{COLUMNS // size}xf8E8M0FNU>"]
    joined = ", ".join(results)
    arguments = ", ".join(f"%{name}: {types[name]}" for name in inputs)
    return (
        f"func.func @fused({arguments}) -> ({joined}) {{\n" + "\n".join(lines) + "\n"
        f"%q, %scale = quant_float.block_quantize %h block {block} rule {rule} : {types['h']} to {joined}\n"
        f"return %q, %scale : {joined}\n}}\n"
    )


def make_tensor(kind, shape, random=None):
    onnx_type, dtype = TYPES[kind]
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    array = aligned_empty(count).view(dtype).reshape(shape)
    if random is not None:
        array[...] = random.standard_normal(shape)
    return array, modules.tensor(array, onnx_type)


def start_ours(native, source, cpu, inputs, outputs):
    tool = BUILD / "bin" / "quant-float-compile"
    library = source.with_suffix(f".{cpu}.so")
    function = modules.compile_module(tool, source, library, "fused", ["--cpu", cpu])
    arguments = (modules.Tensor * len(inputs))(*(tensor for _, tensor in inputs))
    results = (modules.Tensor * len(outputs))(*(tensor for _, tensor in outputs))
    error, status = ctypes.create_string_buffer(modules.ERROR_SIZE), ctypes.c_int()

    def call(calls):
        native.time_entry_point(
            function, ctypes.byref(arguments), ctypes.byref(results), error,
            ctypes.c_size_t(modules.ERROR_SIZE), ctypes.c_int64(calls), ctypes.byref(status),
        )  # fmt: skip
        if status.value:
            raise SystemExit(f"error {status.value}: {error.value.decode()}")

    return call


def start_copy(native, inputs, outputs, streams):
    """The inputs with as many elements as the result, which share one buffer here, and the
    result."""
    result = outputs[0][0]
    count = sum(array.size == result.size for array, _ in inputs)
    source = aligned_empty(4 * count * result.size)
    source.fill(1)

    def call(calls):
        native.time_traffic(
            ctypes.c_void_p(source.ctypes.data), ctypes.c_int64(4 * count),
            ctypes.c_void_p(result.ctypes.data), ctypes.c_int64(1),
            ctypes.c_int64(result.size), streams, ctypes.c_int64(calls),
        )  # fmt: skip

    return call


def start_onnx_runtime(source, names, inputs, outputs):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, (array, _) in zip(names, inputs, strict=True):
        binding.bind_input(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
    for output, (array, _) in zip(session.get_outputs(), outputs, strict=True):
        binding.bind_output(output.name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)

    def call(calls):
        for _ in range(calls):
            session.run_with_iobinding(binding)

    return call


def measure(native, folder, producer, quantization, rows, options):
    random = np.random.default_rng(7)
    names, shapes = PRODUCERS[producer][0], get_shapes(rows)
    inputs = [make_tensor("f32", shapes[name], random) for name in names]
    shape = (rows, COLUMNS)
    if quantization == "MXFP8":
        source = folder / "model.mlir"
        source.write_text(write_mlir(producer, rows))
        outputs = [make_tensor("f8E4M3FN", shape), make_tensor("f8E8M0FNU", (rows, COLUMNS // 32))]
    else:
        source = folder / "model.onnx"
        onnx.save(write_onnx(producer, quantization, rows), source)
        ends = {
            "rows": [("i8", shape), ("f32", (rows, 1))],
            "tensor": [("u8", shape), ("f32", ()), ("u8", ())],
        }
        outputs = [make_tensor(*end) for end in ends[quantization]]
    calls = {}
    for cpu in options.cpus.split(","):
        calls[f"quant-float ({cpu})"] = start_ours(native, source, cpu, inputs, outputs)
    if quantization != "MXFP8":
        try:
            calls["ONNX Runtime"] = start_onnx_runtime(source, names, inputs, outputs)
        except Exception as error:  # its own exceptions share no useful base
            print(f"ONNX Runtime: {str(error).splitlines()[0][:150]}", file=sys.stderr)
    for streams, name in enumerate(("copy", "copy (nt)")):
        calls[name] = start_copy(native, inputs, outputs, streams)
    best = dict.fromkeys(calls, float("inf"))
    count = 1 if rows > 100 else 50
    for _ in range(options.repeat):
        for name, call in calls.items():
            call(1)  # restores the caches after another contender
            start = time.thread_time()
            call(count)
            best[name] = min(best[name], (time.thread_time() - start) / count)
    plain, streaming = best.pop("copy"), best.pop("copy (nt)")
    copy = min(plain, streaming) if rows > 100 else plain
    best["copy"] = copy
    return {
        name: {"us": round(seconds * 1e6, 1), "of_copy": round(copy / seconds, 2)}
        for name, seconds in best.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--cpus", default="host,x86-64-v3")
    parser.add_argument("--repeat", type=int, default=15)
    add_output(parser)
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    records = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiler = os.environ.get("CC", f"clang-{os.environ.get('QF_LLVM', '22')}")
        source = Path(__file__).parent / "harness" / "timing.c"
        library = folder / "timing.so"
        subprocess.run(
            [compiler, "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library],
            check=True,
        )
        native = ctypes.CDLL(str(library))
        native.time_entry_point.restype = native.time_traffic.restype = ctypes.c_double
        for rows in (16, 4096):
            for index, (producer, quantization) in enumerate(CASES):
                row = f"{producer}, {quantization}, {rows}x{COLUMNS}"
                own = folder / f"{rows}-{index}"
                own.mkdir()
                result = measure(native, own, producer, quantization, rows, options)
                records.append({"model": row, "contenders": result})
                cells = [
                    f"{name} {cell['us']:.1f} ({cell['of_copy']:.2f})"
                    for name, cell in result.items()
                ]
                print(f"{row}: {'; '.join(cells)}", flush=True)
    if output := choose_output(options, "fused"):
        write_rows(output, records)


if __name__ == "__main__":
    main()
