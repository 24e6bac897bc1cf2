"""Runs the steps of `scripts/test.sh --full` and prints a summary of each.

A step that cannot run on this machine prints the reason and counts as skipped. Its latest outcome
is in test/results/full.json, with the date and the commit; steps that do not run keep theirs.
Certificates are written to a separate file, test/results/certificates.json.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

from summarize_tests import Summary, closing_line, cpu_name

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
# The version of LLVM in the names of its tools, as in common.sh.
LLVM = os.environ.get("QF_LLVM", "22")
LOGS = BUILD / "full"
# test.sh sets QF_LLVM.
LIT = f"/usr/lib/llvm-{os.environ.get('QF_LLVM', '22')}/bin/lit"
# Tests that are steps of their own.
WHEEL, PACKAGES, SITE = "Python/wheel", "Package/packages", "Docs/site"
CERTIFICATES = "Certify/conversions"
EMULATED = "Conformance/emulated"
OWN_STEPS = f"{WHEEL}|{PACKAGES}|{SITE}|{CERTIFICATES}|{EMULATED}"
# Where another CPU's kernels of ONNX Runtime, OpenVINO and numpy are the oracle.
PEERS = (
    "Networks/|Examples/digits|Conformance/(onnx/(structured|pool)|reference|openvino|fakeconvert)"
)
# What takes hours in a build that is not optimized, or does not depend on it.
SLOW = "Conformance/|Integration/|Networks/|Style/"
# What runs threads, or memory of others.
THREADS = "CAPI/|Python/|EntryPoint/(threads|openmp)|shared-threads|QuantFloat(Target|ONNX|OpenVINO)?Tests"


@dataclasses.dataclass
class Outcome:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    told: str = ""
    details: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Step:
    name: str
    what: str
    run: Callable[[pathlib.Path], Outcome]
    # Programs that it needs, and files of the compiler.
    needs: tuple = ()


def call(log, *command, **options):
    """The exit code; what it prints goes to the log."""
    with log.open("a") as file:
        print("$", *command, file=file, flush=True)
        done = subprocess.run(
            list(map(str, command)),
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
            cwd=ROOT,
            **options,
        )
    return done.returncode


def lit(*arguments, build=BUILD, folder="test"):
    """A run of lit in a build tree."""

    def run(log):
        found_in = build / folder
        for path in (found_in / "summary.json", found_in / "results"):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        found_in.mkdir(parents=True, exist_ok=True)
        strict = ["--param", "strict=1", "--output", found_in / "summary.json"]
        call(log, LIT, "-sv", "--no-progress-bar", *strict, *arguments, build / "test")
        if not (found_in / "summary.json").exists():
            return Outcome(failed=1, told=f"lit did not run, see {log.relative_to(ROOT)}")
        found = Summary(found_in)
        told = f"{found.run_lines['ran']} RUN lines"
        bad = [test["name"] for test in found.tests if test["code"] not in ("PASS", "UNSUPPORTED")]
        told += f"; failed: {', '.join(bad)}" if bad else ""
        return Outcome(found.passed, found.failed, found.skipped, told, found.record())

    return run


def full(*arguments):
    return lit("--param", "full=1", *arguments)


def find_longer():
    """The tests that are skipped or shorter without --full."""
    marked = re.compile(r"REQUIRES:.*\bfull\b|%if full\b")
    # As lit.cfg.py has them.
    kinds = (".mlir", ".test", ".py", ".c")
    files = (path for path in (ROOT / "test").rglob("*") if path.suffix in kinds)
    return sorted(
        path.relative_to(ROOT / "test").as_posix()
        for path in files
        if marked.search(path.read_text())
    )


def exhaustive():
    """Of these what is no step of its own."""
    return full("--filter", "|".join(map(re.escape, find_longer())), "--filter-out", OWN_STEPS)


def built(preset, *arguments):
    """The tests of another build."""

    def run(log):
        for command in (
            ("cmake", "--preset", preset),
            ("ninja", "-C", BUILD / preset, "all", "quant-float-test-depends"),
        ):
            if call(log, *command):
                return Outcome(failed=1, told=f"no build, see {log.relative_to(ROOT)}")
        return lit(*arguments, build=BUILD / preset)(log)

    return run


def networks(log):
    """The networks of test/helpers/model_zoo, if torch's packages are available."""
    record = LOGS / "networks.json"
    record.unlink(missing_ok=True)
    code = call(log, sys.executable, "test/helpers/model_zoo/run.py", "--output", record)
    if code == 3:
        return Outcome(skipped=1, told=log.read_text(errors="replace").splitlines()[-1][:200])
    if not record.exists():
        return Outcome(failed=1, told=f"no network was tried, see {log.relative_to(ROOT)}")
    found = json.loads(record.read_text())["networks"]
    made = {name: entry for name, entry in found.items() if "skipped" not in entry}
    bad = [name for name, entry in made.items() if not entry["agrees"]]
    told = f"{len(made)} networks" + (f"; refused or different: {', '.join(bad)}" if bad else "")
    return Outcome(
        len(made) - len(bad), len(bad), len(found) - len(made), told, {"networks": found}
    )


