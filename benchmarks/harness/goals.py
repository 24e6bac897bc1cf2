# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the records with the goals of goals.toml, which hold for every vendor's CPU."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .records import Machine
from .report import share, size_name, title

FILE = Path(__file__).resolve().parents[1] / "goals.toml"
LEVELS = {"avx512": "AVX-512", "avx2": "AVX2"}


@dataclass(frozen=True)
class Outcome:
    """One goal and its measurement, as a share of traffic, a ratio or nanoseconds."""

    row: str
    what: str
    measured: float
    goal: float
    most: bool = False  # the goal is an upper limit

    @property
    def is_missed(self) -> bool:
        # As they are printed.
        measured = round(self.measured, 2)
        return measured > self.goal if self.most else measured < self.goal

    @property
    def text(self) -> str:
        sign = "≤" if self.most else "≥"
        return f"{self.row}, {self.what}: {self.measured:.2f}, goal {sign} {self.goal:g}"


def parse_goals(text: str) -> dict:
    """Raises ValueError if a share for one vendor (`intel.avx2 = ...`) has no comment before it."""
    lines = ["", *text.splitlines()]
    for before, line in zip(lines, lines[1:], strict=False):
        if re.match(rf"\s*\w+\.({'|'.join(LEVELS)})\s*=", line) and not before.strip().startswith(
            "#"
        ):
            raise ValueError(f"goals.toml: a comment must give the reason for '{line.strip()}'")
    return tomllib.loads(text)


def read_goals() -> dict:
    return parse_goals(FILE.read_text())


def find_levels(record: dict) -> dict[str, str]:
    """The contender for each vector level that has goals."""
    levels = {"x86-64-v3": "avx2", "x86-64-v4": "avx512"}
    if "avx512vbmi" in record["machine"]["flags"]:
        levels["host"] = "avx512"
    elif "f16c" in record["machine"]["flags"]:
        levels["host"] = "avx2"
    first, *others = record["targets"]
    names = {first: "quant-float"} | {cpu: f"quant-float ({cpu})" for cpu in others}
    return {levels[cpu]: name for cpu, name in names.items() if cpu in levels}


def compare_shares(record: dict, goals: dict) -> Iterator[tuple[dict, str, Outcome]]:
    """For each row with a goal, at the level of its vectors."""
    sizes = [goals["sizes"][name] for name in ("small", "large")]
    wanted = {row: goal for goal in goals["goal"] for row in goal["rows"]}
    vendor = record["machine"]["cpu_vendor"].lower()
    for level, ours in find_levels(record).items():
        for row in record["rows"]:
            measured = share(row, ours)
            if row["name"] not in wanted or row["elements"] not in sizes or measured is None:
                continue
            goal = wanted[row["name"]]
            goal = goal.get(vendor, {}).get(level, goal[level])[sizes.index(row["elements"])]
            what = f"{size_name(row['elements'])}, {level}, share of traffic"
            yield row, level, Outcome(title(row), what, measured, goal)


def compare_peers(record: dict, goals: dict) -> Iterator[Outcome]:
    """The code for the host relative to each peer."""
    for row in record["rows"]:
        ours = row["contenders"]["quant-float"].get("best_gelems")
        for name in goals["peers"]["names"]:
            theirs = row["contenders"].get(name, {}).get("best_gelems")
            if ours and theirs:
                on_line = (share(row) or 0) >= goals["peers"]["line"]
                goal = goals["peers"]["within"] if on_line else 1.0
                what = f"{size_name(row['elements'])}, to {name}"
                yield Outcome(title(row), what, ours / theirs, goal)


def compare_calls(record: dict, goals: dict) -> Iterator[Outcome]:
    """The time of a cast of 64 elements."""
    for row in record["rows"]:
        speed = row["contenders"]["quant-float"].get("best_gelems")
        if row["op"] == "cast" and row["elements"] == 64 and speed:
            limit = goals["limits"]["call"]
            yield Outcome(title(row), "64, ns of a call", 64 / speed, limit, most=True)


def is_special(row: dict) -> bool:
    """Whether the data has many NaNs, subnormals or other values that are rare in usual data."""
    return bool(row.get("nans") or row.get("data"))


def compare_data(record: dict, goals: dict) -> Iterator[tuple[dict, str, Outcome]]:
    """The time with special data relative to usual data, at the level of the vectors."""
    rows = {(row["name"], row["elements"]): row for row in record["rows"]}
    for level, ours in find_levels(record).items():
        for row in filter(is_special, record["rows"]):
            ending = row.get("data") or "nans"
            usual = rows.get((row["name"].removesuffix(f"_{ending}"), row["elements"]), row)
            special, other = (
                r["contenders"].get(ours, {}).get("best_gelems") for r in (row, usual)
            )
            if not special or not other or row["elements"] not in goals["sizes"].values():
                continue
            limit = goals["limits"]["data" if row.get("data") else "nans"]
            what = f"{size_name(row['elements'])}, {level}, time relative to usual data"
            yield row, level, Outcome(title(row), what, other / special, limit, most=True)


def find_bound(record: dict, loops: dict, name: str, level: str) -> str:
    """The bottleneck of a row's main loop, by the model of a CPU of this vendor."""
    machine = {"avx2": "AVX2", "avx512": "AVX-512"}[level]
    models = loops.get(name, {}).get(machine, {}).get("models", {})
    intel = {"avx2": "alderlake", "avx512": "icelake-server"}
    wanted = intel[level] if record["machine"]["cpu_vendor"] == "Intel" else "znver3"
    bound = models.get(wanted) or next(iter(models.values()), None)
    return f"{bound['cycles_per_32']:g} {' '.join(bound['bound'])}" if bound else "-"


def compare_threads(record: dict, goals: dict) -> Iterator[Outcome]:
    for row in record["rows"]:
        shape = f"{row['tensors']} x {size_name(row['elements'])}"
        ratio = row["two_gelems"] / row["one_gelems"]
        yield Outcome(
            row["name"], f"{shape}, two threads to one", ratio, goals["limits"]["threads"]
        )


def compare(machine: Machine) -> list[Outcome]:
    goals = read_goals()
    outcomes = list(compare_threads(machine.threads, goals)) if machine.threads else []
    for record in machine.records.values():
        outcomes += [outcome for _, _, outcome in compare_shares(record, goals)]
        outcomes += compare_peers(record, goals)
        outcomes += compare_calls(record, goals)
        outcomes += [outcome for _, _, outcome in compare_data(record, goals)]
    return outcomes


def check(machines: list[Machine], loops: dict) -> int:
    """Prints the goals that each machine misses. Returns the exit status."""
    wanted = read_goals()
    is_missed = False
    for machine in machines:
        outcomes = compare(machine)
        bounds = {
            (outcome.row, outcome.what): find_bound(record, loops, row["name"], level)
            for record in machine.records.values()
            for row, level, outcome in compare_shares(record, wanted)
            if row["elements"] == wanted["sizes"]["small"]
        }
        missed = [outcome for outcome in outcomes if outcome.is_missed]
        for outcome in missed:
            bound = bounds.get((outcome.row, outcome.what))
            note = f"; {bound}, in cycles for 32" if bound else ""
            print(f"missed: {machine.name}: {outcome.text}{note}")
        reached = len(outcomes) - len(missed)
        print(f"{machine.name}: {reached} of {len(outcomes)} goals are reached")
        is_missed |= bool(missed)
    return 1 if is_missed else 0
