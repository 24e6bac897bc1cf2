# Every file that begins with #! is executable, and so is every script of the repository that a
# command in a .md file runs.
# RUN: %python %s %src_root
import os
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
# Build directories, and git's own files.
folders = [
    f for f in sorted(root.iterdir()) if f.is_dir() and f.name[0] != "." and f.name != "build"
]
files = [file for file in root.iterdir() if file.is_file()]
files += [file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()]


def find_commands(text):
    """The first words of the lines of code blocks, whether fenced or indented, as (line, word)."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*(```+|~~~+)", line)
        if found and (fence is None or line.strip() == fence):
            fence = found[1] if fence is None else None
            continue
        if fence is None and not line.startswith("    "):
            continue
        words = [word for word in line.split() if not re.fullmatch(r"\$|\w+=\S*", word)]
        if words:
            yield number, words[0]


known = {file.resolve() for file in files}
failures, commands = [], 0
for file in files:
    name = file.relative_to(root)
    with file.open("rb") as opened:
        begins_with = opened.read(2)
    if begins_with == b"#!" and not os.access(file, os.X_OK):
        failures.append(f"{name}:1: a file that begins with #! must be executable")
    if file.suffix != ".md":
        continue
    for line, word in find_commands(file.read_text()):
        if "/" not in word:
            continue
        # Relative to the page's folder, or to the repository.
        scripts = [path.resolve() for path in (file.parent / word, root / word) if path.is_file()]
        if not scripts or scripts[0] not in known:
            continue
        commands += 1
        if not os.access(scripts[0], os.X_OK):
            failures.append(f"{name}:{line}: {word} must be executable")
if commands < 20:
    failures.append(f"expected 20 commands or more in .md files, but got {commands}")
sys.exit("\n".join(failures) if failures else 0)
