"""Collects the pages of the documentation in a folder, with the generated reference.

usage: generate.py [--full] SOURCE_ROOT BUILD_ROOT LLVM_BIN PAGES

The folders are those of the source tree, so that links between pages stay valid. Files that pages link
to become pages, too. --full tries whole pipelines on every type for the page of what is supported.
"""

import argparse
import pathlib
import re
import shutil

import certified
import elements
import reference
import support

GUIDES = ["*.md", "docs/*.md", "lib/README.md", "examples/*/README.md", "python_bindings/README.md"]
GUIDES += ["benchmarks/README.md", "benchmarks/results/*/*.md", "vectors/README.md"]
LANGUAGES = {".h": "c", ".cpp": "cpp", ".py": "python", ".td": "tablegen", ".txt": "text"}
LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s#]+)")


def separate_lists(text):
    """Inserts an empty line before each list, which Python-Markdown requires."""
    lines, inside = [], False
    for line in text.split("\n"):
        inside ^= line.lstrip().startswith("```")
        item = re.match(r"( *)(-|\d+\.) ", line)
        before = lines[-1] if lines else ""
        if item and not inside and before.strip():
            # Skip continuation lines of an item, which are indented further.
            indent = len(before) - len(before.lstrip())
            if not re.match(r" *(-|\d+\.) ", before) and indent <= len(item[1]):
                lines.append("")
        lines.append(line)
    return "\n".join(lines)


def free_pipes(text):
    """Removes the backslash before a pipe in code in tables, which Python-Markdown would show."""
    spans = re.compile(r"`[^`\n]+`")
    return re.sub(
        r"^\|.*$",
        lambda row: spans.sub(lambda span: span[0].replace("\\|", "|"), row[0]),
        text,
        flags=re.M,
    )


class Pages:
    def __init__(self, source, folder):
        self.source, self.folder = source, folder
        shutil.rmtree(folder, ignore_errors=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def add_guide(self, page):
        def link(match):
            target = (page.parent / match[1]).resolve()
            if target.suffix in (".md", ".svg"):
                return match[1]
            self.add_file(target)
            return f"{match[1]}.md"

        text = LINK.sub(link, page.read_text())
        self.write(page.relative_to(self.source), free_pipes(separate_lists(text)))

    def add_file(self, path):
        name = path.relative_to(self.source)
        text = path.read_text()
        ticks = "`" * max(3, *(len(run) + 1 for run in re.findall("`{3,}", text)), 3)
        language = LANGUAGES.get(path.suffix, "cpp" if path.suffix == ".def" else "text")
        head = f"---\nsearch:\n  exclude: true\n---\n\n# {name}\n\n"
        self.write(f"{name}.md", f"{head}{ticks}{language}\n{text}{ticks}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    for name in ("source", "build", "llvm", "pages"):
        parser.add_argument(name, type=pathlib.Path)
    arguments = parser.parse_args()
    source, build = arguments.source.resolve(), arguments.build.resolve()

    pages = Pages(source, arguments.pages)
    for pattern in GUIDES:
        for page in sorted(source.glob(pattern)):
            pages.add_guide(page)
    for file in (
        f for kind in ("svg", "css", "js") for f in sorted(source.glob(f"docs/**/*.{kind}"))
    ):
        pages.write(file.relative_to(source), file.read_text())
    records = reference.Reference(source, build, arguments.llvm)
    pages.write("reference/dialect.md", separate_lists(records.write_dialect()))
    pages.write("reference/passes.md", separate_lists(records.write_passes()))
    pages.write("reference/pipelines.md", records.write_pipelines())
    pages.write("reference/tools.md", records.write_tools())
    pages.write("reference/python.md", records.write_python())
    for name, text in records.write_headers():
        pages.write(f"reference/{name}", text)
    pages.write("reference/types.md", elements.write_page())
    matrix = support.write_page(build / "bin", arguments.full)
    pages.write("reference/support.md", matrix)
    results = source / "test/results"
    pages.write("reference/certified.md", certified.write_certificates(results))


if __name__ == "__main__":
    main()
