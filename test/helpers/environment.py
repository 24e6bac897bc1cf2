"""Creates a Python environment for another compiler, unless it exists.

usage: python -m environment SOURCE_ROOT ENVIRONMENT

scripts/requirements-NAME.txt lists the packages, where NAME is the name of ENVIRONMENT.
"""

import fcntl
import hashlib
import pathlib
import subprocess
import sys


def main():
    source_root, environment = map(pathlib.Path, sys.argv[1:])
    requirements = source_root / "scripts" / f"requirements-{environment.name}.txt"
    stamp = environment / ".requirements"
    wanted = f"{sys.version} {hashlib.sha256(requirements.read_bytes()).hexdigest()}"
    python = environment / "bin" / "python"
    # Several tests may need it at the same time.
    with environment.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text() == wanted and python.exists():
            return
        subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", requirements], check=True)
        stamp.write_text(wanted)


if __name__ == "__main__":
    main()
