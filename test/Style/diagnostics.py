# Every diagnostic of the dialect, its passes and the compiler occurs in a test: the words of each
# error, warning and note in the sources, in order, must occur in one string or line of a test. The
# importer has a table of its own, which ONNX/broken.py compares case by case.
# RUN: %python %s %src_root
import ast
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
CALLS = re.compile(
    r"\b(emitOpError|emitError|emitWarning|attachNote|makeError|makeFileError|createStringError|unsupported"
    r"|fail(?=\(\s*(?:QUANT_FLOAT|ErrorKind)))\("
)
LITERAL = r'"(?:[^"\\]|\\.)*"'

FOLDERS = (
    "IR",
    "Support",
    "TargetInfo",
    "Conversion",
    "Transforms",
    "ONNX/ToLinalg",
    "OpenVINO/FromONNX",
    "OpenVINO/ToONNX",
    "Codegen",
    "EntryPoint",
    "Pipelines",
    "Driver",
    "Model",
    "CAPI",
)

# The words of diagnostics that no input can provoke, each with the reason.
UNREACHABLE = {
    "the target cannot write this kind of file": "all targets of this project write assembly and objects",
    "no code generator for the triple": "the triple was looked up before",
    "other elements are declared": "with allow-unsupported the node is kept without a message",
    "the linker failed earlier in this process": "lld must have ended with a fatal error",
    "the entry runtime does not link": "its bitcode is part of the library",
    "kernels for": "the kernels of all CPU levels are those of one model",
    "is not in its section": "the code generator has just written the object",
    "no memory for input": "its bytes are used in place, or already copied",
    "/proc/self/maps cannot be read": "every Linux has it",
    "checkMemory needs Linux": "so do the tests",
}


def read_messages(file):
    """The literal words of each diagnostic in a source: (line, [fragment, ...])."""
    text = re.sub(r"//[^\n]*", "", file.read_text())
    for call in CALLS.finditer(text):
        # Up to the end of the statement. A string may contain a semicolon.
        statement = re.match(rf"(?:{LITERAL}|'[^']*'|[^;\"'])*", text[call.start() :])[0]
        # Adjacent literals are concatenated.
        statement = re.sub(r'"\s*\n?\s*"', "", statement)
        fragments = [ast.literal_eval(found) for found in re.findall(LITERAL, statement)]
        # Placeholders of formatted values.
        fragments = [part for f in fragments for part in re.split(r"%s|%[lz]?[du]|\{\d+\}", f)]
        # Quotes and punctuation around a value are ignored.
        fragments = [f for f in fragments if re.search(r"[A-Za-z]{2}", f)]
        if fragments:
            yield text.count("\n", 0, call.start()) + 1, fragments


def read_strings(file):
    """The strings of a Python test, or the lines of any other test."""
    text = file.read_text(errors="replace")
    if file.suffix != ".py":
        return text.splitlines()
    strings = [line for line in text.splitlines() if line.startswith("# ")]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings += node.value.splitlines()
        elif isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "\0" for p in node.values)
            strings.append("".join(map(str, parts)))
    return strings


tests = []
for file in sorted((root / "test").rglob("*")):
    if file.suffix in (".mlir", ".test", ".py", ".c", ".cpp") and file != pathlib.Path(__file__):
        tests += read_strings(file)
haystack = "\n".join(tests)

missing = []
unreachable = set()
count = 0
for folder in FOLDERS:
    for file in sorted((root / "lib" / folder).rglob("*.cpp")):
        for line, fragments in read_messages(file):
            count += 1
            # A test may replace the values between the words by a pattern, and quote them in any
            # way.
            words = [w for f in fragments if (w := " ".join(f.split()).strip(" '"))]
            if words[0] in UNREACHABLE:
                unreachable.add(words[0])
            elif not re.search(".*".join(map(re.escape, words)), haystack):
                missing.append(f"{file.relative_to(root)}:{line}: no test contains {fragments}")
missing += [
    f"no diagnostic contains '{words}' any more" for words in UNREACHABLE.keys() - unreachable
]
assert count, f"no diagnostics in {FOLDERS}"
print(f"{count} diagnostics, {len(missing)} without a test")
sys.exit("\n".join(missing) if missing else 0)
