# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main loop of a compiled row: its instructions, and its bottleneck by a model of a CPU.

A loop is a shortest path from a label back to it, so that blocks for rare cases, which are not on
the path, do not count. The main loop handles the most elements with the fewest instructions and
uses plain stores. Other loops are for remainders and for sizes beyond the caches.
"""

import heapq
import json
import re
import subprocess
from dataclasses import dataclass, field

LABEL = re.compile(r"^(\.?\w[\w.$]*):")
TARGET = re.compile(r"(\.L\w+)\s*$")
# By prefixes: x86 has j*, AArch64 b, b.*, cbz and so on, RISC-V b* and j.
BRANCH = re.compile(r"^(j\w+|b|b\.\w+|cbn?z|tbn?z|b(?:eq|ne|lt|ge|gt|le)\w*)$")
ALWAYS = {"jmp", "b", "j"}
ENDS = {"ret", "retq", "jr", "br", "ud2", "udf", "unimp"}
STREAMS = re.compile(r"^(v?movnt|stnp|prefetch|prfm)")
MASKED = re.compile(r"\)\s*\{%k\d\}$")  # a store of a remainder


def weigh(code: list[str]) -> int:
    """Counts instructions. A vector division, which is for rare scales, counts as many as take the
    same time."""
    return sum(8 if re.match(r"vdivp|fdiv\s+(v|z)", text) else 1 for text in code)


@dataclass
class Block:
    label: str
    code: list[str] = field(default_factory=list)
    target: str | None = None  # of the branch at its end
    falls_through: bool = True


@dataclass
class Loop:
    """Its instructions in order, and its number of elements."""

    code: list[str]
    elements: int

    @property
    def is_special(self) -> bool:
        """For sizes beyond the caches, or for remainders."""
        return any(STREAMS.match(code) or MASKED.search(code) for code in self.code)

    @property
    def work(self) -> float:
        return weigh(self.code) / self.elements


def clean(line: str) -> str | None:
    """The instruction on a line, without its comment."""
    code = re.split(r"\s+#(?!\d|-)|\s*//|\s*;", line.strip())[0].strip()
    return code if re.match(r"[a-z]", code) and not LABEL.match(code) else None


def find_functions(assembly: str, name: str) -> list[list[str]]:
    """The lines of each function whose name has this prefix, including wrappers."""
    pattern = (
        rf"^{re.escape(name)}[\w.]*:.*?^\.?L?func_end\w*:|^{re.escape(name)}[\w.]*:.*?^\.Lfunc_end"
    )
    return [match[0].splitlines() for match in re.finditer(pattern, assembly, re.M | re.S)]


def split_blocks(lines: list[str]) -> list[Block]:
    blocks = [Block("")]
    for line in lines:
        if label := LABEL.match(line):
            blocks.append(Block(label[1]))
        elif code := clean(line):
            if blocks[-1].target or not blocks[-1].falls_through:
                blocks.append(Block(""))
            blocks[-1].code.append(code)
            word = code.split()[0]
            if BRANCH.match(word) and (target := TARGET.search(code)):
                blocks[-1].target = target[1]
                blocks[-1].falls_through = word not in ALWAYS
            elif word in ENDS:
                blocks[-1].falls_through = False
    return blocks


def find_ways(blocks: list[Block]) -> list[list[int]]:
    """For each back edge, the blocks of the shortest path around. Innermost loops only."""
    places = {block.label: i for i, block in enumerate(blocks) if block.label}

    def followers(i: int) -> list[int]:
        found = [i + 1] if blocks[i].falls_through and i + 1 < len(blocks) else []
        if blocks[i].target in places:
            found.append(places[blocks[i].target])
        return found

    ways = []
    for end, block in enumerate(blocks):
        start = places.get(block.target or "", end + 1)
        if start > end:
            continue
        queue, seen = [(weigh(blocks[start].code), start, [start])], set()
        while queue:
            cost, at, way = heapq.heappop(queue)
            if at == end:
                ways.append(way)
                break
            if at in seen:
                continue
            seen.add(at)
            for after in followers(at):
                if start <= after <= end:
                    heapq.heappush(queue, (cost + weigh(blocks[after].code), after, [*way, after]))
    return [way for way in ways if not any(set(other) < set(way) for other in ways)]


REGISTERS = {"x": 16, "y": 32, "z": 64}


def _stored_x86(code: str) -> int:
    """AT&T's operand order: the stored register first, the address last."""
    match = re.match(r"^(\w+)\s+(.*),\s*[-\w.+]*\((%\w+)?[^)]*\)(?:\s*\{%k\d\})?$", code)
    if not match or match[3] == "%rsp" or match[1].startswith(("cmp", "test", "prefetch", "lock")):
        return 0
    word, operands = match[1], match[2]
    register = re.search(r"%([xyz])mm\d+$", operands)
    if not register:
        return {"movb": 1, "movw": 2, "movl": 4, "movq": 8}.get(word, 0)
    size = REGISTERS[register[1]]
    if word.startswith(("vextract", "extract")):
        return 32 if "x4" in word and word.endswith("64x4") or "32x8" in word else 16
    if re.match(r"v?pextr[bwdq]$", word):
        return {"b": 1, "w": 2, "d": 4, "q": 8}[word[-1]]
    if re.match(r"vpmovu?s?(wb|dw|qd)$", word) or word == "vcvtps2ph":
        return size // 2
    if re.match(r"vpmovu?s?(db|qw)$", word):
        return size // 4
    if re.match(r"vpmovu?s?qb$", word):
        return size // 8
    if re.match(r"v?mov(d|ss)$", word):
        return 4
    if re.match(r"v?mov(q|sd|[lh]p[sd])$", word):
        return 8
    return size if re.match(r"v?mov", word) else 0


