# Casts between strings and every type, in compiled code and the Reference, against exact fractions:
# every encoding of up to 8 bits, and a sample of the wider ones; random decimal numbers, midpoints
# of two elements and their neighbors, and strings that are not numbers.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/Inputs %python %s %tools_dir %t 600 | FileCheck %s
import pathlib
import random
import subprocess
import sys

import exact_strings as exact
import numpy as np
from exact_strings import FLOATS, INTEGERS, OWN, SCALE, TYPES, slot_type

tools, work, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
rng = random.Random(14)
failures = []

# (type, opset, attributes of the op, arguments of the oracle).
READS = [(name, 28, "", {}) for name in TYPES]
for name, form in FLOATS.items():
    if form.bits == 8:
        READS.append((name, 19, "saturate false", {"saturate": False}))
    if form.kind == "fnuz" and name not in OWN:
        READS.append((name, 23, "", {"infinity_is_nan": True}))
for mode in ("up", "down", "nearest"):
    for saturate in (True, False):
        words = f"saturate {str(saturate).lower()} round_mode {mode}"
        READS.append((SCALE, 24, words, {"mode": mode, "saturate": saturate}))
# CastLike, and Cast in the first version with strings.
READS += [("f32", 15, "like", {}), ("f32", 9, "", {}), ("i1", 9, "", {})]


def cast(name, opset):
    """The op up to its other attributes."""
    return "mode quant_float opset 1" if name in OWN else f"opset {opset}"


def write_module():
    strings = "tensor<?x!quant_float.string>"
    lines, results = [f"func.func @read(%x: {strings}) -> (RESULTS) {{"], []
    for i, (name, opset, words, _) in enumerate(READS):
        like, _, others = words.partition("like")
        like = "like" if "like" in words else ""
        others = others if like else words
        results.append(f"tensor<?x{name}>")
        lines.append(
            f"  %{i} = quant_float.cast %x {like} {cast(name, opset)} {others} : {strings} to {results[-1]}"
        )
    values = ", ".join(f"%{i}" for i in range(len(READS)))
    lines += [f"  return {values} : {', '.join(results)}", "}"]
    module = "\n".join(lines).replace("RESULTS", ", ".join(results))
    arguments = ", ".join(f"%x{i}: tensor<?x{name}>" for i, name in enumerate(TYPES))
    module += f"\nfunc.func @write({arguments}) -> ({', '.join([strings] * len(TYPES))}) {{\n"
    for i, name in enumerate(TYPES):
        module += (
            f"  %{i} = quant_float.cast %x{i} {cast(name, 28)} : tensor<?x{name}> to {strings}\n"
        )
    values = ", ".join(f"%{i}" for i in range(len(TYPES)))
    module += f"  return {values} : {', '.join([strings] * len(TYPES))}\n}}\n"
    (work / "casts.mlir").write_text(module)


def run(entry, target, arrays):
    """Returns the outputs, or the tool's message."""
    files, out = [], work / "out"
    for i, array in enumerate(arrays):
        files.append(work / f"input_{i}.npy")
        np.save(files[-1], array)
    for old in out.glob("*"):
        old.unlink()
    command = [tools / "quant-float-run", work / "casts.mlir", "--entry", entry]
    command += ["--target", target, "-O1", "--outputs", out, "--inputs", *files]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        if list(out.glob("*")):
            failures.append(f"{entry}: outputs despite an error")
        return result.stderr.strip()
    return [np.load(out / f"output_{i}.npy") for i in range(len(list(out.glob("*"))))]


def compare(what, inputs, expected, got):
    wrong = [i for i, (e, g) in enumerate(zip(expected, got, strict=True)) if e != g]
    if wrong:
        i = wrong[0]
        failures.append(
            f"{what}: {len(wrong)} of {len(expected)} differ, first {inputs[i]!r}: "
            f"expected {expected[i]!r}, but got {got[i]!r}"
        )
    return len(expected)


