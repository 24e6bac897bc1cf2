"""The page of certificates, generated from the newest complete ones and from the mutants in
test/results."""

import json
import re

# The operation of a conversion, and its input type, or the rule of a scale.
OPERATION = re.compile(
    r"((?:block|tensor)_(?:scale|dequantize|quantize_elements)|convert_(?:to|from)_block|[a-z]+)"
    r"_([A-Za-z0-9]+)(?:_|$)"
)


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def read_certificates(folder):
    """The certificates of all files, as objects, with their origin. Later files take precedence."""
    found = {}
    for path in sorted(folder.glob("certificates*.json")):
        file = json.loads(path.read_text())
        for row in file["conversions"]:
            one = dict(zip(file["columns"], row, strict=False))
            one["wrong"] = row[len(file["columns"])] if len(row) > len(file["columns"]) else []
            found[one["conversion"]] = (one, file["origin"], path.name)
    return found


def describe_certificates(folder):
    groups, files = {}, {}
    for one, origin, name in read_certificates(folder).values():
        match = OPERATION.match(one["conversion"])
        group = groups.setdefault(match.groups(), [0, 0, 0, True])
        group[0] += 1
        group[1] += one["inputs"]
        group[2] += one["reference_mismatches"] + sum(w["count"] for w in one["wrong"])
        group[3] &= one["complete"]
        files[name] = origin
    text = "# Certified conversions\n\nThe build generates this page from the [certificates](../docs/certificates.md) "
    text += "in `test/results`.\n\n"
    for name, origin in files.items():
        sampled = ", a sample" if origin["sampled"] else ""
        text += f"- `{name}`: {origin['producer']}, LLVM {origin['llvm']}, {origin['date']}, on "
        text += f"{origin['machine']}, code for {', '.join(origin['cpus'])}{sampled}\n"
    rows = [
        [
            op,
            f"`{kind}`",
            f"{n:,}",
            f"{inputs:,}",
            "yes" if complete else "documented sample",
            str(wrong),
        ]
        for (op, kind), (n, inputs, wrong, complete) in sorted(groups.items())
    ]
    head = ["operation", "of", "conversions", "inputs per CPU", "all encodings", "wrong results"]
    return text + "\n" + table(head, rows)


def describe_mutants(folder):
    mutants = json.loads((folder / "mutants.json").read_text())
    text = "## Mutants\n\nThe certification detects each of these errors, which are introduced into the lowerings on purpose:\n\n"
    rows = [
        [
            f"`{one['mutant']}`",
            one["mistake"],
            f"`{one['conversion']}`",
            f"`{one['input']}`",
            f"{one['inputs']:,}",
        ]
        for one in mutants
    ]
    head = ["mutant", "error", "conversion", "detected by input", "after inputs"]
    return text + table(head, rows)


def write_certificates(results):
    return describe_certificates(results) + describe_mutants(results)
