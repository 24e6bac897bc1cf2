# Class names are unique, and the script that checks this detects duplicates.
# RUN: rm -rf %t && mkdir -p %t/lib
# RUN: %python %src_root/scripts/one_definition.py
# RUN: %python %s %src_root/scripts/one_definition.py %t %clangxx
import pathlib
import subprocess
import sys

script, work, compiler = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
NESTS = {
    "rows": "int *rows; ~LoopNest() { delete rows; }",
    "columns": "int *rows, *columns; ~LoopNest() { delete rows; delete columns; }",
}


def run(*arguments):
    command = [sys.executable, script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


for name, members in NESTS.items():
    source = work / "lib" / f"{name}.cpp"
    source.write_text(
        "namespace mlir::quant_float {\n"
        f"class LoopNest {{ public: {members} }};\n"
        f"void {name}() {{ LoopNest nest{{}}; }}\n"
        "class Declared;\n"
        "} // namespace mlir::quant_float\n"
        "namespace {\nstruct Local {\n};\n} // namespace\n"
    )
    subprocess.run([compiler, "-O0", "-c", source, "-o", work / f"{name}.o"], check=True)

found = run("--root", work)
expected = (
    "mlir::quant_float::LoopNest has several definitions: lib/columns.cpp:2, lib/rows.cpp:2\n"
)
assert (found.returncode, found.stdout) == (1, expected), found

found = run("--objects", work)
assert found.returncode == 1 and "LoopNestD2Ev has several definitions: " in found.stdout, found
(work / "columns.o").unlink()
found = run("--objects", work)
assert (found.returncode, found.stdout) == (0, ""), found