def to_slots(name, array):
    """Values with the bits of the encodings."""
    bits = np.ascontiguousarray(array)
    if bits.dtype.kind == "f":
        bits = bits.view(f"u{bits.itemsize}")
    return bits.tolist() if bits.dtype.kind != "b" else [int(x) for x in bits]


# Numbers to strings.


def sample_encodings(name):
    if name == "i1":
        return np.array([0, 1], bool)
    dtype = slot_type(name)
    bits = int("".join(c for c in name.split(".")[-1].split("E")[0] if c.isdigit()))
    if bits <= 8:
        encodings = np.arange(2**bits)
        return (encodings - 2 ** (bits - 1) if name[0] == "i" else encodings).astype(dtype)
    encodings = [rng.getrandbits(bits) for _ in range(min(count, 50000))]
    if name in FLOATS:
        form = FLOATS[name]
        # The ends of each exponent, where the lower neighbor is nearer.
        for field in range(0, form.end >> form.mantissa, max(1, 2000 // count)):
            start = field << form.mantissa
            encodings += [start, start + 1, max(start - 1, 0)]
        encodings += [form.end - 1, form.end, form.end | 1, form.sign, form.sign | form.end]
        # Typical decimal numbers with few digits.
        if name in ("f64", "f32", "f16"):
            short = np.array(
                [rng.randrange(10**6) / 10 ** rng.randrange(7) for _ in range(min(count, 50000))]
            )
            with np.errstate(over="ignore"):
                encodings += short.astype(dtype).view(f"u{bits // 8}").tolist()
    return np.array(encodings, f"u{bits // 8}").view(dtype)


def check_writing(target, most):
    given = [sample_encodings(name)[:: 1 if target == "cpu" else most] for name in TYPES]
    got = run("write", target, given)
    if isinstance(got, str):
        failures.append(got)
        return 0, []
    checked = 0
    for name, slots, strings in zip(TYPES, given, got, strict=True):
        encodings, strings = to_slots(name, slots), strings.tolist()
        if name in ("f64", "f32", "f16"):
            expected = exact.write_by_library(name, slots)
            checked += compare(f"{target}: {name} by numpy", slots, expected, strings)
            # Fractions with so many bits are slow.
            encodings, slots, strings = encodings[::20], slots[::20], strings[::20]
        expected = [exact.write(name, encoding) for encoding in encodings]
        checked += compare(f"{target}: {name} to text", slots, expected, strings)
    return checked, got


# Strings to numbers.


def decimal(value):
    """All digits of a fraction whose denominator is a power of two."""
    places = value.denominator.bit_length() - 1
    return exact.spell(value.numerator * 5**places, -places) if value else "0"


def sample_strings():
    strings = [
        "0",
        "-0",
        "+0.0",
        "00",
        ".5",
        "5.",
        " 1 ",
        "\t-2\r\n",
        "1e5",
        "1E+05",
        "1e-5",
        "12e0",
    ]
    strings += ["INF", "inf", "+Inf", "-INF", " -inf", "NaN", "nan", "NAN "]
    strings += [
        "1e400",
        "-1e400",
        "1e-400",
        "-1e-400",
        "0e99999999999999999999",
        "1e-99999999999999999999",
    ]
    strings += ["1e99999999999999999999", "0." + "0" * 400 + "1e401", "1" + "0" * 400 + "e-400"]
    strings += ["1.0000001e-3", "100.5", "-100.5", "3e9", "1e19", "-1e19", "18446744073709551616"]
    # ONNX's own cases, of the versions that had them.
    strings += ["0.47892547", "0.48033667", "0.49968487", "0.81910545", "0.47031248", "0.816468"]
    for form in FLOATS.values():
        for _ in range(count // 100):
            # An element, the midpoint to the next one, and both neighbors of these.
            magnitude = rng.randrange(form.end)
            value = form.value(magnitude)
            for exactly in (value, (value + form.value(magnitude + 1)) / 2):
                text = decimal(exactly)
                more = text + ("" if "." in text else ".") + "0" * rng.randrange(30) + "1"
                digits = len(text.split(".")[1]) if "." in text else 0
                less = exact.spell(max(int(text.replace(".", "")) * 10**25 - 1, 1), -digits - 25)
                sign = rng.choice(["", "", "-"])
                strings += [sign + text, sign + more, sign + less]
    while len(strings) < count:
        digits = rng.choice([1, 2, 5, 8, 9, 15, 17, 18, 19, 20, 21, 40])
        text = str(rng.randrange(10**digits))
        point = rng.randrange(len(text) + 1)
        text = text[:point] + "." + text[point:] if rng.random() < 0.6 else text
        spread = rng.choice([0, 5, 10, 50, 360])
        if spread:
            text += f"e{rng.randrange(-spread, spread)}"
        strings.append(rng.choice(["", "-"]) + text)
    return strings


def check_all_reading(target, strings):
    # As many strings at a time as numpy's fixed-width arrays can hold.
    part = 20000
    starts = range(0, len(strings), part)
    return sum(check_reading(target, strings[start : start + part]) for start in starts)


def check_reading(target, strings):
    got = run("read", target, [np.array(strings)])
    if isinstance(got, str):
        failures.append(got)
        return 0
    checked = 0
    for (name, opset, words, attributes), array in zip(READS, got, strict=True):
        expected = [exact.convert(name, text, **attributes) for text in strings]
        what = f"{target}: text to {name} opset {opset} {words}"
        checked += compare(what, strings, expected, to_slots(name, array))
    return checked


def check_reading_back(strings):
    """Finite values are preserved if they are written and read back."""
    for name, written in zip(TYPES, strings, strict=True):
        parts = sorted({text for text in written.tolist() if text[-1] not in "NF"})
        got = run("read", "cpu", [np.array(parts)])
        slots = to_slots(name, got[TYPES.index(name)])
        compare(f"{name} read back", parts, parts, [exact.write(name, slot) for slot in slots])


INVALID = ["", " ", ".", "-", "+", "e5", "1e", "1e+", "0x10", "0x1p3", "1_0", "1,5", "1 2", "--1"]
INVALID += [
    "infinity",
    "+nan",
    "-nan",
    "in",
    "true",
    "1f",
    "1e5.",
    "1..2",
    "\u0661",
    "1\0x",
    "\u00a01",
]


def check_invalid():
    for text in INVALID:
        array = np.array(["1", "2", text, "x"], object).astype("U")
        for target, place in (("cpu", "read"), ("reference", "cast")):
            if INVALID.index(text) % (3 if target == "cpu" else 8):
                continue
            shown = text.encode().decode("latin1")
            shown = "".join(c if " " <= c < "\x7f" else f"\\{ord(c):02X}" for c in shown)
            wanted = f"{place}: element 2: expected a number, but got '{shown}'"
            got = run("read", target, [array])
            if not isinstance(got, str) or not got.endswith(wanted):
                failures.append(f"{target}: {text!r}: expected {wanted!r}, but got {got!r}")


write_module()
written, strings = check_writing("cpu", 1)
# CHECK: numbers to strings: {{[0-9]+}}
print("numbers to strings:", written)
# CHECK: by the Reference: {{[0-9]+}}
print("by the Reference:", check_writing("reference", 16)[0])
samples = sample_strings()
# CHECK: strings to numbers: {{[0-9]+}}
print("strings to numbers:", check_all_reading("cpu", samples))
# CHECK: by the Reference: {{[0-9]+}}
print("by the Reference:", check_reading("reference", samples[:: max(1, len(samples) // 1500)]))
if strings:
    check_reading_back(strings)
check_invalid()
assert set(INTEGERS) <= set(TYPES)
sys.exit("\n".join(failures) if failures else 0)
