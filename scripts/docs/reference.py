"""Reference pages, generated from TableGen records, the tools' own help and the C headers."""

import re
import subprocess

import tool_help

PASS_FILES = {
    "Conversions": "Conversion",
    "Rewrites of quantization ops": "Transforms",
    "ONNX nodes to linalg": "ONNX/ToLinalg",
    "OpenVINO layers to ONNX nodes": "OpenVINO/ToONNX",
    "ONNX nodes to OpenVINO layers": "OpenVINO/FromONNX",
    "Code generation for all targets": "Codegen/Common",
    "Code generation for CPUs": "Codegen/CPU",
    "Code generation for GPUs": "Codegen/GPU",
    "Math functions": "Codegen/Math",
    "Elements of less than a byte": "Codegen/SubByte",
    "Entry points": "EntryPoint",
    "Stages of code generation": "Pipelines",
}
TOOLS = ["check", "compile", "convert", "run", "report", "exec", "translate", "opt", "lsp-server"]
# The banner of a header, and its lines for the include guard and for C++.
BANNER = re.compile(r"\A/\*===.*?===\*/\n", re.S)
GUARD = re.compile(r"^#(ifndef|define|endif).*_H\b.*\n|^#ifdef __cplusplus\n.*\n#endif\n", re.M)
SECTION = re.compile(r"^/\* (\S.*?) -{3,} \*/\n", re.M)


# The contents of the Python reference, in order.
PYTHON = {
    "Functions of arrays": [
        "cast",
        "quantize",
        "dequantize",
        "qdq",
        "fakeconvert",
        "block_quantize",
        "block_dequantize",
        "philox",
    ],
    "Models": [
        "load",
        "parse",
        "import_onnx",
        "import_openvino",
        "check",
        "compile",
        "load_kernel",
    ],
    "Kernels": ["Kernel", "Argument", "Module", "Function", "NodeReport", "OpsetVerdict"],
    "Packed elements": ["PackedArray", "pack"],
    "Other libraries": ["as_dlpack", "DLPackArray"],
    "GPUs": ["DeviceArray", "to_device"],
    "Comparisons": ["compare", "Difference", "FakeConvertReport", "ModeComparison"],
    "Types": ["dtype", "DType", "DTYPES", "STRING", "DTypeLike"],
    "Errors": ["Error", "ModelError", "CompileError", "RunError", "Diagnostic"],
    "Caches": [
        "kernel_cache",
        "KernelCache",
        "CacheInfo",
        "disk_cache",
        "DiskCache",
        "DiskCacheInfo",
    ],
    "Versions": ["get_version", "get_llvm_version"],
}


def run(*command):
    answer = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if answer.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{answer.stderr}")
    return answer.stdout


def fence_indented(comment):
    """Converts a C comment to Markdown, with indented lines as code."""
    parts = []
    for line in comment.strip("\n").split("\n"):
        line = line.removeprefix(" *").removeprefix(" ").rstrip()
        is_code = line.startswith("  ") or (not line and parts and parts[-1][0])
        if not parts or parts[-1][0] != is_code:
            parts.append((is_code, []))
        parts[-1][1].append(line)
    text = ""
    for is_code, lines in parts:
        inner = "\n".join(lines).strip("\n")
        escaped = inner.replace("<", "&lt;")
        text += f"\n```text\n{inner}\n```\n\n" if is_code else f"{escaped}\n"
    return text


