# Casts in mode p3109, in compiled code and the Reference, against the draft's definitions: all
# encodings of sources of up to 16 bits, and for f32 the midpoints and values of the results with
# their neighbors.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t %if full %{ full %}
import itertools
import pathlib
import platform
import subprocess
import sys

import numpy as np
from conformance import p3109
from conformance.p3109 import (
    ALL,
    DETERMINISTIC,
    FORMATS,
    REQUIRED,
    SATURATIONS,
    STANDARD,
    STOCHASTIC,
)

program, work = sys.argv[1], pathlib.Path(sys.argv[2])
IS_FULL = len(sys.argv) > 3
# With lookup tables, with AVX2, without both.
CPUS = ["host", "x86-64-v3", "x86-64"] if platform.machine() == "x86_64" else ["host"]
MODES = list(itertools.product(DETERMINISTIC, SATURATIONS))
# Formats of every kind: one bit of precision, no exponent of normal numbers, low bit widths.
SOME = (
    *REQUIRED, "binary8p4sf", "binary8p1se", "binary8p1ue", "binary8p8uf", "binary8p7se", "binary8p2uf", "binary7p3se", "binary6p3sf",
    "binary5p2ue", "binary5p1sf", "binary4p3se", "binary3p1se", "binary3p1uf", "binary3p3ue", "binary3p2sf",
)  # fmt: skip
random = np.random.default_rng(1)
failures = []
compared = 0


def compare(what, got, expected, inputs):
    global compared
    compared += got.size
    different = np.flatnonzero(got != expected)
    if different.size:
        i = different[0]
        failures.append(
            f"{what}: {different.size} of {got.size} differ, {inputs[i]:#x}: expected {expected[i]:#x}, but got {got[i]:#x}"
        )


