# The reference is generated without errors and is complete: every op, pass, option and pipeline is
# described, every example in it is MLIR that verifies, and every rule that it or the sources cite
# is in docs/rules.md.
# RUN: %python %src_root/scripts/docs/generate.py %if full %{ --full %} %src_root %obj_root %llvm_bin %t
# RUN: %python %s %t %src_root %tools_dir
import pathlib
import re
import subprocess
import sys

from documentation import mlir
from documentation.markdown import find_blocks

pages, source, tools = map(pathlib.Path, sys.argv[1:])
reference = {path.stem: path.read_text() for path in (pages / "reference").glob("*.md")}
opt = tools / "quant-float-opt"


def sections(text, level):
    """Titles and bodies below headings of this level."""
    parts = re.split(rf"^#{{{level}}} (.+)$", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2], strict=True))


# Ops and types: a summary, then more.
described = sections(reference["dialect"], 3)
operations = [title for title, _ in described if title.startswith("`quant_float.")]
assert len(operations) >= 9, operations
for title, body in described:
    if title in operations:
        assert re.match(r"\s*_[A-Z].+_\n", body), f"{title} has no summary"
        syntax = re.sub(r"\nSyntax:\n\n```\n.*?```\n", "", body, flags=re.S)
        text = syntax.strip().split("\n", 1)[1].split("\nTraits:")[0].split("\n**")[0]
        # For a terminator, the summary suffices.
        assert len(text.split()) >= 10 or "`Terminator`" in body, f"{title} has no description"
    assert "TODO" not in body

# Passes: those of the tool, with a description of each and of each option.
shown = subprocess.run([opt, "--help"], capture_output=True, text=True, check=True).stdout
registered = set(
    re.findall(
        r"^      --((?:convert-)?quant-float-[\w-]+|convert-(?:iree|onnx|openvino|stablehlo|torch)-[\w-]+) ",
        shown,
        re.M,
    )
)
passes = {title.strip("`-"): body for title, body in sections(reference["passes"], 3)}
pipelines = {title.strip("`"): body for title, body in sections(reference["pipelines"], 2)}
assert len(pipelines) >= 2 and registered == passes.keys() | pipelines.keys(), registered ^ (
    passes.keys() | pipelines.keys()
)
for name, body in passes.items():
    text = body.split("\n**Options**")[0]
    assert re.match(r"\s*_[A-Z].+_\n", text) and len(text.split()) >= 20, f"{name} is not described"
    for option in re.findall(r"^-\S+ *: *(.*)$", body, re.M):
        assert option, f"{name} has an option without a description"
for name, body in pipelines.items():
    assert re.findall(r"^- `[\w-]+` \(\w+\): \S", body, re.M), f"{name} has no options"

# Examples.
failures, count = [], 0
for name, text in reference.items():
    for block in find_blocks(text):
        if block.language == "mlir":
            count += 1
            wrong = mlir.check(opt, block.text)
            failures += [f"{name}.md:{block.line}: {wrong}"] if wrong else []
assert count >= 10, count

# The supported features: every op, and each type by name.
support = reference["support"]
for op in ("Cast", "CastLike", "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"):
    assert f"### {op}\n" in support, op
assert "| `f8E4M3FN` | - | - | - | - | yes |" in support
assert "| Gelu | 20 | `approximate` |" in support
assert "| Clamp | 1 | `min`, `max` |" in support
assert "`cvt.rn.satfinite.e4m3x2.f32` on sm_89 and later" in support

# Rules: a label in brackets must be defined by the page.
rules = (source / "docs/rules.md").read_text()
defined = set(re.findall(r"^- \*\*([A-Z]\d+b?)\*\*", rules, re.M))
defined |= set(re.findall(r"^- \(([KN]\d)\)", reference["dialect"], re.M))
cited = {}
for folder in ("include", "lib", "tools", "test", "docs", "python_bindings"):
    for path in sorted((source / folder).rglob("*")):
        if path.suffix in {".h", ".cpp", ".td", ".def", ".py", ".mlir", ".md", ".c", ".test"}:
            for group in re.findall(
                r"\(((?:[CDEKNPQTV]\d{1,2}b?)(?:, [CDEKNPQTV]\d{1,2}b?)*)\)", path.read_text()
            ):
                for label in group.split(", "):
                    cited.setdefault(label, path)
failures += [f"{cited[label]}: no rule {label}" for label in sorted(cited.keys() - defined)]
sys.exit("\n".join(failures) if failures else 0)
