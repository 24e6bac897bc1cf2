# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is written of records: tables, charts, and the parts of pages that they are in."""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

from . import charts, goals, report, survey
from .groups import GROUPS
from .records import RESULTS, list_vendors, read_record, record_path

BENCHMARKS = Path(__file__).resolve().parents[1]
ROOT = BENCHMARKS.parent
CHARTS = ROOT / "docs" / "charts"
CHART_SIZES = (1 << 16, 1 << 24)

# The rows that the project's first page has.
FIRST_PAGE = {
    "f32_to_e4m3fn": "f32 to f8E4M3FN",
    "e4m3fn_to_f32": "f8E4M3FN to f32",
    "f32_to_f4e2m1": "f32 to f4E2M1FN",
    "quantize_i8": "quantize f32 to i8, per tensor",
    "quantize_e4m3fn": "quantize f32 to f8E4M3FN",
    "dequantize_i8_axis": "dequantize i8 to f32, per axis",
    "dequantize_i4_block": "dequantize i4 to f32, blocks of 32",
    "fakeconvert_e4m3fn_openvino": "fakeconvert f8E4M3FN, as OpenVINO's plugin",
}


def read_records(vendor: str) -> list[dict]:
    return [record for group in GROUPS if (record := read_record(group, vendor))]


def read_loops() -> dict:
    return json.loads((RESULTS / "loops.json").read_text())


def read_threads(vendor: str) -> dict:
    return read_record("threads", vendor) or {"rows": []}


def replace_part(text: str, name: str, part: str) -> str:
    """What is between `<!-- NAME -->` and `<!-- end NAME -->`."""
    marks = [f"<!-- {name} -->", f"<!-- end {name} -->"]
    pattern = re.compile(re.escape(marks[0]) + r".*?" + re.escape(marks[1]), re.S)
    if not pattern.search(text):
        raise ValueError(f"the page has no place for '{name}'")
    return pattern.sub(lambda _: f"{marks[0]}\n\n{part.strip()}\n\n{marks[1]}", text)


def table(heads: list[str], rows: Iterable[list[str]], left: int = 1) -> str:
    lines = ["| " + " | ".join(heads) + " |"]
    lines.append("|" + "---|" * left + "---:|" * (len(heads) - left))
    return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in rows])


def write_first_page(records: list[dict]) -> str:
    rows = {
        row["name"]: row
        for record in records
        for row in record["rows"]
        if row["elements"] == 1 << 16
    }
    present = {
        name for row in rows.values() for name, o in row["contenders"].items() if "best_gelems" in o
    }
    ours = [
        name for name in next(iter(rows.values()))["contenders"] if name.startswith("quant-float")
    ]
    names = [name for name in (*ours, *report.PEERS, "traffic") if name in present]

    def cells(name: str, words: str) -> list[str]:
        speeds = [rows[name]["contenders"].get(n, {}).get("best_gelems") for n in names]
        return [words, *(f"{speed:.3g}" if speed else "-" for speed in speeds)]

    return table(["", *names], [cells(*entry) for entry in FIRST_PAGE.items() if entry[0] in rows])


def write_charts(records: list[dict]) -> str:
    lines = []
    for size in CHART_SIZES:
        words = report.size_name(size)
        for group, record in zip(GROUPS, records, strict=True):
            name = f"{group}-{words.replace(' ', '')}.svg"
            lines.append(
                f'<img src="charts/{name}" alt="{record["title"]}, {words} elements, as bars">'
            )
    return "\n\n".join(lines)


def write_goals(records: list[dict], found: dict) -> str:
    """Shares by row, beside the goals of those that have some and what bounds their loops; what is missed is
    bold."""
    wanted = goals.read_goals()
    cells: dict[str, dict[tuple[str, int], str]] = {}
    bounds: dict[str, dict[str, str]] = {}
    heads: list[tuple[str, int]] = []
    for record in records:
        for row, level, outcome in goals.compare_shares(record, wanted):
            key = (level, row["elements"])
            if key not in heads:
                heads.append(key)
            mark = "**" if outcome.is_missed else ""
            text = f"{mark}{outcome.measured:.2f}{mark} / {outcome.goal:.2f}"
            cells.setdefault(report.title(row), {})[key] = text
            bound = goals.find_bound(record, found, row["name"], level)
            bounds.setdefault(report.title(row), {})[level] = bound
    names = {"avx512": "AVX-512", "avx2": "AVX2"}
    shown = [f"{names[level]}, {report.size_name(size)}" for level, size in heads]
    levels = list(dict.fromkeys(level for level, _ in heads))
    shown += [f"{names[level]}: cycles" for level in levels]
    rows = (
        [name, *(shares.get(key, "-") for key in heads), *(bounds[name][level] for level in levels)]
        for name, shares in cells.items()
    )
    others = [
        outcome
        for record in records
        for compare in (goals.compare_peers, goals.compare_limits)
        for outcome in compare(record, wanted)
    ]
    missed = [outcome for outcome in others if outcome.is_missed]
    text = f"Of {len(others)} comparisons with peers, calls of 64 elements and inputs half of which are NaN,"
    text += f" {len(others) - len(missed)} are as they should be" + (":" if missed else ".")
    lines = [f"- {outcome.text}" for outcome in missed]
    if missed:
        text = text[:-1] + "; the others:\n"
    return "\n".join([table(["row", *shown], rows), "", text, *lines])


