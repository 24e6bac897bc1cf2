# quant-float-compile --dump-stages writes the module after each stage, with one folder for each of
# several CPUs, and reports files that it cannot write.
# RUN: rm -rf %t && mkdir -p %t/cpu %t/gpu %t/levels %t/full
# RUN: %python %s %tools_dir/quant-float-compile %S/../Pipelines/stages.mlir %t
import pathlib
import subprocess
import sys

compiler, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
TENSORS = ["normalize-import", "rewrite-quantization", "lower-nodes-to-linalg", "optimize-tensors"]
CPU = [*TENSORS, "bufferize", "generate-cpu-code", "emit-abi"]
GPU = [*TENSORS, "bufferize", "generate-gpu-code", "emit-abi"]


def run(*arguments):
    command = [compiler, model, "-o", folder / "out.so", *arguments]
    return subprocess.run(command, capture_output=True, check=False, text=True)


def name(stages, prefix=""):
    return [f"{prefix}{number}-{stage}.mlir" for number, stage in enumerate(stages, 1)]


def find(name):
    return sorted(str(path.relative_to(folder / name)) for path in (folder / name).rglob("*.mlir"))


result = run("--dump-stages", folder / "cpu")
assert (result.returncode, result.stderr) == (0, ""), result
assert find("cpu") == name(CPU), find("cpu")
for path in (folder / "cpu").iterdir():
    assert path.read_text().count("func @layer"), path

result = run("--dump-stages", folder / "gpu", "--target", "nvvm", "--chip", "sm_90")
assert (result.returncode, result.stderr) == (0, ""), result
assert find("gpu") == name(GPU), find("gpu")

result = run("--dump-stages", folder / "levels", "--cpu", "x86-64,x86-64-v3")
assert (result.returncode, result.stderr) == (0, ""), result
assert find("levels") == name(CPU, "x86-64-v3/") + name(CPU, "x86-64/"), find("levels")

result = run("--dump-stages", folder / "none")
assert result.returncode == 2, result
assert f"--dump-stages: there is no directory '{folder / 'none'}' to write to" in result.stderr, (
    result
)

(folder / "full/x86-64").touch()
result = run("--dump-stages", folder / "full", "--cpu", "x86-64,x86-64-v3")
assert result.returncode == 1 and "cannot create '" in result.stderr, result
(folder / "full/1-normalize-import.mlir").mkdir()
(folder / "full/1-normalize-import.mlir/file").touch()
(folder / "out.so").unlink()
result = run("--dump-stages", folder / "full")
assert result.returncode == 1 and "1-normalize-import.mlir': " in result.stderr, result
assert not (folder / "out.so").exists()
