# If, Loop and Scan against ONNX Runtime. Bodies use values from outside, allocate tensors in every
# iteration, are nested, and have elements of many types. Iterations may end by a condition that the
# body computes. Errors in a body end the call.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import sys

import numpy as np
import onnx
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


def serialize(whole):
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(whole, opset_imports=opsets, ir_version=8).SerializeToString()


def check(name, whole, tolerated=None, **feed):
    """`tolerated` is an equivalent graph that ONNX Runtime accepts."""
    folder = runner.work / name
    folder.mkdir()
    (folder / "model.onnx").write_bytes(serialize(tolerated or whole))
    files = []
    for key, value in feed.items():
        files.append(folder / f"{key}.npy")
        np.save(files[-1], value)
    session = onnxruntime.InferenceSession(serialize(whole))
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
        continue  # ONNX Runtime has no kernel for this reduction.
    for condition in (True, False):
        whole = graph(
            [make_if(element, "Add", "Sub"), node("Add", "y x", "z")],
            [info("c", BOOL, []), info("x", element, [3, 4])],
            [info("y", element, [3, 4]), info("z", element, [3, 4])],
            [("w", np.array([1, 2, 3, 4], dtype))],
        )
        x = (floats(3, 4) * 9).astype(dtype)
        check(f"if_{dtype.__name__}_{condition}", whole, c=np.array(condition), x=x)

# Types that are only moved.
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
    encodings = rng.integers(0, 256, 6).astype(np.uint8)
    check(
        f"quantized_{condition}",
        whole,
        c=np.array(condition),
        x=encodings.reshape(2, 3),
        w=encodings.reshape(3, 2),
    )

# A matmul in every iteration, an If in a Loop, scan outputs, and a value that is passed on
# unchanged.
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

# A dynamic number of iterations.
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

# State variables and two scan inputs, along other axes and in reverse direction.
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

# Scan outputs with dynamic sizes and dynamic numbers of iterations: the sizes of a matmul's result,
# of an inner loop's results, and of a shape.
again = graph(
    [node("Tanh", "v", "w0"), node("Sub", "w0 row", "w1"), node("Identity", "c1", "c2")],
    [info("j", I64, []), info("c1", BOOL, []), info("v", F32, ["r", "k"])],
    [info("c2", BOOL, []), info("w1", F32, ["r", "k"]), info("w0", F32, ["r", "k"])],
)
step = [
    node("MatMul", "a m", "p"),
    node("Loop", "two go a", "inner all", body=again),
    node("Add", "inner row", "next"),
    node("Shape", "p", "sizes"),
    node("Expand", "scalar sizes", "wide"),
]
parts = [info(n, F32, None) for n in ("p", "all", "wide")]
loop = graph(
    [*step, node("Identity", "c", "d")],
    [info("i", I64, []), info("c", BOOL, []), info("a", F32, ["r", "k"])],
    [info("d", BOOL, []), info("next", F32, ["r", "k"]), *parts],
)
scan = graph(
    [*step, node("Add", "next x", "next2")],
    [info("a", F32, ["r", "k"]), info("x", F32, ["r", 1])],
    [info("next2", F32, ["r", "k"]), *parts],
)
# After no iterations, the scan outputs of ONNX Runtime have no sizes.
for rows in (1, 3):
    for steps in (1, 4):
        shared = [info("a", F32, ["r", "k"]), info("m", F32, ["k", "n"]), info("row", F32, ["k"])]
        constants = [("two", np.array(2)), ("go", np.array(True)), ("scalar", floats(1))]
        results = [info(n, F32, None) for n in ("last", "ps", "alls", "wides")]
        values = dict(a=floats(rows, 2), m=floats(2, 5), row=floats(2))
        looped = graph(
            [node("Loop", "n go a", "last ps alls wides", body=loop)],
            [info("n", I64, []), *shared],
            results,
            constants,
        )
        check(f"open_parts_loop_{rows}_{steps}", looped, n=np.array(steps), **values)
        scanned = graph(
            [node("Scan", "a xs", "last ps alls wides", body=scan, num_scan_inputs=1)],
            [info("xs", F32, ["s", "r", 1]), *shared],
            results,
            constants,
        )
        check(f"open_parts_scan_{rows}_{steps}", scanned, xs=floats(steps, rows, 1), **values)

# Ended by a condition that the body computes, with and without a maximum trip count, and with a
# first iteration that may not run.
body = graph(
    [
        node("Add", "a a", "b"),
        node("ReduceSum", "b", "t", keepdims=0),
        node("Less", "t limit", "go"),
        node("Cast", "i", "f", to=F32),
        node("Mul", "b f", "p"),
    ],
    [info("i", I64, []), info("c", BOOL, []), info("a", F32, [2, 3])],
    [info("go", BOOL, []), info("b", F32, [2, 3]), info("p", F32, [2, 3])],
)
for most in (None, 20, 3, 0, "run"):
    for first in (None, True, False, "run"):
        inner = onnx.GraphProto()
        inner.CopyFrom(body)
        results = "last parts"
        if most is None:
            # Memory for scan outputs is allocated before the first iteration.
            del inner.output[2]
            results = "last"
        loop = node("Loop", "n c0 x", results, body=inner)
        loop.input[:] = ["" if most is None else "n", "" if first is None else "c0", "x"]
        inputs = [info("x", F32, [2, 3]), info("limit", F32, [])]
        constants = []
        if most == "run":
            inputs.append(info("n", I64, []))
        elif most is not None:
            constants.append(("n", np.array(most)))
        if first == "run":
            inputs.append(info("c0", BOOL, []))
        elif first is not None:
            constants.append(("c0", np.array(first)))
        outputs = [info("last", F32, [2, 3]), info("parts", F32, None)][: len(results.split())]
        whole = graph([loop], inputs, outputs, constants)
        for number, (limit, steps, runs) in enumerate(
            ((-1, 5, True), (10, 40, True), (1000, -1, True), (1000, 4, False), (1000, 40, True))
        ):
            if number and most == 0:
                continue
            given = {"x": np.ones((2, 3), np.float32), "limit": np.array(limit, np.float32)}
            if most == "run":
                given["n"] = np.array(steps)
            if first == "run":
                given["c0"] = np.array(runs)
            check(f"while_{most}_{first}_{number}", whole, **given)


