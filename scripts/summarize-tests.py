"""Sums up a test run from lit's JSON and closes with the line "N passed, N failed".

Says on which CPU and with which emulators the tests ran, and how many RUN lines, and which ones a
missing feature left out.

With --record DIR it also writes DIR/<date>-<commit>.json: the machine, the commit, every test with
its time, and all that the tests themselves recorded in their results folder.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
from collections import Counter

# A test that is expected to fail, or that passes at the second try, has not passed.
PASSED = {"PASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def git(*arguments):
    answer = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else ""


def cpu_name():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def version(program):
    """The first number in what a program says of itself."""
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return next((word for word in answer.stdout.split() if word[:1].isdigit()), "")


def environment(build_folder):
    """The CPU and the emulators, as the suite's lit.cfg.py found them."""
    path = build_folder / "environment.json"
    found = json.loads(path.read_text()) if path.exists() else {"host": [], "emulators": {}}
    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "emulated_cpu": found.get("emulated_cpu"),
        "host_features": [name.removeprefix("host-") for name in found["host"]],
        "emulators": {f"qemu-{name}": version(path) for name, path in found["emulators"].items()},
        "gpu": bool(found.get("cuda")),
    }


def run_lines(tests):
    """How many RUN lines ran, how many of them by which emulator, and by condition in how many lines
    of which tests it took out the line or a part of it."""
    found = {"ran": 0, "emulated": Counter(), "dropped": {}, "shortened": {}}
    for test in tests:
        lines = test.get("metrics", {}).get("run_lines")
        if not lines:
            continue
        found["ran"] += lines["ran"]
        found["emulated"].update(lines["emulated"])
        for kind in ("dropped", "shortened"):
            for condition, number in Counter(lines[kind]).items():
                found[kind].setdefault(condition, {})[test["name"].split(" :: ")[-1]] = number
    return found


def print_run_lines(lines):
    """A line for each condition. What only --full runs is no surprise and not told by name."""
    emulated = ", ".join(f"{number} by {name}" for name, number in lines["emulated"].items())
    print(f"RUN lines: {lines['ran']} ran" + (f", {emulated}" if emulated else ""))
    for kind, words in (("dropped", "dropped"), ("shortened", "shorter")):
        for condition, tests in sorted(lines[kind].items()):
            names = "" if condition == "full" else f": {', '.join(sorted(tests))}"
            print(f"  {sum(tests.values())} {words} without '{condition}'{names}")


def record(folder, build_folder, summary, counts):
    now = datetime.datetime.now(datetime.UTC)
    commit = git("rev-parse", "HEAD")
    found = {
        file.stem: json.loads(file.read_text())
        for file in sorted((build_folder / "results").glob("*.json"))
    }
    entry = {
        "date": now.isoformat(timespec="seconds"),
        "commit": commit,
        "uncommitted_changes": bool(git("status", "--porcelain", "--untracked-files=no")),
        **environment(build_folder),
        "system": platform.platform(),
        "seconds": round(summary["elapsed"], 1),
        "counts": dict(sorted(counts.items())),
        "run_lines": run_lines(summary["tests"]),
        "results": found,
        "tests": [
            {"name": test["name"], "code": test["code"], "seconds": round(test["elapsed"] or 0, 2)}
            for test in sorted(summary["tests"], key=lambda test: test["name"])
        ],
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y-%m-%d}-{commit[:10] or 'no-commit'}.json"
    path.write_text(json.dumps(entry, indent=1) + "\n")
    print(f"recorded in {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "build_folder",
        type=pathlib.Path,
        help="the build tree's test folder, which holds summary.json",
    )
    parser.add_argument("--record", type=pathlib.Path, metavar="DIR")
    arguments = parser.parse_args()

    path = arguments.build_folder / "summary.json"
    if not path.exists():
        print("no test was run")
        print("0 passed, 1 failed")
        return 1
    summary = json.loads(path.read_text())
    counts = Counter(test["code"] for test in summary["tests"])
    passed = sum(count for code, count in counts.items() if code in PASSED)
    skipped = sum(count for code, count in counts.items() if code in SKIPPED)
    failed = sum(counts.values()) - passed - skipped
    if arguments.record:
        record(arguments.record, arguments.build_folder, summary, counts)
    print("Slowest tests:")
    for test in sorted(summary["tests"], key=lambda test: -(test["elapsed"] or 0))[:10]:
        print(f"  {test['elapsed'] or 0:7.1f} s  {test['name']}")
    on, lines = environment(arguments.build_folder), run_lines(summary["tests"])
    cpu = " ".join([on["cpu"], *on["host_features"]])
    if on["emulated_cpu"]:
        cpu = f"{on['emulated_cpu']}, emulated ({' '.join(on['host_features'])}), on {on['cpu']}"
    emulators = ", ".join(f"{name} {number}" for name, number in on["emulators"].items())
    print(f"CPU: {cpu}; GPU: {'yes' if on['gpu'] else 'none'}; emulators: {emulators or 'none'}")
    print_run_lines(lines)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
