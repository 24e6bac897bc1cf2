"""The pages of certificates and of other libraries' agreement with the vectors.

Made of the newest complete certificates, the mutants and the peers of test/results.
"""

import json
import re

WHOSE = {
    "open": "unspecified by the standard",
    "other": "another definition",
    "bug": "a bug of the library",
}


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def read_certificates(folder):
    """Those of every file, as objects, with their origin; later files count."""
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
        match = re.match(r"([a-z]+)_([A-Za-z0-9]+)_", one["conversion"])
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


def write_agreement(results):
    peers = json.loads((results / "peers.json").read_text())["peers"]
    text = "# Agreement of other libraries\n\nThis page compares other libraries with the [conformance vectors](../docs/certificates.md): the number of rows "
    text += (
        "that differ, the reason, and its origin. The build generates it from a recorded run.\n\n"
    )
    rows = [
        [
            name,
            peer["version"],
            str(peer["tables"]),
            f"{peer['rows']:,}",
            f"{peer['differ']:,}",
            str(len(peer["differences"])),
        ]
        for name, peer in peers.items()
    ]
    head = ["library", "version", "tables", "rows", "rows that differ", "tables that differ"]
    text += table(head, rows)
    for name, peer in peers.items():
        reasons = {}
        for one in peer["differences"]:
            for rule, why in one["why"].items():
                key = (why["whose"], why["why"])
                reason = reasons.setdefault(
                    key, {"rows": 0, "tables": [], "first": None, "rules": set()}
                )
                reason["rows"] += one["rules"][rule]
                reason["tables"].append(one["table"])
                reason["rules"].add(rule.split(",")[0])
                if not reason["first"] and one["first"]["rule"] == rule.split(",")[0]:
                    reason["first"] = (one["table"], one["first"])
        text += f"## {name} {peer['version']}\n\n"
        rows = []
        for (whose, why), reason in sorted(reasons.items()):
            example = "-"
            if reason["first"]:
                where, first = reason["first"]
                example = f"`{where}` of `{first['input']}`"
                example += f" by `{first['scale']}`" if "scale" in first else ""
                example += f" ({first['case']})" if first["case"] else ""
                example += f": `{first['made']}`, expected `{first['output']}`"
            rules = ", ".join(sorted(reason["rules"]))
            count = f"{reason['rows']:,} in {len(reason['tables'])}"
            rows.append([WHOSE[whose], why, rules, count, example])
        text += (
            table(["origin", "reason", "rules", "rows in tables", "first row"], rows)
            if rows
            else ""
        )
    return text