def describe_tool(tool):
    """One tool as a section, with its options as a table."""

    def row(option):
        parts = [
            option.text,
            *(f"`{word}`: {text}" for word, text in option.choices.items() if text),
        ]
        parts += [f"`{inner.spelling}`: {inner.text}" for inner in option.inner]
        cell = "<br>".join(part.replace("<", "&lt;").replace("|", "\\|") for part in parts if part)
        return f"| `{option.spelling}` | {cell} |\n"

    text = f"\n## {tool.name}\n\n_{tool.summary[:1].upper()}{tool.summary[1:]}_\n\n"
    text += f"```text\n{tool.synopsis}\n```\n\n{tool.strings['description'].strip()}\n\n"
    text += "| option | |\n| --- | --- |\n" + "".join(map(row, tool.shown))
    for title, key in (("Writes", "written"), ("Reads of the environment", "environment")):
        if key in tool.strings:
            text += f"\n{title}:\n\n" + "".join(f"- `{a}`: {b}\n" for a, b in tool.strings[key])
    if "examples" in tool.strings:
        text += (
            "\n```sh\n" + "\n".join(command for command, _ in tool.strings["examples"]) + "\n```\n"
        )
    codes = "; ".join(f"{number}: {meaning}" for number, meaning in tool.exit_codes.items())
    return f"{text}\nExits with {codes}.\n"


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
        text = text.replace("# 'quant_float' Dialect", "# The dialect").replace("[TOC]\n\n", "")
        return re.sub(r"^#### (.+):$", r"**\1**", text, flags=re.M)

    def write_passes(self):
        text = '# Passes\n\nOptions are written `--pass="option=value option=value"`, and in a textual '
        text += "pipeline `pass{option=value}`.\n"
        for title, folder in PASS_FILES.items():
            text += f"\n## {title}\n"
            passes = self.describe_records("-gen-pass-doc", f"{folder}/Passes.td")
            text += re.sub(r"^#### (.+)$", r"**\1**", passes, flags=re.M)
        return text

    def write_pipelines(self):
        """Writes the pipelines of this project, from the section of quant-float-opt's help."""
        text = "# Pipelines\n\n`quant-float-opt`, the plugin and the C API's `quantFloatModelRunPasses` "
        text += "accept these pipelines.\n"
        inside = False
        section = run(self.bin / "quant-float-opt", "--help").split("    Pass Pipelines:\n")[1]
        for line in section.split("\n"):
            if value := re.match(r" +=(\w+) +- +(.*)$", line):
                text += f"    - `{value[1]}`: {value[2]}\n" if inside else ""
                continue
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
        text = "# Tools\n\nThe manual pages have the same contents. A value may also be a separate argument after "
        text += "its option.\n"
        for name in TOOLS:
            program = self.bin / f"quant-float-{name}"
            text += describe_tool(tool_help.read(program)) if program.exists() else ""
        return text

    def write_headers(self):
        """Writes a page for each C header: its first comment, and its declarations by sections."""
        for header in sorted((self.source / "include/quant-float-c").glob("*.h")):
            body = GUARD.sub("", BANNER.sub("", header.read_text()))
            comment, declarations = body.lstrip("/*").split("*/\n", 1)
            text = f"# quant-float-c/{header.name}\n\n{fence_indented(comment)}\n"
            titles = ["Declarations", *SECTION.split(declarations)]
            for title, code in zip(titles[::2], titles[1::2], strict=True):
                if code.strip():
                    text += f"## {title}\n\n```c\n{code.strip()}\n```\n\n"
            yield f"c/{header.stem}.md", text

    def write_python(self):
        """Writes the directives of mkdocstrings for the Python package, in the order of `PYTHON`."""
        init = (self.source / "python_bindings/quant_float/__init__.py").read_text()
        exported = re.findall(r'"(\w+)"', init.split("__all__ = [")[1].split("]")[0])
        listed = {name for names in PYTHON.values() for name in names}
        missing = set(exported) - listed - {"opsets", "typing", "__version__"}
        if missing or listed - set(exported):
            raise RuntimeError(f"quant_float exports {missing}, but not {listed - set(exported)}")
        text = "# Python functions and classes\n"
        for index, (title, names) in enumerate(PYTHON.items()):
            text += f"\n## {title}\n\n::: quant_float\n    options:\n"
            text += f"      show_docstring_description: {'false' if index else 'true'}\n"
            text += "      show_docstring_examples: false\n" * bool(index)
            text += f"      members: [{', '.join(names)}]\n"
        text += "\n## Opsets\n\n::: quant_float.opsets\n"
        text += "\n## PyTorch\n\n::: quant_float.torch\n"
        text += "\n## JAX\n\n::: quant_float.jax\n"
        text += "\n## MLIR's Python bindings\n\n::: quant_float.mlir\n"
        return text + "\n## Annotations\n\n::: quant_float.typing\n"
