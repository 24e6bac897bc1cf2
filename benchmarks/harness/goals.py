# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was measured beside what is to be reached (goals.toml)."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .report import share, size_name, title

FILE = Path(__file__).resolve().parents[1] / "goals.toml"


@dataclass(frozen=True)
class Outcome:
    """One goal, and what there is of it: as shares of traffic, ratios or nanoseconds."""

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
        return f"{self.row}, {self.what}: {self.measured:.2f}, to be {sign} {self.goal:g}"


def read_goals() -> dict:
    return tomllib.loads(FILE.read_text())


def find_levels(record: dict) -> dict[str, str]:
    """Which of ours a level of the goals is of."""
    levels = {"x86-64-v3": "avx2", "x86-64-v4": "avx512"}
    if "avx512vbmi" in record["machine"]["flags"]:
        levels["host"] = "avx512"
    elif "f16c" in record["machine"]["flags"]:
        levels["host"] = "avx2"
    first, *others = record["targets"]
    names = {first: "quant-float"} | {cpu: f"quant-float ({cpu})" for cpu in others}
    return {levels[cpu]: name for cpu, name in names.items() if cpu in levels}


def compare_shares(record: dict, goals: dict) -> Iterator[tuple[dict, str, Outcome]]:
    """Of each row that has a goal, with the level of its vectors."""
    sizes = [goals["sizes"][name] for name in ("small", "large")]
    wanted = {row: goal for goal in goals["goal"] for row in goal["rows"]}
    for level, ours in find_levels(record).items():
        for row in record["rows"]:
            measured = share(row, ours)
            if row["name"] not in wanted or row["elements"] not in sizes or measured is None:
                continue
            goal = wanted[row["name"]][level][sizes.index(row["elements"])]
            what = f"{size_name(row['elements'])}, {level}, of traffic"
            yield row, level, Outcome(title(row), what, measured, goal)


def compare_peers(record: dict, goals: dict) -> Iterator[Outcome]:
    """Ours of the host to each peer."""
    for row in record["rows"]:
        ours = row["contenders"]["quant-float"].get("best_gelems")
        for name in goals["peers"]["names"]:
            theirs = row["contenders"].get(name, {}).get("best_gelems")
            if ours and theirs:
                on_line = (share(row) or 0) >= goals["peers"]["line"]
                goal = goals["peers"]["within"] if on_line else 1.0
                what = f"{size_name(row['elements'])}, to {name}"
                yield Outcome(title(row), what, ours / theirs, goal)


def compare_limits(record: dict, goals: dict) -> Iterator[Outcome]:
    speeds = {
        (row["name"], row["elements"]): row["contenders"]["quant-float"].get("best_gelems")
        for row in record["rows"]
    }
    for row in record["rows"]:
        speed = speeds[row["name"], row["elements"]]
        if not speed:
            continue
        if row["op"] == "cast" and row["elements"] == 64:
            limit = goals["limits"]["call"]
            yield Outcome(title(row), "64, ns of a call", 64 / speed, limit, most=True)
        finite = speeds.get((row["name"].removesuffix("_nans"), row["elements"]))
        if row.get("nans") and finite and row["elements"] in goals["sizes"].values():
            what = f"{size_name(row['elements'])}, times of finite ones"
            yield Outcome(title(row), what, finite / speed, goals["limits"]["nans"], most=True)
        usual = speeds.get((row["name"].removesuffix(f"_{row.get('data')}"), row["elements"]))
        if row.get("data") and usual and row["elements"] in goals["sizes"].values():
            what = f"{size_name(row['elements'])}, times of usual data"
            yield Outcome(title(row), what, usual / speed, goals["limits"]["data"], most=True)


def find_bound(record: dict, loops: dict, name: str, level: str) -> str:
    """What bounds a row's main loop, by the model of a CPU of this maker."""
    machine = {"avx2": "AVX2", "avx512": "AVX-512"}[level]
    if "Intel" in record["machine"]["cpu"] and level == "avx512":
        machine = "AVX512-FP16"
    models = loops.get(name, {}).get(machine, {}).get("models", {})
    wanted = "alderlake" if "Intel" in record["machine"]["cpu"] else "znver3"
    bound = models.get(wanted) or next(iter(models.values()), None)
    return f"{bound['cycles_per_32']:g} {' '.join(bound['bound'])}" if bound else "-"


def compare_threads(record: dict, goals: dict) -> Iterator[Outcome]:
    for row in record["rows"]:
        shape = f"{row['tensors']} x {size_name(row['elements'])}"
        ratio = row["two_gelems"] / row["one_gelems"]
        yield Outcome(
            row["name"], f"{shape}, two threads to one", ratio, goals["limits"]["threads"]
        )


def compare(records: list[dict], threads: dict) -> list[Outcome]:
    goals = read_goals()
    outcomes = list(compare_threads(threads, goals))
    for record in records:
        outcomes += [outcome for _, _, outcome in compare_shares(record, goals)]
        outcomes += compare_peers(record, goals)
        outcomes += compare_limits(record, goals)
    return outcomes


def check(records: list[dict], threads: dict, loops: dict) -> int:
    outcomes = compare(records, threads)
    wanted = read_goals()
    bounds = {
        (outcome.row, outcome.what): find_bound(record, loops, row["name"], level)
        for record in records
        for row, level, outcome in compare_shares(record, wanted)
        if row["elements"] == wanted["sizes"]["small"]
    }
    missed = [outcome for outcome in outcomes if outcome.is_missed]
    for outcome in missed:
        bound = bounds.get((outcome.row, outcome.what))
        print(f"missed: {outcome.text}" + (f"; {bound}, in cycles for 32" if bound else ""))
    print(f"{len(outcomes) - len(missed)} of {len(outcomes)} goals are reached")
    return 1 if missed else 0
