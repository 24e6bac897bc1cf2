"""Packs the vectors as a source distribution of Python, without anything but Python.

usage: make_vectors_sdist.py SOURCE_ROOT DATA FOLDER

Writes FOLDER/quant_float_vectors-VERSION.tar.gz, the same bytes each time.
"""

import gzip
import io
import pathlib
import sys
import tarfile
import tomllib


def main():
    source, data, folder = map(pathlib.Path, sys.argv[1:])
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
    files = {"PKG-INFO": f"{head}\n{readme}".encode()}
    for path in ("pyproject.toml", "README.md", "quant_float_vectors/__init__.py"):
        files[path] = (source / path).read_bytes()
    for path in sorted(data.iterdir()):
        files[f"quant_float_vectors/data/{path.name}"] = path.read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / f"{name}.tar.gz"
    with (
        output.open("wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for path, contents in sorted(files.items()):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(contents)
            archive.addfile(member, io.BytesIO(contents))
    print(output)


if __name__ == "__main__":
    main()
