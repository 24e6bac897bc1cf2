"""Compares other libraries with the vectors, and writes the results as JSON.

usage: python -m peers [--data DIR] [--only PEER,...] [--sources DIR] [--record FILE] [-o FILE]

Peers that are not installed are skipped. --record adds their results from an earlier record. DIR
has a folder of sources for each peer that no package contains. The exit code is 1 if a difference
has no entry in differences.toml.
"""

import argparse
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import tomllib

import quant_float_vectors as vectors

from . import blocks, casts, p3109

PEERS = [*casts.PEERS, *p3109.PEERS, *blocks.PEERS]


def find(peer, sources):
    """The version of an available peer and the arguments of its class, or None."""
    if hasattr(peer, "package"):
        try:
            return importlib.metadata.version(peer.package), []
        except importlib.metadata.PackageNotFoundError:
            return None
    folder = sources and sources / peer.source
    if not folder or not folder.is_dir():
        return None
    command = ["git", "-C", folder, "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip(), [
        folder.absolute()
    ]


def explain(explanations, peer, result):
    """For each rule with differences: the reason, and whose bits are right, or None if there is no
    explanation."""
    found = {}
    for rule in result["rules"]:
        for one in explanations:
            here = re.fullmatch(one["peers"], peer) and re.search(one["tables"], result["table"])
            if here and re.fullmatch(one["rules"], rule):
                found[rule] = {"why": one["why"], "whose": one["whose"]}
                break
        else:
            print(f"unexplained: {peer}: {rule}: {result}", file=sys.stderr)
            return None
    return found


FAMILIES = {
    "P3109": r"^project_",
    "OCP": r"^cast_.*(f8E4M3FN|f8E5M2|f6E|f4E|f8E8M0)(?!UZ|FNUZ)",
    "blocks": r"^block_|^tensor_scale|^pack_",
    "other": r"",
}


def count_families(results):
    """For each family of tables: their number, their rows, and the rows with differences."""
    families = {}
    for result in results:
        name = next(key for key, value in FAMILIES.items() if re.search(value, result["table"]))
        counts = families.setdefault(name, [0, 0, 0])
        for i, number in enumerate((1, result["rows"], result["differ"])):
            counts[i] += number
    return families


def main():
    parser = argparse.ArgumentParser(
        prog="peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=pathlib.Path, default=vectors.FOLDER)
    parser.add_argument("--only", default="")
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("-o", dest="output", type=pathlib.Path)
    arguments = parser.parse_args()
    path = pathlib.Path(__file__).with_name("differences.toml")
    explanations = tomllib.loads(path.read_text())["difference"]
    recorded = json.loads(arguments.record.read_text())["peers"] if arguments.record else {}
    report, unexplained = {}, 0
    for peer in PEERS:
        if arguments.only and peer.name not in arguments.only.split(","):
            continue
        found = find(peer, arguments.sources)
        if not found:
            print(f"{peer.name} is not installed", file=sys.stderr)
            if peer.name in recorded:
                report[peer.name] = recorded[peer.name]
            continue
        version, parameters = found
        results = vectors.check(peer(*parameters).convert, arguments.data)
        differing = [result for result in results if result["differ"]]
        for result in differing:
            result["why"] = explain(explanations, peer.name, result)
            if result["why"] is None:
                unexplained += 1
        rows = sum(result["rows"] for result in results)
        differ = sum(result["differ"] for result in results)
        report[peer.name] = {
            "version": version,
            "tables": len(results),
            "rows": rows,
            "differ": differ,
            "families": count_families(results),
            "differences": differing,
        }
        if hasattr(peer, "url"):
            report[peer.name]["url"] = peer.url
        print(
            f"{peer.name} {version}: {len(results)} tables of {rows} rows, {differ} differ in {len(differing)}"
        )
    if arguments.output:
        arguments.output.write_text(json.dumps({"vectors": 1, "peers": report}, indent=1) + "\n")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
