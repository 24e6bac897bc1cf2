# What a failed translation leaves of its output: all of it, through a link, too. A successful one replaces it.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

tools_dir, work = map(pathlib.Path, sys.argv[1:])
MODEL = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="y" type="Result" version="opset1">
<input><port id="0" precision="FP32"><dim>2</dim></port></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>
"""
good, bad = work / "good.xml", work / "bad.xml"
good.write_text(MODEL)
good.with_suffix(".bin").write_bytes(b"")
bad.write_text("<net")
kept, link = work / "kept.mlir", work / "link.mlir"
link.symlink_to(kept)


def translate(model, *output):
    command = [tools_dir / "quant-float-translate", "--import-openvino", model, *output]
    return subprocess.run(command, capture_output=True, text=True)


for output in (["-o", kept], [f"-o={kept}"], ["--o", link], [f"--o={link}"]):
    kept.write_text("kept")
    failed = translate(bad, *output)
    assert failed.returncode == 1 and "bad.xml" in failed.stderr, failed
    assert kept.read_text() == "kept" and link.is_symlink(), output
    assert translate(good, *output).returncode == 0
    assert kept.read_text().startswith("module") and link.is_symlink(), output

new = work / "new.mlir"
assert translate(bad, "-o", new).returncode == 1 and not new.exists()
assert translate(good, "-o", new).returncode == 0 and new.exists()
assert translate(good, "-o", "/dev/null").returncode == 0
assert translate(good).stdout.startswith("module")
full = translate(good, "-o", work / "none" / "x.mlir")
assert full.returncode == 1 and "cannot open output file" in full.stderr, full
assert not list(work.glob("*.tmp")), list(work.iterdir())
print("ok")
