# Runs the package that benchmarks/gpu/prepare creates with its single command, in the simulator of
# a driver, in an environment without Python.
# RUN: %python %s %src_root %clangxx %cuda_include %obj_root %t
import json
import os
import subprocess
import sys
from pathlib import Path

import cuda

CHECKS = 13


def main(src_root, compiler, cuda_include, obj_root, folder):
    package, kernels = Path(folder) / "package", []
    subprocess.run(
        [sys.executable, f"{src_root}/benchmarks/gpu/prepare", package, "--chips", "sm_90", "--sweep", "0x8000",
         "--elements", "65536", "--llvm-ir", "--random", "20011"],
        env=dict(os.environ, QUANT_FLOAT_BUILD=obj_root), check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    for code in package.glob("*.sm_90.device.ll"):
        kernels.append(Path(folder) / f"{code.stem}.so")
        cuda.build_kernels(code.read_text(), kernels[-1], compiler, cuda_include)
    environment = cuda.simulator_environment(obj_root, kernels)
    # An environment without Python.
    programs = Path(folder) / "bin"
    programs.mkdir(exist_ok=True)
    for name in ("bash", "dirname", "mktemp", "rm", "cat", "tail", "tr", "awk", "sed", "head", "date", "mv"):  # fmt: skip
        (programs / name).unlink(missing_ok=True)
        (programs / name).symlink_to(
            next(p for p in (f"/bin/{name}", f"/usr/bin/{name}") if os.path.exists(p))
        )
    environment |= {"PATH": str(programs), "REPEAT": "2"}

    def run():
        results = package / "results.json"
        result = subprocess.run(
            [package / "run.sh", results], env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        said = result.stdout + result.stderr
        return result.returncode, said, json.loads(results.read_text())

    code, said, report = run()
    failures = []
    if code or report["failures"] or len(report["checks"]) != CHECKS:
        failures.append(f"exit code {code}, {len(report['checks'])} checks: {said}")
    if not all(check["agrees"] for check in report["checks"].values()):
        failures.append(f"not all digests agree: {report['checks']}")
    timings = report["timed"]["timings"]
    if len(timings) != 24 or not all(row["of_copy"] > 0 for row in timings):
        failures.append(f"expected 24 timings, but got {timings}")
    if report["chip"] != "sm_90" or "Simulator" not in report["device"] or report["peers"]:
        failures.append(f"device: {report}")

    # A wrong digest.
    digests = package / "all_f16.digests"
    text = digests.read_text()
    digests.write_text(text[:-2] + ("1" if text[-2] == "0" else "0") + "\n")
    code, said, report = run()
    if code != 1 or report["failures"] != 1 or "all_f16: FAILED" not in said:
        failures.append(f"a wrong digest: exit code {code}: {said}")
    # Without a driver, there is an error message, and earlier results are kept.
    environment["LD_LIBRARY_PATH"] = ""
    if not os.path.exists("/dev/nvidiactl"):
        result = subprocess.run(
            [package / "run.sh", package / "none.json"], env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        if result.returncode != 1 or "no NVIDIA driver: cannot load libcuda.so.1" not in result.stderr:  # fmt: skip
            failures.append(f"no driver: exit code {result.returncode}: {result.stderr}")
        if (package / "none.json").exists():
            failures.append("no driver: results were written")
    size = sum(file.stat().st_size for file in package.iterdir())
    print(
        f"{len(report['checks'])} checks, {len(timings)} timings, {size} bytes, {len(failures)} failures"
    )
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
