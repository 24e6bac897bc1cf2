# A detector selects boxes for each of its classes: with four times as many classes, compilation
# takes at most a few times as long, and the code computes the same as kernels in one function.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import resource
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

tools, work = map(pathlib.Path, sys.argv[1:])
BOXES = 200


def make_detector(classes):
    initializers, nodes = [], []

    def constant(name, value):
        initializers.append(numpy_helper.from_array(np.array(value), name))
        return name

    def node(op, inputs, outputs, **attributes):
        nodes.append(helper.make_node(op, inputs, outputs.split(), **attributes))

    constant("threshold", np.float32(0.5))
    constant("most", np.array([50]))
    for c in range(classes):
        constant(f"class{c}", np.int64(c))
        node("Gather", ["scores", f"class{c}"], f"s{c}", axis=1)
        node("Greater", [f"s{c}", "threshold"], f"keep{c}")
        node("NonZero", [f"keep{c}"], f"nonzero{c}")
        node("Transpose", [f"nonzero{c}"], f"at{c}", perm=[1, 0])
        node("GatherND", [f"s{c}", f"at{c}"], f"kept{c}")
        node("GatherND", ["boxes", f"at{c}"], f"keptboxes{c}")
        node("Shape", [f"kept{c}"], f"count{c}")
        node("Min", ["most", f"count{c}"], f"k{c}")
        node("TopK", [f"kept{c}", f"k{c}"], f"top{c} which{c}", axis=0)
        node("Gather", [f"keptboxes{c}", f"which{c}"], f"topboxes{c}", axis=0)
    node("Concat", [f"topboxes{c}" for c in range(classes)], "b", axis=0)
    node("Concat", [f"top{c}" for c in range(classes)], "s", axis=0)
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "detector",
        [
            value("scores", TensorProto.FLOAT, [BOXES, classes]),
            value("boxes", TensorProto.FLOAT, [BOXES, 4]),
        ],
        [value("b", TensorProto.FLOAT, ["n", 4]), value("s", TensorProto.FLOAT, ["n"])],
        initializers,
    )
    path = work / f"detector{classes}.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path


def compile_seconds(model):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [tools / "quant-float-compile", model, "-o", model.with_suffix(".so")]
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


small, large = make_detector(10), make_detector(40)
start = min(compile_seconds(make_detector(1)) for _ in range(2))
seconds = [compile_seconds(model) for model in (small, large)]
# Quadratic time would be a factor of 16. Fixed costs and the load of the machine affect the
# measurement, too.
assert seconds[1] < 7 * max(seconds[0], start), (start, seconds)

rng = np.random.default_rng(1)
inputs = {
    "scores": rng.random((BOXES, 40), dtype=np.float32),
    "boxes": rng.random((BOXES, 4), dtype=np.float32),
}
for name, values in inputs.items():
    np.save(work / f"{name}.npy", values)
expected = ReferenceEvaluator(str(large)).run(None, inputs)
subprocess.run(
    [tools / "quant-float-exec", large.with_suffix(".so"), "--outputs", work / "out", "--inputs"]
    + [work / f"{name}.npy" for name in inputs],
    check=True,
)
for place, values in enumerate(expected):
    got = np.load(work / "out" / f"output_{place}.npy")
    assert got.tobytes() == values.tobytes(), place
