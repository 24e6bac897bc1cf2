# Makes the environment build/iree of scripts/requirements-iree.txt, if it is not there.
import hashlib
import pathlib
import subprocess
import sys

source_root, environment = map(pathlib.Path, sys.argv[1:])
requirements = source_root / "scripts" / "requirements-iree.txt"
stamp = environment / ".requirements"
wanted = f"{sys.version} {hashlib.sha256(requirements.read_bytes()).hexdigest()}"
python = environment / "bin" / "python"
if not stamp.exists() or stamp.read_text() != wanted or not python.exists():
    subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", requirements], check=True)
    stamp.write_text(wanted)
