# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine's description, the JSON record and the Markdown table."""

import datetime
import importlib.metadata
import platform
import subprocess
from pathlib import Path

from .contenders import CONTENDERS

PEERS = ("NumKong", "ONNX Runtime", "OpenVINO", "ml_dtypes")


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
    fields = {}
    for line in (_read("/proc/cpuinfo") or "").splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    governor = f"/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor"
    versions = {
        package: importlib.metadata.version(package)
        for package in ("numpy", "ml_dtypes", "onnx", "onnxruntime", "openvino", "numkong")
    }
    versions["python"] = platform.python_version()
    versions["clang"] = _first_line("clang-22", "--version")
    if tool:
        versions["quant-float-compile"] = _first_line(tool, "--version")
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": _first_line("git", "-C", root, "describe", "--always", "--dirty", "--abbrev=40"),
        "cpu": fields.get("model name", platform.processor()),
        "cpu_family_model": f"{fields.get('cpu family')}/{fields.get('model')}",
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


def _size_name(count: int) -> str:
    for unit, size in (("M", 1 << 20), ("K", 1 << 10)):
        if count % size == 0:
            return f"{count // size} {unit}"
    return str(count)


def _ratio(ours: float | None, other: float | None, digits: int = 2) -> str:
    return f"{ours / other:.{digits}f}" if ours and other else "-"


def _title(row: dict) -> str:
    types = f"{row['from']} → {row['to']}"
    packed = ", packed" if row.get("packed") else ""
    if row["op"] == "cast":
        return types + packed
    if row["op"] in ("qdq", "fakeconvert"):
        types = row["storage"]
    where = {"tensor": "", "axis": ", per axis", "block": ", blocks of 32"}[row["granularity"]]
    shift = ", shift" if row.get("shift") else ""
    mode = f", {row['mode']}" if "mode" in row else ""
    return f"{row['op']} {types}{where}{packed}{shift}{mode}"


def markdown(record: dict, statistic: str = "best_gelems") -> str:
    machine = record["machine"]
    versions = machine["versions"]
    repeats = sorted({row["repeat"] for row in record["rows"]})
    lines = [
        f"# {record['title']}, one thread",
        "",
        f"{machine['cpu']} (family/model {machine['cpu_family_model']}), core "
        f"{machine['core']}, {machine['date']}; onnxruntime {versions['onnxruntime']}, "
        f"OpenVINO {versions['openvino']}, ml_dtypes {versions['ml_dtypes']}, NumKong {versions['numkong']}.",
        "",
        f"Gelem/s, {statistic.split('_')[0]} of {' or '.join(map(str, repeats))} interleaved "
        "measurements. traffic: the same bytes read and written without a "
        "conversion; (nt): with non-temporal stores. Ratios are ours / theirs."
        + (f" Ours is compiled for {record['target']}." if record["target"] != "host" else ""),
    ]
    # Those that have any of the rows.
    names = [
        kind.name
        for kind in CONTENDERS
        if any(statistic in row["contenders"][kind.name] for row in record["rows"])
    ]
    peers = [name for name in names if name in PEERS]
    wrong = []
    for size in dict.fromkeys(row["elements"] for row in record["rows"]):
        lines += ["", f"## {_size_name(size)} elements", ""]
        heads = ["row", *names, *(f"/ {peer}" for peer in peers), "/ traffic"]
        lines.append("| " + " | ".join(heads) + " |")
        lines.append("|---|" + "---:|" * (len(heads) - 1))
        for row in record["rows"]:
            if row["elements"] != size:
                continue
            speed = {name: outcome.get(statistic) for name, outcome in row["contenders"].items()}
            ours = speed["quant-float"]
            cells = [_title(row)]
            cells += [f"{speed[name]:.2f}" if speed[name] else "-" for name in names]
            cells += [_ratio(ours, speed[peer]) for peer in peers]
            cells.append(_ratio(ours, speed["traffic"]))
            lines.append("| " + " | ".join(cells) + " |")
            for name, outcome in row["contenders"].items():
                if count := outcome.get("differing"):
                    wrong.append(
                        f"- {_title(row)}, {_size_name(size)}: {name} differs from "
                        f"what is right in {count} of {row['elements']} elements"
                    )
    agreement = "not all results agree:\n" if wrong else "all results agree."
    lines += ["", f"On finite data in the result's range {agreement}"]
    return "\n".join(lines + wrong) + "\n"
