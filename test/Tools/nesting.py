# MLIR with more than 256 levels of nesting of any kind is rejected with an error, as text and as
# bytecode, by every tool and by the library. Smaller depths are read.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t %llvm_bin/mlir-opt
import re
import subprocess
import sys
from pathlib import Path

tools, folder, mlir_opt = map(Path, sys.argv[1:])
FUNCTION = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }\n"
ERROR = "error: is nested too deeply: expected at most 256 nested regions, attributes, types and locations"


def chain(first, step, count):
    """Aliases, each of which contains the one before."""
    return first + "".join(step.format(i, i - 1) + "\n" for i in range(1, count + 1))


def strings(n):
    yield "regions", "module {\n" * n + "}\n" * n
    yield "generic regions", '"builtin.module"() ({\n' * n + "^bb0:\n" + "}) : () -> ()\n" * n
    yield "types", "func.func private @f(" + "tuple<" * n + "f32" + ">" * n + ")"
    yield "function types", "func.func private @f(" + "(" * n + ") -> ()" * n + ")"
    yield "arrays", "module attributes {a.b = " + "[" * n + "]" * n + "} {}"
    yield "dictionaries", "module attributes {a.b = " + "{c = " * n + "1" + "}" * n + "} {}"
    yield "locations", "module {} loc(" + 'callsite("a" at ' * n + '"b"' + ")" * n + ")"
    yield "names", "module {} loc(" + '"a"(' * n + '"b"' + ")" * n + ")"
    yield (
        "attribute aliases",
        chain("#a0 = []\n", "#a{} = [#a{}]", n) + f"module attributes {{a.b = #a{n}}} {{}}",
    )
    yield (
        "type aliases",
        chain("!a0 = f32\n", "!a{} = tuple<!a{}>", n) + f"func.func private @f(!a{n})",
    )
    yield (
        "location aliases",
        chain('#l0 = loc("a")\n', '#l{} = loc(callsite(#l{} at "b"))', n)
        + f"module {{}} loc(#l{n})",
    )
    yield (
        "aliases across lines",
        chain("#a0 = []\n", "#a{} =\n // A comment.\n [ #a{}\n ]", n)
        + f"module attributes {{a.b = #a{n}}} {{}}",
    )
    expression = "module attributes {{a.b = affine_map<(d0) -> ({})>}} {{}}"
    yield "parentheses", expression.format("(" * n + "d0" + ")" * n)


def wide_strings(n):
    expression = "module attributes {{a.b = affine_map<(d0) -> ({})>}} {{}}"
    yield "sums", expression.format("d0 + " * n + "d0")
    yield "signs", expression.format("- " * n + "d0")
    yield "quotients", expression.format("d0" + " mod 2" * n)


failures = []


def read(name, content, code, tool, *arguments, suffix="mlir", stderr=""):
    model = folder / f"model.{suffix}"
    model.write_bytes(content)
    answer = subprocess.run(
        [tools / tool, model, *arguments], capture_output=True, check=False, timeout=100, cwd=folder
    )
    errors = answer.stderr.decode(errors="replace")
    if answer.returncode != code or not re.search(re.escape(stderr), errors):
        failures.append(f"{name}: {tool}: exit {answer.returncode}: {errors[:300]}")


TOOLS = (
    ("quant-float-check",),
    ("quant-float-compile", "-o", "out.o"),
    ("quant-float-run", "--random", "1"),
    ("quant-float-opt",),
    ("quant-float-translate", "--mlir-to-llvmir"),
)
for name, text in [*strings(100000), *wide_strings(100000)]:
    for tool in TOOLS if name in ("regions", "types", "location aliases") else TOOLS[:1]:
        read(
            name, (text + "\n" + FUNCTION * (tool is not TOOLS[0])).encode(), 1, *tool, stderr=ERROR
        )
for name, text in [*strings(100), *wide_strings(300)]:
    # Tools do not look for functions in regions of other ops.
    read(name, text.encode(), 0, "quant-float-check")

# The loops over a tensor are nested, too.
for n in (64, 65, 1000):
    kind = f"tensor<{'?x' * n}f32>"
    text = f"func.func @f(%x: {kind}) -> {kind} {{ return %x : {kind} }}"
    stderr = f"error: expected at most 64 dimensions, but got {n}" if n > 64 else ""
    read("dimensions", text.encode(), int(n > 64), *TOOLS[1], stderr=stderr)
    # Types at any position.
    for text in (
        f"func.func private @g({kind})",
        f"module attributes {{a.b = {kind}}} {{}}",
        f"module attributes {{a.b = [(f32) -> memref<{'1x' * n}f32>]}} {{}}",
        f"module attributes {{a.b = dense<0.0> : vector<{'1x' * n}f32>}} {{}}",
    ):
        read("dimensions", text.encode(), int(n > 64), "quant-float-check", stderr=stderr)

# Bytecode has no aliases.
for n, code in ((200, 0), (1000, 1)):
    for name, text in strings(n):
        if "alias" not in name:
            continue
        model = folder / "model.mlir"
        model.write_text(text)
        subprocess.run(
            [mlir_opt, model, "--emit-bytecode", "-o", folder / "made.mlirbc"],
            check=True,
        )
        bytecode = (folder / "made.mlirbc").read_bytes()
        for tool in ("quant-float-check", "quant-float-opt"):
            read(
                f"bytecode of {name}",
                bytecode,
                code,
                tool,
                suffix="mlirbc",
                stderr=ERROR * code,
            )

# Brackets that are not part of MLIR's syntax, and characters that are no brackets.
read(
    "strings",
    b'module attributes {a.b = "' + b"[" * 10000 + b'"} {} // ' + b"(" * 10000,
    0,
    "quant-float-check",
)
arrows = "func.func private @g(" + ", ".join(["() -> ()"] * 1000) + ")\n"
sets = (
    "module attributes {a.b = [" + ", ".join(["affine_set<(d0) : (d0 - 1 >= 0)>"] * 1000) + "]} {}"
)
for text in (
    arrows,
    sets,
    "module attributes {a.b = dense<[" + "1, " * 10000 + "1]> : tensor<10001xi32>} {}",
):
    read("signs", text.encode(), 0, "quant-float-check")
print("\n".join(failures))
sys.exit(bool(failures))
