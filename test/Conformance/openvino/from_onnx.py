# ONNX's node tests as OpenVINO models: OpenVINO reads the exported model, and its CPU plugin (in
# f32) computes the outputs of the test. Errors name the node and the reason. Imported again, the
# model is the same. With a last argument n, only every n-th test is run. The networks of the
# examples, float8 and int8 among them, compute the same as ONNX Runtime without optimizations.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir/quant-float-translate %t 6 %src_root/examples/digits
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import onnx
    import onnxruntime
    import openvino
    from onnx import numpy_helper
    from onnx.backend.test.loader import load_model_tests

    TESTS = sorted(load_model_tests(kind="node"), key=lambda test: test.name)
tool, work, step = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
networks = pathlib.Path(sys.argv[4])
# Without this, the plugin also quantizes the activations of 8-bit weights to 8 bits.
PLUGIN = {"DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
PLUGIN |= {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
RANDOM = re.compile("bernoulli|training_dropout")
# Deviations of the plugin, also for ONNX's file itself: ReduceMax starts from the lowest finite
# value instead of -inf, so that fully masked rows of Attention become NaN. Divide multiplies by the
# reciprocal. Doubles are computed as floats. Tile with repeats that are an input.
OTHER = re.compile("reduce_max_empty_set|dynamicquantizelinear|cast.*DOUBLE|_tile$")
# The plugin does not support axes that are an input.
LIMITS = re.compile("dynamic rank|Unsupported operation of type: ReduceLogical")
TOLERANCE = {"float16": 4e-3, "bfloat16": 2e-2}


def export(path, out):
    return subprocess.run(
        [tool, "--export-openvino", path, "-o", out], capture_output=True, text=True
    )


NARROW = {"BFLOAT16": "bf16", "FLOAT8E4M3FN": "f8e4m3", "FLOAT8E5M2": "f8e5m2", "UINT4": "u4"}
NARROW |= {"INT4": "i4", "FLOAT4E2M1": "f4e2m1", "FLOAT8E8M0": "f8e8m0"}


def get_bytes(tensor):
    """The bytes of the tensor. 4-bit elements are packed."""
    array = numpy_helper.to_array(tensor)
    encodings = array.view(f"u{array.dtype.itemsize}").ravel()
    if "4" not in NARROW[onnx.TensorProto.DataType.Name(tensor.data_type)][:2]:
        return encodings
    encodings = np.append(encodings, np.zeros(encodings.size % 2, np.uint8)) & 15
    return encodings[::2] | encodings[1::2] << 4


def make_tensor(value):
    """A tensor for the plugin. Narrow types are passed as bytes."""
    if not isinstance(value, onnx.TensorProto):
        value = np.asarray(value)
        if value.dtype.isbuiltin != 2:
            return value
        value = numpy_helper.from_array(value)
    name = onnx.TensorProto.DataType.Name(value.data_type)
    if name not in NARROW:
        return numpy_helper.to_array(value)
    encodings = get_bytes(value)
    tensor = openvino.Tensor(getattr(openvino.Type, NARROW[name]), openvino.Shape(value.dims))
    tensor.data.view(encodings.dtype).ravel()[:] = encodings
    return tensor


def is_near(value, expected):
    """Narrow types are compared as bytes. NaNs of floats may differ."""
    value, kind = np.asarray(value), ""
    if not isinstance(expected, onnx.TensorProto):
        expected = np.asarray(expected)
        if expected.dtype.isbuiltin == 2:
            expected = numpy_helper.from_array(expected)
    if isinstance(expected, onnx.TensorProto):
        name = onnx.TensorProto.DataType.Name(expected.data_type)
        array = numpy_helper.to_array(expected)
        if name in ("BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E5M2", "FLOAT8E8M0"):
            kind = array.dtype.name
            value, expected = value.view(array.dtype).astype("f4"), array.astype("f4")
        elif name in NARROW:
            return value.tobytes() == get_bytes(expected).tobytes()
        else:
            expected = array
    if value.shape != expected.shape or value.dtype != expected.dtype:
        return False
    if expected.dtype.kind != "f":
        return np.array_equal(value, expected)
    tolerance = TOLERANCE.get(kind or expected.dtype.name, 1e-4)
    return np.allclose(value, expected, tolerance, tolerance, equal_nan=True)


def check(test):
    inputs, expected = test.data_sets[0]
    path, out, again = (work / f"{test.name}{end}" for end in (".onnx", ".xml", "_again.xml"))
    path.write_bytes(test.model.SerializeToString())
    done = export(path, out)
    if done.returncode:
        error = next((line for line in done.stderr.splitlines() if "error: " in line), done.stderr)
        is_clear = (
            "no equivalent in OpenVINO" in error or "no exact equivalent in opset 21" in error
        )
        is_clear |= "is not a tensor" in error or "no type" in error or "no layer" in error
        return ("refused" if is_clear else "wrong", f"{test.name}: {error}")
    done = export(out, again)
    if done.returncode or again.read_bytes() != out.read_bytes():
        return "wrong", f"{test.name}: not the same when it is read back: {done.stderr}"
    try:
        compiled = openvino.Core().compile_model(str(out), "CPU", PLUGIN)
        results = list(compiled([make_tensor(value) for value in inputs]).values())
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        kind = "plugin" if LIMITS.search(reason) else "wrong"
        return kind, f"{test.name}: {reason[:300]}"
    if RANDOM.search(test.name):
        return "random", test.name
    if "attention" in test.name:
        results = [np.where(np.isnan(r), r.dtype.type(0), r) for r in results]
    if len(results) != len(expected) or not all(map(is_near, results, expected)):
        kind = "plugin" if OTHER.search(test.name) else "wrong"
        return kind, f"{test.name}: {results}, expected {expected}"
    return "same", test.name


def check_network(path):
    """Other orders of additions may change a quantized value occasionally."""
    out = work / f"{path.stem}.xml"
    done = export(path, out)
    assert done.returncode == 0, (path, done.stderr)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options)
    (given,) = session.get_inputs()
    shape = [size if isinstance(size, int) else 64 for size in given.shape]
    images = np.random.default_rng(0).random(shape, np.float32)
    (expected,) = session.run(None, {given.name: images})
    compiled = openvino.Core().compile_model(str(out), "CPU", PLUGIN)
    (result,) = compiled({given.name: images}).values()
    assert result.shape == expected.shape, (path, result.shape)
    near = np.isclose(result, expected, 1e-4, 1e-4).mean()
    assert near > 0.98, (path, near)


if __name__ == "__main__":
    for network in sorted(networks.glob("*.onnx")):
        check_network(network)
    selected = [test for test in TESTS if test.model is not None and test.data_sets][::step]
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(check, selected, chunksize=4))
    counts = collections.Counter(kind for kind, _ in found)
    print(dict(counts))
    (work / "found.txt").write_text("\n".join(f"{kind} {text}" for kind, text in found))
    wrong = [text for kind, text in found if kind == "wrong"]
    assert counts["same"] > 1300 // step, counts
    sys.exit("\n".join(wrong) if wrong else 0)