def write_threads(record: dict) -> str:
    rows = []
    outcomes = goals.compare_threads(record, goals.read_goals())
    for row, outcome in zip(record["rows"], outcomes, strict=True):
        mark = "**" if outcome.is_missed else ""
        shape = f"{row['tensors']} of {report.size_name(row['elements'])}"
        speeds = [f"{row[f'{n}_gelems']:.3g}" for n in ("one", "two")]
        rows.append([row["name"], shape, *speeds, f"{mark}{outcome.measured:.2f}{mark}"])
    return table(["row", "tensors", "one thread", "two", "ratio"], rows, left=2)


def _per_32(outcome: dict) -> str:
    if "instructions" not in outcome:
        return "-"
    return f"{32 * outcome['instructions'] / outcome['elements']:.3g}"


def read_plan(outcome: dict) -> list[str]:
    """Of the loop, without what is said of the elements at the end, which fill no vector."""
    plan = list(dict.fromkeys(outcome.get("plan", [])))
    return [line for line in plan if "takes vectors of" not in line] or plan


def shorten_plan(outcome: dict) -> str:
    """What is done, in a word for each step."""
    steps = []
    for line in read_plan(outcome):
        by = re.search(r" by ([\w+]+)", line)
        words = "rounded in place" if "in place" in line else "arithmetic"
        steps.append(f"`{by[1]}`" if by else words)
    return ", ".join(dict.fromkeys(steps)) or "arithmetic"


def write_bounds(found: dict, rows: dict[str, dict]) -> str:
    """For each kind of machine that there are models of, what is done, and the cycles by each model."""
    machines = [machine for machine in survey.MACHINES if machine.models]
    heads = [head for machine in machines for head in (machine.name, *machine.models)]

    def cells(outcome: dict, machine: survey.Machine) -> Iterable[str]:
        yield shorten_plan(outcome)
        for model in machine.models:
            bound = outcome.get("models", {}).get(model)
            yield f"{bound['cycles_per_32']:g} {' '.join(bound['bound'])}" if bound else "-"

    lines = []
    for name, outcomes in found.items():
        line = [cell for machine in machines for cell in cells(outcomes[machine.name], machine)]
        lines.append([report.title(rows[name]), *line])
    return table(["row", *heads], lines, left=1 + len(heads))


def write_plans(found: dict, rows: dict[str, dict]) -> str:
    """Rows with the same plan are together."""
    machines = ("AVX2", "AVX-512", "AVX10.2", "Arm FP8")
    lines: dict[tuple[str, ...], list[str]] = {}
    for name, outcomes in found.items():
        plans = tuple("; ".join(read_plan(outcomes[machine])) or "-" for machine in machines)
        lines.setdefault(plans, []).append(report.title(rows[name]))
    cells = (["; ".join(names), *plans] for plans, names in lines.items())
    return table(["rows", *machines], cells, left=1 + len(machines))


def write_counts(found: dict, rows: dict[str, dict]) -> str:
    """Beside loops that were written by hand, where there are some."""
    machines = [machine.name for machine in survey.MACHINES]
    by_hand = goals.read_goals()["instructions"]

    def cell(name: str, machine: str) -> str:
        count = _per_32(found[name].get(machine, {}))
        goal = by_hand.get(machine, {}).get(name)
        return f"{count} ({goal})" if goal else count

    lines = ([report.title(rows[name]), *(cell(name, m) for m in machines)] for name in found)
    return table(["row", *machines], lines)


def publish(write: Callable[[Path, str], None], survey_again: bool = True) -> None:
    """Writes all that is made of the records, and of objects as they are now or as they were surveyed."""
    vendor = list_vendors()[0]
    records = read_records(vendor)
    for group, record in zip(GROUPS, records, strict=True):
        write(record_path(group, vendor).with_suffix(".md"), report.markdown(record))
        for size in CHART_SIZES:
            name = f"{group}-{report.size_name(size).replace(' ', '')}"
            write(CHARTS / f"{name}.svg", charts.draw_chart(record, size, name).render())
    rows = {
        row["name"]: row for row in tomllib.loads((BENCHMARKS / "rows.toml").read_text())["row"]
    }
    tool = Path(os.environ.get("QUANT_FLOAT_BUILD", ROOT / "build")) / "bin" / "quant-float-compile"
    if survey_again and tool.exists():
        write(
            RESULTS / "loops.json",
            json.dumps(survey.survey(list(rows.values()), tool), indent=1) + "\n",
        )
    found = read_loops()
    parts = {
        ROOT / "README.md": {"speeds": write_first_page(records)},
        ROOT / "docs" / "how-fast.md": {
            "machine": report.describe(records[0]),
            "charts": write_charts(records),
            "goals": write_goals(records, found),
            "threads": write_threads(read_threads(vendor)),
            "bounds": write_bounds(found, rows),
            "plans": write_plans(found, rows),
            "counts": write_counts(found, rows),
        },
    }
    for page, texts in parts.items():
        text = page.read_text()
        for name, part in texts.items():
            text = replace_part(text, name, part)
        write(page, text)
