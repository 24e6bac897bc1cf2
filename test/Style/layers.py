# The layers of the libraries. Includes between libraries form no cycle, every include is of a library that the CMake
# target links, a library never includes one that comes later in lib/CMakeLists.txt, and a component uses only itself and
# the components below it. Prints the graph.
# RUN: %python %s %src_root | FileCheck %s
import pathlib
import re
import sys
from dataclasses import dataclass, field

# From the lowest. The packages are those that a component may use in addition to LLVM and MLIR.
PACKAGES = {
    "core": set(),
    "interchange": {"QuantFloat::QuantFloatOnnxLibrary", "pugixml::pugixml"},
    "networks": {"QuantFloat::QuantFloatOnnxLibrary", "pugixml::pugixml", "OpenSSL::Crypto"},
}
COMPONENTS = list(PACKAGES)


@dataclass
class Folder:
    """A folder of lib/ with a CMakeLists.txt that defines libraries."""

    targets: list[str]
    component: str
    links: set[str] = field(default_factory=set)
    includes: set[str] = field(default_factory=set)


def read_folders(root: pathlib.Path) -> dict[str, Folder]:
    """The folders in the order of lib/CMakeLists.txt."""
    folders = {}

    def visit(folder: pathlib.Path, component: str) -> None:
        text = (folder / "CMakeLists.txt").read_text()
        targets = re.findall(
            r"add_(?:quant_float_)?library\((?!\$|\{)(QuantFloat\w+)(?! ALIAS)", text
        )
        if targets:
            found = Folder(targets, component)
            links = re.sub(r"#[^\n]*", "", text)
            found.links = set(
                re.findall(r"\b(QuantFloat\w+(?:::\w+)?|pugixml::\w+|OpenSSL::\w+)", links)
            ) - set(targets)
            folders[str(folder.relative_to(root / "lib"))] = found
        for line in text.splitlines():
            if match := re.match(r"# Component (\w+)", line):
                component = match[1]
            if match := re.match(r"add_subdirectory\((\w+)\)", line):
                visit(folder / match[1], component)

    visit(root / "lib", COMPONENTS[0])
    return folders


def find_folder(path: pathlib.PurePath, folders: dict[str, Folder]) -> str | None:
    for parent in path.parents:
        if str(parent) in folders:
            return str(parent)
    return None


def read_includes(root: pathlib.Path, folders: dict[str, Folder]) -> list[str]:
    failures = []
    headers = root / "include/quant-float"
    for top in (root / "lib", headers):
        for file in sorted(top.rglob("*")):
            if file.suffix not in (".cpp", ".h", ".c", ".def"):
                continue
            name = find_folder(file.relative_to(top), folders)
            if name is None:
                # InitAll.h and similar headers.
                continue
            for included in re.findall(r'^\s*#\s*include "([^"]+)"', file.read_text(), re.M):
                if included.startswith("quant-float/"):
                    other = find_folder(
                        pathlib.PurePath(included).relative_to("quant-float"), folders
                    )
                else:
                    path = (file.parent / included).resolve()
                    if not path.is_relative_to(root / "lib") or not path.exists():
                        continue
                    other = find_folder(path.relative_to(root / "lib"), folders)
                if other and other != name:
                    folders[name].includes.add(other)
                    if list(folders).index(other) > list(folders).index(name):
                        failures.append(
                            f"{file.relative_to(root)}: includes {included} of {other}, which is a layer above {name}"
                        )
    return failures


def main() -> None:
    root = pathlib.Path(sys.argv[1]).resolve()
    folders = read_folders(root)
    failures = read_includes(root, folders)
    owners = {target: name for name, folder in folders.items() for target in folder.targets}

    def reach(name: str, seen: set[str]) -> set[str]:
        for target in folders[name].links:
            other = owners.get(target)
            if other and other not in seen:
                seen.add(other)
                reach(other, seen)
        return seen

    for name, folder in folders.items():
        linked = reach(name, set())
        if name in linked:
            failures.append(f"lib/{name}/CMakeLists.txt: links itself")
        for other in sorted(folder.includes - linked):
            # The runtime reads tables and C headers of other folders, and the compiler those of the
            # runtime.
            if not name.startswith("Runtime/") and other != "Runtime/Entry":
                failures.append(f"lib/{name}: includes headers of {other}, which it does not link")
        allowed = COMPONENTS[: COMPONENTS.index(folder.component) + 1]
        for other in sorted(linked | folder.includes):
            if folders[other].component not in allowed:
                failures.append(
                    f"lib/{name} ({folder.component}): uses {other} ({folders[other].component})"
                )
        for package in sorted(link for link in folder.links if "::" in link):
            if package not in PACKAGES[folder.component]:
                failures.append(f"lib/{name} ({folder.component}): links {package}")
    for component in COMPONENTS:
        print(f"{component}:")
        for name, folder in folders.items():
            if folder.component == component:
                print(f"  {name}: {', '.join(sorted(folder.includes)) or '-'}")
    if failures:
        print(*failures, sep="\n", file=sys.stderr)
        sys.exit(1)


main()
# CHECK:      core:
# CHECK-NEXT: Support: -
# CHECK:      interchange:
# CHECK:      networks:
