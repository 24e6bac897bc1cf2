"""Networks that packages contain as ONNX files."""

import importlib.util
import pathlib

import numpy as np
import onnx
from onnx import helper


def shipped(package, file, shapes, high=2, values=None):
    """The package's file, with inputs of these shapes. Integer inputs are random values below
    `high`."""
    # The package itself is not imported, because it may have further dependencies.
    folder = pathlib.Path(importlib.util.find_spec(package).origin).parent
    model, random, inputs = onnx.load(folder / file), np.random.default_rng(40), {}
    for value in model.graph.input:
        dtype = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        if values and value.name in values:
            inputs[value.name] = np.array(values[value.name], dtype)
        elif np.issubdtype(dtype, np.integer):
            inputs[value.name] = random.integers(1, high, shapes[value.name]).astype(dtype)
        else:
            inputs[value.name] = random.standard_normal(shapes[value.name]).astype(dtype)
    return model, inputs
