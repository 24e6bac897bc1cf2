# quant-float-compile on a model with nodes that have no lowering: without --partition, it lists all
# of them and writes nothing. With it, each group of other nodes around quantization ops becomes an
# entry point.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import ctypes
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
from onnx import TensorProto as T
from onnx import helper, numpy_helper

tools_dir, work = map(pathlib.Path, sys.argv[1:])

SCALE = numpy_helper.from_array(np.float32(0.5), "s")
ZERO = helper.make_tensor("z", T.FLOAT8E4M3FN, [], [0.0])
NODES = [
    helper.make_node("Relu", ["x"], ["r"], name="relu"),
    helper.make_node("QuantizeLinear", ["r", "s", "z"], ["q"], name="q"),
    helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"], name="dq"),
    helper.make_node("Scramble", ["d"], ["e"], name="first", domain="com.example"),
    helper.make_node("Unscramble", ["e"], ["f"], name="second", domain="com.example"),
    helper.make_node("QuantizeLinear", ["e", "s", "z"], ["y"], name="again"),
]
MODEL = helper.make_model(
    helper.make_graph(
        NODES,
        "net",
        [helper.make_tensor_value_info("x", T.FLOAT, [2, 3])],
        [
            helper.make_tensor_value_info("f", T.FLOAT, None),
            helper.make_tensor_value_info("y", T.FLOAT8E4M3FN, [2, 3]),
        ],
        [SCALE, ZERO],
        value_info=[helper.make_tensor_value_info("e", T.FLOAT, [2, 3])],
    ),
    opset_imports=[helper.make_opsetid("", 19), helper.make_opsetid("com.example", 1)],
    ir_version=9,
)
(work / "net.onnx").write_bytes(MODEL.SerializeToString())


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]

    def __init__(self, array, dtype):
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        super().__init__(array.ctypes.data, self.shape, array.ndim, dtype)


def compile_model(*arguments):
    return subprocess.run(
        [tools_dir / "quant-float-compile", "net.onnx", *arguments],
        capture_output=True,
        check=False,
        cwd=work,
        text=True,
    )


# --- without: every node is listed
# ---------------------------------------------------------------------
result = compile_model("-o", "net.so")
assert result.returncode == 1, result
for op in ("Scramble", "Unscramble"):
    assert f"({op}): no lowering of the op '{op}' of the domain 'com.example'" in result.stderr, (
        result.stderr
    )
assert not (work / "net.so").exists()

# --- with: two entry points ----------------------------------------------------------------------------
result = compile_model("-o", "net.so", "--partition")
assert result.returncode == 0, result.stderr
header = (work / "net.h").read_text()
for text in ("net_subgraph_0", "net_subgraph_1", "'x'", "'y'", "the graph 'net'"):
    assert text in header, text
library = ctypes.CDLL(str(work / "net.so"))

x = np.array([[-1.0, 0.3, 1.2], [100.0, -0.0, 7.7]], np.float32)
encodings = (np.maximum(x, 0) / np.float32(0.5)).astype(ml_dtypes.float8_e4m3fn)
message = ctypes.create_string_buffer(200)


def call(name, given, made, dtypes):
    status = library[name](
        ctypes.byref(Tensor(given, dtypes[0])),
        ctypes.byref(Tensor(made, dtypes[1])),
        message,
        ctypes.c_size_t(200),
    )
    assert status == 0, message.value


decoded = np.empty_like(x)
call("net_subgraph_0", x, decoded, (T.FLOAT, T.FLOAT))
assert (decoded == encodings.astype(np.float32) * np.float32(0.5)).all(), decoded
again = np.empty(x.shape, np.uint8)
call("net_subgraph_1", decoded, again, (T.FLOAT, T.FLOAT8E4M3FN))
assert (again == encodings.view(np.uint8)).all(), again

# --- the subgraphs as IR -----------------------------------------------------------------------------------
result = compile_model("-o", "-", "--emit", "mlir", "--partition")
assert result.returncode == 0 and result.stdout.count("func.func") == 2, result
assert "quant_float.node" not in result.stdout
print("OK")
