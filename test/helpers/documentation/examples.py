"""Runs the examples of a page of documentation: commands, MLIR, programs.

usage: python -m documentation.examples [--update] [--full] PAGE SOURCE_ROOT BUILD_ROOT LLVM_BIN
SCRATCH

Commands (`sh`, and `console` with their output) run in sequence, in a scratch folder with links to
the source tree and with the tools in PATH. In outputs, `...` matches anything. Python blocks form
one program. MLIR is parsed and verified. Programs in C and C++ are excerpts of tested files, or
files that the page's commands build. Doctests (`pycon`) form one program. --update writes the
actual outputs to the page.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from documentation import mlir
from documentation.markdown import find_blocks

# Commands that set up machines, build and test, which tests cannot run, and the progress messages
# of quant-float-certify, which depend on the time.
PROGRESS = re.compile(r"^\d+ of \d+ conversions, .* s left\n", re.MULTILINE)
# LLVM 22 prints two spaces before the value.
ENUMS = re.compile(r"\b(mode|round_mode)  (?=\w)")
SCRIPTS = re.compile(r"^(scripts|benchmarks)/(?P<name>[\w.-]+)( .*)?$")
# Languages of blocks that are only displayed.
SHOWN = {"text", "lua", "toml", "ini", ""}

DOCTEST = """
import doctest, sys
options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
test = doctest.DocTestParser().get_doctest(sys.stdin.read(), {}, "page", None, 0)
sys.exit(doctest.DocTestRunner(optionflags=options).run(test).failed)
"""


class Page:
    def __init__(self, path, source, build, llvm, scratch, full=False):
        self.path, self.source, self.build, self.scratch = path, source, build, scratch
        self.opt = build / "bin/quant-float-opt"
        self.text = path.read_text()
        self.blocks = find_blocks(self.text)
        self.full, self.llvm = full, llvm
        self.failures, self.python, self.printed, self.previous = [], [], [], None
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        for entry in source.iterdir():
            if entry.name not in {"build", ".git"}:
                (scratch / entry.name).symlink_to(entry)
        (scratch / "build").symlink_to(build)
        (scratch / "tmp").mkdir()
        folders = [build / "bin", pathlib.Path(sys.executable).parent, llvm, "/usr/bin", "/bin"]
        # Other compilers, in their own environments.
        folders += [build / "iree/bin", build / "torch-mlir/bin"]
        self.environment = dict(os.environ)
        self.environment |= {"PATH": ":".join(map(str, folders))}
        self.environment |= {"PYTHONPATH": str(build / "python_packages")}
        # OpenVINO's libraries print messages if there is no /sys, as in a chroot.
        self.environment |= {"HWLOC_HIDE_ERRORS": "2"}
        if "model.onnx" in self.text:
            self.write_model()

    def write_model(self):
        import onnx

        values = [
            onnx.helper.make_tensor_value_info(name, kind, ["n"])
            for name, kind in (("x", onnx.TensorProto.FLOAT), ("y", onnx.TensorProto.FLOAT8E4M3FN))
        ]
        cast = onnx.helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT8E4M3FN)
        graph = onnx.helper.make_graph([cast], "main", values[:1], values[1:])
        imports = [onnx.helper.make_opsetid("", 19)]
        model = onnx.helper.make_model(graph, opset_imports=imports, ir_version=9)
        (self.scratch / "model.onnx").write_bytes(model.SerializeToString())

    def simulate_device(self, model):
        """From here on, a simulated driver is used, which has the kernels of this model."""
        import cuda

        [include] = pathlib.Path(sys.prefix).glob("lib/python*/site-packages/nvidia/cu*/include")
        command = [self.build / "bin/quant-float-compile", model, "-o", "-", "--emit", "llvm-ir"]
        command += ["--target", "nvvm", "--chip", "sm_90"]
        code = subprocess.run(command, cwd=self.scratch, capture_output=True, text=True, check=True)
        library = self.scratch / "tmp/kernels.so"
        cuda.build_kernels(code.stdout, library, self.llvm / "clang++", include)
        simulated = cuda.simulator_environment(self.build, [library], chip=90)
        added = ("LD_LIBRARY_PATH", "QUANT_FLOAT_SIMULATOR")
        self.environment |= {k: v for k, v in simulated.items() if k.startswith(added)}

    def fail(self, block, message):
        self.failures.append(f"{self.path}:{block.line}: {message}")

    def shell(self, block, command):
        script = SCRIPTS.match(command.split("#")[0].strip())
        if script:
            file = self.source / script[0].split()[0]
            if not os.access(file, os.X_OK):
                self.fail(block, f"{file} is no program")
            return None
        command = command.replace("/tmp/", f"{self.scratch}/tmp/")
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.scratch,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=300,
        )

    def run_sh(self, block):
        wanted = int(block.options.get("status", 0))
        # Line by line, with continuation after a trailing backslash.
        for command in re.split(r"(?<!\\)\n", block.text):
            if not command.strip():
                continue
            answer = self.shell(block, command)
            if answer and answer.returncode != wanted:
                self.fail(block, f"'{command}' exits with {answer.returncode}:\n{answer.stdout}")

    def run_console(self, block):
        parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block.text, flags=re.M)
        if parts[0].strip():
            return self.fail(block, "a console begins with '$ '")
        printed = ""
        for command, expected in zip(parts[1::2], parts[2::2], strict=True):
            answer = self.shell(block, command)
            got = ENUMS.sub(r"\1 ", PROGRESS.sub("", answer.stdout)) if answer else expected
            if answer and answer.returncode != int(block.options.get("status", 0)):
                self.fail(block, f"'{command}' exits with {answer.returncode}:\n{got}")
            if got and not got.endswith("\n"):
                got += "\n"
            pattern = re.escape(expected).replace("\\.\\.\\.\\\n", r"(?:.*\n)*?")
            pattern = pattern.replace(r"\.\.\.", ".*?")
            matches = re.fullmatch(pattern, got)
            printed += f"$ {command}\n{expected if matches else got}"
            if not matches:
                self.fail(block, f"'{command}' prints\n{got}")
        self.printed.append((block, printed))

    def run_mlir(self, block):
        if "passes" in block.options:
            before, _, after = block.options.get("replace", "=").partition("=")
            taken = self.previous.replace(before, after) if before else self.previous
            answer = mlir.run_opt(self.opt, taken, *block.options["passes"].split())
            shown = mlir.strip_module(answer.stdout)
            if answer.returncode or shown != block.text:
                self.fail(block, f"the tools make\n{shown}{answer.stderr}")
            self.printed.append((block, shown))
            return
        wrong = mlir.check(self.opt, block.text)
        wanted = block.options.get("error")
        if wanted is None and wrong:
            self.fail(block, wrong)
        elif wanted is not None and wanted not in wrong:
            self.fail(block, f"expected the error '{wanted}', but got '{wrong}'")
        self.previous = block.text

    def check_excerpt(self, block):
        """Excerpts, separated by `...`, are in the file in this order."""
        rest = " ".join((self.source / block.options["from"]).read_text().split())
        text = block.text
        if block.language == "diff":
            # Added and context lines are in the file, removed lines are not.
            for line in re.findall(r"^-(.*)$", text, flags=re.M):
                if " ".join(line.split()) in rest:
                    self.fail(block, f"{block.options['from']} still has\n{line}")
            text = re.sub(r"^(?:-.*\n|[+ ])", "", text, flags=re.M)
        for piece in re.split(r"^ *(?://|#|/\*)? *\.\.\..*$", text, flags=re.M):
            found = rest.find(words := " ".join(piece.split()))
            if found < 0:
                return self.fail(block, f"{block.options['from']} has no\n{piece}")
            rest = rest[found + len(words) :]

    def run_block(self, block):
        if "file" in block.options:
            (self.scratch / block.options["file"]).write_text(block.text)
        if "from" in block.options:
            return self.check_excerpt(block)
        if block.options.get("needs") == "full" and not self.full:
            return None
        if "kernels" in block.options and not shutil.which("nvidia-smi"):
            self.simulate_device(block.options["kernels"])
        if block.language in {"sh", "console", "mlir"}:
            return getattr(self, f"run_{block.language}")(block)
        if block.language in {"python", "pycon"}:
            self.python.append(block)
        elif block.language == "json":
            try:
                json.loads(block.text)
            except ValueError as error:
                self.fail(block, error)
        elif block.language not in SHOWN and "file" not in block.options:
            self.fail(block, f"no test builds this block of '{block.language}': add from= or file=")

    def run(self):
        for block in self.blocks:
            self.run_block(block)
        # One program, with the page's line numbers. Console blocks are its doctest.
        program = ""
        for block in self.python:
            program += "\n" * (block.line - 1 - program.count("\n")) + block.text
        if self.python:
            consoles = any(block.language == "pycon" for block in self.python)
            answer = subprocess.run(
                [sys.executable, "-c", DOCTEST if consoles else program],
                input=program,
                cwd=self.scratch,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            if answer.returncode:
                self.fail(self.python[0], f"the Python fails:\n{answer.stdout}")

    def update(self):
        """Updates the outputs from the end on, so that line numbers stay valid."""
        lines = self.text.splitlines(keepends=True)
        for block, printed in reversed(self.printed):
            first, count = block.line - 1, block.text.count("\n")
            indent = re.match(" *", lines[first - 1])[0]
            shown = [indent + line for line in printed.splitlines(keepends=True)]
            lines[first : first + count] = shown
        self.path.write_text("".join(lines))


def main():
    options = {argument for argument in sys.argv[1:] if argument.startswith("--")}
    paths = (
        pathlib.Path(argument).resolve() for argument in sys.argv[1:] if argument not in options
    )
    page = Page(*paths, full="--full" in options)
    page.run()
    if "--update" in options:
        page.update()
    elif page.failures:
        sys.exit("\n".join(page.failures))
    print(f"{page.path.name}: {len(page.blocks)} examples")


if __name__ == "__main__":
    main()
