# `cmake --install`: relocatable tools, headers and TableGen files that can be included, and no
# reference to the build tree.
# RUN: rm -rf %t && mkdir %t
# RUN: cmake --install %obj_root --prefix %t/prefix > %t/log
# RUN: %python %s %t/prefix %src_root %obj_root %llvm_bin
import os
import pathlib
import re
import subprocess
import sys

prefix, source, build, llvm = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
files = [file for file in prefix.rglob("*") if file.is_file() and not file.is_symlink()]
names = {str(file.relative_to(prefix)) for file in files}


def run(*command, **options):
    # A user's environment: nothing of this tree is in the search paths.
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}
    answer = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env=environment, **options
    )
    assert answer.returncode == 0, f"{command}: exit {answer.returncode}\n{answer.stderr}"
    return answer.stdout


# All public headers, tables and TableGen files, and the generated headers.
public = {
    str(file.relative_to(source))
    for suffix in ("h", "def", "td")
    for file in (source / "include").rglob(f"*.{suffix}")
}
assert public <= names, public - names
generated = {str(file.relative_to(build)) for file in (build / "include").rglob("*.h.inc")}
assert generated and generated <= names, generated - names
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<](quant-float[^">]*)[">]', re.M)
for name in sorted(name for name in names if name.startswith("include/")):
    for included in INCLUDE.findall((prefix / name).read_text()):
        # The definitions in the .cpp.inc files are compiled into the libraries.
        if not included.endswith(".cpp.inc"):
            assert f"include/{included}" in names, f"{name} includes {included}"

# The build directory must not be mentioned, as it may be removed.
build_type = re.search(r"CMAKE_BUILD_TYPE:\w+=(\w+)", (build / "CMakeCache.txt").read_text())[1]
for file in files:
    # Debug information mentions the sources.
    if build_type != "Release" and b"\x7fELF" in file.read_bytes()[:4] or file.suffix == ".a":
        continue
    content = file.read_bytes()
    for root in (source, build):
        # Except as a part of another path.
        named = rb"(?<![\w.])" + re.escape(str(root).encode()) + b"/"
        assert not re.search(named, content), f"{file} names {root}"

# The tools run, the plugin loads, a kernel compiles.
tools = sorted(name for name in names if name.startswith("bin/"))
assert len(tools) >= 6, tools
for tool in tools:
    run(prefix / tool, "--help")
    name = tool.removeprefix("bin/")
    manuals = {f"share/man/man1/{name}.1.gz", f"share/bash-completion/completions/{name}"}
    manuals |= {f"share/zsh/site-functions/_{name}"}
    manuals |= {f"share/fish/vendor_completions.d/{name}.fish"}
    assert manuals <= names, manuals - names
model = "func.func @f(%x: f32) -> f8E5M2 {\n  %0 = quant_float.cast %x opset 19 : f32 to f8E5M2\n"
model += "  return %0 : f8E5M2\n}\n"
assert "quant_float.cast" in run(prefix / "bin/quant-float-opt", "-", input=model)
[plugin] = (prefix / name for name in names if name.endswith("/libQuantFloatPlugin.so"))
stock = [llvm / "mlir-opt", f"--load-dialect-plugin={plugin}"]
assert "quant_float.cast" in run(*stock, "-", input=model)
tensors = model.replace("f32", "tensor<?xf32>").replace("f8E5M2", "tensor<?xf8E5M2>")
output = prefix / "kernel.o"
run(prefix / "bin/quant-float-compile", "-", "-o", output, input=tensors)
assert output.stat().st_size > 0 and output.with_suffix(".h").exists()

# An external dialect that uses this project's constraints and attributes.
definitions = """
include "quant-float/IR/QuantFloatBase.td"
def Other_Dialect : Dialect { let name = "other"; let cppNamespace = "::other"; }
def Other_ScaleOp : Op<Other_Dialect, "scale"> {
  let arguments = (ins QuantFloat_Value:$input, OptionalAttr<QuantFloat_RoundModeAttr>:$round_mode);
  let results = (outs QuantFloat_Value:$result);
}
"""
include = ["-I", prefix / "include", "-I", llvm.parent / "include"]
shown = run(llvm / "mlir-tblgen", "-gen-op-decls", "-dialect=other", *include, input=definitions)
assert "class ScaleOp" in shown and "::mlir::quant_float::RoundModeAttr" in shown
