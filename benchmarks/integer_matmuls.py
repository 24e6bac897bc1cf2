#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures matmuls and convolutions of 8-bit integers in one thread, against ONNX Runtime.

    benchmarks/integer_matmuls.py [--cpus host,x86-64-v3] [--repeat N] [--output FILE.json |
    --record]

Both run the same ONNX model, with constant weights, and take turns. The minimum time of a call
counts, in CPU time, which excludes other processes, and includes the call from Python (some
microseconds). `over` is a contender's time divided by that of ours for the first of --cpus: ONNX
Runtime selects its kernels by the machine only. Different bits (sums that saturate without VNNI)
are reported.
"""

import argparse
import os
import sys
import tempfile
import time

from harness.environment import BUILD, use_build_environment

use_build_environment()
sys.path.insert(0, str(BUILD / "python_packages"))

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import quant_float as qf  # noqa: E402
from harness.records import add_output, choose_output, write_rows  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

ENCODINGS = {"u8": (TensorProto.UINT8, np.uint8), "s8": (TensorProto.INT8, np.int8)}


def make_quantized(random, kind, shape):
    limits = np.iinfo(ENCODINGS[kind][1])
    return random.integers(limits.min, limits.max + 1, shape).astype(ENCODINGS[kind][1])


def make_model(node, constants, x, result_type, result_shape):
    ends = [("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape), ("y", result_type, result_shape)]  # fmt: skip
    values = [helper.make_tensor_value_info(*end) for end in ends]
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph([node], "integers", values[:1], values[1:], initializers)
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def make_matmul(random, left, right, rows, depth, columns):
    x = make_quantized(random, left, (rows, depth))
    weights = make_quantized(random, right, (depth, columns))
    node = helper.make_node("MatMulInteger", ["x", "w", "p"], ["y"])
    constants = {"w": weights, "p": np.array(3, x.dtype)}
    name = f"MatMulInteger {left} {right} {rows}x{depth}x{columns}"
    return name, make_model(node, constants, x, TensorProto.INT32, (rows, columns)), x


def make_convolution(random, channels, filters, kernel, size, group=1):
    x = make_quantized(random, "u8", (1, channels, size, size))
    weights = make_quantized(random, "s8", (filters, channels // group, kernel, kernel))
    depth = weights[0].size
    constants = {
        "xs": np.float32(0.02),
        "xp": np.array(120, np.uint8),
        "w": weights,
        "ws": np.float32(0.01),
        "wp": np.array(0, np.int8),
        "ys": np.float32(0.02 * 74 * np.sqrt(depth) * 0.01),
        "yp": np.array(128, np.uint8),
    }
    pads = [kernel // 2] * 4
    names = ["x", "xs", "xp", "w", "ws", "wp", "ys", "yp"]
    node = helper.make_node("QLinearConv", names, ["y"], group=group, pads=pads)
    constants = {name: np.asarray(value) for name, value in constants.items()}
    kind = "depthwise" if group == channels else f"{channels} to {filters} channels"
    name = f"QLinearConv {kernel}x{kernel}, {kind}, {size}x{size}"
    return name, make_model(node, constants, x, TensorProto.UINT8, (1, filters, size, size)), x


def start_onnx_runtime(path, x):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"x": x})[0]


def measure(model, x, cpus, repeat):
    calls, best, result = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        onnx.save(model, path)
        for cpu in cpus:
            kernel = qf.compile(path, cpu=cpu)
            calls[f"quant-float ({cpu})"] = lambda kernel=kernel: kernel(x)
        calls["ONNX Runtime"] = start_onnx_runtime(path, x)
        outputs = {name: np.asarray(call()) for name, call in calls.items()}
        best = dict.fromkeys(calls, float("inf"))
        for _ in range(repeat):
            for name, call in calls.items():
                call()  # restores the caches after another contender
                for _ in range(3):
                    start = time.thread_time()
                    call()
                    best[name] = min(best[name], time.thread_time() - start)
    ours = f"quant-float ({cpus[0]})"
    for name, seconds in best.items():
        differ = int((outputs[name] != outputs[ours]).sum())
        result[name] = {"ms": round(seconds * 1e3, 3), "over": round(seconds / best[ours], 2)}
        if differ:
            result[name]["other_bits"] = differ
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--cpus", default="host,x86-64-v3")
    parser.add_argument("--repeat", type=int, default=10)
    add_output(parser)
    options = parser.parse_args()
    random = np.random.default_rng(11)
    records = []
    for name, model, x in (
        make_matmul(random, "u8", "s8", 1024, 1024, 1024),
        make_matmul(random, "u8", "u8", 1024, 1024, 1024),
        make_matmul(random, "s8", "s8", 1024, 1024, 1024),
        make_matmul(random, "u8", "s8", 64, 768, 3072),
        make_convolution(random, 64, 64, 3, 56),
        make_convolution(random, 256, 256, 1, 28),
        make_convolution(random, 3, 32, 3, 224),
        make_convolution(random, 128, 128, 3, 56, group=128),
    ):
        result = measure(model, x, options.cpus.split(","), options.repeat)
        records.append({"model": name, "contenders": result})
        cells = [f"{name} {cell['ms']:.3f}" for name, cell in result.items()]
        print(f"{name}: {'; '.join(cells)}", flush=True)
    if output := choose_output(options, "integer_matmuls"):
        write_rows(output, records)


if __name__ == "__main__":
    main()
