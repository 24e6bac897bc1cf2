# Every layout, written with the package safetensors, has the bits of its definition in NumPy: in
# this project's code, and through ONNX in its reference evaluator and in ONNX Runtime, if that has
# the opset. So do checkpoints in several files.
# RUN: rm -rf %t && mkdir -p %t && env PYTHONPATH=%S/Inputs %python %s %t quant-float-translate quant-float-run
import itertools
import json
import pathlib
import re
import subprocess
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import safetensors
from checkpoint_files import NAMES
from layouts import CASES, Case
from onnx.reference import ReferenceEvaluator

folder, translate, run = pathlib.Path(sys.argv[1]), *sys.argv[2:4]
warnings.simplefilter("ignore", RuntimeWarning)
# The newest opset of ONNX Runtime, without bfloat16 scales.
RUNTIME_OPSET = 23


def save(path, tensors, metadata=None):
    """Written by the package."""
    arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    specs = {
        name: safetensors.TensorSpec(
            dtype=array.dtype.name.replace("float4_e2m1fn", "float4_e2m1fn_x2"),
            shape=tensors[name].shape,
            data_ptr=array.ctypes.data,
            data_len=array.nbytes,
        )
        for name, array in arrays.items()
    }
    safetensors.serialize_file(specs, path, metadata)


def write(name, case, shards=1):
    """A checkpoint in its own folder."""
    place = folder / name
    place.mkdir()
    if case.config:
        config = {"model_type": "test", "quantization_config": case.config}
        (place / "config.json").write_text(json.dumps(config))
    if shards == 1:
        save(place / "model.safetensors", case.tensors, {"format": "np"})
        return place / "model.safetensors"
    files = {}
    for index, tensor in enumerate(case.tensors):
        files[tensor] = f"model-{index % shards + 1:05}-of-{shards:05}.safetensors"
    for file in set(files.values()):
        save(place / file, {key: case.tensors[key] for key in files if files[key] == file})
    index = {"metadata": {"total_size": 0}, "weight_map": files}
    (place / "model.safetensors.index.json").write_text(json.dumps(index))
    return place / "model.safetensors.index.json"


def same_bits(a, b):
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def check(name, case, shards=1):
    """Returns the number of compared elements."""
    source = write(name, case, shards)
    module, model = folder / f"{name}.mlir", folder / f"{name}.onnx"
    subprocess.run([translate, "--import-safetensors", source, "-o", module], check=True)
    subprocess.run([run, module, "--outputs", folder / name], check=True)
    subprocess.run([translate, "--export-onnx", module, "-o", model], check=True)
    proto = onnx.load(model)
    onnx.checker.check_model(proto, full_check=True)
    names = [output.name for output in proto.graph.output]
    assert sorted(names) == sorted(case.weights), set(names) ^ set(case.weights)
    others = [ReferenceEvaluator(proto).run(None, {})]
    has_bfloat16 = any(tensor.dtype.name == "bfloat16" for tensor in case.tensors.values())
    if proto.opset_import[0].version <= RUNTIME_OPSET and not has_bfloat16:
        others.append(onnxruntime.InferenceSession(model).run(None, {}))
    for index, weight in enumerate(names):
        want = case.weights[weight]
        got = np.load(folder / name / f"output_{index}.npy")
        assert same_bits(got, want), (name, weight)
        for other in others:
            assert np.array_equal(other[index], want, equal_nan=True), (name, weight)
    return sum(want.size for want in case.weights.values())


compared = sum(check(name, case) for name, case in CASES.items())
compared += sum(check(f"{name}-shards", CASES[name], 3) for name in ("packed4-float16", "gptq4"))

# Unquantized tensors: each type, NaNs included, in MLIR and in ONNX.
random = np.random.default_rng(7)
plain = {"scalar": np.float32(0.5).reshape(()), "none": np.zeros((0, 4), np.float16)}
for dtype in NAMES:
    kind = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    high = 2 if dtype == "bool" else 256
    bits = random.integers(0, high, 3 * 8 * kind.itemsize, np.uint8)
    plain[dtype] = bits.view(kind).reshape(3, 8)
module, model = folder / "plain.mlir", folder / "plain.onnx"
source = write("plain", Case(plain, {}))
subprocess.run([translate, "--import-safetensors", source, "-o", module], check=True)
subprocess.run([translate, "--export-onnx", module, "-o", model], check=True)
proto = onnx.load(model)
found = {
    tensor.name: tensor
    for tensor in [*proto.graph.initializer]
    + [node.attribute[0].t for node in proto.graph.node if node.op_type == "Constant"]
}
names = [output.name for output in proto.graph.output]
assert sorted(names) == sorted(plain)
results = ReferenceEvaluator(proto).run(None, {})
for name, result in zip(names, results, strict=True):
    assert same_bits(np.asarray(result), plain[name]), name
    compared += plain[name].size

# Layers that metadata name. In several files, any of them may contain the metadata.
place = folder / "metadata"
place.mkdir()
config = json.dumps(CASES["gptq4"].config)
layer = {"format": "float8_e4m3fn", "params": None, "convrot": False}
layers = json.dumps({"layers": {"f": layer}})
words = CASES["gptq4"].tensors
encodings = random.integers(0, 120, (2, 8), np.uint8).view(ml_dtypes.float8_e4m3fn)
bytes_of = {"net.f.weight": encodings, "net.f.weight_scale": np.float32([0.5])}
for index, said in enumerate(
    itertools.product(
        ({"quantization_config": config}, {}), ({"quantization_config": config}, {}), (0, 1, 2)
    )
):
    *configs, has_layers = said
    if not any(configs):
        continue
    of_layers = {"_quantization_metadata": layers}
    for file, tensors, metadata, bit in (
        ("a", words, configs[0], 1),
        ("b", bytes_of, configs[1], 2),
    ):
        metadata = metadata | (of_layers if has_layers & bit else {})
        save(place / file, tensors, metadata or None)
    files = dict.fromkeys(words, "a") | dict.fromkeys(bytes_of, "b")
    source, module = place / "model.safetensors.index.json", folder / f"metadata{index}.mlir"
    source.write_text(json.dumps({"weight_map": files}))
    subprocess.run([translate, "--import-safetensors", source, "-o", module], check=True)
    subprocess.run([run, module, "--outputs", folder / f"metadata{index}"], check=True)
    names = re.findall(r'quant_float.name = "(.*?)"', module.read_text())
    wanted = CASES["gptq4"].weights | {
        "net.f.weight": encodings.astype(np.float32) * np.float32(0.5)
    }
    assert sorted(names) == sorted(wanted), names
    for at, weight in enumerate(names):
        got = np.load(folder / f"metadata{index}" / f"output_{at}.npy")
        assert same_bits(got, wanted[weight]), (index, weight)

# An empty file.
subprocess.run(
    [translate, "--import-safetensors", write("nothing", Case({}, {})), "-o", folder / "no.mlir"],
    check=True,
)
assert compared > 50_000, compared
print(f"{compared} elements of {len(CASES)} layouts and {len(plain)} types")
