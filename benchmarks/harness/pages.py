# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables and charts of the records, and the parts of pages that contain them."""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

from . import charts, goals, report, survey, tables
from .groups import GROUPS, MEMORY, MEMORY_SIZES
from .records import RESULTS, Machine, read_machines, record_path
from .tables import MISSING, table

BENCHMARKS = Path(__file__).resolve().parents[1]
ROOT = BENCHMARKS.parent
CHARTS = ROOT / "docs" / "charts"
CHART_SIZES = (1 << 16, 1 << 24)

# The rows of the table in README.md.
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


def read_rows() -> dict[str, dict]:
    rows = tomllib.loads((BENCHMARKS / "rows.toml").read_text())["row"]
    return {row["name"]: row for row in rows}


def read_loops() -> dict:
    return json.loads((RESULTS / "loops.json").read_text())


def replace_part(text: str, name: str, part: str, style: str = "<!-- {} -->") -> str:
    """Replaces the text between the comments NAME and `end NAME`."""
    marks = [style.format(name), style.format(f"end {name}")]
    pattern = re.compile(re.escape(marks[0]) + r".*?" + re.escape(marks[1]), re.S)
    if not pattern.search(text):
        raise ValueError(f"the page has no place for '{name}'")
    part = part.strip("\n")
    return pattern.sub(lambda _: f"{marks[0]}\n\n{part}\n\n{marks[1]}", text)


def write_machines(machines: list[Machine]) -> str:
    """The machines in columns, with the versions of the peers."""
    described = [machine.description for machine in machines]

    def cells(head: str, find: Callable[[dict], str | None]) -> list[str]:
        return [head, *(find(machine) or "-" for machine in described)]

    def find_caches(machine: dict) -> str:
        caches = machine.get("cache", {})
        return ", ".join(f"{name} {size}" for name, size in caches.items() if size)

    rows = [
        cells("CPU", lambda machine: machine["cpu"]),
        cells("family/model", lambda machine: machine["cpu_family_model"]),
        cells("caches", find_caches),
        cells("date", lambda machine: machine["date"][:10]),
    ]
    rows += [
        cells(name, lambda machine, package=package: machine["versions"].get(package))
        for package, name in report.PACKAGE_NAMES.items()
    ]
    return table(["", *(machine.name for machine in machines)], rows, left=1 + len(machines))


def write_links(machines: list[Machine], folder: str) -> str:
    """Links to the pages of all records, from a page whose path to the root is `folder`."""
    lines = []
    for machine in machines:
        links = ", ".join(
            f"[{record['title'].lower()}]({folder}benchmarks/results/{machine.vendor}/{name}.md)"
            for name, record in list_records(machine).items()
        )
        lines.append(f"- {machine.name}: {links}")
    return "\n".join(lines)


def list_records(machine: Machine) -> dict[str, dict]:
    """The records that have a page."""
    return machine.records | ({MEMORY: machine.memory} if machine.memory else {})


def write_navigation(machines: list[Machine]) -> str:
    """The pages of the records in the site's navigation."""
    lines = []
    for machine in machines:
        lines.append(f"- {machine.name}:")
        pages = (f"benchmarks/results/{machine.vendor}/{name}.md" for name in list_records(machine))
        lines += [f"    - {page}" for page in pages]
    return "\n".join(" " * 6 + line for line in lines)


def find_peer(row: dict) -> str:
    """The fastest peer and its speed."""
    speeds = {
        name: row["contenders"][name]["best_gelems"]
        for name in report.PEERS
        if "best_gelems" in row["contenders"].get(name, {})
    }
    best = max(speeds, key=speeds.get, default=None)
    return f"{best} {speeds[best]:.3g}" if best else "-"


def write_first_page(machines: list[Machine]) -> str:
    """The speed with the widest vectors of each machine, and the fastest peer."""
    heads, columns = [""], []
    for machine in machines:
        columns.append(
            {
                row["name"]: row
                for record in machine.records.values()
                for row in record["rows"]
                if row["elements"] == 1 << 16
            }
        )
        heads += [machine.name, "best peer"]

    def cells(name: str) -> Iterable[str]:
        for rows in columns:
            row = rows.get(name, {"contenders": {}})
            speed = row["contenders"].get("quant-float", {}).get("best_gelems")
            yield f"{speed:.3g}" if speed else "-"
            yield find_peer(row)

    return table(heads, ([words, *cells(name)] for name, words in FIRST_PAGE.items()))


def chart_name(group: str, size: int) -> str:
    return f"{group}-{report.size_name(size).replace(' ', '')}"


def write_charts(machines: list[Machine]) -> str:
    """The charts of one group and size are consecutive."""
    return "\n\n".join(
        f'<img src="charts/{machine.vendor}/{chart_name(group, size)}.svg"'
        f' alt="{machine.name}: {title}, {report.size_name(size)} elements, as bars">'
        for size in CHART_SIZES
        for group, title in GROUPS.items()
        for machine in machines
        if group in machine.records
    )


