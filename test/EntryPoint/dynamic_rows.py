# Matmuls of a dynamic number of rows with low-bit weights: up to four rows have the bits of a model
# with static sizes (R7), more rows the values of numpy. With quantized activations (R8), any number
# of rows has the bits of static sizes. Rows in one dimension and in two, MatMulNBits,
# DequantizeLinear with Gemm, and weights that the compiler transposes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

tools, work = map(Path, sys.argv[1:])
random = np.random.default_rng(7)
K, N, BLOCK = 160, 48, 32
encodings = random.integers(0, 16, (N, K), dtype=np.uint8)
scales = random.random((N, K // BLOCK), np.float32) + np.float32(0.5)
weights = (encodings.astype(np.float32) - 8) * scales.repeat(BLOCK, 1)
packed = (encodings[:, ::2] | encodings[:, 1::2] << 4).reshape(N, K // BLOCK, BLOCK // 2)
bias = random.standard_normal(N).astype(np.float32)


def save_model(path, kind, rows):
    tensors = {"b": packed, "s": scales.reshape(-1), "c": bias}
    if kind == "nbits":
        options = {"K": K, "N": N, "bits": 4, "block_size": BLOCK}
        nodes = [helper.make_node("MatMulNBits", ["x", "b", "s"], ["m"], domain="com.microsoft", **options)]  # fmt: skip
        nodes.append(helper.make_node("Add", ["m", "c"], ["y"]))
    else:
        tensors["b"], tensors["s"] = (encodings.astype(int) - 8).astype(np.int8), scales
        nodes = [
            helper.make_node("DequantizeLinear", ["b", "s"], ["w"], axis=1, block_size=BLOCK),
            helper.make_node("Gemm", ["x", "w", "c"], ["y"], transB=1),
        ]
        if kind == "matmul":
            tensors = {k: np.ascontiguousarray(v.T) for k, v in tensors.items()}
            nodes = [
                helper.make_node("DequantizeLinear", ["b", "s"], ["w"], axis=0, block_size=BLOCK),
                helper.make_node("MatMul", ["x", "w"], ["m"]),
                helper.make_node("Add", ["m", "c"], ["y"]),
            ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [*rows, K])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [*rows, N])],
        [numpy_helper.from_array(v, k) for k, v in tensors.items() if k in str(nodes)],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


def run(model, x, *options):
    np.save(work / "x.npy", x)
    command = [tools / "quant-float-run", model, "--inputs", work / "x.npy", *options]
    subprocess.run([*command, "--outputs", work / "out"], check=True, stdout=subprocess.DEVNULL)
    return np.load(work / "out" / "output_0.npy")


quantized = ("--activations", "int8")
for kind, names in ("nbits", ["m"]), ("nbits", ["batch", "m"]), ("gemm", ["m"]), ("matmul", ["m"]), ("matmul", ["batch", "m"]):  # fmt: skip
    dynamic = work / f"{kind}{len(names)}.onnx"
    save_model(dynamic, kind, names)
    sizes = [(m,) for m in (0, 1, 3, 4, 5, 19)] if len(names) == 1 else [(1, 1), (2, 2), (1, 7), (5, 1), (0, 3)]  # fmt: skip
    for rows in sizes:
        x = random.standard_normal((*rows, K)).astype(np.float32)
        for options in (), ("--threads", "2"), quantized, (*quantized, "--threads", "2"):
            got = run(dynamic, x, *options)
            assert got.shape == (*rows, N)
            is_quantized = options[:2] == quantized
            tolerances = {"atol": 2} if is_quantized else {"rtol": 1e-4, "atol": 1e-3}
            np.testing.assert_allclose(got, x @ weights.T + bias, **tolerances)
            if not options:
                exact = got
            assert is_quantized == (not np.array_equal(got, exact)) or not got.size
            if np.prod(rows) and (is_quantized or (np.prod(rows) <= 4 and kind != "matmul")):
                static = work / "static.onnx"
                save_model(static, kind, rows)
                want = run(static, x, *options)
                assert np.array_equal(got.view(np.uint32), want.view(np.uint32)), (kind, rows)