def peers(log):
    """Other libraries on the conformance vectors; renews the record and the page that is made from it."""
    folder, record = BUILD / "peers" / "venv", ROOT / "test" / "results" / "peers.json"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(("vectors", "test/helpers"))}
    command = (sys.executable, "-m", "model_zoo.environment", ROOT, folder, "peers")
    if call(log, *command, env=environment):
        return Outcome(skipped=1, told=f"no packages, see {log.relative_to(ROOT)}")
    made = LOGS / "peers.json"
    made.unlink(missing_ok=True)
    data = ("--data", BUILD / "share" / "quant-float-vectors" / "data")
    command = (folder / "bin" / "python", "-m", "peers", *data, "--record", record, "-o", made)
    failed = int(call(log, *command, env=environment) != 0)
    if not made.exists():
        return Outcome(failed=1, told=f"no library was compared, see {log.relative_to(ROOT)}")
    found = json.loads(made.read_text())["peers"]
    rows, differ = (sum(peer[key] for peer in found.values()) for key in ("rows", "differ"))
    told = f"{len(found)} libraries, {rows:,} rows, {differ:,} differ"
    if failed:
        return Outcome(0, 1, 0, f"{told}, not all explained, see {log.relative_to(ROOT)}")
    shutil.copy(made, record)
    call(log, sys.executable, "scripts/docs/peers.py", ROOT, ROOT / "docs" / "peers.md")
    return Outcome(len(found), 0, 0, told)


def debug(log):
    """The tests at -O0, and whether a name has two definitions in the objects."""
    outcome = built("debug", "--filter-out", SLOW)(log)
    if call(log, "scripts/one_definition.py", "--objects", BUILD / "debug"):
        outcome.failed += 1
        outcome.told += f"; names with several definitions, see {log.relative_to(ROOT)}"
    else:
        outcome.passed += 1
    return outcome


def other_llvm(version):
    """The tests with another version of LLVM, in a chroot."""

    def run(log):
        if os.geteuid() != 0:
            return Outcome(skipped=1, told="needs root")
        record = ROOT / "test" / "results" / f"llvm-{version}.json"
        record.unlink(missing_ok=True)
        call(log, "scripts/test-llvm.sh", version)
        if not record.exists():
            return Outcome(failed=1, told=f"no test ran, see {log.relative_to(ROOT)}")
        (found,) = json.loads(record.read_text())["runs"]
        passed, skipped = (found["tests"].get(code, 0) for code in ("PASS", "UNSUPPORTED"))
        told = f"failed: {', '.join(found['failed'])}" if found["failed"] else "all tests"
        return Outcome(passed, len(found["failed"]), skipped, told)

    return run


