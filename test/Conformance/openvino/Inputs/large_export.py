"""Exporting a model with 2 GiB of constants needs a fraction of that memory: large_export.py TOOLS
FOLDER."""

import filecmp
import pathlib
import resource
import subprocess
import sys

tools, work = sys.argv[1], pathlib.Path(sys.argv[2])
NUMBER, SIZE, LIMIT = 64, 2**23, 300 * 2**20

port = f'precision="FP32"><dim>{SIZE}</dim></port>'
layers = [
    f'<layer id="0" name="x" type="Parameter" version="opset1"><data shape="{SIZE}" element_type="f32"/>'
    f'<output><port id="0" {port}</output></layer>'
]
edges = []


def edge(source, output, target, number):
    edges.append(
        f'<edge from-layer="{source}" from-port="{output}" to-layer="{target}" to-port="{number}"/>'
    )


with (work / "model.bin").open("wb") as file:
    for i in range(NUMBER):
        file.write(bytes([i + 1]) * (4 * SIZE))
        number = 2 * i + 1
        layers.append(
            f'<layer id="{number}" name="w{i}" type="Const" version="opset1">'
            f'<data element_type="f32" shape="{SIZE}" offset="{4 * SIZE * i}" size="{4 * SIZE}"/>'
            f'<output><port id="0" {port}</output></layer>'
        )
        layers.append(
            f'<layer id="{number + 1}" name="a{i}" type="Add" version="opset1"><data auto_broadcast="numpy"/>'
            f'<input><port id="0"/><port id="1"/></input><output><port id="2" {port}</output></layer>'
        )
        edge(number - 1, 2 if i else 0, number + 1, 0)
        edge(number, 0, number + 1, 1)
layers.append(
    f'<layer id="{2 * NUMBER + 1}" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>'
)
edge(2 * NUMBER, 2, 2 * NUMBER + 1, 0)
(work / "model.xml").write_text(
    f'<net name="m" version="11"><layers>{"".join(layers)}</layers><edges>{"".join(edges)}</edges></net>'
)

command = [f"{tools}/quant-float-translate", "--export-openvino", work / "model.xml"]
subprocess.run([*command, "-o", work / "out.xml"], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
assert filecmp.cmp(work / "model.bin", work / "out.bin", shallow=False)
for path in work.iterdir():
    path.unlink()
print(f"{peak / 2**20:.0f} MiB for {4 * SIZE * NUMBER / 2**20:.0f} MiB of constants")
assert peak <= LIMIT, peak
