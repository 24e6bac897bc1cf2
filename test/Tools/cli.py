# The command line of every tool: --help and --version, exit code 0 for success, 1 for an invalid
# input, 2 for wrong usage or an unreadable file. An invalid input does not change an existing
# output.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import os
import pathlib
import subprocess
import sys

tools_dir, work = map(pathlib.Path, sys.argv[1:])
failures = []

GOOD = """
func.func @narrow(%x: tensor<4xf32>) -> tensor<4xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : tensor<4xf32> to tensor<4xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}
"""
# V2: float8 came with opset 19.
INVALID = GOOD.replace("opset 19", "opset 13")


def expect(code, tool, *arguments, stdin="", stderr=None, stdout=None):
    """Runs a tool and records deviations from the expectations."""
    command = [str(tools_dir / tool), *map(str, arguments)]
    run = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    what = " ".join([tool, *command[1:]])
    if run.returncode != code:
        said = run.stderr[-500:]
        failures.append(f"{what}: expected exit code {code}, but got {run.returncode}: {said}")
    if code != 0 and not run.stderr.strip():
        failures.append(f"{what}: expected a message on stderr")
    for text, stream, name in ((stderr, run.stderr, "stderr"), (stdout, run.stdout, "stdout")):
        if text is not None and text not in stream:
            failures.append(f"{what}: expected '{text}' on {name}, but got: {stream[-500:]}")
    return run


def write(name, content):
    path = work / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


good = write("good.mlir", GOOD)
invalid = write("invalid.mlir", INVALID)
no_mlir = write("no.mlir", "func.func @f( {")
no_onnx = write("no.onnx", b"\x0a\xff\xff\xff\xff\x0fgarbage")
empty = write("empty.onnx", b"")
unknown_suffix = write("model.txt", "")
missing = work / "missing.onnx"
folder = work / "folder.onnx"
folder.mkdir()
# Both devices are endless.
devices = [work / "zero.onnx", work / "zero.xml", work / "pipe.xml"]
for device in devices[:2]:
    device.symlink_to("/dev/zero")
os.mkfifo(devices[2])

ALL = ["opt", "translate", "compile", "run", "check"]
OURS = ["compile", "run", "check"]
for tool in (f"quant-float-{name}" for name in ALL):
    expect(0, tool, "--help", stdout="USAGE")
    expect(0, tool, "--version", stdout="LLVM")

for tool in (f"quant-float-{name}" for name in OURS):
    output = ["-o", work / "out.mlir"] if tool == "quant-float-compile" else []
    expect(2, tool)
    expect(2, tool, good, "--no-such-option", *output)
    expect(2, tool, missing, *output, stderr="missing.onnx")
    expect(2, tool, folder, *output, stderr="folder.onnx")
    for device in devices:
        expect(2, tool, device, *output, stderr=f"{device.name}: error: is not a regular file")
    expect(2, tool, unknown_suffix, *output, stderr="model.txt")
    expect(1, tool, no_onnx, *output, stderr="no.onnx")
    expect(1, tool, empty, *output, stderr="empty.onnx")
    expect(1, tool, no_mlir, *output, stderr="no.mlir:1:")
    expect(1, tool, invalid, *output, stderr="invalid.mlir:3:")
    expect(1, tool, "-", *output, stdin=INVALID, stderr="error: ")

expect(0, "quant-float-check", good)
expect(0, "quant-float-check", good, "--opset", "all")
expect(0, "quant-float-check", "-", stdin=GOOD)
expect(1, "quant-float-check", good, "--opset", "13")
expect(2, "quant-float-check", good, "--opset", "latest")
expect(2, "quant-float-check", good, "--opset", "29")

expect(0, "quant-float-run", good, "--random", "1", "--outputs", work)
if not (work / "output_0.npy").exists():
    failures.append("quant-float-run: expected --outputs to write output_0.npy")
expect(2, "quant-float-run", good, "--random", "none")
expect(2, "quant-float-run", good, "--random", "1", "--threads", "-1")
threads = ("--threads", "4097")
message = "--threads: expected 0 to 4096, but got 4097"
expect(2, "quant-float-compile", good, "-o", work / "x.o", *threads, stderr=message)
expect(2, "quant-float-run", good, "--inputs", work / "missing.npy")

# The suffix determines the kind of output.
for suffix in ("mlir", "ll", "s", "o", "so"):
    output = work / f"form.{suffix}"
    expect(0, "quant-float-compile", good, "-o", output)
    if not output.exists() or not output.stat().st_size:
        failures.append(f"quant-float-compile: expected it to write {output.name}")
for suffix in ("o", "so"):
    expect(0, "quant-float-compile", good, "-o", work / f"beside_{suffix}.{suffix}")
    header = work / f"beside_{suffix}.h"
    if not header.exists() or "narrow(" not in header.read_text():
        failures.append(f"quant-float-compile: expected a header that declares narrow: {header}")

expect(2, "quant-float-compile", good, "-o", work / "out.mlir", "--emit", "none")
expect(2, "quant-float-compile", good, "-o", work / "out.unknown")
expect(1, "quant-float-compile", good, "-o", work / "out.o", "--cpu", "no-such-cpu")
expect(2, "quant-float-compile", good, "-o", work / "no" / "such" / "folder" / "out.o")

# An input that cannot be compiled does not change the output of an earlier run, and leaves no other
# files.
kept = write("kept.o", "kept")
expect(1, "quant-float-compile", invalid, "-o", kept)
if kept.read_text() != "kept":
    failures.append("quant-float-compile: expected a failed run to leave its output alone")
left = sorted(name for name in os.listdir(work) if name.startswith("kept"))
if left != ["kept.o"]:
    failures.append(f"quant-float-compile: expected no file besides kept.o, but got {left}")

sys.exit("\n".join(failures) if failures else 0)
