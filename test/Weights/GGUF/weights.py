# Every block format, with random bits for quantized values and scales, has the bits that the
# package gguf decodes (except for the signs of zeros of MXFP4 and NVFP4): in this project's code,
# and through ONNX in its reference evaluator and in ONNX Runtime, if that has the opset.
# RUN: rm -rf %t && mkdir -p %t && env PYTHONPATH=%S/Inputs %python %s %t quant-float-translate quant-float-run
import pathlib
import subprocess
import sys
import warnings

import gguf
import ml_dtypes
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
FLOAT4 = ("MXFP4", "NVFP4")


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
        if name in FLOAT4:
            assert np.array_equal(got, want) and np.array_equal(others[index], want), name
            got = want = np.abs(want)
        assert same_bits(got, want), name
        assert np.array_equal(others[index], want, equal_nan=True) or name in FLOAT4, name
        compared += want.size
    # The newest opset of ONNX Runtime.
    older = {name: tensors[name] for name in tensors if name not in (*FLOAT4, "Q2_K")}
    module = translated("--import-gguf", write(f"{rows}-older", older), ".mlir")
    model = translated("--export-onnx", module, ".onnx")
    assert onnx.load(model, load_external_data=False).opset_import[0].version == RUNTIME_OPSET
    results = onnxruntime.InferenceSession(model).run(None, {})
    for (name, (data, kind)), got in zip(older.items(), results, strict=True):
        want = data if kind is None else gguf.quants.dequantize(data, kind)
        assert np.array_equal(got, want, equal_nan=True), name

# NVFP4 with the scales of tensors in another tensor: one number, or one for each matrix. ggml
# ignores the signs of the scales of blocks, and reads NaN as 0.
E2M1 = np.float32([0, 0.5, 1, 1.5, 2, 3, 4, 6])
for shape, count in (((4, 128), 1), ((3, 4, 128), 1), ((3, 4, 128), 3), ((1, 4, 128), 1)):
    bits = random.integers(0, 256, (np.prod(shape) // 64, 36), np.uint8)
    bits[:, :4][bits[:, :4] == 0xFF] = 0x7F
    bits[0, :4] = 0x7F, 0x80, 0x81, 0xFE
    values = gguf.quants.dequantize(bits, GGMLQuantizationType.NVFP4)
    encodings = np.where(bits[:, :4] == 0x7F, 0, bits[:, :4] & 0x7F).astype(np.uint8)
    blocks = encodings.view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    nibbles = bits[:, 4:].reshape(-1, 4, 8)
    encodings = np.concatenate([nibbles & 15, nibbles >> 4], -1)
    elements = np.where(encodings > 7, -E2M1[encodings & 7], E2M1[encodings & 7])
    assert np.array_equal((elements * blocks[..., None]).reshape(-1, 64), values)
    scale = random.uniform(0.01, 3, count).astype(np.float32)
    # The product of both scales is rounded first.
    factors = np.repeat(scale, len(bits) // count)[:, None] * blocks
    tensors = {
        "a.weight": (bits.reshape(*shape[:-1], -1), GGMLQuantizationType.NVFP4),
        "a.scale": (scale, None),
        "a.input_scale": (np.ones(1, np.float32), None),
        # For other formats, it is a separate tensor.
        "b.weight": (make_blocks(8, 2, 32), GGMLQuantizationType.Q8_0),
        "b.scale": (np.ones(1, np.float32), None),
    }
    source = write("scaled", tensors)
    for path in (source, translated("--export-gguf", source, ".again.gguf")):
        names = [tensor.name for tensor in gguf.GGUFReader(path).tensors]
        assert sorted(names) == sorted(tensors), names
        module = translated("--import-gguf", path, ".mlir")
        subprocess.run([run, module, "--outputs", folder / "scaled"], check=True)
        got = np.load(folder / "scaled" / "output_0.npy")
        assert same_bits(np.abs(got), np.abs(elements * factors[..., None]).reshape(shape))
        assert np.array_equal(got, (elements * factors[..., None]).reshape(shape))
        compared += got.size

# An empty file, and weights without elements.
for tensors in ({}, {"none": (np.zeros((0, 32), np.float32), None)}):
    translated("--import-gguf", write("empty", tensors), ".mlir")
assert compared > 10**6, compared
print(f"{compared} elements of {len(BLOCKS)} formats")
