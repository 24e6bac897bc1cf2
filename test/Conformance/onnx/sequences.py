# Sequences of tensors against ONNX Runtime, with constant and runtime positions, and tensors of
# equal and of different shapes. A position out of bounds ends the call.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import numpy as np
import onnxruntime
from conformance.node_tests import Runner
from onnx import TensorProto as T
from onnx import helper, numpy_helper

runner = Runner(*sys.argv[1:3])
rng = np.random.default_rng(17)
failures = []
count = 0


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], **attributes)


def check(nodes, constants, why=None, outputs=1, **feed):
    """`why` is the expected error."""
    global count
    count += 1
    kinds = {name: helper.np_dtype_to_tensor_dtype(value.dtype) for name, value in feed.items()}
    inputs = [
        helper.make_tensor_value_info(name, kinds[name], [f"{name}{i}" for i in range(value.ndim)])
        for name, value in feed.items()
    ]
    results = [
        helper.make_tensor_value_info(
            f"y{i}", T.INT64 if nodes[i - outputs].op_type == "SequenceLength" else kinds["a"], None
        )
        for i in range(outputs)
    ]
    initializers = [numpy_helper.from_array(np.array(v), n) for n, v in constants.items()]
    graph = helper.make_graph(nodes, "g", inputs, results, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    name = f"{count}: {' '.join(n.op_type for n in nodes)} {constants}"
    folder = runner.work / str(count)
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    files = []
    for key, value in feed.items():
        files.append(folder / f"{key}.npy")
        np.save(files[-1], value)
    result = runner.call(
        "quant-float-run", folder / "model.onnx", "--outputs", folder, "--inputs", *files
    )
    if why:
        if result.returncode != 1 or why not in result.stderr:
            failures.append(f"{name}: {result.returncode} {result.stderr}")
        return
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feed)
    if result.returncode != 0:
        failures.append(f"{name}: {result.stderr}")
        return
    for i, wanted in enumerate(expected):
        got = np.load(folder / f"output_{i}.npy")
        if got.shape != np.shape(wanted) or not np.array_equal(got, wanted):
            failures.append(f"{name}: expected {wanted}, but got {got}")


def tensors(*sizes, dtype=np.float32):
    return {
        name: (rng.standard_normal((size, 3)) * 9).astype(dtype)
        for name, size in zip("abcd", sizes, strict=False)
    }


def positions(values):
    """Constants and inputs. Both are named p."""
    for value in values:
        yield {"p": np.array(value)}, {}
        yield {}, {"p": np.array(value)}


CONSTRUCT = node("SequenceConstruct", "a b c", "s")
for sizes, dtype in (
    ((2, 2, 2), np.float32),
    ((1, 4, 2), np.float32),
    ((2, 2, 2), np.uint8),
    ((3, 3, 3), np.int64),
    ((2, 2, 2), np.float16),
):
    given = tensors(*sizes, dtype=dtype)
    for constants, inputs in positions((0, 1, 2, -1, -3)):
        check([CONSTRUCT, node("SequenceAt", "s p", "y0")], constants, **given, **inputs)
    for constants, inputs in positions((0, 1, 2, -1, -2)):
        every = [
            CONSTRUCT,
            node("SequenceErase", "s p", "t"),
            node("ConcatFromSequence", "t", "y0", axis=0),
        ]
        check(every, constants, **given, **inputs)
    for constants, inputs in positions((0, 1, 3, -1, -3)):
        every = [
            CONSTRUCT,
            node("SequenceInsert", "s d p", "t"),
            node("ConcatFromSequence", "t", "y0", axis=-2),
        ]
        check(every, constants, **given, d=given["a"][:1], **inputs)

given = tensors(2, 2, 2)
ends = [
    node("SequenceErase", "s", "t"),
    node("SequenceInsert", "t a", "u"),
    node("SequenceLength", "u", "y0"),
    node("ConcatFromSequence", "u", "y1", axis=1),
]
check([CONSTRUCT, *ends], {}, outputs=2, **given)
for axis in (0, 1, 2, -1, -3):
    check([CONSTRUCT, node("ConcatFromSequence", "s", "y0", axis=axis, new_axis=1)], {}, **given)
built = [
    node("SequenceEmpty", "", "e"),
    node("SequenceInsert", "e a", "s"),
    node("SequenceInsert", "s b p", "t"),
    node("SequenceAt", "t zero", "y0"),
]
built[0] = helper.make_node("SequenceEmpty", [], ["e"], dtype=T.FLOAT)
for constants, inputs in positions((0, 1, -1)):
    check(built, {"zero": np.array(0)} | constants, **{k: given[k] for k in "ab"}, **inputs)

# Slices of a tensor, with a static size of the slices and with dynamic ones.
x = (rng.standard_normal((5, 6, 2)) * 9).astype(np.float32)
fixed = node("Reshape", "a shape", "x")
shape = {"shape": np.array(x.shape)}
for axis, keepdims in itertools.product((0, 1, -1), (0, 1)):
    split = node("SplitToSequence", "x", "s", axis=axis, keepdims=keepdims)
    check([fixed, split, node("SequenceAt", "s p", "y0")], shape | {"p": np.array(1)}, a=x)
    check(
        [
            fixed,
            split,
            node("SequenceLength", "s", "y0"),
            node("ConcatFromSequence", "s", "y1", axis=0),
        ],
        shape,
        outputs=2,
        a=x,
    )
for part in (1, 2, 3, 5, 9):
    split = node("SplitToSequence", "x part", "s")
    constants = shape | {"part": np.array(part)}
    check(
        [
            fixed,
            split,
            node("SequenceLength", "s", "y0"),
            node("ConcatFromSequence", "s", "y1", axis=0),
        ],
        constants,
        outputs=2,
        a=x,
    )
    check(
        [fixed, split, node("SequenceAt", "s last", "y0")], constants | {"last": np.array(-1)}, a=x
    )
split = node("SplitToSequence", "a parts", "s", axis=1)
at = node("SequenceAt", "s p", "y0")
for p in range(3):
    check([split, at], {"parts": np.array([1, 3, 2]), "p": np.array(p)}, a=x)
    check([split, at], {"parts": np.array([1, 3, 2], np.int32)}, a=x, p=np.array(p))
check(
    [split, at], {"parts": np.array([1, 3, 3]), "p": np.array(0)}, "the sum of all split sizes", a=x
)

for p, why in (
    (3, "the position must be at most 2"),
    (-4, "the position must be at least -3"),
    (2**62, "at most 2"),
):
    check([CONSTRUCT, at], {}, why, **given, p=np.array(p))

print(count, "models")
sys.exit("\n".join(failures[:20]) if failures else 0)
