# Large constants stay in the mapped model file, in whole models and in partitions: neither the
# compiler nor the compiled code copies them, except for N-contiguous weights of skinny matmuls.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t
import os
import pathlib
import sys

import expect
import numpy as np
import onnx
import quant_float as qf
from onnx import TensorProto, helper, numpy_helper

work = pathlib.Path(sys.argv[1])


def read_own():
    """The anonymous memory of this process, in KiB."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1])
    return 0


def save(name, rows, columns, is_partitioned, is_across=False):
    """x times dequantized weights. For partitions, a node without a lowering follows."""
    weights = (np.arange(rows * columns) % 5 - 2).astype(np.int8).reshape(rows, columns)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["d"]),
        helper.make_node("Gemm", ["x", "d"], ["y"], transB=int(not is_across)),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, columns])]
    if is_partitioned:
        nodes.append(helper.make_node("Scramble", ["y"], ["z"], domain="com.example"))
        outputs.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, None))
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, rows])],
        outputs,
        [
            numpy_helper.from_array(weights if is_across else weights.T.copy(), "w"),
            numpy_helper.from_array(np.float32(0.5), "s"),
        ],
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 19), helper.make_opsetid("com.example", 1)],
        ir_version=9,
    )
    path = work / f"{name}.onnx"
    onnx.save(model, path, save_as_external_data=True, location=f"{name}.bin", size_threshold=0)
    return path, weights


def run(path, rows, partition):
    kernel = qf.compile(path, partition=partition)
    x = np.zeros((1, rows), np.float32)
    x[0, 1] = 2
    return kernel, kernel(x)


# Sanitizers allocate memory that counts here.
limit = 200 << 10 if "QUANT_FLOAT_SANITIZERS" in os.environ else 16 << 10
for is_partitioned in (False, True):
    # The compiler's caches are filled by now.
    run(save("small", 4, 256, is_partitioned)[0], 4, is_partitioned)
    path, weights = save("large", 2048, 16384, is_partitioned)
    before = read_own()
    kernel, y = run(path, 2048, is_partitioned)
    grown = read_own() - before
    expect.true(
        f"partition {is_partitioned}: values", np.array_equal(y[0], weights[1].astype(np.float32))
    )
    # The weights have 32 MiB.
    expect.true(f"partition {is_partitioned}: {grown} KiB of anonymous memory", grown < limit)
path, weights = save("across", 2048, 16384, False, is_across=True)
before = read_own()
kernel, y = run(path, 2048, False)
grown = read_own() - before
expect.true("across: values", np.array_equal(y[0], weights[1].astype(np.float32)))
expect.true(f"N-contiguous: {grown} KiB of anonymous memory", grown < 3 * limit)
expect.finish()
