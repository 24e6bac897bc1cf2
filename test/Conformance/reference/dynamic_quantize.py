# D9: the Reference's DynamicQuantizeLinear against ONNX Runtime, the ONNX reference implementation and compiled code. A difference
# needs an entry [[dynamic_quantize]] in the table of known differences, and an entry a difference.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-reference-quantize %tools_dir/quant-float-run %src_root/test/Conformance/waivers.toml %t

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from conformance.process import QuantizeProcess
from onnx.reference import ReferenceEvaluator

MODEL = onnx.parser.parse_model("""
<ir_version: 8, opset_import: ["" : 11]>
dynamic (float[N] x) => (uint8[N] y, float scale, uint8 zero_point) {
  y, scale, zero_point = DynamicQuantizeLinear(x)
}
""")


def arrays():
    rng = np.random.default_rng(20240229)
    for count in (1, 2, 3, 7, 64, 1000):
        for exponent in (-140, -100, -20, 0, 3, 60, 120):
            values = rng.uniform(-1, 1, count) * 2.0**exponent
            for sign in (1, -1):
                yield sign * np.abs(values)
            yield values + rng.uniform(-1, 1) * 2.0**exponent
    # Quotients that are ties.
    yield np.arange(-255, 256) / 2
    yield np.array([0.0, 255.0, *(np.arange(255) + 0.5)])
    # One point, overflow and underflow of the scale, infinities.
    for values in (
        [0, 0],
        [-0.0],
        [3e38, -3e38, 1],
        [1e-45, 0],
        [-1e-45, 0],
        [np.inf, 1],
        [np.inf, -np.inf],
    ):
        yield np.array(values)


def onnx_runtime():
    session = onnxruntime.InferenceSession(
        MODEL.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return lambda x: session.run(None, {"x": x})


def onnx_reference():
    evaluator = ReferenceEvaluator(MODEL)
    return lambda x: evaluator.run(None, {"x": x})


def compiled(tool, work):
    model = work / "dynamic.onnx"
    onnx.save(MODEL, model)

    def run(x):
        np.save(work / "x.npy", x)
        command = [tool, model, "--inputs", work / "x.npy", "--outputs", work / "out"]
        subprocess.run(command, check=True)
        return [np.load(work / "out" / f"output_{index}.npy") for index in range(3)]

    return run


def one_point(x, expected):
    """Nothing but zeros: the scale is a choice."""
    return not x.any()


def no_zero_point(x, expected):
    """-lo / scale is NaN."""
    scale = expected[1].view(np.float32)
    lowest = min(0, x.min())
    return scale == 0 and lowest == 0 or np.isinf(scale) and np.isinf(lowest)


def nan_quotient(x, expected):
    """Some x / scale is NaN."""
    return np.isnan(x / expected[1].view(np.float32)).any()


PREDICATES = {"one_point": one_point, "no_zero_point": no_zero_point, "nan_quotient": nan_quotient}


def compare(name, run, reference, entries, tensors):
    """The number of differences without an entry, and of entries without a difference."""
    left = 0
    for x in tensors:
        with np.errstate(all="ignore"):
            expected = reference.dynamic(x.view(np.uint32))
            found = [np.ravel(a).view(e.dtype) for a, e in zip(run(x), expected, strict=True)]
            if all(np.array_equal(f, e) for f, e in zip(found, expected, strict=True)):
                continue
            hits = [e for e in entries if PREDICATES[e["when"]](x, expected)]
        for entry in hits:
            entry["hits"] = True
        if not hits:
            left += 1
            print(f"{name}: {x[:8]}: the Reference gives {expected}, but got {found}")
    unused = [entry for entry in entries if "hits" not in entry]
    for entry in unused:
        print(f"this waiver matches no difference: {entry}")
    print(f"{name}: {len(tensors)} tensors, {left} unexplained, {len(unused)} unused waivers")
    return left + len(unused)


def main(program, tool, waiver_file, work):
    table = tomllib.loads(Path(waiver_file).read_text())["dynamic_quantize"]
    tensors = [values.astype(np.float32) for values in arrays()]
    failures = 0
    with QuantizeProcess(program) as reference:
        for name, make in (("onnxruntime", onnx_runtime), ("onnx", onnx_reference)):
            entries = [entry for entry in table if entry["oracle"] == name]
            failures += compare(name, make(), reference, entries, tensors)
        # Each run compiles: some tensors, and the special ones at the end.
        some = [*tensors[:-9:20], *tensors[-9:], np.zeros(0, np.float32)]
        failures += compare("compiled", compiled(tool, Path(work)), reference, [], some)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
