"""Creates the environment of scripts/requirements-networks.txt, or of another such file, unless it
exists.

usage: python -m model_zoo.environment SOURCE_ROOT ENVIRONMENT [NAME]

NAME is that of the file, requirements-NAME.txt.

PyPI's torch for Linux is built for CUDA and requires its libraries, though nothing here runs on a
GPU. Stubs replace them, whose functions report that there is no driver.
"""

import fcntl
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig

#: The result of every stub: cudaErrorInsufficientDriver.
NO_DRIVER = 35
CUDA_LIBRARY, CUDA_SYMBOL = r"lib(cu|nv|nccl)", r"(__)?(cu|nccl|nv)"


def read_libraries(tool, option, files):
    command = [tool, option, *files]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def symbols(option, files):
    lines = [line.split() for line in read_libraries("nm", "-D" + option, files).splitlines()]
    return {words[-1].split("@")[0] for words in lines if words}


def stand_in_for_cuda(folder):
    files = [
        file for file in sorted(folder.glob("lib*.so")) if re.search("torch|c10|caffe2", file.name)
    ]
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", read_libraries("readelf", "-d", files)))
    undefined = symbols("u", files) - symbols("U", files)
    functions = sorted(name for name in undefined if re.match(CUDA_SYMBOL, name))
    source = folder / "no_cuda.s"
    source.write_text(
        "".join(f".globl {name}\n.type {name},@function\n{name}:\n" for name in functions)
        + f"mov ${NO_DRIVER}, %eax\nret\n"
    )

    def link(name, *inputs):
        options = [
            "-shared",
            "-nostdlib",
            "-Wl,--no-as-needed,-rpath,$ORIGIN",
            f"-Wl,-soname,{name}",
        ]
        compiler = f"clang-{os.environ.get('QF_LLVM', '22')}"
        subprocess.run([compiler, *options, "-o", folder / name, *inputs], check=True)

    # The functions are in a separate library, because libraries with versioned symbols must define
    # the versions.
    link("libno_cuda.so", source)
    for name in sorted(name for name in needed if re.match(CUDA_LIBRARY, name)):
        link(name, folder / "libno_cuda.so")


def make(source_root, environment, name="networks"):
    """The environment's Python."""
    environment.parent.mkdir(parents=True, exist_ok=True)
    # Several tests may need it at the same time.
    with environment.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _make(source_root, environment, name)


def _make(source_root, environment, name):
    requirements = source_root / "scripts" / f"requirements-{name}.txt"
    stamp, python = environment / ".requirements", environment / "bin" / "python"
    contents = requirements.read_bytes() + pathlib.Path(__file__).read_bytes()
    wanted = f"{sys.version} {hashlib.sha256(contents).hexdigest()}"
    if not stamp.exists() or stamp.read_text() != wanted or not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "-r", requirements], check=True)
        packages = sysconfig.get_path(
            "platlib", vars={"base": environment, "platbase": environment}
        )
        stand_in_for_cuda(pathlib.Path(packages) / "torch" / "lib")
        subprocess.run([python, "-c", "import torch"], check=True)
        stamp.write_text(wanted)
    return python


if __name__ == "__main__":
    make(*map(pathlib.Path, sys.argv[1:3]), *sys.argv[3:])
