"""Fills a folder with small files to start fuzzing from: those of this project's tests."""

import hashlib
import io
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from onnx.backend.test.case.node import collect_testcases

LARGEST = 4096
ROOT = pathlib.Path(__file__).parents[3]


def files_of(name, good, broken):
    """The files of an importer's tests, with config.json next to them: from scripts that write
    valid files, and from those that run a program on invalid ones."""
    tests = ROOT / "test" / (f"Weights/{name}" if name in ("GGUF", "Safetensors") else name)
    folders = (tests / "Inputs", ROOT / "test/ONNX/Inputs", ROOT / "test/helpers")
    inputs = os.pathsep.join(map(str, folders))
    environment = os.environ | {"PYTHONPATH": inputs}
    with tempfile.TemporaryDirectory() as folder:
        for script in good:
            target = pathlib.Path(folder, script)
            subprocess.run(
                [sys.executable, tests / f"{script}.py", target], env=environment, check=True
            )
        # The scripts write the invalid files before they run a program on them. `false` is
        # sufficient.
        folder_of_diagnostics = ROOT / "lib" / tests.relative_to(ROOT / "test")
        if folder_of_diagnostics.parent.name != "Weights":
            folder_of_diagnostics /= "Common"
        diagnostics = folder_of_diagnostics / "Diagnostics.def"
        for script in broken:
            target = pathlib.Path(folder, script)
            # The exit code of the scripts does not matter.
            subprocess.run(
                [sys.executable, tests / f"{script}.py", target, "false", diagnostics, "false"],
                env=environment,
                stderr=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                check=False,
            )
        for suffix in ("onnx", "xml", "safetensors"):
            for model in pathlib.Path(folder).rglob(f"*.{suffix}"):
                config = model.parent / "config.json"
                yield model.read_bytes(), config.read_bytes() if config.exists() else b"{}"


def models(*scripts):
    return (model for model, _ in files_of(*scripts))


def operators():
    """ONNX's node tests: every operator with its attributes."""
    for case in collect_testcases(None):
        if case.model is not None:
            yield case.model.SerializeToString()


def strings():
    """The parts of the tests of the dialect and the conversions."""
    for folder in ("IR", "Conversion", "Transforms", "Codegen", "ONNX/ToLinalg", "Pipelines"):
        for file in (ROOT / "test" / folder).rglob("*.mlir"):
            yield from (part.encode() for part in file.read_text().split("// -----"))


def pipelines_of(text):
    """The pass pipelines that a test's RUN lines run on the whole file."""
    for line in re.findall(r"RUN: quant-float-opt (.*)", text.replace("\\\n// RUN:", "")):
        whole = re.search(r'--pass-pipeline="builtin\.module\((.*?)\)"', line)
        option = r"--?((?:quant-float|convert)-[-a-z0-9]+|canonicalize|cse)(?:=(?:\"([^\"]*)\"|(\S+)))?(?=\s|$)"
        made = (
            whole[1]
            if whole
            else ",".join(
                f"{name}{{{quoted or bare}}}" for name, quoted, bare in re.findall(option, line)
            )
        )
        if made and "%" not in made:
            yield made


def passes():
    """The functions of the tests of passes, behind the pipelines that the tests run; those of conversions
    also behind none, which reads them as models."""
    for file in (ROOT / "test").rglob("*.mlir"):
        text = file.read_text()
        pipelines = {*pipelines_of(text)} | ({""} if "Conversion" in file.parts else set())
        text = re.sub(r"^ *//(?! -----).*\n", "", text, flags=re.M)
        for part in re.split(r"// -----.*\n|\n(?=func)", text):
            yield from (f"{pipeline}\n{part}".encode() for pipeline in pipelines)


def arrays():
    """For supported types, in both byte orders and layouts. The first byte is ONNX's type
    number."""
    types = {
        1: "f4",
        11: "f8",
        10: "f2",
        16: "u2",
        17: "u1",
        9: "?",
        3: "i1",
        22: "i1",
        4: "u2",
        7: "i8",
    }
    shapes = (np.zeros(()), np.ones(7), np.arange(12).reshape(3, 4).T, np.ones((0, 3)))
    for number, name in types.items():
        for array in shapes:
            values = array.astype(name)
            for form in (name, f">{name}", f"V{values.itemsize}"):
                cast = values.view(form) if form[0] == "V" else values.astype(form)
                for version in ((1, 0), (2, 0), (3, 0)):
                    file = io.BytesIO()
                    np.lib.format.write_array(file, cast, version)
                    yield bytes([number]) + file.getvalue()


def weights():
    """A file of each format, and the files that the tests reject."""
    sys.path.append(str(ROOT / "test" / "Weights" / "GGUF" / "Inputs"))
    import files

    for number in files.BLOCKS:
        yield files.write([files.make_tensor("w", number, (2, 256))], {"general.name": "m"})
    yield files.write([files.Tensor("f", 0, (2, 3), bytes(24))], {"tokens": ["a", "b"], "n": 3})


def checkpoints():
    """One weight of each layout, after config.json and '#', and the files that the tests reject."""
    for model, config in files_of("Safetensors", (), ("broken",)):
        yield config + b"#" + model
    sys.path.append(str(ROOT / "test" / "Weights" / "Safetensors" / "Inputs"))
    import checkpoint_files
    import layouts

    for case in layouts.CASES.values():
        config = json.dumps({"quantization_config": case.config}).encode()
        for weight in case.weights:
            name = weight.removesuffix(".weight")
            tensors = {key: part for key, part in case.tensors.items() if key.startswith(name)}
            yield config + b"#" + checkpoint_files.write(tensors)


def onnx_models():
    scripts = ("cast", "constants", "functions", "graph", "opaque", "quantize")
    return itertools.chain(models("ONNX", scripts, ("broken", "broken_quantize")), operators())


def conversions():
    """ONNX models, each after the two bytes that select its conversion."""
    for model in onnx_models():
        yield hashlib.sha1(model).digest()[:2] + model


SEEDS = {
    "onnx": onnx_models,
    "convert": conversions,
    "openvino": lambda: models("OpenVINO", (), ("broken",)),
    "gguf": weights,
    "safetensors": checkpoints,
    "mlir": strings,
    "passes": passes,
    "npy": arrays,
}
corpus = pathlib.Path(sys.argv[2])
corpus.mkdir(parents=True, exist_ok=True)
for data in SEEDS[sys.argv[1]]():
    if len(data) <= LARGEST:
        (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
made = len(list(corpus.iterdir()))
print(f"{made} seeds in {corpus}")
if not made:
    sys.exit("no seeds")
