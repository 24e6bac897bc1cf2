# Certificates as files: they are written completely or not at all, resumed after an interruption,
# reproduced, and rejected if they are invalid.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../Tools/Inputs %python %s %tools_dir/quant-float-certify %t
import hashlib
import json
import platform
import sys

import numpy as np
from tool import Tool

tool = Tool(sys.argv[1], sys.argv[2], "--quiet")
HOST = ("--cpu", "host")
FOREIGN = "znver4" if platform.machine() == "aarch64" else "cortex-a76"
# The casts of one group, which is compiled as a whole.
ONLY = "^cast_f8E5M2_to_(f32|f64|i8|ui8)$"
SUMMARY = "4 conversions for host: 1024 inputs, 0 mismatches\n"


def load(name):
    """The file, with its conversions as objects that contain their hashes."""
    file = json.loads((tool.work / name).read_text())
    hashes = file["hashes"]
    for i, row in enumerate(file["conversions"]):
        one = dict(zip(file["columns"], row, strict=False))
        one |= {key: hashes[one[key]] for key in ("input_sha256", "output_sha256")}
        one["code"] = [hashes[number] for number in one["code"]]
        file["conversions"][i] = one
    return file


def save(name, file):
    """The inverse. A hash that is not a string is kept."""
    hashes = []

    def number(one):
        if isinstance(one, list):
            return [number(each) for each in one]
        if not isinstance(one, str):
            return one
        hashes.append(one)
        return len(hashes) - 1

    rows = []
    for one in file["conversions"]:
        hashed = {key: number(one[key]) for key in ("input_sha256", "output_sha256", "code")}
        row = [(one | hashed)[column] for column in file["columns"]]
        rows.append(row + [one[key] for key in ("mismatches",) if key in one])
    text = json.dumps(file | {"conversions": rows, "hashes": hashes})
    (tool.work / name).write_text(text)


def write(name, file, **changes):
    """Writes the file with other fields in its first certificate."""
    file["conversions"][0] |= changes
    save(name, file)


assert tool.run(0, *HOST, "--only", ONLY, "-o", "c.json") == SUMMARY
file = load("c.json")
assert file["origin"]["cpus"] == ["host"] and not file["origin"]["sampled"], file["origin"]
names = [one["conversion"] for one in file["conversions"]]
assert names == [f"cast_f8E5M2_to_{b}" for b in ("f32", "f64", "i8", "ui8")], names
assert not (tool.work / "c.json.partial").exists()
# The hashes can be computed from the outputs.
encodings = np.arange(256, dtype=np.uint8)
whole = file["conversions"][0]
assert whole["coverage"] == "every encoding", whole
assert whole["complete"] and whole["inputs"] == whole["reference_inputs"] == 256, whole
assert whole["input_sha256"] == hashlib.sha256(encodings).hexdigest()
values = (encodings.astype(np.uint16) << 8).view(np.float16).astype(np.float32)
bits = values.view(np.uint32)
bits[np.isnan(values)] = (bits[np.isnan(values)] & 0x80000000) | 0x7FC00000
assert whole["output_sha256"] == hashlib.sha256(bits).hexdigest()

# Reproduced, completely and in part.
found = "4 of 7523 conversions have a certificate of {}: 4 reproduced, 0 not; 0 with other code than before\n"
assert tool.run(0, "--check", "c.json") == found.format(file["origin"]["date"])
tool.run(0, "--check", "c.json", "--only", "f8E5M2_to_f64$", stdout="1 of 1 conversions have")
tool.run(0, "--list", "--only", ONLY, stdout="cast_f8E5M2_to_f64\ncast_f8E5M2_to_f32\n")

# Interrupted after the first certificate, in the middle of a line: the first one is not computed
# again.
lines = [file["origin"] | {"certificates": 2}, whole | {"seconds": "7.25"}]
partial = "".join(json.dumps(line) + "\n" for line in lines) + '{"conversion": "cast_'
(tool.work / "d.json.partial").write_text(partial)
assert tool.run(0, *HOST, "--only", ONLY, "-o", "d.json") == SUMMARY
assert load("d.json")["conversions"][0]["seconds"] == "7.25"
# A partial file of another program cannot be resumed, and is kept.
none = "0" * 64
other = partial.replace(file["origin"]["program"], none)
(tool.work / "e.json.partial").write_text(other)
tool.run(
    2,
    *HOST,
    "--only",
    ONLY,
    "-o",
    "e.json",
    stderr="e.json.partial: is from a run of another program",
)
assert (tool.work / "e.json.partial").read_text() == other

# Mismatches when certificates are reproduced.
for field, value, message in (
    ("output_sha256", none, "cast_f8E5M2_to_f32: the oracle computes other outputs"),
    ("input_sha256", none, "cast_f8E5M2_to_f32: other inputs"),
    ("complete", False, "cast_f8E5M2_to_f32: not the same completeness"),
    ("reference_inputs", 1, "cast_f8E5M2_to_f32: the Reference computes other outputs"),
    ("inputs", 255, "cast_f8E5M2_to_f32: other inputs"),
    ("conversion", "cast_f5_to_f6", "no conversion is named 'cast_f5_to_f6'"),
):
    write("w.json", load("c.json"), **{field: value})
    tool.run(1, "--check", "w.json", stderr=f"w.json: error: {message}")
