# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which CPU measured; every record names it."""

import json
import platform
from pathlib import Path

# As /proc/cpuinfo has them.
VENDORS = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD"}


def read_fields() -> dict:
    """Of the first processor in /proc/cpuinfo; empty where there is none."""
    path, fields = Path("/proc/cpuinfo"), {}
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    return fields


def describe_cpu() -> dict:
    fields = read_fields()
    vendor = fields.get("vendor_id", platform.machine())
    return {
        "vendor": VENDORS.get(vendor, vendor),
        "model": fields.get("model name", platform.processor()),
        "family": fields.get("cpu family"),
        "model_number": fields.get("model"),
    }


def write_rows(path: str | Path, rows: list) -> None:
    Path(path).write_text(json.dumps({"cpu": describe_cpu(), "rows": rows}, indent=1) + "\n")


def read_rows(path: str | Path) -> list:
    return json.loads(Path(path).read_text())["rows"]
