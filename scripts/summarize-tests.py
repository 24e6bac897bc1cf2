"""Sums up a test run from lit's JSON and closes with the line "N passed, N failed".

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
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "seconds": round(summary["elapsed"], 1),
        "counts": dict(sorted(counts.items())),
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
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
