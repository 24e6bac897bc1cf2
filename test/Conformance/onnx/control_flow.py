# If, Loop and Scan: the outputs of quant-float-run are those of ONNX Runtime. Bodies use values from outside, make new tensors in
# every step, are in each other, and have elements of many types.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import sys

import numpy as np
import onnxruntime
from conformance.node_tests import Runner
from onnx import TensorProto as T
from onnx import helper, numpy_helper

F32, I64, BOOL = T.FLOAT, T.INT64, T.BOOL
info = helper.make_tensor_value_info
rng = np.random.default_rng(11)
runner = Runner(*sys.argv[1:3])
failures = []


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def graph(nodes, inputs, outputs, initializers=()):
    constants = [numpy_helper.from_array(value, name) for name, value in initializers]
    return helper.make_graph(nodes, "g", inputs, outputs, constants)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def check(name, whole, **feed):
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    folder = runner.work / name
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    files = []
    for key, value in feed.items():
        files.append(folder / f"{key}.npy")
        np.save(files[-1], value)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    expected = session.run(None, feed)
    result = runner.call(
        "quant-float-run", folder / "model.onnx", "--outputs", folder, "--inputs", *files
    )
    if result.returncode != 0:
        failures.append(f"{name}: {result.stderr}")
        return
    for i, wanted in enumerate(expected):
        got = np.load(folder / f"output_{i}.npy")
        if got.shape != wanted.shape or not np.allclose(got, wanted, 1e-4, 1e-5):
            failures.append(f"{name}: output {i}: expected {wanted}, but got {got}")


def make_if(element, then_op, else_op):
    then_branch = graph([node(then_op, "x w", "t")], [], [info("t", element, None)])
    else_branch = graph(
        [node(else_op, "x w", "e0"), node("Mul", "e0 x", "e")], [], [info("e", element, None)]
    )
    return node("If", "c", "y", then_branch=then_branch, else_branch=else_branch)


for element, dtype in (
    (F32, np.float32),
    (T.UINT8, np.uint8),
    (T.INT32, np.int32),
    (T.DOUBLE, float),
):
    if dtype == np.uint8:
        continue  # ONNX Runtime has no such sums.
    for condition in (True, False):
        whole = graph(
            [make_if(element, "Add", "Sub"), node("Add", "y x", "z")],
            [info("c", BOOL, []), info("x", element, [3, 4])],
            [info("y", element, [3, 4]), info("z", element, [3, 4])],
            [("w", np.array([1, 2, 3, 4], dtype))],
        )
        x = (floats(3, 4) * 9).astype(dtype)
        check(f"if_{dtype.__name__}_{condition}", whole, c=np.array(condition), x=x)

# Of codes, which are only moved.
for condition in (True, False):
    branches = {
        "then_branch": graph([node("Identity", "x", "t")], [], [info("t", T.UINT8, [2, 3])]),
        "else_branch": graph([node("Transpose", "w", "e")], [], [info("e", T.UINT8, [2, 3])]),
    }
    whole = graph(
        [node("If", "c", "y", **branches)],
        [info("c", BOOL, []), info("x", T.UINT8, [2, 3]), info("w", T.UINT8, [3, 2])],
        [info("y", T.UINT8, [2, 3])],
    )
    codes = rng.integers(0, 256, 6).astype(np.uint8)
    check(
        f"codes_{condition}",
        whole,
        c=np.array(condition),
        x=codes.reshape(2, 3),
        w=codes.reshape(3, 2),
    )

# A product in every step, an If in a Loop, what steps collect, and a value that is passed on as it is.
inner = make_if(F32, "Add", "Mul")
body = graph(
    [
        node("MatMul", "a m", "p"),
        node("Tanh", "p", "x"),
        node("Cast", "i", "f", to=F32),
        node("Less", "f limit", "c"),
        inner,
        node("Add", "total f", "sum"),
        node("Identity", "condition", "again"),
        node("Identity", "fixed", "still"),
    ],
    [info("i", I64, []), info("condition", BOOL, []), info("a", F32, [2, 4])]
    + [info("total", F32, []), info("fixed", F32, [3])],
    [info("again", BOOL, []), info("y", F32, [2, 4]), info("sum", F32, []), info("still", F32, [3])]
    + [info("p", F32, [2, 4]), info("f", F32, [])],
)
for steps in (0, 1, 5):
    whole = graph(
        [node("Loop", "n  s zero three", "last sum still products numbers", body=body)],
        [info("s", F32, [2, 4]), info("m", F32, [4, 4])],
        [info("last", F32, [2, 4]), info("sum", F32, []), info("still", F32, [3])]
        + [info("products", F32, [steps, 2, 4]), info("numbers", F32, [steps])],
        [("n", np.array(steps)), ("zero", np.array(0, np.float32)), ("three", floats(3))]
        + [("limit", np.array(2.5, np.float32)), ("w", floats(4))],
    )
    whole.node[0].input[:] = ["n", "", "s", "zero", "three"]
    check(f"loop_{steps}", whole, s=floats(2, 4), m=floats(4, 4))

# A number of steps that is known at run time only.
whole = graph(
    [node("Loop", "n go s zero three", "last sum still", body=body)],
    [info("n", I64, []), info("go", BOOL, []), info("s", F32, [2, 4]), info("m", F32, [4, 4])],
    [info("last", F32, [2, 4]), info("sum", F32, []), info("still", F32, [3])],
    [("zero", np.array(0, np.float32)), ("three", floats(3))]
    + [("limit", np.array(2.5, np.float32)), ("w", floats(4))],
)
del whole.node[0].attribute[0].g.output[4:]
for steps, condition in ((4, True), (-3, True), (4, False)):
    name = f"open_loop_{steps}_{condition}"
    check(name, whole, n=np.array(steps), go=np.array(condition), s=floats(2, 4), m=floats(4, 4))

# States and two inputs, along other axes and from the end.
body = graph(
    [
        node("MatMul", "h m", "p"),
        node("Add", "p u", "q"),
        node("Add", "q v", "h2"),
        node("Neg", "h2", "o"),
    ],
    [info("h", F32, [2, 3]), info("u", F32, [2, 3]), info("v", F32, [3])],
    [info("h2", F32, [2, 3]), info("q", F32, [2, 3]), info("o", F32, [2, 3])],
)
for index, options in enumerate(
    (
        {"scan_input_axes": [0, 0]},
        {"scan_input_axes": [1, -1], "scan_input_directions": [1, 0]},
        {"scan_input_axes": [1, 1], "scan_output_axes": [2, -2], "scan_output_directions": [0, 1]},
    )
):
    shapes = [[2, 3], [3]]
    for shape, axis in zip(shapes, options["scan_input_axes"], strict=True):
        shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, 5)
    results = [[2, 3], [2, 3]]
    for shape, axis in zip(results, options.get("scan_output_axes", [0, 0]), strict=True):
        shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, 5)
    whole = graph(
        [node("Scan", "s us vs", "last qs os", body=body, num_scan_inputs=2, **options)],
        [info("s", F32, [2, 3]), info("us", F32, shapes[0]), info("vs", F32, shapes[1])]
        + [info("m", F32, [3, 3])],
        [info("last", F32, [2, 3]), info("qs", F32, results[0]), info("os", F32, results[1])],
    )
    check(
        f"scan_{index}",
        whole,
        s=floats(2, 3),
        us=floats(*shapes[0]),
        vs=floats(*shapes[1]),
        m=floats(3, 3) / 2,
    )

print(len(failures), "failures")
sys.exit("\n".join(failures) if failures else 0)
