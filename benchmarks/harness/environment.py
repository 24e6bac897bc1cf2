# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The build folder, and the Python environment with the peers."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("QUANT_FLOAT_BUILD", ROOT / "build"))


def use_build_environment() -> None:
    """Restarts in a virtual environment that contains the peers: all of them, or those of the
    tests. Must be called before modules are imported that only exist there."""
    inside = Path(sys.prefix).resolve() != Path(sys.base_prefix).resolve()
    for folder in ("benchmarks/venv", "venv"):
        python = BUILD / folder / "bin" / "python"
        if not inside and python.exists():
            os.execv(python, [str(python), *sys.argv])
