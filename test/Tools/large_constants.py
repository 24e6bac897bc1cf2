# The bytes of large constants are written to the object at the end: they exist once in every object
# format and for several CPUs, libraries compute with them, and the compiler's memory stays below
# twice the model's size plus 300 MiB.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

tools, work = map(pathlib.Path, sys.argv[1:])
rng = np.random.default_rng(0)
TABLES = {
    "f32": rng.standard_normal((6000, 8)).astype(np.float32),
    "f16": rng.standard_normal((20000, 2)).astype(np.float16),
    "i64": rng.integers(-(2**62), 2**62, (5000, 4)),
    "u8": rng.integers(0, 256, (70000, 1), dtype=np.uint8),
    "zeros": np.zeros((6000, 8), np.float32),
}


def save(tables, path):
    nodes = [helper.make_node("Gather", [name, "i"], [f"{name}_row"]) for name in tables]
    initializers = [numpy_helper.from_array(table, name) for name, table in tables.items()]
    outputs = [
        helper.make_tensor_value_info(
            f"{name}_row", helper.np_dtype_to_tensor_dtype(table.dtype), [table.shape[1]]
        )
        for name, table in tables.items()
    ]
    index = helper.make_tensor_value_info("i", TensorProto.INT64, [])
    graph = helper.make_graph(nodes, "tables", [index], outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)


def compile_to(model, output, *options):
    """The peak memory of the compiler or the linker, in bytes."""
    command = [tools / "quant-float-compile", model, "-o", output, *options]
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, command)], capture_output=True, check=True
    )
    return 1024 * int(done.stdout)


save(TABLES, work / "tables.onnx")
targets = {
    "elf.o": [],
    "elf-arm.o": ["--triple", "aarch64-linux-gnu"],
    "mach-o.o": ["--triple", "arm64-apple-macosx", "--cpu", "apple-m1"],
    "levels.o": ["--cpu", "x86-64-v3,x86-64-v4"],
    "most.o": ["-O3"],
    "least.o": ["-O0"],
}
for name, options in targets.items():
    compile_to(work / "tables.onnx", work / name, *options)
    contents = (work / name).read_bytes()
    for table, values in TABLES.items():
        if table != "zeros":
            found = contents.count(values.tobytes())
            assert found == 1, (name, table, found)
    # A stream has the same bytes.
    streamed = subprocess.run(
        [tools / "quant-float-compile", work / "tables.onnx", "--emit=obj", "-o", "-", *options],
        capture_output=True,
        check=True,
    ).stdout
    assert streamed == contents, name

compile_to(work / "tables.onnx", work / "tables.so")
for row in (0, 4321, 4999):
    np.save(work / "i.npy", np.array(row, np.int64))
    subprocess.run(
        [tools / "quant-float-exec", work / "tables.so", "--inputs", work / "i.npy"]
        + ["--outputs", work / "out"],
        check=True,
    )
    for place, values in enumerate(TABLES.values()):
        got = np.load(work / "out" / f"output_{place}.npy")
        assert got.tobytes() == values[row].tobytes(), (row, place)

# 120 MiB of weights in one Gemm.
weights = rng.standard_normal((6144, 5120), dtype=np.float32)
node = helper.make_node("Gemm", ["x", "w"], ["y"], transB=1)
graph = helper.make_graph(
    [node],
    "gemm",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 5120])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 6144])],
    [numpy_helper.from_array(weights, "w")],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.save(model, work / "gemm.onnx")
used = compile_to(work / "gemm.onnx", work / "gemm.so")
assert used < 2 * weights.nbytes + 300 * 2**20, used