def fuzz(target):
    def run(log):
        seconds = os.environ.get("QUANT_FLOAT_FUZZ_SECONDS", "600")
        failed = int(call(log, "test/Fuzz/run.sh", seconds, target) != 0)
        text = log.read_text(errors="replace")
        stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", text))
        executed = stats.get("number_of_executed_units", "0")
        told = f"{executed} inputs in {seconds} s, " + (
            f"see {log.relative_to(ROOT)}" if failed else "nothing found"
        )
        return Outcome(
            1 - failed, failed, 0, told, {"inputs": int(executed), "limit": int(seconds)}
        )

    return run


def tidy(log):
    """clang-tidy on every source file that the build compiles."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    files = sorted(
        {
            c["file"]
            for c in commands
            if re.match(rf"{ROOT}/(lib|tools|python_bindings)/", c["file"])
        }
    )
    runner = [
        f"run-clang-tidy-{LLVM}",
        "-clang-tidy-binary",
        f"clang-tidy-{LLVM}",
        "-quiet",
        "-p",
        BUILD,
    ]
    failed = call(log, *runner, *map(re.escape, files)) != 0
    text = log.read_text(errors="replace")
    warnings = sorted(set(re.findall(rf"^{ROOT}/(\S+: (?:warning|error): .*)$", text, re.M)))
    bad = int(failed or bool(warnings))
    told = f"{len(files)} files, {len(warnings)} warnings" + (
        f", see {log.relative_to(ROOT)}" if bad else ""
    )
    return Outcome(1 - bad, bad, 0, told, {"files": len(files), "warnings": warnings})


CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
EMULATOR = str(CACHE / "quant-float" / "emulators" / "qemu" / "qemu-x86_64")
ADDRESS = ("libclang_rt.asan-x86_64.so",)
FUZZER = (*ADDRESS, "libclang_rt.fuzzer-x86_64.a")
STEPS = [
    Step("suite", "all tests, as without --full", lit()),
    Step("exhaustive", "tests that are longer with --full, or run with it alone", exhaustive()),
    Step(
        "certificates",
        "every conversion on all of its inputs, against the oracle",
        full("--filter", CERTIFICATES),
    ),
    Step(
        "emulated",
        "float8 instructions of emulated CPUs, on all f32",
        full("--filter", EMULATED),
    ),
    Step(
        "avx2",
        "tests whose oracle is a peer, on an emulated CPU without AVX-512 and VNNI",
        lit("--param", "avx2=1", "--filter", PEERS, folder="test/avx2"),
        (EMULATOR,),
    ),
    Step(
        "wheel",
        "the Python package's sdist and wheels, installed and tried, also in bare containers",
        full("--filter", WHEEL),
        ("debootstrap",),
    ),
    Step(
        "packages",
        "the .deb and .tar.gz packages",
        full("--filter", PACKAGES),
        ("cpack", "dpkg-deb"),
    ),
    Step("site", "the documentation's site, in a browser", full("--filter", SITE)),
    Step(
        "debug",
        "the suite at -O0, verified after each pass of MLIR's, LLVM's and the code generator's",
        debug,
        (f"llvm-nm-{LLVM}",),
    ),
    Step(
        "asan",
        "the suite under AddressSanitizer and UndefinedBehaviorSanitizer",
        built("asan", "--filter-out", f"{SLOW}|Examples/"),
        ADDRESS,
    ),
    Step(
        "tsan",
        "C API, threads, JIT and Python under ThreadSanitizer",
        built("tsan", "--filter", THREADS),
        ("libclang_rt.tsan-x86_64.so",),
    ),
    Step("llvm-23", "the suite with LLVM 23, in a chroot", other_llvm("23"), ("debootstrap",)),
    Step("llvm-24", "the suite with LLVM 24, in a chroot", other_llvm("24"), ("debootstrap",)),
    Step("networks", "networks of torch's packages beside ONNX Runtime", networks),
    Step("peers", "other libraries on the conformance vectors", peers),
    Step("fuzz-onnx", "libFuzzer on the ONNX importer and exporter", fuzz("onnx"), FUZZER),
    Step("fuzz-convert", "libFuzzer on opset and OpenVINO conversion", fuzz("convert"), FUZZER),
    Step("fuzz-openvino", "libFuzzer on OpenVINO import and export", fuzz("openvino"), FUZZER),
    Step("fuzz-gguf", "libFuzzer on GGUF import and weight export", fuzz("gguf"), FUZZER),
    Step(
        "fuzz-safetensors",
        "libFuzzer on safetensors import and weight export",
        fuzz("safetensors"),
        FUZZER,
    ),
    Step(
        "fuzz-passes",
        "libFuzzer with mutations of ops, on passes and import of MLIR",
        fuzz("passes"),
        FUZZER,
    ),
    Step("fuzz-mlir", "libFuzzer on MLIR text through the C API", fuzz("mlir"), FUZZER),
    Step("fuzz-npy", "libFuzzer on .npy files", fuzz("npy"), FUZZER),
    Step(
        "clang-tidy",
        "clang-tidy on libraries, tools and bindings",
        tidy,
        (f"run-clang-tidy-{LLVM}", f"clang-tidy-{LLVM}"),
    ),
]


def missing(need):
    if need.startswith("lib"):
        command = [f"clang-{LLVM}", f"-print-file-name={need}"]
        return not os.path.isabs(
            subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        )
    return shutil.which(need) is None


def git(*arguments):
    answer = subprocess.run(
        ["git", *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return answer.stdout.strip() if answer.returncode == 0 else ""


def perform(step):
    """The step's record, which it also prints."""
    print(f"{step.name}: {step.what}", flush=True)
    log = LOGS / f"{step.name}.log"
    log.unlink(missing_ok=True)
    started = time.monotonic()
    commit = git("rev-parse", "HEAD")
    uncommitted = bool(git("status", "--porcelain", "--untracked-files=no"))
    absent = [need for need in step.needs if missing(need)]
    if absent:
        outcome = Outcome(skipped=1, told=f"needs {', '.join(absent)}")
    else:
        try:
            outcome = step.run(log)
        except (OSError, ValueError) as error:
            outcome = Outcome(failed=1, told=str(error))
    counts = closing_line(outcome.passed, outcome.failed, outcome.skipped)
    seconds = round(time.monotonic() - started, 1)
    print(f"{step.name}: {counts}: {outcome.told} ({seconds:.0f} s)", flush=True)
    return outcome, {
        "what": step.what,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "uncommitted_changes": uncommitted,
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "seconds": seconds,
        "passed": outcome.passed,
        "failed": outcome.failed,
        "skipped": outcome.skipped,
        "told": outcome.told,
        **outcome.details,
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"  {step.name:14} {step.what}" for step in STEPS),
    )
    parser.add_argument(
        "steps", nargs="?", help="names, separated by commas; all of them by default"
    )
    parser.add_argument(
        "--record", type=pathlib.Path, default=ROOT / "test" / "results", metavar="DIR"
    )
    arguments = parser.parse_args()
    names = arguments.steps.split(",") if arguments.steps else [step.name for step in STEPS]
    unknown = set(names) - {step.name for step in STEPS}
    if unknown:
        parser.error(
            f"no step {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in STEPS)}"
        )

    LOGS.mkdir(parents=True, exist_ok=True)
    arguments.record.mkdir(parents=True, exist_ok=True)
    path = arguments.record / "full.json"
    outcomes = []
    for step in STEPS:
        if step.name in names:
            outcome, record = perform(step)
            outcomes.append(outcome)
            # A file of its own: it is large, and a page is made from it.
            if record.get("results", {}).pop("certificates", None):
                shutil.copy(BUILD / "test" / "results" / "certificates.json", arguments.record)
            # Other steps may run at the same time.
            recorded = json.loads(path.read_text()) if path.exists() else {}
            # A step that could not run keeps its latest outcome.
            if outcome.passed or outcome.failed or step.name not in recorded:
                recorded[step.name] = record
            kept = {s.name: recorded[s.name] for s in STEPS if s.name in recorded}
            path.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"recorded in {path}")
    passed, failed, skipped = (
        sum(getattr(o, key) for o in outcomes) for key in ("passed", "failed", "skipped")
    )
    print(closing_line(passed, failed, skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
