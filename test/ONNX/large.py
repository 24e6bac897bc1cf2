# Time and memory are linear in the contents of a file: many inputs and outputs, and many tensors of
# one file with its checksum.
# RUN: rm -rf %t && mkdir %t && %python %s quant-float-translate %t
import hashlib
import pathlib
import subprocess
import sys

from limits import bounded
from onnx import TensorProto, helper

translate, work = sys.argv[1], pathlib.Path(sys.argv[2])
NUMBER = 20_000


def translated(name, nodes, inputs, outputs, constants=()):
    """The bounds are several times what is needed, and a fraction of quadratic costs."""
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializer=constants)
    imports = [helper.make_opsetid("", 21)]
    path = work / f"{name}.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=imports).SerializeToString())
    command = [*bounded(2**31, seconds=40), translate, "--import-onnx", path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (name, done.returncode, done.stderr[-300:])
    return done.stdout


def values(prefix):
    return [
        helper.make_tensor_value_info(f"{prefix}{i}", TensorProto.FLOAT, [2]) for i in range(NUMBER)
    ]


nodes = [helper.make_node("Relu", [f"x{i}"], [f"y{i}"]) for i in range(NUMBER)]
text = translated("interface", nodes, values("x"), values("y"))
assert text.count("quant_float.name") == 2 * NUMBER

data = bytes(2**24)
checksum = hashlib.sha1(data).hexdigest()
(work / "data.bin").write_bytes(data)
tensors = []
for i in range(5000):
    tensor = TensorProto(dims=[4], data_type=TensorProto.FLOAT, name=f"w{i}")
    tensor.data_location = TensorProto.EXTERNAL
    fields = {"location": "data.bin", "offset": 16 * i, "length": 16}
    for key, value in (fields | {"checksum": checksum}).items():
        tensor.external_data.add(key=key, value=str(value))
    tensors.append(tensor)
nodes = [helper.make_node("Sum", [t.name for t in tensors], ["y0"])]
text = translated("checksums", nodes, [], values("y")[:1], tensors)
assert text.count("dense<0.000000e+00> : tensor<4xf32>") == len(tensors), text[-300:]
print("ok")