def run(source, encodings, casts, options):
    """The results of casts (result, rounding, saturation, width and values of random bits) of one array."""
    arguments, lines, types, arrays = [f"%x: tensor<?x{source.mlir}>"], [], [], [encodings]
    for i, (to, rounding, saturation, width, bits) in enumerate(casts):
        types.append(f"tensor<?x{to.mlir}>")
        random_type = ""
        operand = "%x"
        if width:
            operand += f", %r{i}"
            random_type = f", tensor<?xui{width}>"
            arguments.append(f"%r{i}: tensor<?xui{width}>")
            arrays.append(bits)
        lines.append(
            f"  %{i} = quant_float.cast {operand} mode p3109 opset 1 projection <D1, {rounding}, {saturation}>"
            f" : tensor<?x{source.mlir}>{random_type} to {types[-1]}\n"
        )
    names = ", ".join(f"%{i}" for i in range(len(casts)))
    (work / "m.mlir").write_text(
        f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n{''.join(lines)}  return {names} : {', '.join(types)}\n}}\n"
    )
    files = []
    for i, array in enumerate(arrays):
        view = array.view(np.float32) if array.dtype == np.uint32 else array
        view = view.view(np.float16) if i == 0 and source.name == "f16" else view
        np.save(work / f"in{i}.npy", view)
        files.append(work / f"in{i}.npy")
    command = [program, work / "m.mlir", "--inputs", *files, "--outputs", work, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    results = [np.load(work / f"output_{i}.npy") for i in range(len(casts))]
    return [
        result.view(FORMATS[to.name].unsigned) if to.name in STANDARD else result
        for result, (to, *_) in zip(results, casts, strict=True)
    ]


def check(source, encodings, casts, options):
    casts = [(to, rounding, saturation, 0, None) for to, rounding, saturation in casts]
    check_all(source, encodings, casts, options)


def check_all(source, encodings, casts, options):
    values = source.values(encodings)
    for (to, rounding, saturation, width, bits), got in zip(
        casts, run(source, encodings, casts, options), strict=True
    ):
        expected = p3109.project(
            to, values, rounding, saturation, 0 if bits is None else bits, width
        )
        name = f"{source.name} to {to.name}, {rounding} {saturation} {width or ''} {' '.join(map(str, options))}"
        compare(name, got, expected, encodings)


def near_midpoints(names):
    """f32 values at and next to the values and midpoints of formats, beyond their ranges, and
    random ones."""
    numbers = [
        np.array(
            [
                0,
                2.0**-149,
                2.0**-126,
                2.0**-127,
                3 * 2.0**-128,
                np.inf,
                np.nan,
                3.4028235e38,
                2.0**127,
            ]
        )
    ]
    for name in names:
        values = ALL[name].magnitudes[np.isfinite(ALL[name].magnitudes)]
        values = np.append(values, [2 * values[-1] - values[-2], 4 * values[-1]])
        numbers += [values, (values[1:] + values[:-1]) / 2]
    with np.errstate(all="ignore"):
        encodings = np.concatenate(numbers).astype(np.float32).view(np.uint32).astype(np.int64)
    encodings = np.concatenate([encodings + i for i in (-2, -1, 0, 1, 2)])
    encodings = np.unique(np.clip(encodings, 0, 2**31 - 1)).astype(np.uint32)
    others = random.integers(
        0, 2**32 - 1, 1 << (20 if IS_FULL else 12), dtype=np.uint32, endpoint=True
    )
    return np.concatenate([encodings, encodings | np.uint32(1 << 31), others])


def every_encoding(source):
    return np.arange(1 << min(source.width, 16)).astype(
        source.unsigned if source.name in STANDARD else np.uint8
    )


def main():
    names = list(ALL) if IS_FULL else SOME
    single = near_midpoints(names)
    reference = ["--target", "reference"]
    for name in names:
        to = ALL[name]
        check(FORMATS["f32"], single, [(to, *mode) for mode in MODES], ["--cpu", "host"])
        if IS_FULL or name in REQUIRED:
            for cpu, source in itertools.product(CPUS, ("f16", "bf16", "f32")):
                encodings = single if source == "f32" else every_encoding(FORMATS[source])
                check(FORMATS[source], encodings, [(to, *mode) for mode in MODES], ["--cpu", cpu])
        # Decoding, and rounding between the formats.
        results = [FORMATS[other] for other in ("f32", "f16", "bf16", *REQUIRED, name)]
        saturations = [(r, s) for r in ("NearestTiesToEven", "TowardZero") for s in SATURATIONS]
        casts = [(result, *mode) for result in results for mode in saturations]
        check(to, every_encoding(to), casts, ["--cpu", "host"])
        # The Reference is slow.
        some = every_encoding(FORMATS["f16"])[:: 1 if IS_FULL else 11]
        check(FORMATS["f16"], some, [(to, *mode) for mode in MODES], reference)
        check(to, every_encoding(to), casts, reference)
    # Long enough for the vector loops of decodings.
    for name, cpu in itertools.product(names if IS_FULL else REQUIRED, CPUS):
        to = ALL[name]
        encodings = np.tile(every_encoding(to), 5)[:1031]
        check(
            to,
            encodings,
            [(FORMATS[n], "NearestTiesToEven", s) for n in STANDARD for s in SATURATIONS],
            ["--cpu", cpu],
        )
    # Between the standard types.
    for source, options in itertools.product(
        STANDARD.values(),
        (["--cpu", "host"], ["--cpu", "x86-64"] if len(CPUS) > 1 else [], reference),
    ):
        encodings = single if source.name == "f32" else every_encoding(source)
        if options == reference and not IS_FULL:
            encodings = encodings[::7]
        check(
            source, encodings, [(to, *mode) for to in STANDARD.values() for mode in MODES], options
        )
    # Random bits: all values of 2 and 4 bits, and samples of wider ones.
    for name, width in zip(
        itertools.cycle(names if IS_FULL else SOME), (2, 4, 8, 16) * (40 if IS_FULL else 2)
    ):
        for source, options in (
            (FORMATS["f16"], ["--cpu", "host"]),
            (FORMATS["f32"], []),
            (FORMATS["bf16"], reference),
        ):
            encodings = single if source.name == "f32" else every_encoding(source)
            if options == reference and not IS_FULL:
                encodings = encodings[::7]
            bits = random.integers(0, 2**width, encodings.size).astype(
                np.uint16 if width == 16 else np.uint8
            )
            casts = [
                (ALL[name], *mode, width, bits)
                for mode in itertools.product(STOCHASTIC, SATURATIONS)
            ]
            casts.append((FORMATS["f16"], "StochasticB", "SatNone", width, bits))
            check_all(source, encodings, casts, options)
    print(f"{compared} results, {len(failures)} casts with differences")
    sys.exit("\n".join(failures[:40]) or 0)


main()
