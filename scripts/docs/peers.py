"""Writes docs/peers.md: where other libraries agree with the conformance vectors, and which vectors
detect public bugs.

usage: peers.py SOURCE_ROOT PAGE

Generated from test/results/peers.json and vectors/bugs.toml.
"""

import json
import pathlib
import sys
import tomllib

from certified import table

WHOSE = {
    "open": "unspecified",
    "other": "another definition",
    "bug": "a bug of the library",
}
FAMILIES = ("P3109", "OCP", "blocks", "other")
HEAD = """# Agreement of other libraries

`scripts/docs/peers.py` generates this page from a [recorded run](../test/results/peers.json) of
[vectors/peers](../vectors/peers/__main__.py), which compares other libraries with the
[conformance vectors](certificates.md#conformance-vectors). Every difference has an explanation in
[differences.toml](../vectors/peers/differences.toml). The results of the vectors are those of exact integer arithmetic.

"""
AGREEMENT = """## Agreement

The table shows the number of rows that differ, of the number of compared rows. The columns are the conversions of draft
[IEEE P3109/D1](p3109.md), casts to and from the formats of OCP, the scales, elements and layouts of
[blocks](block-formats.md), and all other casts and quantizations. Each library is compared with the rule for blocks that
it states.

"""
SOURCES = """
Neither PyPI nor Debian has {names}.
The option `--sources DIR` compares them, where DIR is a folder with a clone of each; their versions are commits.
`scripts/requirements-peers.txt` lists the packages of the other libraries. TransformerEngine, FlashInfer, DeepGEMM, aiter
and the kernels of vLLM need a GPU and are not compared; the vectors detect their [public bugs](#public-bugs).

"""
DIFFERENCES = """## Differences

The origin states which results are correct. For a bug of the library, the results of the vectors are correct. For
another definition, both results are correct, each by its definition. For an unspecified result, the standards define
none.

"""
BUGS = """## Public bugs

The vectors detect each of these bugs. [A test](../test/Certify/bugs.py) implements every faulty rule in NumPy. It checks
that the results differ from the vectors in this number of rows, and that the rule without the fault differs in none.

"""


def write_agreement(peers):
    rows = []
    for name, peer in peers.items():
        row = [name, peer["version"]]
        for family in FAMILIES:
            tables, count, differ = peer["families"].get(family, (0, 0, 0))
            row.append(f"{differ:,} of {count:,}" if tables else "–")
        rows.append([*row, str(peer["tables"]), str(len(peer["differences"]))])
    head = ["library", "version", *FAMILIES, "tables", "tables that differ"]
    return table(head, rows)


def write_differences(name, peer):
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
    text = f"### {name} {peer['version']}\n\n"
    if not reasons:
        return text + f"No row of {peer['tables']} tables differs.\n\n"
    rows = []
    for (whose, why), reason in sorted(reasons.items()):
        example = "–"
        if reason["first"]:
            where, first = reason["first"]
            example = f"`{where}` of `{first['input']}`"
            example += f" by `{first['scale']}`" if "scale" in first else ""
            example += f" ({first['case']})" if first["case"] else ""
            example += f": `{first['made']}`, not `{first['output']}`"
        rules = ", ".join(sorted(reason["rules"]))
        count = f"{reason['rows']:,} in {len(set(reason['tables']))}"
        rows.append([WHOSE[whose], why, rules, count, example])
    return text + table(["origin", "difference", "rules", "rows in tables", "first row"], rows)


def write_bugs(bugs):
    rows = []
    for bug in bugs:
        inputs = ", ".join(f"`{encoding:#x}`" for encoding in bug["inputs"]) or "–"
        where = f"[{bug['where']}]({bug['url']})"
        rows.append([where, bug["what"], f"`{bug['table']}`", f"{bug['rows']:,}", inputs])
    return table(["library", "fault", "table", "rows that detect it", "inputs"], rows)


def main():
    source, page = map(pathlib.Path, sys.argv[1:])
    peers = json.loads((source / "test/results/peers.json").read_text())["peers"]
    bugs = tomllib.loads((source / "vectors/bugs.toml").read_text())["bug"]
    text = HEAD + AGREEMENT + write_agreement(peers).rstrip("\n") + "\n"
    names = [f"[{name}]({peer['url']})" for name, peer in peers.items() if "url" in peer]
    text += SOURCES.format(names=" or ".join(names))
    text += DIFFERENCES + "".join(write_differences(*item) for item in peers.items())
    text += BUGS + write_bugs(bugs)
    page.write_text(text.rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
