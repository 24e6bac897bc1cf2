# Differences between versions of LLVM are confined to one header and one CMake module. Each
# condition states the last version that needs it. The code does not use type information of LLVM or
# MLIR, which builds without RTTI lack.
# RUN: %python %s %src_root %obj_root %llvm_bin/llvm-nm
import pathlib
import re
import subprocess
import sys

root, build = map(pathlib.Path, sys.argv[1:3])
failures = []

# LLVM 24 deprecates the builder without flags.
extension = re.compile(r"ExtFOp::create\((?![^;]*FastMathFlags)")
header = root / "include/quant-float/Support/LlvmCompat.h"
module = root / "cmake/modules/LlvmCompat.cmake"
condition = re.compile(r"\s*#\s*(el)?if.*LLVM_VERSION_(MAJOR|MINOR)|\s*(else)?if\(.*LLVM_VERSION")
for folder in ("include", "lib", "tools", "python_bindings", "test", "cmake", "examples"):
    for file in sorted((root / folder).rglob("*")):
        if (
            file.suffix not in (".h", ".cpp", ".c", ".cmake", ".txt", ".in")
            or "build" in file.parts
        ):
            continue
        text = file.read_text(errors="replace")
        for found in extension.finditer(text):
            number = text.count("\n", 0, found.start()) + 1
            failures.append(f"{file.relative_to(root)}:{number}: expected FastMathFlagsAttr()")
        for number, line in enumerate(text.splitlines(), 1):
            if not condition.match(line):
                continue
            where = f"{file.relative_to(root)}:{number}"
            bound = re.search(r"(<|>=|LESS|GREATER_EQUAL) (\d+)", line)
            last = re.search(r"(?://|#) (\d+)\.$", line)
            # A condition on the minimum supported version is always true.
            if "LLVM_VERSION_MAJOR LESS 22" in line:
                continue
            if file not in (header, module):
                failures.append(f"{where}: a condition on LLVM's version outside of LlvmCompat")
            elif not bound or not last or int(bound[2]) != int(last[1]) + 1:
                failures.append(f"{where}: expected a comment with the last version that needs it")

# Shared libraries contain objects of MLIR.
objects = [*build.glob("lib/libQuantFloat*.a")]
assert len(objects) > 40, objects
listed = subprocess.run(
    [sys.argv[3], "--undefined-only", "--print-file-name", *objects],
    capture_output=True, text=True, check=False,
)  # fmt: skip
failures += re.findall(r"^.* U _ZTIN?S?_?K?(?:4llvm|4mlir).*$", listed.stdout, re.M)[:10]
sys.exit("\n".join(failures) or 0)
