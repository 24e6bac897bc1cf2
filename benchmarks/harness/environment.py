# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the build is, and the Python environment that has the peers."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("QUANT_FLOAT_BUILD", ROOT / "build"))


def use_build_environment() -> None:
    """Continues under a virtual environment that has the peers: all of them, or those of the tests. To be called before anything is
    imported that only they have."""
    inside = Path(sys.prefix).resolve() != Path(sys.base_prefix).resolve()
    for folder in ("benchmarks/venv", "venv"):
        python = BUILD / folder / "bin" / "python"
        if not inside and python.exists():
            os.execv(python, [str(python), *sys.argv])
