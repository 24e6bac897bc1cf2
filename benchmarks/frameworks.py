#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the operators for other frameworks with those of the frameworks, in one thread.

    python benchmarks/frameworks.py torch|jax|onnxruntime [--package build/python_packages] [--size
    N] [--repeat N] [--output FILE.json]

Runs in an environment with the framework: for PyTorch, build/networks/venv/bin/python runs it. Both
operators of a row take the same array of N elements in rows of 1024 and allocate their results.
They are timed in turns, and the table contains the minimum and the median of the calls in
microseconds.
"""

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

from harness.cpu import describe_cpu
from harness.environment import BUILD, ROOT, use_build_environment

use_build_environment()


def list_torch(size, build):
    import quant_float.torch as qt
    import torch

    # Ops on quantized tensors, which PyTorch will remove.
    warnings.filterwarnings("ignore", message="torch.quantize_per_tensor")
    torch.set_num_threads(1)
    x = torch.randn(size // 1024, 1024)
    scale = torch.rand(1024) + 0.1
    zero = torch.zeros(1024, dtype=torch.int32)
    signed = zero.to(torch.int8)
    float8 = x.to(torch.float8_e4m3fn)
    half = x.to(torch.bfloat16)
    encodings = qt.quantize(x, scale, signed, axis=1)
    own = torch.quantize_per_channel(x, scale, zero, 1, torch.qint8)
    fake = torch.fake_quantize_per_channel_affine

    yield "f32 to float8_e4m3fn", lambda: qt.cast(x, float8.dtype), lambda: x.to(float8.dtype)
    yield (
        "bf16 to float8_e4m3fn",
        lambda: qt.cast(half, float8.dtype),
        lambda: half.to(float8.dtype),
    )
    yield "float8_e4m3fn to f32", lambda: qt.cast(float8, x.dtype), lambda: float8.to(x.dtype)
    yield (
        "quantize to int8 per axis",
        lambda: qt.quantize(x, scale, signed, axis=1),
        lambda: torch.quantize_per_channel(x, scale, zero, 1, torch.qint8),
    )
    yield (
        "dequantize int8 per axis",
        lambda: qt.dequantize(encodings, scale, signed, axis=1),
        lambda: own.dequantize(),
    )
    yield (
        "qdq to int8 per axis",
        lambda: qt.qdq(x, scale, signed, storage="int8", axis=1),
        lambda: fake(x, scale, zero, 1, -128, 127),
    )
    # Weights with this number of elements, multiplied by one vector.
    rows = size // 1024
    weights, vector = torch.randn(rows, 1024), torch.randn(1, 1024)
    values, scales = qt.block_quantize(
        weights, torch.float4_e2m1fn_x2, torch.float8_e8m0fnu, 32, "rceil"
    )

    @torch.compile(backend="quant_float", dynamic=False)
    def product(vector):
        return torch.nn.functional.linear(vector, qt.block_dequantize(values, scales, 32))

    yield (
        "compiled matvec, MXFP4 weights relative to float",
        lambda: product(vector),
        lambda: torch.nn.functional.linear(vector, weights),
    )
    # Layers with quantized inputs: ours are compiled, PyTorch's are eager.
    layers = torch.nn.functional
    image, kernels = torch.randn(1, 32, 56, 56), torch.randn(32, 32, 3, 3)
    heads = torch.randn(1, 4, 128, 64)
    table, indices = qt.cast(weights, torch.float8_e4m3fn), torch.randint(rows, (1, 64))

    def convolve(x, quantize):
        return layers.relu(layers.conv2d(quantize(x), kernels, padding=1))

    def attend(x, quantize):
        x = quantize(x)
        return layers.scaled_dot_product_attention(x, x, x, is_causal=True)

    def embed(indices, quantize):
        return quantize(layers.embedding(indices, table).to(x.dtype))

    def embed_cast(indices):
        return layers.embedding(indices, qt.cast(table, x.dtype))

    def quantize(x):
        return qt.qdq(x, 0.02, storage="int8")

    def fake_quantize(x):
        return torch.fake_quantize_per_tensor_affine(x, 0.02, 0, -128, 127)

    for name, layer, value in (
        ("compiled convolution 56x56x32, int8 qdq", convolve, image),
        ("compiled causal attention 4x128x64, int8 qdq", attend, heads),
    ):
        compiled = torch.compile(layer, backend="quant_float", dynamic=False)
        yield (
            name,
            lambda f=compiled, x=value: f(x, quantize),
            lambda f=layer, x=value: f(x, fake_quantize),
        )
    embedding = torch.compile(embed_cast, backend="quant_float", dynamic=False)
    yield (
        "compiled embedding of 64 rows of float8",
        lambda: embedding(indices),
        lambda: embed(indices, lambda x: x),
    )


def list_jax(size, build):
    import jax
    import jax.numpy as jnp
    import numpy as np
    import quant_float.jax as qj

    random = np.random.default_rng(1)
    x = jnp.asarray(random.standard_normal((size // 1024, 1024), np.float32))
    scale = jnp.asarray(random.uniform(0.1, 1, 1024).astype(np.float32))
    float8, half = x.astype(jnp.float8_e4m3fn), x.astype(jnp.bfloat16)
    encodings = qj.quantize(x, scale, dtype="int8", axis=1)

    def jit(function, *arguments):
        compiled = jax.jit(function)
        return lambda: compiled(*arguments).block_until_ready()

    def quantize(x, s):
        return jnp.clip(jnp.round(x / s), -128, 127).astype(jnp.int8)

    def dequantize(q, s):
        return q.astype(jnp.float32) * s

    for name, value, dtype in (
        ("f32 to float8_e4m3fn", x, jnp.float8_e4m3fn),
        ("bf16 to float8_e4m3fn", half, jnp.float8_e4m3fn),
        ("float8_e4m3fn to f32", float8, jnp.float32),
    ):
        yield (
            name,
            jit(lambda x, dtype=dtype: qj.cast(x, dtype, saturate=False), value),
            jit(lambda x, dtype=dtype: x.astype(dtype), value),
        )
    yield (
        "quantize to int8 per axis",
        jit(lambda x, s: qj.quantize(x, s, dtype="int8", axis=1), x, scale),
        jit(quantize, x, scale),
    )
    yield (
        "dequantize int8 per axis",
        jit(lambda x, s: qj.dequantize(x, s, axis=1), encodings, scale),
        jit(dequantize, encodings, scale),
    )
    yield (
        "qdq to int8 per axis",
        jit(lambda x, s: qj.qdq(x, s, storage="int8", axis=1), x, scale),
        jit(lambda x, s: dequantize(quantize(x, s), s), x, scale),
    )
    blocks = jnp.asarray(random.uniform(0.1, 1, (size // 1024, 32)).astype(np.float32))
    yield (
        "quantize to int8 in blocks of 32",
        jit(lambda x, s: qj.quantize(x, s, dtype="int8", axis=1, block_size=32), x, blocks),
        jit(lambda x, s: quantize(x, jnp.repeat(s, 32, 1)), x, blocks),
    )

    def quantize_mx(x):
        """OCP's rule: the scale is the power of two of the maximum magnitude divided by that of the
        type."""
        x = x.reshape(*x.shape[:-1], -1, 32)
        largest = jnp.abs(x).max(-1, keepdims=True)
        exponent = jnp.clip(jnp.floor(jnp.log2(largest)) - 8, -127, 127)
        scale = jnp.exp2(exponent)
        limited = jnp.clip(x / scale, -448, 448)
        return limited.astype(jnp.float8_e4m3fn), scale.astype(jnp.float8_e8m0fnu)

    values, scales = qj.block_quantize(x, "float8e4m3fn", "float8e8m0", 32, "floor")
    yield (
        "block_quantize to MXFP8",
        jit(lambda x: qj.block_quantize(x, "float8e4m3fn", "float8e8m0", 32, "floor")[0], x),
        jit(lambda x: quantize_mx(x)[0], x),
    )
    yield (
        "block_dequantize from MXFP8",
        jit(lambda x, s: qj.block_dequantize(x, s, 32), values, scales),
        jit(
            lambda x, s: x.astype(jnp.float32) * jnp.repeat(s.astype(jnp.float32), 32, 1),
            values,
            scales,
        ),
    )


def list_onnxruntime(size, build):
    import numpy as np
    import onnxruntime as ort
    from onnx import TensorProto, helper

    library = build / "lib" / "libQuantFloatOnnxRuntime.so"
    random = np.random.default_rng(1)
    rows = size // 1024
    x = random.standard_normal((rows, 1024), np.float32)
    scale = random.uniform(0.1, 1, 1024).astype(np.float32)
    encodings = random.integers(-128, 128, (rows, 1024), dtype=np.int8)
    zero = np.zeros(1024, np.int8)
    packed = random.integers(0, 256, (1024, 32, 16), dtype=np.uint8)
    scales = random.uniform(0.1, 1, (1024, 32)).astype(np.float32)
    token = x[:1]

    def make(domain, op, arrays, output, **attributes):
        types = {"f": TensorProto.FLOAT, "i": TensorProto.INT8, "u": TensorProto.UINT8}
        node = helper.make_node(op, list(arrays), ["y"], domain=domain, **attributes)
        inputs = [
            helper.make_tensor_value_info(name, types[array.dtype.kind], array.shape)
            for name, array in arrays.items()
        ]
        outputs = [helper.make_tensor_value_info("y", output, None)]
        graph = helper.make_graph([node], op, inputs, outputs)
        imports = [
            helper.make_opsetid(*each)
            for each in (("", 23), ("quant_float", 1), ("com.microsoft", 1))
        ]
        model = helper.make_model(graph, opset_imports=imports, ir_version=11)
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.register_custom_ops_library(str(library))
        session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        values = {name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in arrays.items()}
        return lambda: session.run_with_ort_values(["y"], values)

    float8, float32, int8 = TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT, TensorProto.INT8
    quantized = {"x": x, "s": scale, "z": zero}
    product = {"a": token, "b": packed, "s": scales}
    shape = {"K": 1024, "N": 1024, "bits": 4, "block_size": 32}
    for name, op, arrays, output, attributes in (
        ("f32 to float8e4m3fn", "Cast", {"x": x}, float8, {"to": float8}),
        ("quantize to int8 per axis", "QuantizeLinear", quantized, int8, {"axis": 1}),
        (
            "dequantize int8 per axis",
            "DequantizeLinear",
            quantized | {"x": encodings},
            float32,
            {"axis": 1},
        ),
        ("MatMulNBits 1x1024x1024 int4", "MatMulNBits", product, float32, shape),
    ):
        own = "com.microsoft" if op == "MatMulNBits" else ""
        yield (
            name,
            *(make(domain, op, arrays, output, **attributes) for domain in ("quant_float", own)),
        )


FRAMEWORKS = {"torch": list_torch, "jax": list_jax, "onnxruntime": list_onnxruntime}


def measure(function, repeat):
    """The seconds of each call, in groups of about 2 ms."""
    function()
    start = time.perf_counter()
    function()
    count = max(1, int(2e-3 / max(time.perf_counter() - start, 1e-7)))
    while True:
        start = time.perf_counter()
        for _ in range(count):
            function()
        yield (time.perf_counter() - start) / count


def describe_machine(framework):
    cpu = describe_cpu()
    command = ["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=40"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    versions = {}
    for package in (framework, "jaxlib", "numpy"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit or None,
        "cpu": cpu["model"],
        "cpu_vendor": cpu["vendor"],
        "cpu_family_model": f"{cpu['family']}/{cpu['model_number']}",
        "versions": versions,
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("framework", choices=FRAMEWORKS)
    parser.add_argument("--package", type=pathlib.Path, default=BUILD / "python_packages")
    parser.add_argument("--size", type=int, default=1 << 20, help="elements (default: 1048576)")
    parser.add_argument("--repeat", type=int, default=25, help="measurements (default: 25)")
    parser.add_argument("--output", type=pathlib.Path, help="a JSON file")
    options = parser.parse_args()
    sys.path.insert(0, str(options.package))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = (
        "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        " --xla_allow_excess_precision=false"
    )
    records = []
    print(
        f"| {options.framework}, {options.size} elements | quant-float | median | {options.framework} | median |"
    )
    print("|---|---:|---:|---:|---:|")
    for name, ours, theirs in FRAMEWORKS[options.framework](options.size, options.package.parent):
        timers = [measure(function, options.repeat) for function in (ours, theirs)]
        times = [[next(timer) for timer in timers] for _ in range(options.repeat)]
        row = {"name": name}
        for key, seconds in zip(
            ("quant_float", "framework"), zip(*times, strict=True), strict=True
        ):
            row[f"{key}_best_us"] = min(seconds) * 1e6
            row[f"{key}_median_us"] = statistics.median(seconds) * 1e6
        records.append(row)
        print(
            f"| {name} | " + " | ".join(f"{value:.1f}" for value in list(row.values())[1:]) + " |",
            flush=True,
        )
    if options.output:
        record = {
            "framework": options.framework,
            "elements": options.size,
            "machine": describe_machine(options.framework),
            "rows": records,
        }
        options.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
