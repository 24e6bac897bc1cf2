# CPack's packages: their control fields are right for a Debian system, their files are in Debian's
# folders, and the unpacked tools run.
# REQUIRES: full
# RUN: rm -rf %t && mkdir %t
# RUN: cd %t && cpack --config %obj_root/CPackConfig.cmake -B %t/packages > %t/log
# RUN: %python %s %t %src_root %obj_root
import gzip
import hashlib
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tarfile

folder, source, build = map(pathlib.Path, sys.argv[1:4])
# The version of LLVM that the build uses, and the suite that contains it. The experimental suite is
# not complete.
LLVM = re.search(r"^LLVM_DIR:PATH=.*/llvm-(\d+)/", (build / "CMakeCache.txt").read_text(), re.M)[1]
SUITE = {"22": "bookworm", "23": "sid"}.get(LLVM)
VERSION = re.search(r"project\(QuantFloat VERSION (\S+)", (source / "CMakeLists.txt").read_text())[
    1
]
SECTIONS = {
    "quant-float": "devel",
    "libquant-float-dev": "libdevel",
    "quant-float-vectors": "misc",
}


def run(*command, **options):
    answer = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )
    assert answer.returncode == 0, f"{command}: exit {answer.returncode}\n{answer.stderr}"
    return answer.stdout


def get_dependencies(field):
    return {part.split()[0] for part in field.split(",")} if field else set()


def is_known(package):
    """Whether the package is installed here, as scripts/packages.txt lists it."""
    answer = subprocess.run(["dpkg-query", "-W", package], capture_output=True, check=False)
    return answer.returncode == 0 or package in SECTIONS


def check_control(package, file):
    """The fields that lintian checks."""
    names = "Package Version Architecture Maintainer Section Priority Description Installed-Size"
    fields = {name: run("dpkg-deb", "-f", file, name).rstrip("\n") for name in names.split()}
    assert fields["Package"] == package and fields["Version"] == VERSION, fields
    machine = run("dpkg", "--print-architecture").strip()
    wanted = "all" if package == "quant-float-vectors" else machine
    assert fields["Architecture"] == wanted, fields
    assert re.fullmatch(r"[^<>]+ <[^@\s]+@[^@\s]+>", fields["Maintainer"]), fields
    assert fields["Section"] == SECTIONS[package], fields
    synopsis, *text = fields["Description"].splitlines()
    assert 10 < len(synopsis) <= 80 and not re.match("an? |the ", synopsis, re.I), synopsis
    assert not synopsis.endswith("."), synopsis
    assert text and all(re.match(r" \S", line) and len(line) <= 80 for line in text), text
    dependencies = get_dependencies(run("dpkg-deb", "-f", file, "Depends").strip())
    unknown = [name for name in dependencies if not is_known(name)]
    assert not unknown, f"{package} depends on {unknown}"
    recommended = get_dependencies(run("dpkg-deb", "-f", file, "Recommends").strip())
    assert all(map(is_known, recommended)), recommended
    return dependencies


def check_files(package, file):
    """Names, owners and modes. Returns the regular files' names."""
    archive = folder / f"{package}.tar"
    with archive.open("wb") as out:
        subprocess.run(["dpkg-deb", "--fsys-tarfile", file], stdout=out, check=True)
    names = set()
    with tarfile.open(archive) as members:
        for member in members:
            name = member.name.removeprefix("./")
            assert (member.uname, member.gname) == ("root", "root"), name
            assert name in ("", ".", "usr") or name.startswith("usr/"), name
            assert "/local" not in name, name
            if member.issym():
                assert "/" not in member.linkname, f"{name} -> {member.linkname}"
            elif member.isdir():
                assert member.mode == 0o755, name
            else:
                is_program = name.startswith("usr/bin/")
                assert stat.S_IMODE(member.mode) == (0o755 if is_program else 0o644), name
                names.add(name)
    for name in ("copyright", "changelog.gz"):
        assert f"usr/share/doc/{package}/{name}" in names, names
    return names


