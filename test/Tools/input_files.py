# Input files that are not regular files, or that change: each ends in an error that names the file,
# and never in a signal or in exhausted memory. Also several models in one call of
# quant-float-check.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../ONNX/Inputs %python %s %tools_dir %t
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
from models import FLOAT, model
from onnx import external_data_helper, helper, numpy_helper

tools, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def run(tool, *arguments, **more):
    return subprocess.run(
        [tools / tool, *arguments], capture_output=True, text=True, cwd=work, timeout=300, **more
    )


def expect(done, code, *parts):
    assert done.returncode == code, f"{done.args}: exit {done.returncode}: {done.stderr}"
    for part in parts:
        assert part in done.stderr, f"{done.args}: expected {part!r} in {done.stderr!r}"


# Endless files are read up to a limit. Models in other formats must be regular files.
with open("/dev/zero", "rb") as zeros:
    for code, *command in (
        (2, "quant-float-check", "-"),
        (1, "quant-float-opt"),
        (1, "quant-float-translate", "--import-onnx"),
    ):
        expect(run(*command, stdin=zeros), code, "expected at most 2147483647 bytes")
os.symlink("/dev/zero", work / "zeros.mlir")
expect(run("quant-float-check", "zeros.mlir"), 2, "zeros.mlir", "expected at most 2147483647 bytes")
for name in ("pipe.onnx", "pipe.xml"):
    os.mkfifo(work / name)
    expect(run("quant-float-check", name), 2, name)

# Standard input works like a file if it ends.
text = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf8E5M2> {\n"
text += "  %0 = quant_float.cast %x opset 21 : tensor<4xf32> to tensor<4xf8E5M2>\n"
text += "  return %0 : tensor<4xf8E5M2>\n}\n"
expect(run("quant-float-check", "-", input=text), 0)
expect(run("quant-float-opt", input=text), 0)
expect(run("quant-float-translate", "--mlir-to-llvmir", input="llvm.func @f()"), 0)

# Weights stay in their file while the model runs. Truncating it then is an error.
size = 1 << 22
weights = np.ones(size, np.float32)
initializer = numpy_helper.from_array(weights, "w")
made = model(
    [helper.make_node("Add", ["x", "w"], ["y"])], [("x", FLOAT, [size])], [("y", FLOAT, [size])]
)
made.graph.initializer.append(initializer)
external_data_helper.set_external_data(made.graph.initializer[0], "weights.bin")
made.graph.initializer[0].ClearField("raw_data")
(work / "weights.bin").write_bytes(weights.tobytes())
(work / "large.onnx").write_bytes(made.SerializeToString())
# The same holds for an input of a library.
cast = "func.func @f(%x: tensor<?xf32>) -> tensor<?xf8E5M2> {\n"
cast += "  %0 = quant_float.cast %x opset 21 : tensor<?xf32> to tensor<?xf8E5M2>\n"
cast += "  return %0 : tensor<?xf8E5M2>\n}\n"
(work / "cast.mlir").write_text(cast)
expect(run("quant-float-compile", "cast.mlir", "-o", "cast.so"), 0)
np.save(work / "large.npy", weights)
for file, *command in (
    ("weights.bin", "quant-float-run", "large.onnx", "--random", "1"),
    ("large.npy", "quant-float-exec", "cast.so", "--inputs", "large.npy"),
):
    process = subprocess.Popen(
        [tools / command[0], *command[1:], "--time", "--repeat", "1000000"],
        cwd=work,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    maps = pathlib.Path(f"/proc/{process.pid}/maps")
    while process.poll() is None and file not in maps.read_text():
        time.sleep(0.01)
    os.truncate(work / file, 0)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 1, f"{file}: exit {process.returncode}: {errors}"
    assert f"{file}: error: was truncated while it was read" in errors, errors

# Text is mapped as well: many comments, which the tool is reading.
for tool in (["quant-float-opt"], ["quant-float-translate", "--mlir-to-llvmir"]):
    for megabytes in (64, 256, 1024):
        with open(work / "long.mlir", "wb") as file:
            for _ in range(megabytes):
                file.write(b"//\n" * (1 << 18))
            # Text whose size is a multiple of a page is not mapped.
            file.write(b"\n")
        process = subprocess.Popen(
            [tools / tool[0], *tool[1:], "long.mlir"],
            cwd=work,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        maps = pathlib.Path(f"/proc/{process.pid}/maps")
        while process.poll() is None and "long.mlir" not in maps.read_text():
            time.sleep(0.001)
        os.truncate(work / "long.mlir", 0)
        _, errors = process.communicate(timeout=300)
        # The tool may have finished before.
        if process.returncode:
            break
    assert process.returncode == 1, f"{tool}: exit {process.returncode}: {errors}"
    assert "long.mlir: error: was truncated while it was read" in errors, errors
(work / "long.mlir").unlink()

# Several models: the worst exit code, one array, messages that name the file.
(work / "good.mlir").write_text(text)
(work / "bad.mlir").write_text(text.replace("opset 21", "opset 18"))
expect(run("quant-float-check", "good.mlir", "good.mlir"), 0)
expect(run("quant-float-check", "bad.mlir", "good.mlir"), 1, "bad.mlir:2:8: error: ")
done = run("quant-float-check", "bad.mlir", "missing.mlir", "good.mlir", "--json")
expect(done, 2, "bad.mlir:2:8: error: ", "missing.mlir")
nodes = json.loads(done.stdout)
assert [node["status"] for node in nodes] == ["invalid", "ok"], nodes
