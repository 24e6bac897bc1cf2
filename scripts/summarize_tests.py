"""Summarizes a run of lit and ends with the line "N passed, N failed".

Prints the CPU and the emulators with which the tests ran, the number of RUN lines, and the lines
that a missing feature excluded.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
from collections import Counter

# A test that is expected to fail, or that passes at the second attempt, does not count as passed.
PASSED = {"PASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED"}
# Tests that a filter excludes are not part of the run.
EXCLUDED = {"EXCLUDED"}


def cpu_name():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def version(program):
    """The first number in a program's version output."""
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return next((word for word in answer.stdout.split() if word[:1].isdigit()), "")


def environment(folder):
    """The CPU and the emulators, as the suite's lit.cfg.py found them."""
    path = folder / "environment.json"
    found = json.loads(path.read_text()) if path.exists() else {"host": [], "emulators": {}}
    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "emulated_cpu": found.get("emulated_cpu"),
        "host_features": [name.removeprefix("host-") for name in found["host"]],
        "emulators": {f"qemu-{name}": version(path) for name, path in found["emulators"].items()}
        | found.get("downloaded", {}),
        "missing": found.get("missing", {}),
        "gpu": bool(found.get("cuda")),
    }


def run_lines(tests):
    """The number of RUN lines that ran, the number for each emulator, and, for each condition, the
    number of lines in each test that it excluded completely or in part."""
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


class Summary:
    """The tests in the folder of lit's --output summary.json."""

    def __init__(self, folder):
        found = json.loads((folder / "summary.json").read_text())
        self.tests = [test for test in found["tests"] if test["code"] not in EXCLUDED]
        self.seconds = found["elapsed"]
        self.environment = environment(folder)
        self.run_lines = run_lines(self.tests)
        codes = Counter(test["code"] for test in self.tests)
        self.passed = sum(count for code, count in codes.items() if code in PASSED)
        self.skipped = sum(count for code, count in codes.items() if code in SKIPPED)
        self.failed = codes.total() - self.passed - self.skipped
        results = sorted((folder / "results").glob("*.json"))
        self.results = {file.stem: json.loads(file.read_text()) for file in results}

    def record(self):
        """For a JSON file, with the records of the tests themselves."""
        return {
            **self.environment,
            "seconds": round(self.seconds, 1),
            "passed": self.passed,
            "failed": self.failed,
            "skipped": self.skipped,
            "run_lines": self.run_lines,
            "results": self.results,
        }

    def print(self):
        print("Slowest tests:")
        for test in sorted(self.tests, key=lambda test: -(test["elapsed"] or 0))[:10]:
            print(f"  {test['elapsed'] or 0:7.1f} s  {test['name']}")
        on = self.environment
        features = " ".join(on["host_features"])
        cpu = f"{on['cpu']} ({features})"
        if on["emulated_cpu"]:
            cpu = f"{on['emulated_cpu']} ({features}), emulated on {on['cpu']}"
        emulators = ", ".join(f"{name} {number}" for name, number in on["emulators"].items())
        print(f"CPU: {cpu}; GPU: {'yes' if on['gpu'] else 'none'}; {emulators or 'no emulators'}")
        for message in on["missing"].values():
            print(f"  {message}")
        lines = self.run_lines
        emulated = ", ".join(f"{number} by {name}" for name, number in lines["emulated"].items())
        print(f"RUN lines: {lines['ran']} ran" + (f", {emulated}" if emulated else ""))
        # Tests that only --full runs are expected, and not listed by name.
        for kind, words in (("dropped", "dropped"), ("shortened", "shorter")):
            for condition, tests in sorted(lines[kind].items()):
                names = "" if condition == "full" else f": {', '.join(sorted(tests))}"
                print(f"  {sum(tests.values())} {words} without '{condition}'{names}")


def closing_line(passed, failed, skipped):
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="the folder that contains summary.json")
    folder = parser.parse_args().folder
    if not (folder / "summary.json").exists():
        print("no test was run")
        print(closing_line(0, 1, 0))
        return 1
    summary = Summary(folder)
    summary.print()
    print(closing_line(summary.passed, summary.failed, summary.skipped))
    return 1 if summary.failed or not summary.passed else 0


if __name__ == "__main__":
    sys.exit(main())
