# RUN lines that a feature takes out of a test are counted, and the summary names them.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %llvm_bin %src_root/scripts/summarize_tests.py %t
import json
import pathlib
import subprocess
import sys

llvm_bin, summarize, work = map(pathlib.Path, sys.argv[1:])
sys.path.append(str(llvm_bin.parent / "utils" / "lit"))
import run_lines  # noqa: E402

# Split, because lit reads this file as well.
RUN = "RUN" + ":"
(work / "some.test").write_text(f"""
# {RUN} true
# {RUN} %if here %{{ true %}}
# {RUN} %if there && here %{{ true \\
# {RUN}   again %}}
# {RUN} true %if there %{{ --more %}}
# {RUN} %run_riscv64 program
# {RUN} %run_avx10 program
# {RUN} %if there %{{ true %}} %else %{{ false %}}
""")
lines = run_lines.script_of(str(work / "some.test"))
found = run_lines.count(lines, {"here"})
wanted = {
    "ran": 6,
    "emulated": ["qemu-riscv64", "emulator-avx10"],
    "dropped": ["there && here"],
    "shortened": ["there", "there"],
}
assert found == wanted, found

full = {"ran": 0, "emulated": [], "dropped": ["full"] * 2, "shortened": []}
tests = [
    {"name": "s :: some.test", "code": "PASS", "elapsed": 1.0, "metrics": {"run_lines": found}},
    {"name": "s :: long.test", "code": "UNSUPPORTED", "elapsed": 0, "metrics": {"run_lines": full}},
    {"name": "unit :: Some", "code": "PASS", "elapsed": None},
]
(work / "summary.json").write_text(json.dumps({"elapsed": 1, "tests": tests}))
(work / "environment.json").write_text(
    json.dumps(
        {
            "emulated_cpu": "AVX2",
            "host": ["host-avx2"],
            "emulators": {},
            "downloaded": {"emulator-avx10": "bochs 0.4.0"},
            "missing": {"emulator-rvfp8": "no emulator for rvfp8: no network"},
            "cuda": False,
        }
    )
)
command = [sys.executable, summarize, work]
told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
assert told[-6:] == [
    "  no emulator for rvfp8: no network",
    "RUN lines: 6 ran, 1 by qemu-riscv64, 1 by emulator-avx10",
    "  2 dropped without 'full'",
    "  1 dropped without 'there && here': some.test",
    "  2 shorter without 'there': some.test",
    "2 passed, 0 failed, 1 skipped",
], told
assert told[-7].startswith("CPU: AVX2 (avx2), emulated on "), told
assert told[-7].endswith("; emulator-avx10 bochs 0.4.0"), told
