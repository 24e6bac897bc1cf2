# Every relative link in the documentation leads to an existing file, and every anchor to a heading.
# The site's navigation contains every page, and tests run every page's examples.
# RUN: %python %s %src_root
import pathlib
import re
import sys

from documentation.markdown import find_anchors, find_blocks, find_links

source = pathlib.Path(sys.argv[1]).resolve()
patterns = (
    "*.md",
    "docs/**/*.md",
    "examples/**/*.md",
    "python_bindings/*.md",
    "benchmarks/**/*.md",
)
pages = [page for pattern in patterns for page in sorted(source.glob(pattern))]
navigation = (source / "mkdocs.yml").read_text()
tests = "".join(test.read_text() for test in (source / "test/Docs").glob("*.test"))

failures, count = [], 0
for page in pages:
    name = str(page.relative_to(source))
    if not re.search(rf" {re.escape(name)}$", navigation, re.M):
        failures.append(f"mkdocs.yml: the navigation has no {name}")
    if find_blocks(page.read_text()) and f"%src_root/{name}" not in tests:
        failures.append(f"{name}: test/Docs has no test of its examples")
    for line, target in find_links(page.read_text()):
        if re.match(r"\w+:", target):
            continue
        count += 1
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.is_file() or source not in file.parents:
            failures.append(f"{name}:{line}: no file {target}")
        elif anchor and anchor not in find_anchors(file.read_text()):
            failures.append(f"{name}:{line}: no heading {target}")
assert count > 10, count
sys.exit("\n".join(failures) if failures else 0)
