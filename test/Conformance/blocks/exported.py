# block_quantize by every rule as ONNX nodes: the exported model, run by compiled code and by onnx's
# reference evaluator, is compared with the op itself, which quantize.py compares with an oracle on
# the same data. ONNX Runtime 1.31 has BitCast, but not QuantizeLinear of that opset.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
from conformance import block_cases as cases
from conformance import blocks
from onnx.reference import ReferenceEvaluator

RULES = [
    *[(rule, e, "f8E8M0FNU") for rule in blocks.POWERS for e in ("f8E4M3FN", "i8")],
    *[(rule, e, "f8E8M0FNU") for rule in ("floor", "ceil") for e in ("f8E5M2", "i4")],
    *[(rule, "f4E2M1FN", "f8E8M0FNU") for rule in ("floor", "rceil", "tosa")],
    *[
        ("absmax", e, s)
        for e in ("f8E4M3FN", "i8", "i4")
        for s in ("f32", "f16", "bf16", "f8E4M3FN")
    ],
    *[("deepgemm", "f8E4M3FN", s) for s in ("f32", "f8E8M0FNU")],
    *[("ggml", "f4E2M1FN", s) for s in ("f8E4M3FN", "f8E8M0FNU")],
    *[(rule, "f4E2M1FN", "f8E4M3FN") for rule in blocks.TWO_LEVELS],
]
SHAPES = [
    ((7, 70), (1, 32), "f32", False),
    ((9, 40), (2, 8), "f16", False),
    ((9, 40), (1, -1), "bf16", True),
    ((9, 40), (-1, -1), "f32", False),
]


def write_model(rules, shape, block, x_type, is_dynamic):
    """A function with the values and scales of all rules, and the number of its results."""
    lines, types, results = [], [], []
    for i, case in enumerate(rules):
        x, own, text = cases.text(case, shape, block, x_type, False)
        names = ["q", "s", "t"] if case[0] in blocks.TWO_LEVELS else ["q", "s"]
        line = text[0]
        for name in names:
            line = line.replace(f"%{name}", f"%{name}{i}")
            results.append(f"%{name}{i}")
        lines.append(line)
        types += [own[0], own[1], *own[3:]]
    joined = ", ".join(types)
    text = f"func.func @main(%x: {x}) -> ({joined}) {{\n" + "\n".join(lines)
    text += f"\n  return {', '.join(results)} : {joined}\n}}\n"
    if is_dynamic:
        text = text.replace(f"tensor<{shape[0]}x", "tensor<?x")
    return text, len(results)


def run_ours(tools, source, work, number):
    out = work / "out"
    command = [tools / "quant-float-run", source, "--inputs", work / "x.npy", "--outputs", out]
    subprocess.run(command, check=True)
    return [np.load(out / f"output_{i}.npy") for i in range(number)]


def export(tools, text, path):
    source = path.with_suffix(".mlir")
    source.write_text(text)
    command = [tools / "quant-float-translate", "--export-onnx", source, "-o", path]
    subprocess.run(command, check=True)
    return source


def run_onnx(path, x):
    evaluator = ReferenceEvaluator(onnx.load(path))
    return evaluator.run(None, {evaluator.input_names[0]: x})


def to_bytes(array):
    """One byte for an element of at most 8 bits."""
    array = np.asarray(array)
    is_int4 = array.dtype == ml_dtypes.int4
    return np.frombuffer((array.astype(np.int8) if is_int4 else array).tobytes(), np.uint8)


def count_differing(name, found, wanted):
    failures = 0
    for i, (one, other) in enumerate(zip(found, wanted, strict=True)):
        differing = np.count_nonzero(to_bytes(one) != to_bytes(other))
        if differing:
            print(f"{name}: output {i}: {differing} bytes of {other.nbytes} differ")
            failures += 1
    return failures


def check_evaluator(tools, work):
    """Each rule on its own, in onnx's evaluator."""
    failures = ran = 0
    shape, block, *_ = SHAPES[0]
    for rule, element, scale in RULES:
        text, number = write_model([(rule, element, scale)], shape, block, "f32", False)
        source = export(tools, text, work / "rule.onnx")
        # ONNX does not define the conversion of NaN and of quotients beyond int32.
        is_defined = element not in blocks.INTEGERS
        for kind in ("usual", "edge", "special") if is_defined else ("usual",):
            with np.errstate(all="ignore"):
                x = cases.inputs(shape, kind)
                np.save(work / "x.npy", x)
                wanted = run_ours(tools, source, work, number)
                found = run_onnx(work / "rule.onnx", x)
            failures += count_differing(f"onnx: {rule} {element} {scale}, {kind}", found, wanted)
            ran += 1
    print(f"onnx's evaluator: {ran} runs")
    return failures


def main(tools, work):
    tools, work = Path(tools), Path(work)
    failures = check_evaluator(tools, work)
    for index, (shape, block, x_type, is_dynamic) in enumerate(SHAPES):
        text, number = write_model(RULES, shape, block, x_type, is_dynamic)
        exported = work / f"{index}.onnx"
        source = export(tools, text, exported)
        for kind in ("usual", "edge", "special"):
            with np.errstate(all="ignore"):
                data = cases.inputs(shape, kind).astype(cases.DTYPES[x_type])
            cases.save_input(work / "x.npy", data)
            wanted = run_ours(tools, source, work, number)
            found = run_ours(tools, exported, work, number)
            failures += count_differing(f"{shape} in {block}, {kind}", found, wanted)
        print(f"{shape} in {block} of {x_type}: {number} results of {len(RULES)} rules")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
