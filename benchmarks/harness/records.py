# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the records of measurements are stored.

`benchmarks/results/KIND/NAME.json` holds the latest measurement on a CPU of that kind: its vendor,
followed by `-avx2` for an x86 CPU without AVX-512. A benchmark writes the record of the kind it
runs on and does not change the others.
"""

import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path

from .cpu import describe_cpu, name_kind
from .groups import GROUPS, MEMORY

RESULTS = Path(__file__).resolve().parents[1] / "results"


def record_path(name: str, vendor: str | None = None) -> Path:
    """The path of a record. By default, the kind of CPU is this machine's."""
    vendor = vendor or name_kind()
    folder = re.sub(r"[^a-z0-9]+", "-", vendor.lower()).strip("-") or "unknown"
    return RESULTS / folder / f"{name}.json"


def list_vendors() -> list[str]:
    """The kinds of CPUs that have records, in alphabetical order."""
    return sorted({path.parent.name for path in RESULTS.glob("*/*.json")})


def read_record(name: str, vendor: str) -> dict | None:
    path = record_path(name, vendor)
    return json.loads(path.read_text()) if path.exists() else None


@dataclass(frozen=True)
class Machine:
    """The records of `benchmarks/run` for one kind of CPU. A record that does not exist is omitted
    or None."""

    vendor: str  # the name of the folder
    records: dict[str, dict]  # by group
    memory: dict | None
    threads: dict | None

    @property
    def description(self) -> dict:
        """The CPU, the day and the versions of the first record."""
        found = [*self.records.values(), self.memory, self.threads]
        return next(record["machine"] for record in found if record)

    @property
    def name(self) -> str:
        return self.description["cpu_vendor"] + (" AVX2" if self.vendor.endswith("-avx2") else "")


def read_machines() -> list[Machine]:
    machines = []
    for vendor in list_vendors():
        records = {group: found for group in GROUPS if (found := read_record(group, vendor))}
        machine = Machine(
            vendor, records, read_record(MEMORY, vendor), read_record("threads", vendor)
        )
        if machine.records or machine.memory or machine.threads:
            machines.append(machine)
    return machines


def write_text(path: Path, text: str) -> None:
    """Writes the file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    part.replace(path)


def write_record(path: Path, record: dict) -> None:
    write_text(path, json.dumps(record, indent=1) + "\n")


def write_rows(path: Path, rows: list) -> None:
    write_record(path, {"cpu": describe_cpu(), "rows": rows})


def add_output(parser: argparse.ArgumentParser) -> None:
    """Adds the options for the path of the record."""
    choices = parser.add_mutually_exclusive_group()
    choices.add_argument("--output", type=Path, metavar="FILE.json", help="the path of the record")
    choices.add_argument(
        "--record",
        action="store_true",
        help="write the record to benchmarks/results, for the kind of this machine's CPU",
    )


def choose_output(arguments: argparse.Namespace, name: str) -> Path | None:
    """The file that the options of `add_output` select for the record of this name, or None."""
    return record_path(name) if arguments.record else arguments.output
