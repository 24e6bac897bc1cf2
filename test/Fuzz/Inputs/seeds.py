"""Fills a folder with small models to start fuzzing from: those of the importer's tests."""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

LARGEST = 4096
ROOT = pathlib.Path(__file__).parents[3]
# The folder of the tests, the scripts that make good files, and those that run a program on broken ones.
IMPORTERS = {
    "onnx": (
        "ONNX",
        ("cast", "constants", "functions", "graph", "opaque", "quantize"),
        ("broken", "broken_quantize"),
    ),
    "openvino": ("OpenVINO", (), ("broken",)),
}
name, good, broken = IMPORTERS[sys.argv[1]]
tests = ROOT / "test/Target" / name
corpus = pathlib.Path(sys.argv[2])
corpus.mkdir(parents=True, exist_ok=True)
inputs = os.pathsep.join(str(folder / "Inputs") for folder in (tests, tests.parent / "ONNX"))
environment = os.environ | {"PYTHONPATH": inputs}

with tempfile.TemporaryDirectory() as folder:
    for script in good:
        target = pathlib.Path(folder, script)
        subprocess.run(
            [sys.executable, tests / f"{script}.py", target], env=environment, check=True
        )
    # The broken files are made on the way to running a program on them; `false` will do.
    diagnostics = ROOT / "lib/Target" / name / "Diagnostics.def"
    for script in broken:
        target = pathlib.Path(folder, script)
        subprocess.run(
            [sys.executable, tests / f"{script}.py", target, "false", diagnostics, "false"],
            env=environment,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    made = 0
    for model in [*pathlib.Path(folder).rglob("*.onnx"), *pathlib.Path(folder).rglob("*.xml")]:
        data = model.read_bytes()
        if len(data) <= LARGEST:
            made += 1
            (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
print(f"{len(list(corpus.iterdir()))} seeds in {corpus}")
# What the scripts exit with says nothing.
if not made:
    sys.exit(f"no seeds in {tests}")
