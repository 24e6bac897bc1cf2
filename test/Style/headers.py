# Every C++ and TableGen source begins with its name and the license.
# RUN: %python %s %src_root
import pathlib
import sys

LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"

root = pathlib.Path(sys.argv[1])
files = [
    file
    for folder in ("include", "lib", "tools", "test", "examples", "benchmarks", "python_bindings")
    for suffix in ("h", "cpp", "td", "def")
    for file in sorted((root / folder).rglob(f"*.{suffix}"))
]
assert files, f"no sources below {root}"

failures = []
for file in files:
    name = file.relative_to(root)
    lines = file.read_text().splitlines()
    if not any(LICENSE in line for line in lines[:8]):
        failures.append(f"{name}: expected {LICENSE} among its first lines")
    if not lines or file.name not in lines[0]:
        failures.append(f"{name}:1: expected the header line to name {file.name}")
sys.exit("\n".join(failures) if failures else 0)