ARM = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16, "w": 4, "x": 8}


def _stored_arm(code: str) -> int:
    if "[sp" in code:
        return 0
    if match := re.match(r"^(?:str|stur|stp|stnp)\s+([bhsdqz])\d+,\s*(?:([bhsdq])\d+,)?", code):
        return (16 if match[1] == "z" else ARM[match[1]]) * (2 if match[2] else 1)
    if match := re.match(r"^st[1-4]\s+\{([^}]*)\}(\[\d+\])?", code):
        registers = match[1].split(",")
        kind = re.search(r"\.(\d*)([bhsd])", registers[0])
        if match[2]:
            return ARM[kind[2]] * len(registers)
        return int(kind[1] or 1) * ARM[kind[2]] * len(registers)
    if match := re.match(r"^st1([bhwd])\s+\{\s*z\d+\.([bhsd])\s*\}", code):
        return 16 // ARM[match[2]] * ARM["s" if match[1] == "w" else match[1]]
    return 0


def _count_stored(code: list[str], before: list[str]) -> int:
    """The bytes that instructions store, except for those on the stack."""
    total, length, numbers = 0, None, {}
    for position, text in enumerate([*before, *code]):
        if match := re.match(r"^li\s+(\w+),\s*(\d+)$", text):
            numbers[match[1]] = int(match[2])
        elif match := re.match(r"^vseti?vli\s+\w+,\s*(\w+),", text):
            if match[1] != "zero":
                length = int(match[1]) if match[1].isdigit() else numbers.get(match[1])
        if position < len(before):
            continue
        if match := re.match(r"^vse(\d+)\.v\s", text):
            total += (length or 0) * int(match[1]) // 8
        elif match := re.match(r"^vs(\d)r\.v\s", text):
            total += 16 * int(match[1])
        else:
            total += _stored_x86(text) or _stored_arm(text)
    return total


def find_main(assembly: str, name: str, result_bytes: float) -> Loop | None:
    """The main loop of a function, whose results have this number of bytes each."""
    loops = []
    for lines in find_functions(assembly, name):
        blocks = split_blocks(lines)
        for way in find_ways(blocks):
            code = [text for i in way for text in blocks[i].code]
            before = [text for block in blocks[: way[0]] for text in block.code]
            elements = int(_count_stored(code, before) / result_bytes)
            if elements:
                loops.append(Loop(code, elements))
    loops = [loop for loop in loops if not loop.is_special] or loops
    most = max((loop.elements for loop in loops), default=0)
    candidates = [loop for loop in loops if 2 * loop.elements >= most]
    return min(candidates, key=lambda loop: loop.work, default=None)


# Bottlenecks

# The resources that only load or store are named after that.
ROLES = (
    (re.compile(r"Zn\d(Load|LSU|AGU|FP45)"), "loads"),
    (re.compile(r"Zn\d(FPSt|Store)"), "stores"),
    (re.compile(r"(SPR|ADLP)Port(02|03|11)|ICXPort[23]$"), "loads"),
    (re.compile(r"(SPR|ADLP)Port(04|09|07|08)|ICXPort[4789]$"), "stores"),
)


def name_resource(name: str) -> str:
    name = re.split(r"[.\0]", name)[0]
    for pattern, role in ROLES:
        if pattern.match(name):
            return role
    name = re.sub(r"^Zn\d", "", name)
    return re.sub(r"^\w*Port0?", "p", name)


def read_bound(report: dict, elements: int) -> dict:
    """Cycles for 32 elements, and the resources that are always busy, from llvm-mca's report."""
    region = report["CodeRegions"][0]
    summary, names = region["SummaryView"], report["TargetInfo"]["Resources"]
    # The sums follow those of each instruction.
    last = len(region["Instructions"])
    pressure = {
        entry["ResourceIndex"]: entry["ResourceUsage"]
        for entry in region["ResourcePressureView"]["ResourcePressureInfo"]
        if entry["InstructionIndex"] == last
    }
    cycles = summary["BlockRThroughput"]
    busy = max(pressure.values(), default=0)
    dispatch = summary["TotaluOps"] / summary["Iterations"] / summary["DispatchWidth"]
    bounds = [name_resource(names[i]) for i, use in sorted(pressure.items()) if use >= 0.93 * busy]
    if dispatch > busy:
        bounds = ["front end"]
    return {
        "cycles_per_32": round(32 * max(cycles, dispatch) / elements, 1),
        "bound": list(dict.fromkeys(bounds)),
    }


def analyze(loop: Loop, cpu: str, mca: str) -> dict:
    jumps = {target[1] for code in loop.code if (target := TARGET.search(code))}
    text = "\n".join([*(f"{label}:" for label in sorted(jumps)), *loop.code]) + "\n"
    command = [mca, "-mtriple=x86_64-linux-gnu", f"-mcpu={cpu}", "-iterations=100", "--json", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return read_bound(json.loads(done.stdout), loop.elements)
