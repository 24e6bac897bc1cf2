# OpenVINO's Convert: every pair of element types that has a lowering, all codes up to 16 bits and chosen ones above. The formula
# is held against OpenVINO (CPU plugin and Model.evaluate; where they differ from it and from each other has a name), and what is
# compiled, of layers and of casts in the mode openvino, and the Reference against the formula, without exception.
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

# Of the codes of wider types, about so many; all of them with "full".
MOST_CODES = 40_000

run = driver.Driver(*sys.argv[1:3])
work = pathlib.Path(sys.argv[2])
full = "full" in sys.argv[3:]
print(driver.describe())
failures, counts, used = [], collections.Counter(), collections.Counter()


def report(who, source, to, codes, expected, got, same):
    i = np.flatnonzero(~same.reshape(-1))[0]
    failures.append(
        f"{who}: {source} to {to}: {np.count_nonzero(~same)} of {codes.size}, the first "
        f"{codes[i]:#x}: expected {expected[i]:#x}, but got {got[i]:#x}"
    )


def build(source, destinations, sizes):
    parameters = [opset13.parameter([size], driver.get_type(source)) for size in sizes]
    nodes = [
        opset13.convert(parameter, driver.NAMES[to])
        for parameter, to in zip(parameters, destinations, strict=True)
    ]
    return openvino.Model(nodes, parameters, "convert")


def write_casts(source, destinations, sizes):
    """The file of a function with a cast for each."""
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
    path = write_casts(source, destinations, [codes.size for _, codes in tensors])
    folder = work / f"{source}{''.join(options)}"
    folder.mkdir()
    return run.run_file(path, tensors, len(tensors), folder, options)


# Just above the middle between two numbers of bf16.
probe = ("f32", np.array([0x3F808001], np.uint32))
[(_, rounded)] = driver.plugin(build("f32", ["bf16"], [1]), [probe])
rounds_bf16 = rounded[0] == 0x3F81


def against_openvino(who, source, to, codes, expected):
    model = build(source, [to], [codes.size])
    tensors = [(source, codes)]
    try:
        if who == "plugin":
            [(_, got)] = driver.plugin(model, tensors)
        else:
            [(_, got)] = driver.evaluate(model, tensors, [codes.shape])
    except RuntimeError:
        # Not everyone converts every pair.
        counts[f"{who} lacks"] += 1
        return
    same = driver.equal(to, got, expected)
    mask, reasons = convert.excused(who, source, to, codes, rounds_bf16)
    for reason in reasons:
        used[reason] += np.count_nonzero(~same)
    counts[who] += np.count_nonzero(~mask)
    if not np.all(same | mask):
        report(who, source, to, codes, got, expected, same | mask)


groups = collections.defaultdict(list)
for source, to in convert.pairs():
    groups[source].append(to)
for source, destinations in groups.items():
    tensors, expected = [], []
    for to in destinations:
        codes = inputs.codes(source, to)
        if FORMATS[source].width > 16 and not full:
            codes = codes[:: codes.size // MOST_CODES + 1]
        if source == "i1":
            codes = codes.astype(np.uint8)
        tensors.append((source, codes))
        expected.append(convert.convert(source, to, codes))
        for who in ("plugin", "reference"):
            against_openvino(who, source, to, codes, expected[-1])
    model = build(source, destinations, [codes.size for _, codes in tensors])
    answers = {
        "quant-float-run": run.run(source, model, tensors, ["-O0"]),
        "casts": run_casts(source, destinations, tensors, ["-O0"]),
        "the Reference": run_casts(source, destinations, tensors, ["--target", "reference"]),
    }
    for who, found in answers.items():
        if isinstance(found, str):
            failures.append(f"{who}: {source}: {found}")
            continue
        for to, (_, codes), wanted, array in zip(
            destinations, tensors, expected, found, strict=True
        ):
            got = driver.slots_of(to, array)
            same = driver.equal(to, got, wanted)
            counts[who] += same.size
            if not np.all(same):
                report(who, source, to, codes, wanted, got, same)

print(dict(counts))
failures += [
    f"nothing is held against the {who}" for who in ("plugin", "reference") if not counts[who]
]
for reason, count in used.items():
    print(f"{count:8} excused: {reason}")
sys.exit("\n".join(failures) if failures else 0)
