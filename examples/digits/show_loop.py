#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the main loop of a compiled cast: show_loop.py FILE.s [LINES]

A loop is a sequence of instructions from a label to a jump back to it, without an inner loop. The
main loop is the one with the fewest other instructions, of the loops with nearly the most vector
instructions, and the first of several. The other loops are for remainders and for sizes beyond the
caches.
"""

import re
import sys
from pathlib import Path

LABEL = re.compile(r"^(\.L\w+):")
BRANCH = re.compile(r"^\s+(?:j\w+|b\.\w+|cbn?z|tbn?z|b\w+)\s+(?:.*,\s*)?(\.L\w+)\s*$")
VECTOR = re.compile(r"%[xyz]mm\d|\bv\d+\.\d+[bhsd]\b|\bz\d+\.[bhsd]\b|^\s+v\w+\.v[vxifm]")


def instruction(line: str) -> str | None:
    """The instruction on the line, without its comment."""
    code = re.split(r"\s*(?:# |//|;)", line)[0].rstrip()
    return code if re.match(r"^\s+[a-z]", code) else None


def loops(lines: list[str]):
    """The bodies of the innermost loops."""
    starts: dict[str, int] = {}
    inner_end = -1
    for number, line in enumerate(lines):
        if label := LABEL.match(line):
            starts[label[1]] = number
        elif branch := BRANCH.match(instruction(line) or ""):
            start = starts.get(branch[1])
            if start is not None and start > inner_end:
                yield [code for code in map(instruction, lines[start : number + 1]) if code]
                inner_end = number


def main() -> int:
    lines = Path(sys.argv[1]).read_text().splitlines()
    shown = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    found = [(codes, sum(bool(VECTOR.search(code)) for code in codes)) for codes in loops(lines)]
    most = max((vectors for _, vectors in found), default=0)
    candidates = [entry for entry in found if 2 * entry[1] >= most]
    body, vectors = min(candidates, key=lambda entry: len(entry[0]) - entry[1], default=([], 0))
    if not vectors:
        print(f"{sys.argv[1]}: no vector loop", file=sys.stderr)
        return 1
    for code in body[:shown]:
        print(code.expandtabs(8))
    if len(body) > shown:
        print(f"        ... and {len(body) - shown} more")
    print(f"        ({vectors} of the loop's {len(body)} instructions are vector instructions)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
