# OpenVINO's Convert: every pair of element types that has a lowering, all encodings of up to 16
# bits and selected wider ones. The formula is compared with OpenVINO (CPU plugin and
# Model.evaluate; their deviations have names). The compiled code of layers and of casts in the mode
# openvino, and the Reference, equal the formula without exception.
# RUN: rm -rf %t && %python %s %tools_dir %t
import collections
import pathlib
import sys

import numpy as np
import openvino
from conformance import inputs
from conformance.formats import FORMATS
from openvino import opset13
from openvino_layers import convert, driver

# The approximate number of encodings of wider types. "full" takes all of them.
MAX_ENCODINGS = 40_000

run = driver.Driver(*sys.argv[1:3])
work = pathlib.Path(sys.argv[2])
full = "full" in sys.argv[3:]
print(driver.describe())
failures, counts, used = [], collections.Counter(), collections.Counter()


def report(who, source, to, encodings, expected, got, same):
    i = np.flatnonzero(~same.reshape(-1))[0]
    failures.append(
        f"{who}: {source} to {to}: {np.count_nonzero(~same)} of {encodings.size}, the first "
        f"{encodings[i]:#x}: expected {expected[i]:#x}, but got {got[i]:#x}"
    )


def build(source, destinations, sizes):
    parameters = [opset13.parameter([size], driver.get_type(source)) for size in sizes]
    nodes = [
        opset13.convert(parameter, driver.NAMES[to])
        for parameter, to in zip(parameters, destinations, strict=True)
    ]
    return openvino.Model(nodes, parameters, "convert")


def write_casts(source, destinations, sizes):
    """Writes the file of a function with one cast for each pair."""
    inputs = [f"tensor<{size}x{source}>" for size in sizes]
    outputs = [f"tensor<{size}x{to}>" for size, to in zip(sizes, destinations, strict=True)]
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(inputs))
    lines = [f"func.func @casts({arguments}) -> ({', '.join(outputs)}) {{"]
    for i, (a, b) in enumerate(zip(inputs, outputs, strict=True)):
        lines.append(f"%r{i} = quant_float.cast %a{i} mode openvino opset 1 : {a} to {b}")
    results = ", ".join(f"%r{i}" for i in range(len(outputs)))
    lines.append(f"return {results} : {', '.join(outputs)}\n}}\n")
    path = work / f"{source}.mlir"
    path.write_text("\n".join(lines))
    return path


def run_casts(source, destinations, tensors, options):
    path = write_casts(source, destinations, [encodings.size for _, encodings in tensors])
    folder = work / f"{source}{''.join(options)}"
    folder.mkdir()
    return run.run_file(path, tensors, len(tensors), folder, options)


# Just above the midpoint of two bf16 values.
probe = ("f32", np.array([0x3F808001], np.uint32))
[(_, rounded)] = driver.plugin(build("f32", ["bf16"], [1]), [probe])
rounds_bf16 = rounded[0] == 0x3F81


def against_openvino(who, source, to, encodings, expected):
    model = build(source, [to], [encodings.size])
    tensors = [(source, encodings)]
    try:
        if who == "plugin":
            [(_, got)] = driver.plugin(model, tensors)
        else:
            [(_, got)] = driver.evaluate(model, tensors, [encodings.shape])
    except RuntimeError:
        # Neither implementation converts all pairs.
        counts[f"{who} lacks"] += 1
        return
    same = driver.equal(to, got, expected)
    mask, reasons = convert.excused(who, source, to, encodings, rounds_bf16)
    for reason in reasons:
        used[reason] += np.count_nonzero(~same)
    counts[who] += np.count_nonzero(~mask)
    if not np.all(same | mask):
        report(who, source, to, encodings, got, expected, same | mask)


groups = collections.defaultdict(list)
for source, to in convert.pairs():
    groups[source].append(to)
for source, destinations in groups.items():
    tensors, expected = [], []
    for to in destinations:
        encodings = inputs.encodings(source, to)
        if FORMATS[source].width > 16 and not full:
            encodings = encodings[:: encodings.size // MAX_ENCODINGS + 1]
        if source == "i1":
            encodings = encodings.astype(np.uint8)
        tensors.append((source, encodings))
        expected.append(convert.convert(source, to, encodings))
        for who in ("plugin", "reference"):
            against_openvino(who, source, to, encodings, expected[-1])
    model = build(source, destinations, [encodings.size for _, encodings in tensors])
    answers = {
        "quant-float-run": run.run(source, model, tensors, ["-O0"]),
        "casts": run_casts(source, destinations, tensors, ["-O0"]),
        "the Reference": run_casts(source, destinations, tensors, ["--target", "reference"]),
    }
    for who, found in answers.items():
        if isinstance(found, str):
            failures.append(f"{who}: {source}: {found}")
            continue
        for to, (_, encodings), wanted, array in zip(
            destinations, tensors, expected, found, strict=True
        ):
            got = driver.slots_of(to, array)
            same = driver.equal(to, got, wanted)
            counts[who] += same.size
            if not np.all(same):
                report(who, source, to, encodings, wanted, got, same)

print(dict(counts))
failures += [
    f"nothing is compared with {who}" for who in ("plugin", "reference") if not counts[who]
]
for reason, count in used.items():
    print(f"{count:8} excused: {reason}")
sys.exit("\n".join(failures) if failures else 0)