# Nested bodies that declare the captured values as inputs. The nodes are not in topological order.
def make_nested(*inputs):
    inner = {
        "then_branch": graph([node("Add", "a b", "s")], inputs, [info("s", F32, None)]),
        "else_branch": graph([node("Identity", "b", "s")], inputs, [info("s", F32, None)]),
    }
    outer = {
        "then_branch": graph([node("If", "d", "t", **inner)], inputs, [info("t", F32, None)]),
        "else_branch": graph([node("Neg", "a", "t")], [], [info("t", F32, None)]),
    }
    return graph(
        [node("If", "c", "y", **outer), node("Exp", "b", "a"), node("Abs", "x", "b")],
        [info("c", BOOL, []), info("d", BOOL, []), info("x", F32, [3])],
        [info("y", F32, [3])],
    )


for c, d in ((True, True), (True, False), (False, False)):
    listed = make_nested(info("a", F32, [3]), info("b", F32, None))
    given = {"c": np.array(c), "d": np.array(d), "x": floats(3)}
    plain = make_nested()
    ordered = plain.node[2], plain.node[1], plain.node[0]
    whole = graph(ordered, plain.input, plain.output)
    check(f"listed_{c}_{d}", whole, listed, **given)

# Squeeze of an axis of unknown size, as PyTorch's exporter writes it: the result has the rank of
# the first branch.
branches = {
    "then_branch": graph([node("Squeeze", "x axes", "t")], [], [info("t", F32, None)]),
    "else_branch": graph([node("Identity", "x", "e")], [], [info("e", F32, None)]),
}
whole = graph(
    [node("Shape", "x", "s"), node("Gather", "s last", "size"), node("Equal", "size one", "c")]
    + [node("If", "c", "y", **branches), node("MatMul", "y w", "z")],
    [info("x", F32, ["a", 4, "b"])],
    [info("z", F32, None)],
    [("axes", np.array([2])), ("last", np.array(2)), ("one", np.array(1)), ("w", floats(4, 2))],
)
check("squeeze", whole, x=floats(3, 4, 1))


def refuse(name, whole, why, **feed):
    """The call fails, as in ONNX Runtime, with a message."""
    path = runner.work / f"{name}.onnx"
    path.write_bytes(serialize(whole))
    files = []
    for key, value in feed.items():
        files.append(runner.work / f"{name}_{key}.npy")
        np.save(files[-1], value)
    result = runner.call("quant-float-run", path, "--outputs", runner.work, "--inputs", *files)
    if result.returncode != 1 or why not in result.stderr:
        failures.append(f"{name}: {result.returncode} {result.stderr}")


refuse("no_squeeze", whole, "the condition must be true", x=floats(3, 4, 2))

# Errors in a body, in a branch and in an iteration.
add = {
    "then_branch": graph([node("Add", "x v", "t")], [], [info("t", F32, ["n"])]),
    "else_branch": graph([node("Identity", "x", "e")], [], [info("e", F32, ["n"])]),
}
branch = graph(
    [node("If", "c", "y", **add)],
    [info("c", BOOL, []), info("x", F32, ["n"]), info("v", F32, ["m"])],
    [info("y", F32, ["n"])],
)
step = graph(
    [node("Identity", "go", "again"), node("Gather", "x i", "p"), node("Add", "a p", "b")],
    [info("i", I64, []), info("go", BOOL, []), info("a", F32, [])],
    [info("again", BOOL, []), info("b", F32, [])],
)
loop = node("Loop", "n go a", "y", body=step)
loop.input[:] = ["n", "", "a"]
gather = graph([loop], [info("n", I64, []), info("a", F32, []), info("x", F32, ["m"])], [info("y", F32, [])])  # fmt: skip
check("branch_fits", branch, c=np.array(True), x=floats(3), v=floats(3))
check("branch_is_not_taken", branch, c=np.array(False), x=floats(3), v=floats(2))
refuse("branch_does_not_fit", branch, "must", c=np.array(True), x=floats(3), v=floats(2))
check("steps_fit", gather, n=np.array(3), a=np.array(1, np.float32), x=floats(3))
refuse(
    "no_step_fits",
    gather,
    "the size of axis 0 must be at least 1",
    n=np.array(3),
    a=np.array(1, np.float32),
    x=floats(0),
)
check("no_step", gather, n=np.array(0), a=np.array(1, np.float32), x=floats(0))

print(len(failures), "failures")
sys.exit("\n".join(failures) if failures else 0)
