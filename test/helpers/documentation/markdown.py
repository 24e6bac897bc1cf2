"""Fenced blocks, headings and links of Markdown files."""

import dataclasses
import re
import shlex

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>```+)(?P<language>[\w+-]*)[^`]*$")
NOTE = re.compile(r"^ *<!-- example: (?P<text>.*) -->$")


@dataclasses.dataclass
class Block:
    """A fenced block. `options` are those of the comment before it:

    <!-- example: file=cast.mlir -->            the block is also written to this file in the scratch folder
    <!-- example: from=examples/a/b.cpp -->     the block is an excerpt of this file, which tests build and run
    <!-- example: passes="--a --b" -->          the block is quant-float-opt's output for the MLIR before it,
    <!-- example: ... replace="a=b" -->         in which a is replaced by b first
    <!-- example: error="must be" -->           the block is rejected with this error
    <!-- example: status=1 -->                  the commands have this exit status
    <!-- example: kernels=cast.mlir -->         a GPU runs these kernels, or a simulator without a GPU
    <!-- example: needs=full -->                only `scripts/test.sh --full` runs the block
    """

    language: str
    text: str
    line: int
    options: dict[str, str]


def find_blocks(text):
    blocks, lines, number = [], text.split("\n"), 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        number += 1
        if not opening:
            continue
        start = number
        while number < len(lines) and lines[number].strip() != opening["ticks"]:
            number += 1
        if number == len(lines):
            raise ValueError(f"line {start}: the fence is not closed")
        indent = len(opening["indent"])
        inner = "".join(line[indent:] + "\n" for line in lines[start:number])
        note = NOTE.match(lines[start - 2]) if start > 1 else None
        options = dict(part.split("=", 1) for part in shlex.split(note["text"])) if note else {}
        blocks.append(Block(opening["language"], inner, start + 1, options))
        number += 1
    return blocks


def strip_blocks(text):
    """The text without fenced blocks and code spans, with the same line numbers."""
    inside, lines = None, []
    for line in text.split("\n"):
        fence = FENCE.match(line)
        if inside is None and fence:
            inside = fence["ticks"]
        elif inside is not None:
            inside = None if line.strip() == inside else inside
        else:
            lines.append(re.sub(r"(`+).+?\1", "", line))
            continue
        lines.append("")
    return "\n".join(lines)


def find_links(text):
    """Pairs of a line number and a target."""
    for number, line in enumerate(strip_blocks(text).split("\n"), 1):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            yield number, target


def find_anchors(text):
    """The ids of headings, by the rules of GitHub and of Python-Markdown, which agree on these."""
    anchors = set()
    inside = strip_blocks(text).split("\n")
    for line, bare in zip(text.split("\n"), inside, strict=True):
        heading = re.match(r"#+ +(.*)$", line)
        if heading and bare:
            title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "")
            anchors.add(re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()))
        anchors |= set(re.findall(r'<a (?:id|name)="([^"]+)"', bare))
    return anchors
