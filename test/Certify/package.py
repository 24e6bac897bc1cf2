# The Python package of the vectors: the source distribution and the wheel have the project's
# version. The wheel requires NumPy alone, and the program of its README runs.
# RUN: rm -rf %t && mkdir %t && %tools_dir/quant-float-certify --vectors %t/data > %t/log
# RUN: %python %s %t %src_root
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv

work, source = map(pathlib.Path, sys.argv[1:3])
count = int((work / "log").read_text().split()[0])


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


version = re.search(r"project\(QuantFloat VERSION (\S+)", (source / "CMakeLists.txt").read_text())
name = f"quant_float_vectors-{version[1]}"
run(sys.executable, source / "scripts/make_vectors_package.py", source, work / "data", work)
sdist, wheel = work / f"{name}.tar.gz", work / f"{name}-py3-none-any.whl"
for file in (sdist, wheel):
    assert file.stat().st_size < 4 << 20, f"{file.name} has {file.stat().st_size} bytes"
with tarfile.open(sdist) as archive:
    archive.extractall(work / "sdist")
root = work / "sdist" / name
assert f"\nVersion: {version[1]}\n" in (root / "PKG-INFO").read_text()
program = "import quant_float_vectors as v; print(len(v.load()))"
assert run(sys.executable, "-c", program, cwd=root, env={}) == f"{count}\n"

# An environment with NumPy and the wheel only.
venv.create(work / "venv", with_pip=False)
python = work / "venv/bin/python"
pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python)
run(*pip, "install", "--no-index", "--no-deps", wheel)
paths = {"base": work / "venv", "platbase": work / "venv"}
packages = pathlib.Path(sysconfig.get_path("platlib", vars=paths))
for path in pathlib.Path(sysconfig.get_path("platlib")).glob("numpy*"):
    (packages / path.name).symlink_to(path)
assert f"quant-float-vectors=={version[1]}" in run(*pip, "list", "--format", "freeze")
run(*pip, "check")
readme = (source / "vectors/README.md").read_text()
[program] = re.findall(r"```python\n(.*?)```", readme, re.S)
printed = run(python, "-I", "-c", program, cwd=work)
assert re.fullmatch(r"dequantize_i8_by_f32_to_f32: \d+ rows, 0 differ\n", printed), printed
lines = [line for line in program.splitlines() if line]
assert len(lines) <= 10, lines
