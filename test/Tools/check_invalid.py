# quant-float-check rejects everything that the verifiers and parsers reject, and never crashes: it
# reads ops that are not verified.
# RUN: %python %s %tools_dir/quant-float-check %src_root/test/IR
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
cases = [
    case
    for name in (
        "invalid.mlir",
        "invalid-cast.mlir",
        "invalid-cast-versions.mlir",
        "invalid-quantize.mlir",
        "invalid-fakeconvert.mlir",
    )
    for case in (folder / name).read_text().split("// -----")
]


def check(case):
    failures = []
    for arguments in ((), ("--opset", "all", "--json")):
        result = subprocess.run(
            [tool, "-", *arguments], input=case, capture_output=True, text=True, check=False
        )
        if result.returncode != 1 or "error: " not in result.stderr:
            failures.append(
                f"{arguments}: exit code {result.returncode}: {result.stderr[-300:]}: {case}"
            )
    return failures


assert len(cases) > 100, f"only {len(cases)} cases in {folder}"
with ThreadPoolExecutor(max_workers=2) as pool:
    failures = [failure for found in pool.map(check, cases) for failure in found]
sys.exit("\n".join(failures) if failures else 0)
