# The windows of MaxPool and AveragePool: auto_pad, ceil_mode, count_include_pad, strides, dilations
# and sizes, in all combinations that ONNX Runtime supports, against its results, with static and
# dynamic sizes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import numpy as np
import onnxruntime
from conformance.node_tests import Runner
from onnx import TensorProto, helper

runner = Runner(*sys.argv[1:3])
OPSET = 19
SIZES = (5, 8)
image = np.random.default_rng(3).standard_normal((1, 2, max(SIZES))).astype(np.float32)


def make_nodes():
    modes = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
    # The last three have a single window with all elements.
    for mode, ceil, counted, size, stride, (more, kernel), dilation in itertools.product(
        modes,
        (0, 1),
        (None, 0, 1),
        SIZES,
        (1, 2, 3),
        ((0, 2), (0, 3), (1, 0), (1, 1), (1, 2)),
        (1, 2),
    ):
        kernel += more * size
        if more and (
            stride + dilation > 2
            or ceil
            or mode.startswith("SAME")
            or (kernel > size and mode == "VALID")
        ):
            continue
        # ONNX Runtime ignores dilations there, and rejects strides that skip elements.
        end = (size - 1) // stride * stride + kernel
        if mode.startswith("SAME") and (dilation > 1 or end < size):
            continue
        options = {"auto_pad": mode, "ceil_mode": ceil, "strides": [stride]}
        if mode == "NOTSET":
            options["pads"] = {2: [1, 0], 3: [1, 2]}.get(
                kernel, [int(kernel > size), int(kernel > size + 1)]
            )
        if counted is not None:
            options["count_include_pad"] = counted
        op = "MaxPool" if counted is None else "AveragePool"
        yield (
            size,
            helper.make_node(
                op, [f"x{size}"], ["y"], kernel_shape=[kernel], dilations=[dilation], **options
            ),
        )


def make_model(nodes, size, sizes):
    for i, node in enumerate(nodes):
        node.output[0] = f"y{i}"
    source = helper.make_tensor_value_info(f"x{size}", TensorProto.FLOAT, sizes)
    results = [
        helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, None) for node in nodes
    ]
    graph = helper.make_graph(nodes, "g", [source], results)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


failures = []
count = 0
for size in SIZES:
    nodes = [node for of, node in make_nodes() if of == size]
    value = image[..., :size]
    np.save(runner.work / "x.npy", value)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    for sizes in (value.shape, (1, 2, "n")):
        model = make_model(nodes, size, sizes)
        path = runner.work / "model.onnx"
        path.write_bytes(model.SerializeToString())
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        expected = session.run(None, {f"x{size}": value})
        result = runner.call(
            "quant-float-run",
            path,
            "-O0",
            "--outputs",
            runner.work,
            "--inputs",
            runner.work / "x.npy",
        )
        if result.returncode != 0:
            sys.exit(f"{sizes}: exit code {result.returncode}: {result.stderr}")
        for i, (node, wanted) in enumerate(zip(nodes, expected, strict=True)):
            got = np.load(runner.work / f"output_{i}.npy")
            count += 1
            if got.shape != wanted.shape or not np.allclose(got, wanted, 1e-5, 1e-6):
                words = [f"{a.name}={helper.get_attribute_value(a)}" for a in node.attribute]
                failures.append(
                    f"{node.op_type} {sizes} {words}: expected {wanted.shape} {wanted.ravel()}, but got {got.shape} {got.ravel()}"
                )
print(f"{count} cases, {len(failures)} failures")
sys.exit("\n".join(failures) if failures else 0)
