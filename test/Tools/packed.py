# Models whose weights are packed: the tools keep them packed, in memory and in libraries, and
# compute the same as with one byte for each element. Errors in packed tensors are reported. With
# `full`, one GiB of int4 weights.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t %if full %{ 30 %} %else %{ 25 %}
import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

tools, work = map(Path, sys.argv[1:3])
log2_bytes = int(sys.argv[3])
random = np.random.default_rng(7)
failures = []


def run(tool, *arguments, code=0, stderr=""):
    """Returns the output and the peak memory in KiB."""
    log = work / "log"
    with log.open("w") as output, (work / "errors").open("w") as errors:
        process = subprocess.Popen([tools / tool, *map(str, arguments)], stdout=output, stderr=errors, cwd=work)  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    message = (work / "errors").read_text()
    if process.returncode != code or stderr not in message:
        failures.append(f"{tool} {arguments}: exit code {process.returncode}: {message[-400:]}")
    return log.read_text(), usage.ru_maxrss


def pack(encodings, bits):
    """The number of elements fills whole bytes."""
    spread = (encodings.reshape(-1, 1).astype(np.uint8) >> np.arange(bits, dtype=np.uint8)) & 1
    return np.packbits(spread.reshape(-1), bitorder="little").tobytes()


def save(name, nodes, inputs, outputs, weights):
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=12)
    onnx.save(model, work / name)


def info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def external(name, kind, shape, part, count):
    """A tensor with external data, whose file repeats this part: the memory of this process counts
    for its child processes."""
    with (work / f"{name}.data").open("wb") as file:
        for _ in range(count):
            file.write(part)
    tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=f"{name}.data")
    return tensor


def raw(name, kind, shape, data):
    return TensorProto(name=name, data_type=kind, dims=shape, raw_data=data)


# Every type, as the operand of a matmul and of a move, with full and partial bytes. Constants of
# less than 1024 bytes are never packed.
KINDS = {
    TensorProto.INT4: (4, ml_dtypes.int4),
    TensorProto.UINT4: (4, ml_dtypes.uint4),
    TensorProto.FLOAT4E2M1: (4, ml_dtypes.float4_e2m1fn),
    TensorProto.INT2: (2, ml_dtypes.int2),
    TensorProto.UINT2: (2, ml_dtypes.uint2),
}
for kind, (bits, dtype) in KINDS.items():
    shape = (65, 128)
    encodings = random.integers(0, 1 << bits, shape, dtype=np.uint8)
    values = np.array(encodings, np.uint8).view(dtype).astype(np.float32)
    if dtype in (ml_dtypes.int4, ml_dtypes.int2):
        values = np.where(encodings >> (bits - 1), encodings.astype(np.float32) - (1 << bits), encodings).astype(np.float32)  # fmt: skip
    scale = np.exp2(random.integers(-3, 3, (65, 4))).astype(np.float32)
    save(
        "small.onnx",
        [
            helper.make_node("DequantizeLinear", ["w", "s"], ["d"], axis=1, block_size=32),
            helper.make_node("Transpose", ["d"], ["t"]),
            helper.make_node("MatMul", ["x", "t"], ["y"]),
            helper.make_node("Gather", ["w", "i"], ["z"]),
        ],
        [info("x", TensorProto.FLOAT, [3, 128]), info("i", TensorProto.INT64, [2])],
        [info("y", TensorProto.FLOAT, [3, 65]), info("z", kind, [2, 128])],
        [raw("w", kind, shape, pack(encodings, bits)), raw("s", TensorProto.FLOAT, scale.shape, scale.tobytes())],
    )  # fmt: skip
    x = random.integers(-3, 4, (3, 128)).astype(np.float32)
    np.save(work / "x.npy", x)
    np.save(work / "i.npy", np.array([64, 2]))
    elements = values.astype(np.int8 if dtype in (ml_dtypes.int4, ml_dtypes.int2) else dtype).view(np.uint8)  # fmt: skip
    expected = x @ (values * np.repeat(scale, 32, 1)).T, elements[[64, 2]]
    given = ("--inputs", "x.npy", "i.npy")
    for packed in ("weights", "all", "none"):
        run("quant-float-run", "small.onnx", *given, "--packed", packed, "--outputs", packed)
        run("quant-float-compile", "small.onnx", "-o", "small.so", "--packed", packed)
        run("quant-float-exec", "small.so", *given, "--outputs", f"so_{packed}")
        for folder in (packed, f"so_{packed}"):
            for i, wanted in enumerate(expected):
                found = np.load(work / folder / f"output_{i}.npy")
                if not np.array_equal(found.view(np.uint8) if i else found, wanted):
                    failures.append(f"{kind} {folder}: output {i} differs")
        # The library contains the bytes of the weights once.
        stored = pack(encodings, bits) if packed == "weights" else elements.tobytes()
        if packed != "all" and (found := (work / "small.so").read_bytes().count(stored)) != 1:
            failures.append(f"{kind} --packed {packed}: the library has the weights {found} times")