def mark(outcome: goals.Outcome) -> str:
    """The measurement, bold if it misses its goal."""
    return f"**{outcome.measured:.2f}**" if outcome.is_missed else f"{outcome.measured:.2f}"


def compare_levels(machines: list[Machine], compare: Callable) -> tuple[list, dict]:
    """The outcomes of `compare` by row and size, each a dict by level and machine, and its
    columns."""
    wanted = goals.read_goals()
    outcomes: dict[tuple[str, int], dict[tuple[str, str], goals.Outcome]] = {}
    for machine in machines:
        for record in machine.records.values():
            for row, level, outcome in compare(record, wanted):
                key = (report.title(row), row["elements"])
                outcomes.setdefault(key, {})[level, machine.name] = outcome
    order = [report.title(row) for row in read_rows().values()]
    outcomes = dict(sorted(outcomes.items(), key=lambda item: order.index(item[0][0])))
    found = {column for cells in outcomes.values() for column in cells}
    columns = [(level, machine.name) for level in goals.LEVELS for machine in machines]
    return [column for column in columns if column in found], outcomes


def write_goals(machines: list[Machine]) -> str:
    """The shares and their goals, in a table for each size, and the other goals that are missed."""
    columns, outcomes = compare_levels(machines, goals.compare_shares)
    heads = [f"{name}, {goals.LEVELS[level]}" for level, name in columns]
    parts = []
    for size in dict.fromkeys(size for _, size in outcomes):
        rows = (
            [
                title,
                *(
                    f"{mark(cells[column])} / {cells[column].goal:.2f}" if column in cells else "-"
                    for column in columns
                ),
            ]
            for (title, elements), cells in outcomes.items()
            if elements == size
        )
        parts += [f"{report.size_name(size)} elements:", table(["row", *heads], rows)]
    wanted = goals.read_goals()
    for machine in machines:
        others = [
            outcome
            for record in machine.records.values()
            for compare in (goals.compare_peers, goals.compare_calls)
            for outcome in compare(record, wanted)
        ]
        missed = [outcome for outcome in others if outcome.is_missed]
        text = f"{machine.name}: {len(others) - len(missed)} of {len(others)} comparisons with peers and"
        text += " calls of 64 elements reach their goals" + ("; the others:" if missed else ".")
        parts.append(text)
        if missed:
            parts.append("\n".join(f"- {outcome.text}" for outcome in missed))
    return "\n\n".join(parts)


def write_data(machines: list[Machine]) -> str:
    """The time with special data at 64 K elements, and the slowest row at 16 M."""
    columns, outcomes = compare_levels(machines, goals.compare_data)
    if not outcomes:
        return MISSING
    sizes = goals.read_goals()["sizes"]
    heads = [f"{name}, {goals.LEVELS[level]}" for level, name in columns]

    def cells(found: dict) -> Iterable[str]:
        yield f"{next(iter(found.values())).goal:g}"
        yield from (mark(found[column]) if column in found else "-" for column in columns)

    small = ([row, *cells(o)] for (row, size), o in outcomes.items() if size == sizes["small"])
    parts = [table(["row", "at most", *heads], small)]
    large = [o for (_, size), o in outcomes.items() if size == sizes["large"]]
    slowest = []
    for column, head in zip(columns, heads, strict=True):
        found = [by_column[column] for by_column in large if column in by_column]
        worst = max(found, key=lambda outcome: outcome.measured / outcome.goal, default=None)
        if worst:
            slowest.append(f"- {head}: {mark(worst)}, {worst.row}")
    if slowest:
        words = (
            f"The row of {report.size_name(sizes['large'])} elements that is nearest to its limit:"
        )
        parts += [words, "\n".join(slowest)]
    return "\n\n".join(parts)


def write_memory(machines: list[Machine]) -> str:
    """The shares of traffic of the group memory."""
    machines = [machine for machine in machines if machine.memory]
    if not machines:
        return MISSING
    columns = [(machine, size) for machine in machines for size in MEMORY_SIZES]
    cells: dict[str, dict] = {}
    for machine in machines:
        for row in machine.memory["rows"]:
            part = report.share(row)
            if part:
                cells.setdefault(report.title(row), {})[machine.vendor, row["elements"]] = part
    heads = [f"{machine.name}, {report.size_name(size)}" for machine, size in columns]
    rows = (
        [
            title,
            *(
                f"{found[machine.vendor, size]:.2f}" if (machine.vendor, size) in found else "-"
                for machine, size in columns
            ),
        ]
        for title, found in cells.items()
    )
    return table(["row", *heads], rows)