debs = {package: list((folder / "packages").glob(f"{package}_*.deb")) for package in SECTIONS}
assert all(len(found) == 1 for found in debs.values()), debs
contents, root = {}, folder / "root"
for package, [file] in debs.items():
    dependencies = check_control(package, file)
    contents[package] = check_files(package, file)
    if package == "quant-float":
        assert {"libc6", f"libmlir-{LLVM}", f"libllvm{LLVM}"} <= dependencies, dependencies
        assert not [name for name in dependencies if name.endswith("-dev")], dependencies
    elif package == "quant-float-vectors":
        folder_name = "usr/share/quant-float-vectors/quant_float_vectors"
        assert f"{folder_name}/data/vectors.json" in contents[package], contents[package]
        assert f"{folder_name}/__init__.py" in contents[package], contents[package]
        assert not dependencies, dependencies
    else:
        assert "quant-float" in dependencies and f"libmlir-{LLVM}-dev" in dependencies, dependencies
    run("dpkg-deb", "-x", file, root)
    control = folder / f"{package}.control"
    run("dpkg-deb", "-e", file, control)
    sums = dict(line.split()[::-1] for line in (control / "md5sums").read_text().splitlines())
    assert sums.keys() == contents[package], sums.keys() ^ contents[package]
    for name, digest in sums.items():
        assert hashlib.md5((root / name).read_bytes()).hexdigest() == digest, name
shared = contents["quant-float"] & contents["libquant-float-dev"]
assert not shared, shared
runtime = contents["quant-float"]
assert not [name for name in runtime if name.endswith((".h", ".cmake", ".td"))], runtime
assert "usr/lib/cmake/QuantFloat/QuantFloatConfig.cmake" in contents["libquant-float-dev"]

# Programs are stripped, and their RUNPATH contains Debian's library folders only.
for name in sorted(runtime):
    if not (root / name).read_bytes().startswith(b"\x7fELF"):
        continue
    sections = run("readelf", "-SW", root / name)
    assert ".symtab" not in sections and ".debug_info" not in sections, f"{name} is not stripped"
    paths = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", run("readelf", "-dW", root / name))
    assert set(paths) <= {f"/usr/lib/llvm-{LLVM}/lib"}, f"{name}: {paths}"

# The unpacked tools work.
model = "func.func @f(%x: tensor<?xf32>) -> tensor<?xf8E5M2> {\n"
model += "  %0 = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf8E5M2>\n"
model += "  return %0 : tensor<?xf8E5M2>\n}\n"
for tool in sorted(name for name in runtime if name.startswith("usr/bin/")):
    run(root / tool, "--help")
    name = pathlib.Path(tool).name
    assert f"usr/share/man/man1/{name}.1.gz" in runtime, runtime
    # Debian's folders for shell completions.
    assert f"usr/share/bash-completion/completions/{name}" in runtime, runtime
    assert f"usr/share/zsh/vendor-completions/_{name}" in runtime, runtime
lowered = run(root / "usr/bin/quant-float-compile", "-", "-o", folder / "f.ll", input=model)
assert "define" in (folder / "f.ll").read_text(), lowered

# The archive contains everything, below one folder.
[archive] = (folder / "packages").glob("*.tar.gz")
with gzip.open(archive) as stream, tarfile.open(fileobj=stream) as members:
    names = {member.name for member in members if not member.isdir()}
[top] = {name.split("/")[0] for name in names}
assert VERSION in top, top
for name in runtime | contents["libquant-float-dev"] | contents["quant-float-vectors"]:
    name = name.removeprefix("usr/").replace("vendor-completions", "site-functions")
    assert f"{top}/{name}" in names, name

# A minimal system installs the packages with their dependencies.
container = source / "test/helpers/in_container.sh"
files = " ".join(f"./packages/{file.name}" for [file] in debs.values())
(folder / "f.mlir").write_text(model)
commands = f"apt-get update -q >/dev/null && apt-get install -y -q {files} >/dev/null && quant-float-compile f.mlir -o f.so"
if SUITE and shutil.which("debootstrap"):
    run(container, SUITE, folder, commands)
    assert (folder / "f.so").read_bytes().startswith(b"\x7fELF")
