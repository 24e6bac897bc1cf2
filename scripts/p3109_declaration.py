"""Writes which operations of draft IEEE P3109/D1 certificates attest, in the notation of the draft.

usage: p3109_declaration.py CERTIFICATES...

CERTIFICATES are files of `quant-float-certify --p3109 -o`. An operation is listed if the compiled code for each CPU of a file gave the
defined result for every operand value. With random bits, there is one line for each number of bits.
"""

import json
import pathlib
import re
import signal
import sys

EXTERNAL = {
    "f32": "binary32",
    "f16": "binary16",
    "bf16": "BFloat16",
    "f8E4M3FNUZ": "Binary8p4sf",
    "f8E5M2FNUZ": "Binary8p3sf",
}
NAME = re.compile(r"project_(\w+?)_to_([a-zA-Z0-9]+)_([A-Za-z]+)_(Sat\w+?)(?:_by_ui(\d+))?")


def spell(name):
    return EXTERNAL.get(name) or name.replace("binary", "Binary", 1)


def read(path):
    """The names of the conversions that are correct for all inputs, and the number of the
    others."""
    file = json.loads(path.read_text())
    columns = {name: index for index, name in enumerate(file["columns"])}
    attested, others = [], 0
    for row in file["conversions"]:
        # A row with mismatches has one more entry.
        is_right = row[columns["complete"]] and len(row) == len(columns)
        match = NAME.fullmatch(row[columns["conversion"]])
        if is_right and match:
            attested.append(match.groups())
        else:
            others += 1
    return file["origin"], attested, others


def main():
    files = [read(pathlib.Path(path)) for path in sys.argv[1:]]
    lines = [
        "# Implements operations of draft IEEE P3109/D1 (July 2026). The draft is not approved and may change.",
        "# Each operation gives the defined result for all operand values, by direct computation.",
        "Metadata:",
        f"  implementation: {files[0][0]['producer']}",
        "  draft: D1",
        "  attested:",
    ]
    for origin, _, _ in files:
        cpus = ", ".join(origin["cpus"])
        line = f"    - {origin['date']}, on {origin['machine']}, compiled for {cpus} with LLVM {origin['llvm']}"
        if line not in lines:
            lines.append(line)
    lines += ["Kappas:", "  Empty: true", "Operations:"]
    for source, target, rounding, saturation, bits in sorted(
        {one for _, attested, _ in files for one in attested},
        key=lambda one: [part or "" for part in one],
    ):
        mode = f"{rounding}({bits})" if bits else rounding
        name = "_".join(filter(None, (source, target, rounding, saturation, bits)))
        lines.append(
            f"  convert_{name}: Convert<{spell(source)}, {spell(target)}, ({mode}, {saturation})>"
        )
    print("\n".join(lines))
    if others := sum(others for _, _, others in files):
        sys.exit(f"{others} conversions are not attested for all operand values")


# A reader such as head may close the pipe.
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
main()