wrong = {
    "count": 3,
    "input": "0x1",
    "scale": "0x0",
    "zero_point": "0x0",
    "expected": "0x2",
    "made": "0x3",
}
write("w.json", load("c.json"), mismatches=[wrong])
tool.run(1, "--check", "w.json", stderr="cast_f8E5M2_to_f32: 0 mismatches, expected 3")
write("w.json", load("c.json"), code=[none])
tool.run(0, "--check", "w.json", stdout="4 reproduced, 0 not; 1 with other code than before")

# Invalid files.
for field, value, message in (
    ("conversion", 7, "expected string at certificates.conversions[0].conversion"),
    ("inputs", -1, "expected a nonnegative number at certificates.conversions[0].inputs"),
    ("input_sha256", "12", "expected a SHA-256 of 64 hexadecimal digits"),
    ("input_sha256", -1, "expected the index of one of the 'hashes'"),
    ("output_sha256", None, "expected the index of one of the 'hashes'"),
    (
        "code",
        [10**6],
        "expected the index of one of the 'hashes' at certificates.conversions[0].code[0]",
    ),
    ("code", [], "expected one per entry of 'cpus' of the origin"),
    (
        "code",
        ["x" * 64],
        "expected a SHA-256 of 64 hexadecimal digits at certificates.conversions[0].code[0]",
    ),
    ("mismatches", [], "expected one per entry of 'code'"),
    ("mismatches", [wrong | {"made": "3"}], "expected a hexadecimal number in a string"),
    ("seconds", "soon", "expected a number in a string"),
):
    write("w.json", load("c.json"), **{field: value})
    tool.run(2, "--check", "w.json", stderr=message)
twice = load("c.json")
write("w.json", twice, conversion=twice["conversions"][1]["conversion"])
tool.run(2, "--check", "w.json", stderr="expected each conversion at most once")
for field, value, message in (
    ("cpus", [], "expected at least one at certificates.origin.cpus"),
    ("certificates", 1, "expected version 2 at certificates.origin.certificates"),
):
    other = load("c.json")
    other["origin"][field] = value
    save("w.json", other)
    tool.run(2, "--check", "w.json", stderr=message)
plain = json.loads((tool.work / "c.json").read_text())
for field, value, message in (
    ("conversions", [[1, 2]], "expected an array with one element per column"),
    (
        "columns",
        plain["columns"][::-1],
        "expected the 'columns' of version 2, 'conversions' and 'hashes'",
    ),
    ("hashes", {}, "expected the 'columns' of version 2, 'conversions' and 'hashes'"),
):
    (tool.work / "w.json").write_text(json.dumps(plain | {field: value}))
    tool.run(2, "--check", "w.json", stderr=message)
(tool.work / "w.json").write_text("[]")
tool.run(2, "--check", "w.json", stderr="expected an object with 'origin'")
(tool.work / "w.json").write_text("[" * 1_000_000)
tool.run(2, "--check", "w.json", stderr="w.json': nested too deeply for certificates")
(tool.work / "w.json").write_text("{")
tool.run(2, "--check", "w.json", stderr="w.json")
tool.run(2, "--check", "none.json", stderr="none.json")

# Command lines.
tool.run(2, "--only", "(", stderr="--only: parentheses not balanced: '('")
tool.run(2, "--only", "nothing", stderr="no conversion name matches 'nothing'")
tool.run(2, "--check", "c.json", "-o", "f.json", stderr="expected no -o")
tool.run(2, "--check", "c.json", *HOST, stderr="expected no --cpu")
tool.run(2, "--check", "c.json", "--all", stderr="no --machine, no --sample and no --all")
tool.run(2, "--all", "--sample", stderr="expected one of --sample and --all")
tool.run(0, "--all", "--only", ONLY, *HOST, stdout=SUMMARY)
tool.run(2, "-o", "-", stderr="-o: expected a file, but got '-'")
tool.run(2, "-j", "1025", stderr="expected")
tool.run(
    2,
    "--only",
    ONLY,
    "-o",
    "none/f.json",
    stderr="none/f.json.partial: cannot be written: No such file or directory",
)
tool.run(1, "--only", ONLY, "--cpu", "nosuch", stderr="unknown cpu 'nosuch'")
tool.run(
    1,
    "--only",
    ONLY,
    "--cpu",
    FOREIGN,
    stderr=f"code for '{FOREIGN}' cannot run in this process",
)
before = (tool.work / "c.json").read_text()
tool.run(1, "--only", ONLY, "--cpu", "nosuch", "-o", "c.json", stderr="unknown cpu 'nosuch'")
assert (tool.work / "c.json").read_text() == before
tool.finish()
