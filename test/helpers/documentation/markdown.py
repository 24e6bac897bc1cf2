"""Fenced blocks, headings and links of Markdown files."""

import dataclasses
import re
import shlex

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>```+)(?P<language>[\w+-]*)[^`]*$")
NOTE = re.compile(r"^ *<!-- example: (?P<text>.*) -->$")


@dataclasses.dataclass
class Block:
    """A fenced block. `options` are of the comment before it:

    <!-- example: file=cast.mlir -->            the text is also a file of the scratch folder
    <!-- example: from=examples/a/b.cpp -->     it is a piece of that file, which tests build and run
    <!-- example: passes="--a --b" -->          it is what quant-float-opt makes of the MLIR before it,
    <!-- example: ... replace="a=b" -->         in which a is b first
    <!-- example: error="must be" -->           it is refused with this text
    <!-- example: status=1 -->                  the commands exit so
    <!-- example: kernels=cast.mlir -->         a GPU runs these; one is simulated where there is none
    <!-- example: needs=full -->                it is run by `scripts/test.sh --full`
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
    """The text without fenced blocks and code spans, of as many lines."""
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
    """Pairs of a line and a target."""
    for number, line in enumerate(strip_blocks(text).split("\n"), 1):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            yield number, target


def find_anchors(text):
    """The ids that headings get, by the rules of GitHub and of Python-Markdown, which agree on these."""
    anchors = set()
    inside = strip_blocks(text).split("\n")
    for line, bare in zip(text.split("\n"), inside, strict=True):
        heading = re.match(r"#+ +(.*)$", line)
        if heading and bare:
            title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "")
            anchors.add(re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()))
        anchors |= set(re.findall(r'<a (?:id|name)="([^"]+)"', bare))
    return anchors
