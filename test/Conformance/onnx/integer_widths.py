# MatMulInteger and ConvInteger on 4-bit and 16-bit integers, which no version of the ops allows: a
# warning, an error with --strict, and the sums of NumPy's integers, wrapped to 32 bits. Also IsNaN
# and IsInf of float8.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import ml_dtypes
import numpy as np
import onnx
from conformance.node_tests import Runner
from onnx import TensorProto as T
from onnx import helper, numpy_helper

runner = Runner(*sys.argv[1:3])
rng = np.random.default_rng(0)
TYPES = {
    np.int8: (-128, 127),
    np.uint8: (0, 255),
    ml_dtypes.int4: (-8, 7),
    ml_dtypes.uint4: (0, 15),
    np.int16: (-(2**15), 2**15 - 1),
    np.uint16: (0, 2**16 - 1),
}
BYTES = (np.int8, np.uint8)
failures = []


def run(op, values, result, opset, *more):
    names = [f"x{i}" for i in range(len(values))]
    node = helper.make_node(op, names, ["y"], name="n")
    kind = helper.np_dtype_to_tensor_dtype(values[0].dtype)
    x = helper.make_tensor_value_info("x0", kind, values[0].shape)
    y = helper.make_tensor_value_info("y", result, None)
    constants = [numpy_helper.from_array(v, n) for v, n in zip(values[1:], names[1:], strict=True)]
    graph = helper.make_graph([node], "g", [x], [y], constants)
    opsets = [helper.make_opsetid("", opset)]
    model, given = runner.work / "m.onnx", runner.work / "x.pb"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), model)
    given.write_bytes(numpy_helper.from_array(values[0]).SerializeToString())
    done = runner.call(
        "quant-float-run", model, "-O0", "--inputs", given, "--outputs", runner.work, *more
    )
    return done, np.load(runner.work / "output_0.npy") if done.returncode == 0 else None


def check_sums(op, lhs, rhs):
    def draw(dtype, shape):
        low, high = TYPES[dtype]
        return rng.integers(low, high + 1, shape)

    is_matmul = op == "MatMulInteger"
    shapes = [(3, 8), (8, 5)] if is_matmul else [(1, 3, 6, 6), (2, 3, 3, 3)]
    numbers = [draw(lhs, shapes[0]), draw(rhs, shapes[1]), draw(lhs, ()), draw(rhs, ())]
    values = [v.astype(t) for v, t in zip(numbers, (lhs, rhs, lhs, rhs), strict=True)]
    a, b = numbers[0] - numbers[2], numbers[1] - numbers[3]
    if is_matmul:
        sums = a @ b
    else:
        windows = np.lib.stride_tricks.sliding_window_view(a[0], (3, 3), (1, 2))
        sums = np.einsum("cijkl,ockl->oij", windows, b)[None]
    expected = (sums & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
    name = f"{op} {values[0].dtype} {values[1].dtype}"
    is_other = lhs not in BYTES or rhs not in BYTES
    done, got = run(op, values, T.INT32, 21)
    if got is None or ("expected integers of 8 bits" in done.stderr) != is_other:
        failures.append(f"{name}: {done.stderr}")
    elif not np.array_equal(got, expected):
        failures.append(f"{name}: expected {expected.ravel()}, but got {got.ravel()}")
    if is_other and run(op, values, T.INT32, 21, "--strict")[1] is not None:
        failures.append(f"{name}: expected an error with --strict")


for lhs, rhs in itertools.product(TYPES, TYPES):
    check_sums("MatMulInteger", lhs, rhs)
    check_sums("ConvInteger", lhs, rhs)

encodings = np.arange(256, dtype=np.uint8)
for dtype in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz"):
    x = encodings.view(getattr(ml_dtypes, f"float8_{dtype}"))
    for op, function in (("IsNaN", np.isnan), ("IsInf", np.isinf)):
        done, got = run(op, [x], T.BOOL, 20)
        if got is None or not np.array_equal(got, function(x.astype(np.float32))):
            failures.append(f"{op} of {dtype}: {done.stderr} {got}")
sys.exit("\n".join(failures) if failures else 0)
