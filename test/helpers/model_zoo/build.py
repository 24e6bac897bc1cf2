"""Writes networks: `python -m model_zoo.build FOLDER NAME...`, in the environment of
requirements-networks.txt.

NAME yields FOLDER/NAME.onnx and the values of its inputs, FOLDER/NAME.npz. NAME.VARIANT yields a
quantized variant. The reason for a failure is written to FOLDER/NAME.txt.
"""

import importlib
import os
import pathlib
import sys

import numpy as np
import onnx

from model_zoo import variants
from model_zoo.table import NETWORKS


def write(folder, name, make, *arguments):
    """The file appears atomically."""
    target, part = folder / f"{name}.onnx", folder / f".{name}.{os.getpid()}.onnx"
    try:
        make(part, *arguments)
        part.rename(target)
    except Exception as error:  # The exporters raise any exception.
        lines = str(error).strip().splitlines() or [""]
        (folder / f"{name}.txt").write_text(f"{type(error).__name__}: {lines[0][:300]}\n")
        part.unlink(missing_ok=True)


def make_network(part, name, values):
    network = NETWORKS[name]
    builder = importlib.import_module(f"model_zoo.{network.source}")
    model, inputs = getattr(builder, network.make)(*network.arguments, **network.options)
    onnx.save(model, part)
    np.savez(values, **inputs)


def make_variant(part, source, form, values):
    variants.write(form, onnx.load(source), part, dict(np.load(values)))


def main(folder, names):
    for full in names:
        name, _, form = full.partition(".")
        source, values = folder / f"{name}.onnx", folder / f"{name}.npz"
        tried = [path.exists() for path in (source, folder / f"{name}.txt")]
        if not any(tried):
            write(folder, name, make_network, name, values)
        if form and source.exists() and not (folder / f"{full}.onnx").exists():
            write(folder, full, make_variant, source, form, values)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
