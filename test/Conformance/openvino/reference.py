# The Reference on OpenVINO's conversions and FakeConvert: the same bits as compiled code, also
# after constants that save_model stores in f16. Other layers are reported as unsupported.
# RUN: rm -rf %t && %python %s %tools_dir %t
import sys

import numpy as np
import openvino
from openvino import opset13
from openvino_layers import driver

run = driver.Driver(*sys.argv[1:])
x = opset13.parameter([300], openvino.Type.f32, "x")
values = np.random.default_rng(0).normal(size=300).astype(np.float32) * 300
values[:4] = [np.nan, np.inf, -0.0, 1e-5]
scale = opset13.convert(opset13.constant(np.array([0.7], np.float16)), "f32")
rounded = opset13.convert(opset13.convert(x, "f8e4m3"), "f32")
model = openvino.Model([opset13.fake_convert(x, scale), rounded], [x], "conversions")
inputs = [("f32", values.view(np.uint32))]
compiled = run.run("compiled", model, inputs)
reference = run.run("reference", model, inputs, ["--target", "reference"])
failures = []
if isinstance(compiled, str) or isinstance(reference, str):
    failures += [compiled, reference]
elif not all(
    np.array_equal(a.view(np.uint32), b.view(np.uint32))
    for a, b in zip(compiled, reference, strict=True)
):
    failures.append("expected the bits of the Reference")

others = openvino.Model([opset13.add(x, x)], [x], "others")
error = run.run("others", others, inputs, ["--target", "reference"])
if "target 'reference': expected only casts" not in error:
    failures.append(f"expected an error about the reference, but got {error}")
buckets = opset13.bucketize(x, opset13.constant(np.float32([0])))
error = run.run("buckets", openvino.Model([buckets], [x], "buckets"), inputs)
if "no lowering of the OpenVINO layer 'Bucketize'" not in error or error.count("error:") != 1:
    failures.append(f"expected one error about Bucketize, but got {error}")
sys.exit("\n".join(map(str, failures)) if failures else 0)
