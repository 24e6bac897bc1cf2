# Every block format, with random bits for codes and scales, is what the package gguf makes of it, bit by bit (but for the signs of
# MXFP4's zeros): run from here, and through ONNX by its reference and by ONNX Runtime, where that has the opset.
# RUN: rm -rf %t && mkdir -p %t && env PYTHONPATH=%S/Inputs %python %s %t quant-float-translate quant-float-run
import pathlib
import subprocess
import sys
import warnings

import gguf
import numpy as np
import onnx
import onnxruntime
from blocks import make_blocks
from files import BLOCKS
from gguf import GGMLQuantizationType
from onnx.reference import ReferenceEvaluator

folder, translate, run = pathlib.Path(sys.argv[1]), *sys.argv[2:4]
warnings.simplefilter("ignore", RuntimeWarning)
random = np.random.default_rng(7)
PLAIN = (np.float32, np.float16, np.float64, np.int8, np.int16, np.int32, np.int64)
RUNTIME_OPSET = 23


def translated(option, source, suffix):
    output = source.with_suffix(suffix)
    subprocess.run([translate, option, source, "-o", output], check=True)
    return output


def write(name, tensors):
    path = folder / f"{name}.gguf"
    writer = gguf.GGUFWriter(path, "test")
    writer.add_array("tokens", ["a", "b"])
    writer.add_float32("scale", 0.5)
    for tensor, (data, kind) in tensors.items():
        writer.add_tensor(tensor, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


compared = 0
for rows, row in ((1, 256), (3, 512), (64, 2048)):
    tensors = {
        GGMLQuantizationType(number).name: (
            make_blocks(number, rows, row),
            GGMLQuantizationType(number),
        )
        for number in BLOCKS
    }
    for dtype in PLAIN:
        bits = random.integers(0, 256, rows * 24, np.uint8).view(dtype)
        tensors[f"plain {np.dtype(dtype)}"] = (bits.reshape(rows, -1), None)
    source = write(f"{rows}", tensors)
    module = translated("--import-gguf", source, ".mlirbc" if rows > 3 else ".mlir")
    subprocess.run([run, module, "--outputs", folder / f"{rows}"], check=True)
    model = onnx.load(translated("--export-onnx", module, ".onnx"))
    onnx.checker.check_model(model, full_check=True)
    assert [output.name for output in model.graph.output] == list(tensors)
    others = ReferenceEvaluator(model).run(None, {})
    for index, (name, (data, kind)) in enumerate(tensors.items()):
        want = data if kind is None else gguf.quants.dequantize(data, kind)
        got = np.load(folder / f"{rows}" / f"output_{index}.npy")
        if name == "MXFP4":
            assert np.array_equal(got, want) and np.array_equal(others[index], want), name
            got = want = np.abs(want)
        assert same_bits(got, want), name
        assert np.array_equal(others[index], want, equal_nan=True) or name == "MXFP4", name
        compared += want.size
    # ONNX Runtime has no later opset.
    older = {name: tensors[name] for name in tensors if name not in ("MXFP4", "Q2_K")}
    module = translated("--import-gguf", write(f"{rows}-older", older), ".mlir")
    model = translated("--export-onnx", module, ".onnx")
    assert onnx.load(model, load_external_data=False).opset_import[0].version == RUNTIME_OPSET
    results = onnxruntime.InferenceSession(model).run(None, {})
    for (name, (data, kind)), got in zip(older.items(), results, strict=True):
        want = data if kind is None else gguf.quants.dequantize(data, kind)
        assert np.array_equal(got, want, equal_nan=True), name

# Nothing in it, and weights without elements.
for tensors in ({}, {"none": (np.zeros((0, 32), np.float32), None)}):
    translated("--import-gguf", write("empty", tensors), ".mlir")
assert compared > 10**6, compared
print(f"{compared} elements of {len(BLOCKS)} formats")
