# The examples in the package's README and docstrings run and yield the stated results.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %src_root %t
import contextlib
import doctest
import io
import os
import pathlib
import re
import sys

import expect
import numpy as np
import onnx
import quant_float as qf
from onnx import TensorProto, helper

root, work = map(pathlib.Path, sys.argv[1:])
graph = helper.make_graph(
    [helper.make_node("Cast", ["x"], ["y"], "to8", to=TensorProto.FLOAT8E5M2)],
    "graph",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT8E5M2, ["n"])],
)
text = (root / "python_bindings" / "README.md").read_text()
os.chdir(work)
names = {}
outputs = []
for opset, block in zip((19, 13), re.findall(r"```python\n(.*?)```", text, re.DOTALL), strict=True):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    onnx.save(model, "model.onnx")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(block, names)
    outputs.append(printed.getvalue())
expect.true(outputs[0], outputs[0] == "to8 ok \n")
expect.true(outputs[1], "model.onnx" in outputs[1] and "from opset 19 on" in outputs[1])
x = np.float32([1, 2.1])
expect.same("the kernel", names["kernel"](x), qf.cast(x, "f8e5m2"))

for module, count in [(qf, 2), (qf.typing, 4)]:
    result = doctest.testmod(module)
    expect.true(f"docstring: {result}", result.attempted == count and not result.failed)
expect.finish()
