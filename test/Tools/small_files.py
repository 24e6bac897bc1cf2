# Files of a hundred bytes that request 2^40 elements, or a tensor of many dimensions: the
# computation happens at run time, where the allocation fails. Until then, little time and memory is
# needed.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../ONNX/Inputs:%S/../helpers %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import numpy as np
from limits import SANITIZED, bounded
from models import FLOAT, model
from onnx import TensorProto as T
from onnx import helper, numpy_helper

tools, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
node = helper.make_node
BIG = numpy_helper.from_array(np.array([2**20, 2**20]), "s")
WIDE = numpy_helper.from_array(np.array([2**19]), "s")
ONE = numpy_helper.from_array(np.ones([1, 1], np.float32), "c")
STEP = numpy_helper.from_array(np.array([2, 2]), "t")
FILL = node("ConstantOfShape", ["s"], ["a"])
LENGTHS = node("ConstantOfShape", ["s"], ["a"], value=helper.make_tensor("v", T.INT64, [1], [1]))
NO_MEMORY = ("no memory for", "out of memory")
RANK = ("a shape must have at most 64 sizes, but got 524288",)
CASES = {
    "filled": ([node("ConstantOfShape", ["s"], ["y"])], [BIG], NO_MEMORY),
    "expanded": ([node("Expand", ["c", "s"], ["y"])], [BIG, ONE], NO_MEMORY),
    "added": ([FILL, node("Add", ["a", "a"], ["y"])], [BIG], NO_MEMORY),
    "summed": ([FILL, node("ReduceSum", ["a"], ["y"])], [BIG], NO_MEMORY),
    "transposed": ([FILL, node("Transpose", ["a"], ["y"])], [BIG], NO_MEMORY),
    "joined": ([FILL, node("Concat", ["a", "a"], ["y"], axis=0)], [BIG], NO_MEMORY),
    "cut": ([FILL, node("Slice", ["a", "t", "s"], ["y"])], [BIG, STEP], NO_MEMORY),
    "cast": (
        [FILL, node("Cast", ["a"], ["b"], to=17), node("Cast", ["b"], ["y"], to=1)],
        [BIG],
        NO_MEMORY,
    ),
    "shape": ([LENGTHS, node("Expand", ["c", "a"], ["y"])], [WIDE, ONE], RANK),
    "reshape": ([LENGTHS, node("Reshape", ["c", "a"], ["y"])], [WIDE, ONE], RANK),
    "filled with a shape": ([LENGTHS, node("ConstantOfShape", ["a"], ["y"])], [WIDE], RANK),
}

for name, (nodes, initializers, messages) in CASES.items():
    made = model(nodes, [], [("y", FLOAT, None)], initializer=initializers)
    path = work / f"{name.replace(' ', '_')}.onnx"
    path.write_bytes(made.SerializeToString())
    assert path.stat().st_size < 250, path.stat()
    limits = bounded(2**32, seconds=40)
    if messages is NO_MEMORY:
        command = [*limits, tools / "quant-float-compile", path, "-o", work / "m.so"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, (name, done.returncode, done.stderr[-300:])
        # An allocation of this size is a separate error there.
        if SANITIZED:
            continue
    done = subprocess.run(
        [*limits, tools / "quant-float-run", path], capture_output=True, text=True
    )
    right = any(message in done.stderr for message in messages)
    assert done.returncode == 1 and right, (name, done.returncode, done.stderr[-300:])
