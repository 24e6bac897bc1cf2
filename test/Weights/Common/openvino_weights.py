# Weights of a model of OpenVINO, as its tools compress them: quantized values of every type with
# and without zero points, per tensor, per channel and in groups, and scales in f16, f32 and
# f8E8M0FNU. The extracted weights have the values that NumPy and the plugin compute.
# RUN: rm -rf %t && mkdir -p %t && env PYTHONPATH=%S/Inputs:%S/../GGUF/Inputs:%S/../Safetensors/Inputs %python %s %t quant-float-translate
import pathlib
import subprocess
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
import openvino
from decoders import decode_checkpoint
from onnx.reference import ReferenceEvaluator
from openvino import opset13 as op

folder, translate = pathlib.Path(sys.argv[1]), sys.argv[2]
warnings.simplefilter("ignore", RuntimeWarning)
random = np.random.default_rng(3)
ROWS, COLUMNS, GROUP = 8, 64, 32
TYPES = {
    "u4": (ml_dtypes.uint4, True),
    "i4": (ml_dtypes.int4, False),
    "u8": (np.uint8, True),
    "i8": (np.int8, False),
    "f8e4m3": (ml_dtypes.float8_e4m3fn, False),
    "f8e5m2": (ml_dtypes.float8_e5m2, False),
    "f4e2m1": (ml_dtypes.float4_e2m1fn, False),
}


def constant(values, kind):
    """A constant of OpenVINO's type, with packed elements."""
    bits = np.dtype(values.dtype).itemsize * 8
    encodings = values.view(np.uint8).reshape(-1) if bits == 8 else None
    if kind in ("u4", "i4", "f4e2m1"):
        encodings = (encodings & 15).astype(np.uint8)
        encodings = np.append(encodings, np.zeros(len(encodings) % 2, np.uint8))
        encodings = encodings[::2] | encodings[1::2] << 4
    tensor = openvino.Tensor(encodings, openvino.Shape(values.shape), getattr(openvino.Type, kind))
    return op.constant(tensor)


def make(kind, has_zero, granularity, number):
    """The matmul of an input with such weights, and the weights' values."""
    dtype, _ = TYPES[kind]
    grouped = granularity == "groups"
    shape = (ROWS, COLUMNS // GROUP, GROUP) if grouped else (ROWS, COLUMNS)
    each = {"tensor": (), "rows": (ROWS, 1), "groups": (ROWS, COLUMNS // GROUP, 1)}[granularity]
    encodings = random.integers(0, 256, shape).astype(np.uint8)
    if kind in ("u4", "i4", "f4e2m1"):
        encodings &= 15
    if kind == "i4":
        encodings = np.where(encodings > 7, encodings | 0xF0, encodings).astype(np.uint8)
    if kind == "f8e4m3":
        encodings &= 0x7E
    if kind == "f8e5m2":
        encodings &= 0x7B
    encodings = encodings.view(dtype)
    scale = (random.random(each) + 0.25).astype("f4" if number == "f8e8m0" else number)
    weights = constant(encodings, kind)
    weights.set_friendly_name("a.weight")
    compute = "f16" if number == "f2" else "f32"
    value = op.convert(weights, compute)
    numbers = encodings.astype(np.float32)
    if has_zero:
        zero = random.integers(0, 16, each).astype(np.uint8).view(dtype)
        point = op.convert(constant(zero, kind), compute)
        value = op.subtract(value, point)
        numbers = numbers - zero.astype(np.float32)
    if number == "f8e8m0":
        scale = (2.0 ** np.round(np.log2(scale))).astype(ml_dtypes.float8_e8m0fnu)
        factor = op.convert(constant(scale, "f8e8m0"), compute)
    else:
        factor = op.constant(scale)
    value = op.multiply(value, factor)
    if grouped:
        value = op.reshape(value, np.int64([ROWS, COLUMNS]), False)
    if compute == "f16":
        value = op.convert(value, "f32")
    x = op.parameter([2, COLUMNS], np.float32, "x")
    product = op.matmul(x, value, False, True)
    wanted = (numbers * scale.astype(np.float32)).reshape(ROWS, COLUMNS)
    return openvino.Model([product], [x], "m"), wanted


count = refused = 0
for kind, (_, takes_zero) in TYPES.items():
    for has_zero in (False, True) if takes_zero else (False,):
        for granularity in ("tensor", "rows", "groups"):
            for number in ("f2", "f4") + (("f8e8m0",) if kind[0] == "f" and granularity == "groups" else ()):  # fmt: skip
                name = f"{kind}-{has_zero}-{granularity}-{number}"
                model, wanted = make(kind, has_zero, granularity, number)
                path = folder / f"{name}.xml"
                openvino.save_model(model, path, compress_to_fp16=False)
                for suffix in ("onnx", "safetensors"):
                    output = folder / f"{name}.{suffix}"
                    done = subprocess.run(
                        [translate, f"--export-{suffix}", "--extract-weights", path, "-o", output],
                        capture_output=True,
                        text=True,
                    )
                    if done.returncode and suffix == "safetensors":
                        # float4 requires groups. Other types are tested with all layouts.
                        assert kind == "f4e2m1" and "result 'a.weight'" in done.stderr, done
                        refused += 1
                        continue
                    assert done.returncode == 0, (name, done.stderr)
                    if suffix == "onnx":
                        found = onnx.load(output)
                        onnx.checker.check_model(found, full_check=True)
                        assert [o.name for o in found.graph.output] == ["a.weight"], name
                        assert {n.op_type for n in found.graph.node} == {"DequantizeLinear"}, name
                        if kind == "f4e2m1" or number == "f8e8m0":
                            # The reference does not read these.
                            continue
                        (values,) = ReferenceEvaluator(found).run(None, {})
                    else:
                        _, values = decode_checkpoint(output)
                    assert values.dtype == np.float32, name
                    assert np.array_equal(values, wanted), (name, suffix, values - wanted)
                    count += 1
                # Matmuls in the plugin: with one nonzero element of x at a time, the results are
                # the weights.
                x = np.zeros((2, COLUMNS), np.float32)
                x[0, 3] = x[1, COLUMNS - 1] = 1
                compiled = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})  # fmt: skip
                (result,) = compiled([x]).values()
                assert np.allclose(result, wanted[:, [3, COLUMNS - 1]].T, 1e-5, 0), name
print(f"{count} extracted, {refused} refused")
sys.exit(count < 50)
