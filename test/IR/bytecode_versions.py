# Bytecode of every earlier version of the dialect can be read, and that of a newer version is
# rejected.
# RUN: %python %s %S/Inputs/bytecode %src_root/include/quant-float/IR %tools_dir/quant-float-opt %llvm_bin/mlir-opt %t
#
# Inputs/bytecode contains a model with every op in the current syntax and, in hexadecimal, the
# bytecode of each version. added.mlir has the ops that older versions lack. Files of past versions
# must not change. After a change of the version,
#   build/venv/bin/python test/IR/bytecode_versions.py test/IR/Inputs/bytecode \
#     include/quant-float/IR build/bin/quant-float-opt --record
# writes the file of the new version.
import pathlib
import re
import subprocess
import sys

folder, definitions, opt = map(pathlib.Path, sys.argv[1:4])
text = (folder / "model.mlir").read_text()
added = (folder / "added.mlir").read_text()
# The version section of a dialect, in the list of dialects at the beginning: its identifier, its
# size in bytes, the two numbers.
FRONT = 48
SECTION = re.compile(rb"\x07\x05([\x01-\xff])([\x01-\xff])", re.S)


def run(*command, stdin=b""):
    return subprocess.run(list(map(str, command)), input=stdin, capture_output=True, check=False)


def read(bytecode):
    """quant-float-opt's output for it: (text, errors)."""
    answer = run(opt, "-", stdin=bytecode)
    assert answer.returncode in (0, 1), f"exit {answer.returncode}: {answer.stderr.decode()}"
    return answer.stdout.decode(), answer.stderr.decode()


def get_version(bytecode):
    sections = SECTION.findall(bytecode[:FRONT])
    assert len(sections) == 1, f"expected one section of versions, but got {sections}"
    # Numbers below 128 are one byte, with a 1 as the lowest bit.
    return ".".join(str(number[0] >> 1) for number in sections[0])


def with_version(bytecode, section):
    front = SECTION.sub(lambda _: section, bytecode[:FRONT])
    return front + bytecode[FRONT:]


written = run(opt, "--strip-debuginfo", "--emit-bytecode", "-", stdin=text.encode()).stdout
current = get_version(written)
if "--record" in sys.argv:
    lines = re.findall(".{1,96}", written.hex())
    (folder / f"{current}.hex").write_text("\n".join(lines) + "\n")
    sys.exit()

normal = read(text.encode())[0]
files = sorted(folder.glob("*.hex"))
assert current in [file.stem for file in files], f"no file is of version {current}"
for file in files:
    bytecode = bytes.fromhex(file.read_text())
    assert get_version(bytecode) == file.stem, file
    shown, errors = read(bytecode)
    assert (shown, errors) == (normal, ""), f"{file}:\n{shown}{errors}"

# The model contains every op, and prints as it was written.
names = {
    name
    for file in definitions.glob("*.td")
    for name in re.findall(r'_(?:Quantization)?Op<"(\w+)"', file.read_text())
}
assert len(names) > 8, names
missing = [name for name in names if f"quant_float.{name} " not in text + added]
assert not missing, missing
assert normal.split() == text.split(), normal
shown, errors = read(run(opt, "--emit-bytecode", "-", stdin=added.encode()).stdout)
assert (shown.split(), errors) == (added.split(), ""), shown + errors

# Older than all: no upgrade applies.
assert read(with_version(written, b"\x07\x05\x01\x01")) == (normal, "")
newer = {
    b"\x07\x05\x01\x0b": "0.5",
    b"\x07\x05\x03\x01": "1.0",
    b"\x07\x05\xff\xff": "127.127",
}
for section, version in newer.items():
    shown, errors = read(with_version(written, section))
    words = (
        f"quant_float of version {version} is newer than {current}, the newest supported version"
    )
    assert not shown and words in errors, errors
# Truncated, or longer than the numbers.
for section in b"\x07\x03\x01", b"\x07\x07\x01\x03\x03", b"\x07\x01":
    shown, errors = read(with_version(written, section))
    assert not shown and "error: " in errors, section

# In 0.1, a separate node expressed OpenVINO's Convert where it differs from ONNX's casts.
node = """func.func @convert(%x: tensor<4xf32>) -> tensor<4xi8> {
  %0 = quant_float.node "OpenVinoConvert"(%x) opset 1 domain "quant_float" attributes {to = 3 : i64}
    : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
"""
kept = run(opt, "--emit-bytecode", "-", stdin=node.encode()).stdout
shown, errors = read(kept)
assert not errors and "quant_float.node" in shown, shown + errors
shown, errors = read(with_version(kept, b"\x07\x05\x01\x03"))
words = " ".join(shown.split())
assert not errors and "quant_float.cast %arg0 mode openvino" in words, shown + errors

# Written before versions existed, as by a tool that does not know the dialect.
generic = """"func.func"() <{function_type = (f32) -> (), sym_name = "old"}> ({
^bb0(%x: f32):
  %0 = "quant_float.cast"(%x) {opset = 19 : i64} : (f32) -> f8E4M3FN
  "func.return"() : () -> ()
}) : () -> ()
"""
stock = [sys.argv[4], "--allow-unregistered-dialect", "--emit-bytecode", "-"]
unversioned = run(*stock, stdin=generic.encode()).stdout
assert not SECTION.search(unversioned[:FRONT])
shown, errors = read(unversioned)
assert not errors and "quant_float.cast %arg0 opset 19 : f32 to f8E4M3FN" in shown, shown + errors
