# The outputs of each tool: through links, with their permissions, in pipes and devices, after
# failures. Unit/Support/OutputFileTest.cpp tests the class that writes them.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import os
import pathlib
import stat
import subprocess
import sys
import threading

tools_dir, work = map(pathlib.Path, sys.argv[1:])
os.environ["TMPDIR"] = str(work / "tmp")
(work / "tmp").mkdir()
IR = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="y" type="Result" version="opset1">
<input><port id="0" precision="FP32"><dim>2</dim></port></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>
"""
CAST = """func.func @cast(%x: tensor<4096xf32>) -> tensor<4096xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : tensor<4096xf32> to tensor<4096xf8E4M3FN>
  return %0 : tensor<4096xf8E4M3FN>
}
"""
(work / "good.xml").write_text(IR)
(work / "good.bin").write_bytes(b"")
(work / "bad.xml").write_text("<net")
(work / "good.mlir").write_text(CAST)
(work / "bad.mlir").write_text("func.func @bad(")

# For each tool: its command line, its models, the beginning of its output, and the second file that
# it writes.
TOOLS = {
    "opt": (["quant-float-opt"], ".mlir", b"module", ""),
    "translate": (["quant-float-translate", "--import-openvino"], ".xml", b"module", ""),
    "compile": (["quant-float-compile", "--emit=obj"], ".mlir", b"\x7fELF", ".h"),
    "link": (["quant-float-compile", "--emit=shared"], ".mlir", b"\x7fELF", ".h"),
}


def run(tool, model, *output, limit=""):
    command, suffix, _, _ = TOOLS[tool]
    command = [tools_dir / command[0], *command[1:], work / (model + suffix), *output]
    command = ["bash", "-c", limit + 'exec "$@"', "bash", *map(str, command)]
    return subprocess.run(command, capture_output=True, check=False)


def listing():
    return sorted(path.relative_to(work) for path in work.rglob("*"))


for tool, (_, _, start, beside) in TOOLS.items():
    folder = work / tool
    folder.mkdir()
    kept, link = folder / "kept.out", folder / "link.out"
    link.symlink_to("kept.out")
    for path in (kept, link):
        path.touch()
        path.with_suffix(beside or ".out").touch()
    before = listing()
    for output in (["-o", kept], [f"-o={kept}"], ["--o", link], [f"--o={link}"]):
        kept.write_text("kept")
        kept.chmod(0o640)
        failures = [
            run(tool, "bad", *output),
            run(tool, "good", *output, limit="ulimit -f 0; "),
        ]
        for failed in failures:
            assert failed.returncode, (tool, failed)
            assert kept.read_text() == "kept" and listing() == before, (
                tool,
                output,
                failed,
                listing(),
            )
        done = run(tool, "good", *output)
        assert done.returncode == 0, (tool, done)
        assert kept.read_bytes().startswith(start) and link.is_symlink(), (tool, output)
        assert stat.S_IMODE(kept.stat().st_mode) == 0o640, (tool, oct(kept.stat().st_mode))
        assert listing() == before, (tool, output, listing())

    new = folder / "new.out"
    failed = run(tool, "bad", "-o", new)
    assert failed.returncode and listing() == before, (tool, failed)

    # Streams, for which no second file is written.
    got = []
    os.mkfifo(folder / "pipe.out")
    reader = threading.Thread(target=lambda: got.append((folder / "pipe.out").read_bytes()))  # noqa: B023
    reader.start()
    assert run(tool, "good", "-o", folder / "pipe.out").returncode == 0, tool
    reader.join()
    assert got[0].startswith(start), (tool, got)
    (folder / "pipe.out").unlink()
    for output in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        done = run(tool, "good", "-o", output)
        assert done.stdout.startswith(start), (tool, output, done)
    # A closed pipe, and a full disk.
    closed = run(tool, "good", "-o", "/dev/stdout", limit="exec > >(:); sleep 0.1; ")
    assert closed.returncode > 0 and b"Broken pipe" in closed.stderr, (tool, closed)
    with (folder / "both.out").open("wb") as both:
        command = [
            f"{tools_dir}/{part}" if i == 0 else part for i, part in enumerate(TOOLS[tool][0])
        ]
        both.write(b"before")
        both.flush()
        subprocess.run(
            [*command, work / f"good{TOOLS[tool][1]}", "-o", "/dev/stdout"], stdout=both, check=True
        )
    assert (folder / "both.out").read_bytes().startswith(b"before" + start), tool
    (folder / "both.out").unlink()
    assert run(tool, "good", "-o", "/dev/null").returncode == 0, tool
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode) and not os.path.exists("/dev/null.h"), tool
    full = run(tool, "good", "-o", "/dev/full")
    assert full.returncode > 0 and b"No space left on device" in full.stderr, (tool, full)
    assert listing() == before, (tool, listing())

    nowhere = run(tool, "good", "-o", folder / "none" / "x.out")
    assert (
        nowhere.returncode > 0 and b"x.out" in nowhere.stderr or b"no directory" in nowhere.stderr
    ), nowhere

# Help and lists of passes on standard output, too.
for arguments in (
    ["quant-float-opt", "--list-passes"],
    ["quant-float-opt", "--help"],
    ["quant-float-translate", "--help"],
):
    kept = work / "opt" / "kept.out"
    kept.write_text("kept")
    subprocess.run(
        [tools_dir / arguments[0], *arguments[1:], "-o", kept],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    assert kept.read_text() == "kept" and listing() == before, listing()

# Standard output that cannot be written to.
for arguments in (
    ["quant-float-check", work / "good.mlir"],
    ["quant-float-check", "--json", work / "good.mlir"],
    ["quant-float-check", "--opset=all", work / "good.mlir"],
    ["quant-float-certify", "--list"],
    ["quant-float-certify", "--quiet", "--only=^cast_f4E2M1FN_to_f16$"],
    ["quant-float-run", "--random=1", work / "good.mlir"],
    ["quant-float-compile", "--emit=obj", "-o", "-", work / "good.mlir"],
    ["quant-float-opt", work / "good.mlir"],
    ["quant-float-translate", "--import-openvino", work / "good.xml"],
):
    with open("/dev/full", "w") as stream:
        command = [tools_dir / arguments[0], *arguments[1:]]
        done = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, check=False)
    assert done.returncode > 0 and b"No space left on device" in done.stderr, (arguments, done)
    assert done.stderr.count(b"\n") == 1, (arguments, done)

# All outputs of a run, or none.
TWO = CAST.replace(
    "-> tensor<4096xf8E4M3FN>", "-> (tensor<4096xf8E4M3FN>, tensor<4096xf32>)"
).replace(
    "return %0 : tensor<4096xf8E4M3FN>", "return %0, %x : tensor<4096xf8E4M3FN>, tensor<4096xf32>"
)
(work / "two.mlir").write_text(TWO)
results = work / "results"
command = [
    tools_dir / "quant-float-run",
    "--target=reference",
    "--random=1",
    "--outputs",
    results,
    work / "two.mlir",
]
subprocess.run(command, check=True, capture_output=True)
first, second = results / "output_0.npy", results / "output_1.npy"
assert first.read_bytes().startswith(b"\x93NUMPY") and second.stat().st_size == 4 * 4096 + 128
first.write_text("kept")
second.unlink()
(second / "taken").mkdir(parents=True)
failed = subprocess.run(command, check=False, capture_output=True, text=True)
assert (
    failed.returncode == 2
    and "output_1.npy: error: cannot be written: Is a directory" in failed.stderr
), failed
(second / "taken").rmdir()
second.rmdir()
second.write_text("kept")
limited = ["bash", "-c", 'ulimit -f 8; exec "$@"', "bash", *map(str, command)]
failed = subprocess.run(limited, check=False, capture_output=True, text=True)
assert (
    failed.returncode == 2
    and "output_1.npy: error: cannot be written: File too large" in failed.stderr
), failed
assert first.read_text() == second.read_text() == "kept" and len(list(results.iterdir())) == 2
print("ok")

# More outputs than a process may have open files.
count = 100
types = ", ".join(["tensor<4xf32>"] * count)
many = f"func.func @many(%x: tensor<4xf32>) -> ({types}) {{\n"
many += f"  return {', '.join(['%x'] * count)} : {types}\n}}\n"
(work / "many.mlir").write_text(many)
subprocess.run(
    [tools_dir / "quant-float-compile", work / "many.mlir", "-o", work / "many.so"], check=True
)
for tool, model in (("run", "many.mlir"), ("exec", "many.so")):
    command = [
        tools_dir / f"quant-float-{tool}",
        work / model,
        "--random",
        1,
        "--outputs",
        work / f"many-{tool}",
    ]
    limited = ["bash", "-c", 'ulimit -n 40; exec "$@"', "bash", *map(str, command)]
    result = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert not result.returncode, f"{tool}: {result.stderr}"
    assert len(list((work / f"many-{tool}").iterdir())) == count, tool
