"""Fills a folder with small models to start fuzzing from: those of the importer's tests."""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

LARGEST = 4096
tests = pathlib.Path(__file__).parents[2] / "Target/ONNX"
corpus = pathlib.Path(sys.argv[1])
corpus.mkdir(parents=True, exist_ok=True)
environment = os.environ | {"PYTHONPATH": str(tests / "Inputs")}

with tempfile.TemporaryDirectory() as folder:
    for script in ("cast", "constants", "functions", "graph", "opaque", "quantize"):
        target = pathlib.Path(folder, script)
        subprocess.run(
            [sys.executable, tests / f"{script}.py", target], env=environment, check=True
        )
    # The broken files are made on the way to running a program on them; `false` will do.
    diagnostics = pathlib.Path(__file__).parents[3] / "lib/Target/ONNX/Diagnostics.def"
    for script in ("broken", "broken_quantize"):
        target = pathlib.Path(folder, script)
        subprocess.run(
            [sys.executable, tests / f"{script}.py", target, "false", diagnostics],
            env=environment,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    for model in pathlib.Path(folder).rglob("*.onnx"):
        data = model.read_bytes()
        if len(data) <= LARGEST:
            (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
print(f"{len(list(corpus.iterdir()))} seeds in {corpus}")
