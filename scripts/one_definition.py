#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds names that are defined twice, which the linker merges silently.

    scripts/one_definition.py              in the sources: two classes with the same name
    scripts/one_definition.py --objects D  in objects compiled at -O0: inline functions of two sizes

Two classes with the same name violate the one-definition rule: if their members are not inlined,
one class's code runs on the other's objects. At -O0 the code of an inline function depends on its
definition alone, so that copies of different sizes come from different definitions. With exceptions
it also depends on the callees that clang has compiled before, so such objects are skipped.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("include", "lib", "tools", "python_bindings")
NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{(.*)$")
CLASS = re.compile(r"(?:class|struct|union|enum class|enum) (?:\w+\([^)]*\) )?([\w:]+)\b")


def classes(path):
    """The lines and qualified names of classes outside of others, without unnamed namespaces."""
    lines = path.read_text(errors="replace").split("\n")
    namespaces = []
    for number, line in enumerate(lines, 1):
        if opened := NAMESPACE.match(line):
            if "}" not in opened[2]:
                namespaces.append(opened[1])
        # As clang-format writes them.
        elif re.match(r"\} *// (?:end )?(?:anonymous )?namespace", line) and namespaces:
            namespaces.pop()
        elif (found := CLASS.match(line)) and "" not in namespaces:
            head = "\n".join(lines[number - 1 : number + 8])
            if re.match(r"[^;{]*\{", head):
                yield number, "::".join([*namespaces, found[1]])


def find_in_sources(root):
    places = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((root / folder).glob("**/*")):
            if path.suffix in (".h", ".cpp", ".inc") and path.is_file():
                for line, name in classes(path):
                    places[name].append(f"{path.relative_to(root)}:{line}")
    return {name: found for name, found in places.items() if len(found) > 1}


def find_in_objects(folder, nm):
    """Weak symbols of this project, with an object for each size."""
    # Without the objects that tests have built.
    found = folder.glob("**/*.o")
    objects = sorted(path for path in found if "Output" not in path.relative_to(folder).parts)
    if not objects:
        sys.exit(f"no objects in {folder}")
    sizes = collections.defaultdict(dict)
    for path in objects:
        listed = subprocess.run(
            [nm, "--format=posix", path], capture_output=True, text=True, check=True
        ).stdout
        if "__gxx_personality_v0" in listed:
            continue
        for name, kind, _, size in re.findall(r"^(\S+) (\w) (\w+) (\w+)$", listed, re.M):
            if kind in "WV" and "quant_float" in name:
                sizes[name].setdefault(int(size, 16), os.path.relpath(path, folder))
    return {
        name: [f"{path}: {size} bytes" for size, path in found.items()]
        for name, found in sizes.items()
        if len(found) > 1
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--objects", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--nm", default=f"llvm-nm-{os.environ.get('QF_LLVM', '22')}")
    arguments = parser.parse_args()
    if arguments.objects:
        twice = find_in_objects(arguments.objects, arguments.nm)
    else:
        twice = find_in_sources(arguments.root)
    for name, places in sorted(twice.items()):
        print(f"{name} has several definitions: {', '.join(places)}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
