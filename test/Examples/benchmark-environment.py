# Every program in benchmarks, run by any python3, continues in the environment with the peers.
# RUN: rm -rf %t && mkdir -p %t/benchmarks/venv/bin %t/venv/bin
# RUN: %python %s %src_root/benchmarks %t
import os
import pathlib
import subprocess
import sys

benchmarks, build = map(pathlib.Path, sys.argv[1:])
plain = pathlib.Path(sys.base_prefix, "bin", "python3")
programs = [benchmarks / "run", *sorted(benchmarks.glob("*.py"))]
assert len(programs) > 6, programs
# The first existing one is used.
for folder in ("venv", "benchmarks/venv"):
    python = build / folder / "bin" / "python"
    python.write_text(f'#!/bin/sh\necho {folder}: "$@"\n')
    python.chmod(0o755)
    for program in programs:
        command = [plain, program, "--repeat", "1"]
        environment = os.environ | {"QUANT_FLOAT_BUILD": str(build)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        expected = f"{folder}: {program} --repeat 1\n"
        assert (done.returncode, done.stdout) == (0, expected), (program, done)
