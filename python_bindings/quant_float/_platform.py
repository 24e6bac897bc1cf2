"""Why the extension cannot be imported."""

from __future__ import annotations

import pathlib
import platform
import re
import sys


def explain(error: ImportError) -> str:
    """Returns the message for an error of the loader."""
    text = str(error)
    folder = pathlib.Path(__file__).parent
    if newer := re.search(r"version [`'](GLIBC|GLIBCXX|CXXABI)_(\d[\d.]*)' not found", text):
        library, version = newer.groups()
        if library == "GLIBC":
            have = " ".join(platform.libc_ver()) or "another C library"
            return f"this build of quant_float requires glibc {version} or later, but this system has {have}"
        return f"this build of quant_float requires a C++ library with {library}_{version}: {text}"
    if missing := re.search(r"(lib(?:MLIR|LLVM)\S*): cannot open shared object file", text):
        return (
            f"this build of quant_float uses the shared libraries of LLVM, but {missing[1]} cannot "
            "be found; install LLVM's package, or a wheel that contains LLVM"
        )
    extensions = sorted(path.name for path in folder.glob("_native.*.so"))
    if re.match("cannot import name|No module named", text):
        version = f"{platform.python_implementation()} {platform.python_version()}"
        return (
            f"quant_float has no extension for {version} on {sys.platform} {platform.machine()} in "
            f"{folder}, but {', '.join(extensions) or 'none at all'}"
        )
    return text
