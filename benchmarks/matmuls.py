#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures matvecs with low-bit weights, against ONNX Runtime and OpenVINO.

    benchmarks/matmuls.py [--sizes 4096x4096,11008x4096] [--threads 1,2] [--cpus host,x86-64-v3]
                           [--activations float,int16,int8] [--repeat N] [--data WORD] [--output
                           FILE.json | --record]

Sizes are N by K. Every contender runs the same ONNX model, with constant weights and scales, and
writes to an existing buffer. Contenders take turns, and the minimum time of a call counts, which
includes the call from Python (some microseconds). The largest error of ours relative to f64 is
reported, in units of the sum of |weight * x|. With float8 weights, x is not quantized to integers.
A peer that rejects a model, or whose error exceeds a hundredth of that unit, has no time. `over` is
a contender's time divided by that of ours for the same threads (--cpus: the first).
"""

import argparse
import os
import sys
import tempfile
import time

from harness.environment import BUILD, use_build_environment

use_build_environment()
sys.path.insert(0, str(BUILD / "python_packages"))

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import quant_float as qf  # noqa: E402
from harness.formats import SPECIAL, make_special  # noqa: E402
from harness.records import add_output, choose_output, write_rows  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

BLOCK = 32


def pack(encodings, bits):
    groups = encodings.reshape(-1, 8 // bits).astype(np.uint8)
    shifts = (bits * np.arange(8 // bits)).astype(np.uint8)
    return np.bitwise_or.reduce(groups << shifts, axis=1)


def tensor(name, kind, shape, data):
    return helper.make_tensor(name, kind, shape, data.tobytes(), raw=True)


class Matmul:
    """A model, its weights as floats, and its name."""

    def __init__(self, name, nodes, constants, weights, opset=23):
        self.name, self.weights = name, weights
        channels, depth = weights.shape
        ends = [("x", depth), ("y", channels)]
        values = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, n]) for end, n in ends]
        graph = helper.make_graph(nodes, "product", values[:1], values[1:], constants)
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
        self.model = helper.make_model(
            graph, opset_imports=opsets, ir_version=13 if opset > 24 else 11
        )


def make_scales(random, shape):
    return ((random.random(shape) + 0.5) / 64).astype(np.float32)


def make_packed(random, channels, depth, level):
    """com.microsoft's op. `level` may allow rounding x to 8 bits."""
    encodings = random.integers(0, 16, (channels, depth), dtype=np.uint8)
    scales = make_scales(random, (channels, depth // BLOCK))
    shape = (channels, depth // BLOCK, BLOCK // 2)
    attributes = {"K": depth, "N": channels, "bits": 4, "block_size": BLOCK}
    node = helper.make_node("MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft", accuracy_level=level, **attributes)  # fmt: skip
    weights = (encodings - 8.0) * np.repeat(scales, BLOCK, 1)
    constants = [
        tensor("w", TensorProto.UINT8, shape, pack(encodings, 4)),
        tensor("s", TensorProto.FLOAT, scales.shape, scales),
    ]
    return Matmul(f"MatMulNBits int4 level {level}", [node], constants, weights)


KINDS = {
    "int4": (TensorProto.INT4, 4, ml_dtypes.int4, 23),
    "int8": (TensorProto.INT8, 8, np.int8, 23),
    "e4m3fn": (TensorProto.FLOAT8E4M3FN, 8, ml_dtypes.float8_e4m3fn, 23),
    "e5m2": (TensorProto.FLOAT8E5M2, 8, ml_dtypes.float8_e5m2, 23),
    "f4e2m1": (TensorProto.FLOAT4E2M1, 4, ml_dtypes.float4_e2m1fn, 25),
}


def make_dequantized(random, channels, depth, kind, granularity, is_rows):
    """DequantizeLinear and Gemm (transB) or MatMul."""
    number, bits, dtype, opset = KINDS[kind]
    encodings = random.integers(0, 1 << bits, (channels, depth), dtype=np.uint8)
    if kind == "int4":
        values = (encodings.astype(np.int8) ^ 8) - 8
    else:
        values = encodings.view(dtype).astype(np.float32)
        encodings = np.where(np.isfinite(values), encodings, 0).astype(np.uint8)
        values = np.where(np.isfinite(values), values, 0)
    axis = 1 if is_rows else 0
    scales, attributes = make_scales(random, ()), {}
    spread = scales
    if granularity == "channel":
        scales = make_scales(random, channels)
        spread, attributes = scales[:, None], {"axis": 1 - axis}
    elif granularity == "block":
        scales = make_scales(random, (channels, depth // BLOCK))
        spread, attributes = np.repeat(scales, BLOCK, 1), {"axis": axis, "block_size": BLOCK}
    if not is_rows:
        encodings = encodings.T
        scales = scales.T if scales.ndim == 2 else scales
    data = pack(np.ascontiguousarray(encodings), bits)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["d"], **attributes),
        helper.make_node("Gemm", ["x", "d"], ["y"], transB=1)
        if is_rows
        else helper.make_node("MatMul", ["x", "d"], ["y"]),
    ]
    constants = [
        tensor("w", number, encodings.shape, data),
        tensor("s", TensorProto.FLOAT, scales.shape, np.ascontiguousarray(scales)),
    ]
    name = f"{'Gemm' if is_rows else 'MatMul'} {kind} {granularity}"
    return Matmul(name, nodes, constants, values * spread, opset)


def make_matmuls(random, channels, depth):
    for level in (0, 4):
        yield make_packed(random, channels, depth, level)
    for kind, granularity in (
        ("int4", "block"),
        ("int8", "channel"),
        ("int8", "block"),
        ("e4m3fn", "tensor"),
        ("e5m2", "tensor"),
        ("f4e2m1", "block"),
    ):
        for is_rows in (True, False):
            yield make_dequantized(random, channels, depth, kind, granularity, is_rows)


def start_ours(path, cpu, activations, threads):
    options = {"threads": threads} if threads > 1 else {}
    options |= {"activations": activations}
    kernel = qf.compile(path, cpu=cpu, **options)

    def start(x, out):
        return lambda: kernel(x, out=out)

    return start


def start_onnx_runtime(path, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def start(x, out):
        binding = session.io_binding()
        for bind, name, array in (
            (binding.bind_input, "x", x),
            (binding.bind_output, "y", out),
        ):
            bind(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
        return lambda: session.run_with_iobinding(binding)

    return start


def start_openvino(path, threads):
    import openvino

    core = openvino.Core()
    # x must not be rounded to 8 bits, as some CPUs' kernels would.
    options = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    options["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = "0"
    request = core.compile_model(path, "CPU", options).create_infer_request()

    def start(x, out):
        request.set_input_tensor(openvino.Tensor(x, shared_memory=True))
        request.set_output_tensor(openvino.Tensor(out, shared_memory=True))
        return request.infer

    return start


def measure(product, cpus, activations, threads, repeat, data):
    channels, depth = product.weights.shape
    x = make_special(np.random.default_rng(3).standard_normal((1, depth)).astype(np.float32), data)
    exact = x.astype(float) @ product.weights.astype(float).T
    most = np.abs(x).astype(float) @ np.abs(product.weights).astype(float).T
    starts = {
        f"quant-float ({cpu}{'' if kind == 'float' else ', ' + kind})": (
            lambda path, cpu=cpu, kind=kind: start_ours(path, cpu, kind, threads)
        )
        for kind in activations
        for cpu in cpus
        if kind == "float" or not product.name.split()[1].startswith("e")
    }
    starts["ONNX Runtime"] = lambda path: start_onnx_runtime(path, threads)
    starts["OpenVINO"] = lambda path: start_openvino(path, threads)
    calls, result, outs = {}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "product.onnx")
        onnx.save(product.model, path)
        for name, start in starts.items():
            out = np.zeros((1, channels), np.float32)
            outs.append(out)  # peers get the address only
            try:
                call = start(path)(x, out)
                call()
            except Exception as error:
                result[name] = {"refused": str(error).strip().splitlines()[0][:120]}
                continue
            wrong = float((np.abs(out - exact) / most).max())
            result[name] = {"error": float(f"{wrong:.2g}")}
            if wrong < 0.01:
                calls[name] = call
        best = dict.fromkeys(calls, float("inf"))
        for _ in range(repeat):
            for name, call in calls.items():
                call()  # restores the caches after another contender
                for _ in range(3):
                    start = time.perf_counter()
                    call()
                    best[name] = min(best[name], time.perf_counter() - start)
    ours = best[f"quant-float ({cpus[0]})"]
    for name, seconds in best.items():
        result[name] |= {"ms": round(seconds * 1e3, 3), "over": round(seconds / ours, 2)}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", default="4096x4096,11008x4096")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--cpus", default="host,x86-64-v3")
    parser.add_argument("--activations", default="float,int16,int8")
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--data", choices=[word for word in SPECIAL if word != "infinities"], help="what is special of x")  # fmt: skip
    add_output(parser)
    options = parser.parse_args()
    records = []
    for size in options.sizes.split(","):
        channels, depth = map(int, size.split("x"))
        for product in make_matmuls(np.random.default_rng(7), channels, depth):
            for threads in map(int, options.threads.split(",")):
                activations = options.activations.split(",")
                result = measure(product, options.cpus.split(","), activations, threads, options.repeat, options.data)  # fmt: skip
                records.append({"size": size, "product": product.name, "threads": threads, **({"data": options.data} if options.data else {}), "contenders": result})  # fmt: skip
                cells = [
                    f"{name} {cell['ms']:.3f}" for name, cell in result.items() if "ms" in cell
                ]
                print(f"{size} {product.name}, {threads}: {'; '.join(cells)}", flush=True)
    if output := choose_output(options, "matmuls"):
        write_rows(output, records)


if __name__ == "__main__":
    main()
