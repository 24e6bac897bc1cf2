"""Exporting a model with 2 GiB of external data needs a fraction of that memory: large_export.py
TOOLS FOLDER."""

import filecmp
import pathlib
import resource
import subprocess
import sys

from onnx import TensorProto, helper

tools, work = sys.argv[1], pathlib.Path(sys.argv[2])
NUMBER, SIZE, LIMIT = 64, 2**23, 300 * 2**20

weights = []
with (work / "weights.bin").open("wb") as file:
    for i in range(NUMBER):
        file.write(bytes([i + 1]) * (4 * SIZE))
        weights.append(TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[SIZE]))
        weights[-1].data_location = TensorProto.EXTERNAL
        for key, value in (
            ("location", "weights.bin"),
            ("offset", 4 * SIZE * i),
            ("length", 4 * SIZE),
        ):
            weights[-1].external_data.add(key=key, value=str(value))
values = [
    helper.make_tensor_value_info(name, TensorProto.FLOAT, [SIZE]) for name in ("x0", f"x{NUMBER}")
]
nodes = [helper.make_node("Add", [f"x{i}", f"w{i}"], [f"x{i + 1}"]) for i in range(NUMBER)]
graph = helper.make_graph(nodes, "g", values[:1], values[1:], weights)
(work / "model.onnx").write_bytes(helper.make_model(graph).SerializeToString())

command = [
    f"{tools}/quant-float-translate",
    "--export-onnx",
    work / "model.onnx",
    "-o",
    work / "out.onnx",
]
subprocess.run([*command, "--external-data"], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
assert filecmp.cmp(work / "weights.bin", work / "out.onnx.data", shallow=False)
for path in work.iterdir():
    path.unlink()
print(f"{peak / 2**20:.0f} MiB for {4 * SIZE * NUMBER / 2**20:.0f} MiB of weights")
assert peak <= LIMIT, peak
