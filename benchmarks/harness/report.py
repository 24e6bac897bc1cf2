# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine's description, the JSON record and the Markdown table."""

import contextlib
import datetime
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

from . import blocks
from .cpu import describe_cpu, read_fields
from .formats import SPECIAL

PEERS = ("NumKong", "ONNX Runtime", "OpenVINO", "jax", "IREE", "ml_dtypes")
PACKAGE_NAMES = {
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
    "numkong": "NumKong",
    "iree-base-compiler": "IREE",
    "jax": "jax",
    "ml_dtypes": "ml_dtypes",
}
PACKAGES = ("numpy", "ml_dtypes", "onnx", "onnxruntime", "openvino", "numkong", "jax")
PACKAGES += ("iree-base-compiler",)


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def _first_line(*command) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else None


def describe_machine(core: int, root: Path, tool: Path | None) -> dict:
    fields, cpu = read_fields(), describe_cpu()
    governor = f"/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor"
    versions = {}
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    versions["python"] = platform.python_version()
    versions["clang"] = _first_line(f"clang-{os.environ.get('QF_LLVM', '22')}", "--version")
    if tool:
        versions["quant-float-compile"] = _first_line(tool, "--version")
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": _first_line("git", "-C", root, "describe", "--always", "--dirty", "--abbrev=40"),
        "cpu": cpu["model"],
        "cpu_vendor": cpu["vendor"],
        "cpu_family_model": f"{cpu['family']}/{cpu['model_number']}",
        "flags": fields.get("flags", fields.get("Features", "")).split(),
        "cache": {
            level: _read(f"/sys/devices/system/cpu/cpu{core}/cache/index{index}/size")
            for level, index in (("L1d", 0), ("L2", 2), ("L3", 3))
        },
        "core": core,
        "governor": _read(governor),
        "load_average": _read("/proc/loadavg"),
        "versions": versions,
    }


def size_name(count: int) -> str:
    for unit, size in (("M", 1 << 20), ("K", 1 << 10)):
        if count % size == 0:
            return f"{count // size} {unit}"
    return str(count)


def _ratio(ours: float | None, other: float | None, digits: int = 2) -> str:
    return f"{ours / other:.{digits}f}" if ours and other else "-"


def title(row: dict) -> str:
    types = f"{row['from']} → {row['to']}"
    packed = ", packed" if row.get("packed") else ""
    nans = ", half NaN" if row.get("nans") else ""
    if row.get("data"):
        nans = f", {SPECIAL[row['data']]}"
    if row["op"] == "cast":
        return types + packed + nans
    if row["op"] in blocks.OPERATIONS:
        return f"{row['op']} {types}, {row['scale']} for {row['block']}{packed}"
    if row["op"] in ("qdq", "fakeconvert"):
        types = row["storage"]
    elif row["op"] == "quantize":
        types = row["to"]
    elif row["op"] == "dequantize":
        types = row["from"]
    where = {"tensor": "", "axis": ", per axis", "block": ", blocks of 32"}[row["granularity"]]
    shift = ", shift" if row.get("shift") else ""
    mode = f", {row['mode']}" if "mode" in row else ""
    return f"{row['op']} {types}{where}{packed}{shift}{mode}{nans}"


def describe(record: dict) -> str:
    """The machine, the day and the versions, in a sentence."""
    machine = record["machine"]
    versions = ", ".join(
        f"{name} {machine['versions'][package]}"
        for package, name in PACKAGE_NAMES.items()
        if package in machine["versions"]
    )
    return (
        f"{machine['cpu']} (family/model {machine['cpu_family_model']}), core {machine['core']}, "
        f"{machine['date']}; {versions}."
    )


def traffic_of(row: dict, ours: str, statistic: str = "best_gelems") -> float | None:
    """The traffic for a contender's CPU: the better of plain and non-temporal stores beyond the
    caches."""
    cpu = ours.removeprefix("quant-float").strip(" ()")
    names = [f"traffic ({cpu})" if cpu else "traffic"]
    if row["elements"] >= 1 << 20:
        names.append(f"traffic ({cpu}, nt)" if cpu else "traffic (nt)")
    speeds = [row["contenders"].get(name, {}).get(statistic) for name in names]
    return max((speed for speed in speeds if speed), default=None)


