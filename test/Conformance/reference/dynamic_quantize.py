# D9: the Reference's DynamicQuantizeLinear against NumPy's arithmetic, ONNX Runtime, the ONNX reference implementation and compiled
# code. A difference needs entries [[dynamic_quantize]] in the table of known differences that together give its bits, and an entry
# a difference.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-reference-quantize %tools_dir/quant-float-run %src_root/test/Conformance/waivers.toml %t

import itertools
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


def formula(x, deviations=()):
    """Rule D9 with some deviations: the quantized values, scale and zero point."""
    low, high = np.float32(min(0, x.min(initial=0))), np.float32(max(0, x.max(initial=0)))
    of_one_point = 1 / 255 if "scale_of_zeros" in deviations else 1
    scale = np.float32(of_one_point if low == high else (high - low) / np.float32(255))
    shift = np.rint(-low / scale)
    if np.isnan(shift):
        shift = 255 if "zero_point_of_nan" in deviations else 0
    zero_point = np.clip(shift, 0, 255)
    quotient = x / scale
    of_nan = 0 if "nan_is_lowest" in deviations else zero_point
    # Beyond 2^20, zero points have no effect.
    whole = np.clip(np.rint(quotient), -(2.0**20), 2.0**20) + zero_point
    y = np.where(np.isnan(quotient), of_nan, np.clip(whole, 0, 255))
    return [y.astype(np.uint8), np.ravel(scale).view(np.uint32), np.ravel(np.uint8(zero_point))]


def same(found, expected):
    return all(np.array_equal(f, e) for f, e in zip(found, expected, strict=True))


def explain(x, found, entries):
    """Returns the fewest entries whose deviations together explain the result, or None."""
    for count in range(1, len(entries) + 1):
        for chosen in itertools.combinations(entries, count):
            if same(found, formula(x, {e["deviation"] for e in chosen})):
                return chosen
    return None


def compare(name, run, reference, entries, tensors):
    """Returns the number of differences without an entry, and of entries without a difference."""
    left = elements = 0
    for x in tensors:
        with np.errstate(all="ignore"):
            expected = reference.dynamic(x.view(np.uint32))
            found = [np.ravel(a).view(e.dtype) for a, e in zip(run(x), expected, strict=True)]
            elements += found[0].size
            hits = () if same(found, expected) else explain(x, found, entries)
        if hits is None:
            left += 1
            print(f"{name}: {x[:8]}: the Reference gives {expected}, but got {found}")
        for entry in hits or ():
            entry["hits"] = True
    unused = [entry for entry in entries if "hits" not in entry]
    for entry in unused:
        print(f"this waiver matches no difference: {entry}")
    print(
        f"{name}: {len(tensors)} tensors, {elements} elements, {left} unexplained, {len(unused)} unused waivers"
    )
    return left + len(unused) + (not elements)


def main(program, tool, waiver_file, work):
    table = tomllib.loads(Path(waiver_file).read_text())["dynamic_quantize"]
    tensors = [values.astype(np.float32) for values in arrays()]
    failures = 0
    with QuantizeProcess(program) as reference:
        failures += compare("formula", formula, reference, [], tensors)
        for name, make in (("onnxruntime", onnx_runtime), ("onnx", onnx_reference)):
            entries = [entry for entry in table if entry["oracle"] == name]
            failures += compare(name, make(), reference, entries, tensors)
        # Each run compiles, so only some tensors, and the special ones at the end.
        some = [*tensors[:-9:20], *tensors[-9:], np.zeros(0, np.float32)]
        failures += compare("compiled", compiled(tool, Path(work)), reference, [], some)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
