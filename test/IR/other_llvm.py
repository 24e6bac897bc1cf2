# Builds with different versions of LLVM read each other's modules: bytecode of the dialect, and
# models that are lowered to upstream dialects, in generic form and as bytecode, with the same
# results.
# REQUIRES: other-llvm
# RUN: %python %s %tools_dir %llvm_bin %src_root
#
# scripts/test-llvm.sh runs this test. QUANT_FLOAT_OTHER_LLVM lists its chroots, separated by colons.
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

tools, llvm_bin, source = map(pathlib.Path, sys.argv[1:])
roots = list(map(pathlib.Path, os.environ["QUANT_FLOAT_OTHER_LLVM"].split(":")))


class Build:
    def __init__(self, root, tools, llvm_bin):
        self.root = root
        self.prefix = ["chroot", root] if root else []
        self.tools, self.llvm_bin = tools, llvm_bin
        self.version = int(self.run(f"{llvm_bin}/llvm-config", "--version").split(b".")[0])

    def run(self, program, *arguments, stdin=b""):
        command = list(map(str, [*self.prefix, program, *arguments]))
        answer = subprocess.run(command, input=stdin, capture_output=True, check=False)
        assert answer.returncode == 0, f"{command}: {answer.stderr.decode()}\n{stdin[:4000]}"
        return answer.stdout

    def opt(self, module, *arguments):
        return self.run(f"{self.tools}/quant-float-opt", "-", *arguments, stdin=module)

    def write(self, module):
        arguments = ["--mlir-to-portable-bytecode", "-"]
        return self.run(f"{self.tools}/quant-float-translate", *arguments, stdin=module)

    def mlir_opt(self, module):
        """The module as upstream's tool reads it."""
        return self.run(f"{self.llvm_bin}/mlir-opt", "-", "--mlir-print-op-generic", stdin=module)

    def compute(self, module, *arguments):
        """The results for random inputs."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=f"{self.root or ''}/tmp"))
        inside = folder.relative_to(self.root) if self.root else folder
        arguments = ["--random", "1", "--outputs", pathlib.Path("/") / inside, *arguments]
        self.run(f"{self.tools}/quant-float-run", "-", *arguments, stdin=module)
        results = [file.read_bytes() for file in sorted(folder.iterdir())]
        shutil.rmtree(folder)
        assert results
        return results


def cast_to(kind):
    """A function body: %x in another type, and back."""
    return f"""
  %{kind} = quant_float.cast %x opset 25 : tensor<4x64xf32> to tensor<4x64x{kind}>
  %from_{kind} = quant_float.cast %{kind} opset 25 : tensor<4x64x{kind}> to tensor<4x64xf32>"""


KINDS = (
    "f16 bf16 f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ f8E8M0FNU f4E2M1FN i8 ui8 i4 ui4 ui2".split()
)
values = ", ".join(f"%from_{kind}" for kind in KINDS)
types = ", ".join(["tensor<4x64xf32>"] * len(KINDS))
CASTS = f"""func.func @casts(%x: tensor<4x64xf32>) -> ({types}) {{
  {"".join(map(cast_to, KINDS))}
  return {values} : {types}
}}
"""

own = Build(None, tools, llvm_bin)
builds = [own]
for root in roots:
    (installed,) = root.glob("usr/lib/llvm-*/bin/mlir-opt")
    builds.append(Build(root, "/src/build/bin", f"/{installed.parent.relative_to(root)}"))

DIALECT = [
    (source / f"test/IR/Inputs/bytecode/{name}.mlir").read_bytes() for name in ("model", "added")
]
MODELS = {CASTS.encode(): []}
for name in "conv-i8", "conv-f8":
    imported = ["--import-onnx", source / f"examples/digits/{name}.onnx"]
    model = own.run(tools / "quant-float-translate", *imported)
    MODELS[model] = ["--shapes", "0=3x1x8x8"]

lowered = {}
for model, arguments in MODELS.items():
    results = own.compute(model, *arguments)
    for build in builds:
        options = ["--quant-float-lower-to-upstream", "--mlir-print-op-generic"]
        lowered[model, build] = build.opt(model, *options)
        assert build.compute(lowered[model, build], *arguments) == results, model

for writer, reader in itertools.permutations(builds, 2):
    for module in DIALECT:
        bytecodes = [writer.write(module)]
        # Newer versions read the bytecode of the dialect's ops that older ones write.
        if writer.version < reader.version:
            bytecodes.append(writer.opt(module, "--emit-bytecode"))
        for bytecode in bytecodes:
            assert reader.opt(bytecode) == reader.opt(module), module
    for model, arguments in MODELS.items():
        module = lowered[model, writer]
        expected = writer.opt(module)
        for form in module, writer.write(module):
            # The reader prints the module as text for the writer.
            assert writer.opt(reader.mlir_opt(form)) == expected, form
            assert reader.compute(form, *arguments) == own.compute(model, *arguments), form
    print(f"LLVM {reader.version} reads what LLVM {writer.version} writes")
