# Bytecode with a wrong byte, or truncated bytecode, is read or rejected with an error, whatever
# upstream's reader does. So is text.
# RUN: %python %s %src_root/test/IR/Inputs/bytecode/0.1.hex %tools_dir %t %if full %{ full %}
import pathlib
import subprocess
import sys

bytecode = bytes.fromhex(pathlib.Path(sys.argv[1]).read_text())
tools, work = map(pathlib.Path, sys.argv[2:4])
full = "full" in sys.argv[4:]
work.mkdir(exist_ok=True)

# The reader crashes or does not terminate on these: the index of the byte, and its change.
KNOWN = [(48, 0x02), (669, 0x80), (685, 0x02), (945, 0x02), (1195, 0xFF)]
RUNS_ON = [(246, 0x02)]
KNOWN_ERROR = ": error: is invalid: MLIR's reader crashes on it\n"


def damage(at, flip):
    return bytecode[:at] + bytes([bytecode[at] ^ flip]) + bytecode[at + 1 :]


def read(content, tool, *arguments, name="damaged.mlirbc"):
    model = name if name == "-" else work / name
    if name != "-":
        model.write_bytes(content)
    command = [tools / tool, model, *arguments]
    answer = subprocess.run(command, input=content, capture_output=True, check=False, timeout=60)
    errors = answer.stderr.decode(errors="replace")
    assert answer.returncode in (0, 1), f"{arguments}: exit {answer.returncode}: {errors}"
    assert answer.returncode == 0 or "error: " in errors, errors
    return errors


def check(content):
    errors = read(content, "quant-float-check")
    # What is valid can be printed.
    if "error" not in errors:
        read(content, "quant-float-opt")
    return errors


assert "error" not in check(bytecode)
assert check(b"").endswith(":1:1: error: expected MLIR, but the input is empty\n")
crashed = 0
for place in KNOWN + RUNS_ON * full:
    crashed += check(damage(*place)).endswith(KNOWN_ERROR)
# The version of LLVM determines the kind of crash.
print(f"{crashed} crashes of the reader")
for tool, *arguments in (
    ("quant-float-compile", "-o", work / "out.ll"),
    ("quant-float-run", "--random", "1"),
):
    for place in KNOWN[:2]:
        read(damage(*place), tool, *arguments)

# The contents of a file determine its format, not its name. Standard input is read once.
for name in ("damaged.mlir", "-"):
    assert "error" not in read(bytecode, "quant-float-check", name=name)
    for place in KNOWN:
        errors = read(damage(*place), "quant-float-check", name=name)
        crashed += errors.endswith(KNOWN_ERROR)
print(f"{crashed} under every name")

# Text on which the parsers of upstream's ops crash.
TEXT = b"""func.func @f(%x: tensor<4x8xi8>, %e: tensor<8x4xi8>) -> tensor<8x4xi8> {
  %t = linalg.transpose ins(%x : tensor<4x8xi8>) outs(%e : tensor<8x4xi8>) permutation = [1, 0]
  return %t : tensor<8x4xi8>
}
"""
assert "error" not in read(TEXT, "quant-float-check", name="text.mlir")
errors = read(TEXT.replace(b"[1, 0]", b"[1\x80 0]"), "quant-float-check", name="text.mlir")
assert errors.endswith(": error: is invalid: MLIR's reader crashes on it\n"), errors

# Upstream's drivers, which read parts of a file themselves, are protected, too. They report files
# that are merely invalid.
BAD = TEXT.replace(b"[1, 0]", b"[1\x80 0]")
for tool, *arguments in (
    ("quant-float-opt",),
    ("quant-float-translate", "--mlir-to-llvmir"),
):
    split = (*arguments, "--split-input-file")
    own = (*arguments, "--split-input-file=// ====")
    for content, *options in (
        (BAD, *arguments),
        (b"wrong\n// -----\n" + BAD, *split),
        (b"wrong\n// ====\n" + BAD, *own),
    ):
        for name in ("text.mlir", "-"):
            errors = read(content, tool, *options, name=name)
            assert errors.endswith(": error: is invalid: MLIR's reader crashes on it\n"), errors
    errors = read(b"wrong\n// -----\n" + TEXT, tool, *split, name="text.mlir")
    assert "custom op 'wrong' is unknown" in errors and "is damaged" not in errors, errors
assert not read(
    TEXT + b"// -----\n" + TEXT, "quant-float-opt", "--split-input-file", name="text.mlir"
)

step = 3 if full else 97
for at in range(0, len(bytecode), step):
    check(bytecode[:at])
    for flip in (0x01, 0x80) if full else (0x01,):
        check(damage(at, flip))
