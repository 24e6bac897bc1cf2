"""Installs and tests the self-contained wheels in minimal containers: no LLVM, no compiler, and the
Python of each suite, 3.11 of bookworm, 3.13 of trixie and 3.14 of sid. Requires root and
debootstrap.

usage: containers.py SOURCE_ROOT WHEELS FOLDER
"""

import pathlib
import shutil
import subprocess
import sys

source, wheels, folder = map(pathlib.Path, sys.argv[1:])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir()
shutil.copytree(wheels, folder / "wheels")
shutil.copytree(source / "examples" / "digits", folder / "digits")
shutil.copy(source / "test" / "Python" / "Inputs" / "smoke.py", folder)
(folder / "commands.sh").write_text("""
set -e
apt-get update -q >/dev/null
apt-get install -y -q --no-install-recommends python3 python3-venv >/dev/null
for program in cc gcc clang ld ld.lld; do ! command -v $program || exit 1; done
python3 -m venv /venv
pip() { /venv/bin/python -m pip "$@" -q --disable-pip-version-check; }
pip download --no-deps --no-index --find-links wheels -d /wheel quant-float
pip install /wheel/*.whl
/venv/bin/python --version
/venv/bin/python -I smoke.py --self-contained digits
""")


def run(suite):
    command = [source / "test/helpers/in_container.sh", suite, folder, "sh commands.sh"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(suite, done.stdout, flush=True)
    assert done.returncode == 0, done.stderr


for name in ("bookworm", "trixie", "sid"):
    run(name)