# Inputs and outputs: .npy files have one byte for each element, .bin files are packed like the
# argument.
(work / "move.mlir").write_text("""
func.func @move(%x: tensor<3x5xf6E2M3FN>, %n: tensor<?xi4>) -> (tensor<5x3xf6E2M3FN>, tensor<?xi4>) {
  %0 = quant_float.node "Transpose"(%x) opset 25 : (tensor<3x5xf6E2M3FN>) -> tensor<5x3xf6E2M3FN>
  return %0, %n : tensor<5x3xf6E2M3FN>, tensor<?xi4>
}
""")
encodings = random.integers(0, 64, (3, 5), dtype=np.uint8)
np.save(work / "encodings.npy", encodings)
np.save(work / "n.npy", np.arange(-4, 5, dtype=np.int8))
number = sum(int(encoding) << 6 * at for at, encoding in enumerate(encodings.ravel()))
(work / "encodings.bin").write_bytes(number.to_bytes(12, "little"))
(work / "short.bin").write_bytes(number.to_bytes(12, "little")[:-1])
run("quant-float-compile", "move.mlir", "-o", "move.so", "--packed", "all")
listed, _ = run("quant-float-exec", "move.so", "--list")
if "input 0: packed float6e2m3[3x5]" not in listed or "output 1: packed int4[?]" not in listed:
    failures.append(f"--list: {listed}")
for file in ("encodings.npy", "encodings.bin"):
    for tool, model in (("quant-float-run", "move.mlir"), ("quant-float-exec", "move.so")):
        packed = ("--packed", "all") if tool == "quant-float-run" else ()
        run(tool, model, "--inputs", file, "n.npy", "--outputs", "moved", *packed)
        for i, wanted in enumerate((encodings.T, np.arange(-4, 5))):
            if not np.array_equal(np.load(work / "moved" / f"output_{i}.npy"), wanted):
                failures.append(f"{tool} {file}: output {i} differs")
short = "expected 12 bytes, but got 11"
run("quant-float-exec", "move.so", "--inputs", "short.bin", "n.npy", code=1, stderr=short)
run("quant-float-run", "move.mlir", "--packed", "all", "--inputs", "short.bin", "n.npy", code=1, stderr=short)  # fmt: skip
run("quant-float-exec", "move.so", "--inputs", "encodings.bin", "encodings.bin", code=1,
    stderr="a raw file does not determine the dynamic size of packed int4[?], whose last byte may have padding bits")  # fmt: skip
run("quant-float-run", "move.mlir", "--packed", "some", code=2, stderr="Cannot find option named 'some'")  # fmt: skip
# The same values in both forms.
for packed in ("all", "none"):
    run("quant-float-run", "move.mlir", "--random", 5, "--shapes", "1=7", "--packed", packed, "--outputs", f"random_{packed}")  # fmt: skip
for i in (0, 1):
    one, other = (work / f"random_{packed}/output_{i}.npy" for packed in ("all", "none"))
    if one.read_bytes() != other.read_bytes():
        failures.append(f"--random: output {i} differs")

# Weights in a file that is one byte too short.
save(
    "short.onnx",
    [helper.make_node("DequantizeLinear", ["w", "s"], ["y"])],
    [],
    [info("y", TensorProto.FLOAT, [65, 65])],
    [raw("w", TensorProto.INT4, [65, 65], bytes(2112)), raw("s", TensorProto.FLOAT, [], np.float32(1).tobytes())],
)  # fmt: skip
run("quant-float-run", "short.onnx", code=1, stderr="2113")


# Memory: the difference between models with large and with small weights.
def measure(log2_bytes):
    elements = 2 << log2_bytes
    rows = 1 << (log2_bytes + 1) // 2
    columns = elements // rows
    encodings, parts = random.integers(0, 256, 1 << 20, dtype=np.uint8).tobytes(), elements >> 21
    scales = np.full(1 << 15, 0.5, np.float16).tobytes()
    save(
        "large.onnx",
        [
            helper.make_node("DequantizeLinear", ["w", "s"], ["d"], axis=1, block_size=32),
            helper.make_node("Transpose", ["d"], ["t"]),
            helper.make_node("MatMul", ["x", "t"], ["y"]),
        ],
        [info("x", TensorProto.FLOAT16, [1, columns])],
        [info("y", TensorProto.FLOAT16, [1, rows])],
        [
            external("w", TensorProto.INT4, [rows, columns], encodings, parts),
            external("s", TensorProto.FLOAT16, [rows, columns // 32], scales, 2 * parts),
        ],
    )
    _, peak = run("quant-float-run", "large.onnx", "--random", 1)
    return peak / 1024, parts * (len(encodings) + 2 * len(scales)) / 2**20


small, small_weights = measure(20)
large, weights = measure(log2_bytes)
print(f"weights: {weights:.0f} MiB, peak memory: {large:.0f} MiB, of a small model {small:.0f} MiB")
# Activations. One byte for each element would double the memory.
if large - small > weights - small_weights + 16:
    failures.append(f"{weights:.0f} MiB of weights: {large:.0f} MiB, {small:.0f} MiB without them")
print(*failures, sep="\n")
sys.exit(bool(failures))
