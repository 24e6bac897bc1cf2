"""Packs the vectors as a source distribution and a wheel of Python, without anything but Python.

usage: make_vectors_package.py SOURCE_ROOT DATA FOLDER

Writes FOLDER/quant_float_vectors-VERSION.tar.gz and FOLDER/quant_float_vectors-VERSION-py3-none-any.whl, the same bytes
each time.
"""

import base64
import gzip
import hashlib
import io
import pathlib
import sys
import tarfile
import tomllib
import zipfile


def write_sdist(output, root, files):
    with (
        output.open("wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for path, contents in sorted(files.items()):
            member = tarfile.TarInfo(f"{root}/{path}")
            member.size = len(contents)
            archive.addfile(member, io.BytesIO(contents))


def write_wheel(output, files):
    [record] = [path for path in files if path.endswith("/RECORD")]
    lines = []
    for path, contents in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).decode().rstrip("=")
        lines.append(f"{path},," if path == record else f"{path},sha256={digest},{len(contents)}")
    files[record] = ("\n".join(lines) + "\n").encode()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, contents in sorted(files.items()):
            entry = zipfile.ZipInfo(path)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, contents)


def main():
    source, data, folder = map(pathlib.Path, sys.argv[1:])
    license = (source / "LICENSE").read_bytes()
    source = source / "vectors"
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    name = f"quant_float_vectors-{project['version']}"
    readme = (source / "README.md").read_text()
    fields = {
        "Metadata-Version": "2.1",
        "Name": project["name"],
        "Version": project["version"],
        "Summary": project["description"],
        "License": project["license"]["text"],
        "Requires-Python": project["requires-python"],
        "Requires-Dist": project["dependencies"][0],
        "Description-Content-Type": "text/markdown",
    }
    head = "".join(f"{key}: {value}\n" for key, value in fields.items())
    metadata = f"{head}\n{readme}".encode()
    package = {"quant_float_vectors/__init__.py": source / "quant_float_vectors/__init__.py"}
    package |= {f"quant_float_vectors/data/{path.name}": path for path in data.iterdir()}
    package = {path: file.read_bytes() for path, file in package.items()}
    folder.mkdir(parents=True, exist_ok=True)
    files = {"PKG-INFO": metadata, "LICENSE": license}
    for path in ("pyproject.toml", "README.md"):
        files[path] = (source / path).read_bytes()
    sdist = folder / f"{name}.tar.gz"
    write_sdist(sdist, name, files | package)
    tags = "Wheel-Version: 1.0\nGenerator: quant-float\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {
        "METADATA": metadata,
        "licenses/LICENSE": license,
        "WHEEL": tags.encode(),
        "RECORD": b"",
    }
    wheel = folder / f"{name}-py3-none-any.whl"
    files = {f"{name}.dist-info/{path}": contents for path, contents in files.items()}
    write_wheel(wheel, files | package)
    print(sdist)
    print(wheel)


if __name__ == "__main__":
    main()
