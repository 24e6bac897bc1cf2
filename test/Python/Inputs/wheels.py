"""Prints the names of the self-contained wheels, after checking their sizes, libraries and
symbols."""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

for wheel in sorted(pathlib.Path(sys.argv[1]).glob("*.whl")):
    assert wheel.stat().st_size <= 90e6, wheel.stat()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        names = archive.namelist()
        [extension] = pathlib.Path(folder, "quant_float").glob("_native.*.so")
        assert extension.name.endswith(
            "-linux-gnu.so" if "-cp311-cp311-" in wheel.name else ".abi3.so"
        )

        def read(*options, extension=extension):
            command = ["readelf", "-W", *options, extension]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout

        assert not re.search(r"NEEDED.*lib(LLVM|MLIR|lld)", read("-d")), read("-d")
        symbols = [line.split() for line in read("--dyn-syms").splitlines()[3:]]
        exported = {s[7] for s in symbols if s[4] in ("GLOBAL", "WEAK") and s[6] != "UND"}
        assert exported == {"PyInit__native"}, sorted(exported)[:20]
    for name in (
        "libomp.so.5",
        "libQuantFloatCudaRuntime.a",
        "libQuantFloatCorePluginImpl.so",
        "mlir.py",
    ):
        assert f"quant_float/{name}" in names, names
    assert any(name.endswith("/licenses/LICENSE") for name in names), names
    print(wheel.name)
