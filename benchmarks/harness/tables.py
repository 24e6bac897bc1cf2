# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Markdown tables of the records of matmuls.py, integer_matmuls.py, networks.py, tokens.py
and decoders.py."""

import re
from collections.abc import Callable, Iterable

from .cpu import VENDORS
from .records import list_vendors, read_record

MISSING = "No machine has such a record."


def table(heads: list[str], rows: Iterable[list[str]], left: int = 1) -> str:
    lines = ["| " + " | ".join(heads) + " |"]
    lines.append("|" + "---|" * left + "---:|" * (len(heads) - left))
    return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in rows])


def describe_cpu_of(record: dict) -> str:
    cpu = record["cpu"]
    # The records of test/helpers/model_zoo have the keys of /proc/cpuinfo.
    vendor = cpu.get("vendor") or VENDORS.get(cpu["vendor_id"], cpu["vendor_id"])
    family = cpu.get("family") or cpu.get("cpu family")
    model = cpu.get("model name") or cpu["model"]
    return f"{vendor} ({model}{f', family {family}' if family else ''})"


def write_vendors(name: str, write: Callable[[dict], str]) -> str:
    """The output of `write` for the record of each vendor."""
    parts = []
    for vendor in list_vendors():
        record = read_record(name, vendor)
        if record:
            parts.append(f"{describe_cpu_of(record)}:\n\n{write(record)}")
    return "\n\n".join(parts) or MISSING


def shorten(contender: str) -> str:
    """The CPU and the options of ours: `host, int8` for `quant-float (host, int8)`."""
    match = re.fullmatch(r"quant-float \((.*)\)", contender)
    return match[1] if match else contender


def list_contenders(rows: list[dict]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row["contenders"]))


def write_matmuls(record: dict) -> str:
    """Milliseconds in one thread, with the error of peers that round x to 8 bits."""

    def cell(name: str, outcome: dict) -> str:
        if "ms" not in outcome:
            return "-"
        rounds = not name.startswith("quant-float") and outcome.get("error", 0) > 1e-4
        return f"{outcome['ms']:.2f}" + (f" (error {outcome['error']:.0e})" if rounds else "")

    rows = [row for row in record["rows"] if row["threads"] == 1 and not row.get("data")]
    names = list_contenders(rows)
    parts = []
    for size in dict.fromkeys(row["size"] for row in rows):
        cells = (
            [row["product"], *(cell(name, row["contenders"].get(name, {})) for name in names)]
            for row in rows
            if row["size"] == size
        )
        parts.append(table([size, *map(shorten, names)], cells))
    return "\n\n".join(parts)


def write_integer_matmuls(record: dict) -> str:
    names = list_contenders(record["rows"])
    cells = (
        [
            row["model"],
            *(
                f"{row['contenders'][name]['ms']:.2f}" if name in row["contenders"] else "-"
                for name in names
            ),
        ]
        for row in record["rows"]
    )
    return table(["model", *map(shorten, names)], cells)


def write_networks(record: dict) -> str:
    """Milliseconds, with the ratio to ONNX Runtime's in parentheses, and seconds until the first
    call."""
    names = list_contenders(record["rows"])

    def cells(row: dict) -> Iterable[str]:
        yield row["network"]
        outcomes = [row["contenders"].get(name, {}) for name in names]
        for outcome in outcomes:
            over = f" ({outcome['over']})" if "over" in outcome else ""
            yield f"{outcome['ms']}{over}" if "ms" in outcome else "-"
        starts = (row["contenders"].get(name, {}) for name in (names[0], "ONNX Runtime"))
        yield ", ".join(str(outcome.get("start_s", "-")) for outcome in starts)

    heads = ["network", *map(shorten, names), "start in s"]
    return table(heads, (list(cells(row)) for row in record["rows"]))


def write_model_zoo(record: dict) -> str:
    """Times relative to ONNX Runtime's, CPU time and memory of the compilation, and differences of
    the results."""
    networks = record["networks"]
    cpus = next((list(row["over"]) for row in networks.values() if "over" in row), [])

    def cells(name: str, row: dict) -> list[str]:
        if "over" not in row:
            reason = row.get("skipped") or row.get("refused") or row["told"]
            return [name, reason, *[""] * (len(cpus) + 3)]
        times = [str(row["over"][cpu]) for cpu in cpus]
        peer = str(row["ms"]["ONNX Runtime"])
        return [
            name,
            *times,
            peer,
            str(row["compile_s"]),
            str(row["peak_mib"]),
            f"{row['off']:.0e}",
        ]

    heads = ["network", *cpus, "ONNX Runtime in ms", "compiled in s", "MiB", "difference"]
    return table(heads, (cells(*entry) for entry in networks.items()))


def write_tokens(record: dict) -> str:
    """Milliseconds per token of each width, and the memory."""
    rows = record["rows"]

    def cells(name: str) -> Iterable[str]:
        yield shorten(name)
        outcomes = [row["contenders"].get(name, {}) for row in rows]
        yield from (f"{outcome['ms']:.3g}" if "ms" in outcome else "-" for outcome in outcomes)
        yield ", ".join(
            f"{outcome['memory_mib']:.0f}" if "memory_mib" in outcome else "-"
            for outcome in outcomes
        )
        yield ", ".join(str(outcome.get("same_tokens", "-")) for outcome in outcomes)

    heads = ["contender", *(f"{row['width']} wide" for row in rows), "MiB", "same tokens"]
    return table(heads, (list(cells(name)) for name in list_contenders(rows)))


def write_decoders(record: dict) -> str:
    """Milliseconds per token and per prompt of each decoder, a table for each number of threads."""
    parts = []
    for threads in dict.fromkeys(row["threads"] for row in record["rows"]):
        rows = [row for row in record["rows"] if row["threads"] == threads]
        names = list_contenders(rows)
        cells = (
            [
                f"{row['type']}, {row['width']} wide",
                *(
                    f"{outcome['ms']:.3g} / {outcome['prompt_ms']:.3g}" if "ms" in outcome else "-"
                    for outcome in (row["contenders"].get(name, {}) for name in names)
                ),
            ]
            for row in rows
        )
        heads = ["one thread" if threads == 1 else f"{threads} threads", *map(shorten, names)]
        parts.append(table(heads, cells))
    return "\n\n".join(parts)


# Keyed by the name of the record, which is also that of the part of benchmarks/README.md.
WRITERS = {
    "matmuls": write_matmuls,
    "integer_matmuls": write_integer_matmuls,
    "networks": write_networks,
    "model_zoo": write_model_zoo,
    "tokens": write_tokens,
    "decoders": write_decoders,
}