def write_threads(machines: list[Machine]) -> str:
    machines = [machine for machine in machines if machine.threads]
    if not machines:
        return MISSING
    cells: dict[tuple[str, str], dict[str, list[str]]] = {}
    for machine in machines:
        outcomes = goals.compare_threads(machine.threads, goals.read_goals())
        for row, outcome in zip(machine.threads["rows"], outcomes, strict=True):
            key = (row["name"], f"{row['tensors']} of {report.size_name(row['elements'])}")
            speeds = [f"{row[f'{count}_gelems']:.3g}" for count in ("one", "two")]
            cells.setdefault(key, {})[machine.vendor] = [*speeds, mark(outcome)]
    heads = [
        head
        for machine in machines
        for head in (f"{machine.name}: one thread", "two threads", "ratio")
    ]
    rows = (
        [*key, *(cell for machine in machines for cell in found.get(machine.vendor, ["-"] * 3))]
        for key, found in cells.items()
    )
    return table(["row", "tensors", *heads], rows, left=2)


def _per_32(outcome: dict) -> str:
    if "instructions" not in outcome:
        return "-"
    return f"{32 * outcome['instructions'] / outcome['elements']:.3g}"


def read_plan(outcome: dict) -> list[str]:
    """The plan of the loop, without the part about remainders, which fill no vector."""
    plan = list(dict.fromkeys(outcome.get("plan", [])))
    return [line for line in plan if "takes vectors of" not in line] or plan


def shorten_plan(outcome: dict) -> str:
    """The plan, with a word for each step."""
    steps = []
    for line in read_plan(outcome):
        by = re.search(r" by ([\w+]+)", line)
        words = "rounded in place" if "in place" in line else "arithmetic"
        steps.append(f"`{by[1]}`" if by else words)
    return ", ".join(dict.fromkeys(steps)) or "arithmetic"


def write_bounds(found: dict, rows: dict[str, dict]) -> str:
    """For each kind of machine with models, the plan and the cycles by each model."""
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
    """Rows with the same plan are grouped."""
    machines = ("AVX2", "AVX-512", "AVX10.2", "Arm FP8")
    lines: dict[tuple[str, ...], list[str]] = {}
    for name, outcomes in found.items():
        plans = tuple("; ".join(read_plan(outcomes[machine])) or "-" for machine in machines)
        lines.setdefault(plans, []).append(report.title(rows[name]))
    cells = (["; ".join(names), *plans] for plans, names in lines.items())
    return table(["rows", *machines], cells, left=1 + len(machines))


def write_counts(found: dict, rows: dict[str, dict]) -> str:
    """Compared with handwritten loops, if there are any."""
    machines = [machine.name for machine in survey.MACHINES]
    by_hand = goals.read_goals()["instructions"]

    def cell(name: str, machine: str) -> str:
        count = _per_32(found[name].get(machine, {}))
        goal = by_hand.get(machine, {}).get(name)
        return f"{count} ({goal})" if goal else count

    lines = ([report.title(rows[name]), *(cell(name, m) for m in machines)] for name in found)
    return table(["row", *machines], lines)


def publish(write: Callable[[Path, str], None], survey_again: bool = True) -> None:
    """Writes everything that shows the records, and the loops of the objects as compiled now or as
    surveyed last."""
    machines = read_machines()
    for machine in machines:
        for name, record in list_records(machine).items():
            write(record_path(name, machine.vendor).with_suffix(".md"), report.markdown(record))
        for group, record in machine.records.items():
            for size in CHART_SIZES:
                name = chart_name(group, size)
                chart = charts.draw_chart(record, size, f"{machine.vendor}-{name}")
                write(CHARTS / machine.vendor / f"{name}.svg", chart.render())
    rows = read_rows()
    tool = Path(os.environ.get("QUANT_FLOAT_BUILD", ROOT / "build")) / "bin" / "quant-float-compile"
    if survey_again and tool.exists():
        write(
            RESULTS / "loops.json",
            json.dumps(survey.survey(list(rows.values()), tool), indent=1) + "\n",
        )
    found = read_loops()
    parts = {
        ROOT / "README.md": {
            "speeds": write_first_page(machines),
        },
        ROOT / "docs" / "how-fast.md": {
            "machines": write_machines(machines),
            "results": write_links(machines, "../"),
            "charts": write_charts(machines),
            "goals": write_goals(machines),
            "threads": write_threads(machines),
            "data": write_data(machines),
            "memory": write_memory(machines),
            "bounds": write_bounds(found, rows),
            "plans": write_plans(found, rows),
            "counts": write_counts(found, rows),
        },
        BENCHMARKS / "README.md": {
            name: tables.write_vendors(name, write_record)
            for name, write_record in tables.WRITERS.items()
        },
    }
    for page, strings in parts.items():
        text = page.read_text()
        for name, part in strings.items():
            text = replace_part(text, name, part)
        write(page, text)
    site = ROOT / "mkdocs.yml"
    navigation = write_navigation(machines)
    write(site, replace_part(site.read_text(), "results", navigation, style="      # {}"))