def share(row: dict, ours: str = "quant-float", statistic: str = "best_gelems") -> float | None:
    """Relative to traffic."""
    speed, traffic = (
        row["contenders"].get(ours, {}).get(statistic),
        traffic_of(row, ours, statistic),
    )
    return speed / traffic if speed and traffic else None


def _group_reasons(record: dict) -> list[str]:
    """The reasons why peers are missing, with the rows. The sizes of a row share one reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in record["rows"]:
        for name, outcome in row["contenders"].items():
            if reason := outcome.get("unsupported"):
                rows = reasons.setdefault((name, reason), [])
                if title(row) not in rows:
                    rows.append(title(row))
    count = len({row["name"] for row in record["rows"]})
    return [
        f"- {name}: {reason}" + (f" ({'; '.join(rows)})" if len(rows) < count else "")
        for (name, reason), rows in reasons.items()
    ]


def markdown(record: dict, statistic: str = "best_gelems") -> str:
    repeats = sorted({row["repeat"] for row in record["rows"]})
    others = ", ".join(record["targets"][1:])
    lines = [
        f"# {record['title']}, one thread, {record['machine']['cpu_vendor']}",
        "",
        describe(record),
        "",
        f"Gelem/s, {statistic.split('_')[0]} of {' or '.join(map(str, repeats))} interleaved "
        "measurements. traffic: the same bytes read and written without a "
        "conversion; (nt): with non-temporal stores. Ratios are ours / theirs; the last is to the better"
        " of the two at 1 M elements and more. spread: from the lower to the upper quartile of ours, in"
        " parts of its median."
        + (f" Ours and traffic are compiled for {others} as well." if others else "")
        + (
            f" Ours is compiled for {record['targets'][0]}."
            if record["targets"][0] != "host"
            else ""
        ),
    ]
    # The groups that contain any of the rows.
    names = [
        name
        for name in record["rows"][0]["contenders"]
        if any(statistic in row["contenders"].get(name, {}) for row in record["rows"])
    ]
    peers = [name for name in names if name in PEERS]
    ours_names = [name for name in names if name.startswith("quant-float")]
    wrong: dict[str, list[str]] = {}
    for size in dict.fromkeys(row["elements"] for row in record["rows"]):
        lines += ["", f"## {size_name(size)} elements", ""]
        shares = ["/ traffic", *(f"{name.split(' ')[1]} / traffic" for name in ours_names[1:])]
        heads = ["row", *names, *(f"/ {peer}" for peer in peers), *shares, "spread"]
        lines.append("| " + " | ".join(heads) + " |")
        lines.append("|---|" + "---:|" * (len(heads) - 1))
        for row in record["rows"]:
            if row["elements"] != size:
                continue
            speed = {n: row["contenders"].get(n, {}).get(statistic) for n in names}
            ours = speed.get("quant-float")
            cells = [title(row)]
            cells += [f"{speed[name]:.2f}" if speed[name] else "-" for name in names]
            cells += [_ratio(ours, speed[peer]) for peer in peers]
            cells += [_ratio(share(row, name), 1) for name in ours_names or ["quant-float"]]
            cells.append(_spread(row["contenders"].get("quant-float", {})))
            lines.append("| " + " | ".join(cells) + " |")
            for name, outcome in row["contenders"].items():
                if count := outcome.get("differing"):
                    part = f"{count} of {row['elements']}"
                    wrong.setdefault(f"{name}, {title(row)}", []).append(part)
    agreement = "not all results agree:\n" if wrong else "all results agree."
    lines += ["", f"On these inputs {agreement}"]
    lines += [
        f"- {who}: {', '.join(counts)} differ from what is right" for who, counts in wrong.items()
    ]
    if reasons := _group_reasons(record):
        lines += ["", "What is not there, and why:", "", *reasons]
    return "\n".join(lines) + "\n"


def _spread(outcome: dict) -> str:
    if "median_gelems" not in outcome:
        return "-"
    low, high = (outcome[f"{which}_quartile_gelems"] for which in ("lower", "upper"))
    return f"{(high - low) / outcome['median_gelems']:.2f}"
