"""Reference pages, written from TableGen records, the tools' own help and the C headers."""

import re
import subprocess

PASS_FILES = {
    "Conversions": "Conversion",
    "Transformations": "Transforms",
    "Entry points": "EntryPoint",
}
TOOLS = ["check", "compile", "run", "translate", "opt", "gpu-launch", "lsp-server"]
# What this project adds to the options of upstream's tools.
OURS = re.compile(
    r"--(quant-float|convert-quant-float|convert-on|convert-op|import-o|fakeconvert-mode)"
)
HEADER = re.compile(r"/\*===.*?===\*/|^\|\*.*$|^\\\*===.*$", re.M)


def run(*command):
    answer = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if answer.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{answer.stderr}")
    return answer.stdout


class Reference:
    def __init__(self, source, build, llvm):
        self.source, self.bin = source, build / "bin"
        self.tblgen = [
            llvm / "mlir-tblgen",
            "-I",
            source / "include",
            "-I",
            llvm.parent / "include",
        ]

    def describe_records(self, generator, file, *options):
        text = run(*self.tblgen, generator, self.source / "include/quant-float" / file, *options)
        return text.split("\n", 1)[1]

    def write_dialect(self):
        text = self.describe_records(
            "-gen-dialect-doc", "IR/QuantFloatOps.td", "-dialect=quant_float"
        )
        return text.replace("# 'quant_float' Dialect", "# The dialect")

    def write_passes(self):
        text = '# Passes\n\nOptions are written `--pass="option=value option=value"`, and in a textual '
        text += "pipeline `pass{option=value}`.\n"
        for title, folder in PASS_FILES.items():
            text += f"\n## {title}\n"
            text += self.describe_records("-gen-pass-doc", f"{folder}/Passes.td")
        return text

    def write_pipelines(self):
        """The pipelines of this project, from the section of quant-float-opt's help."""
        text = "# Pipelines\n\nOf `quant-float-opt`, the plugin, and the C API's "
        text += "`quantFloatModelRunPasses`.\n"
        inside = False
        section = run(self.bin / "quant-float-opt", "--help").split("    Pass Pipelines:\n")[1]
        for line in section.split("\n"):
            option = re.match(r"( +)--([\w-]+)(?:=<([\w|-]+)>)? +- +(.*)$", line)
            if not option or len(option[1]) < 6:
                break
            indent, name, kind, description = option.groups()
            if len(indent) == 6:
                inside = name.startswith("quant-float-")
                text += f"\n## `{name}`\n\n_{description}_\n\n" if inside else ""
            elif inside:
                text += f"- `{name}` ({kind or 'bool'}): {description}\n"
        return text

    def write_tools(self):
        text = "# Tools\n\nWhat `--help` prints.\n"
        for tool in TOOLS:
            shown = run(self.bin / f"quant-float-{tool}", "--help")
            lines = shown.rstrip().split("\n")
            if len(lines) > 60:
                # LLVM's and MLIR's options fill pages; ours are among them.
                lines = lines[:4] + [line for line in lines[4:] if OURS.search(line)]
            text += f"\n## quant-float-{tool}\n\n```text\n" + "\n".join(lines) + "\n```\n"
        return text

    def write_headers(self):
        """One page for each C header, whose comments are its documentation."""
        for header in sorted((self.source / "include/quant-float-c").glob("*.h")):
            body = HEADER.sub("", header.read_text()).strip()
            text = f"# quant-float-c/{header.name}\n\n```c\n{body}\n```\n"
            yield f"c/{header.stem}.md", text
