"""Hooks that mkdocs calls while it builds the site."""

import pathlib
import re

import mlir_lexer
from pygments.lexers import LEXERS

LEXERS["MLIRLexer"] = (mlir_lexer.__name__, "MLIR", ("mlir",), ("*.mlir",), ())

DARK = re.compile(r"@media\(prefers-color-scheme:dark\)\{(\.qf\{[^}]*\})\}")
PICTURE = re.compile(
    r'<img\b[^>]*\bsrc="[^"]*?((?:pictures|charts)/(?:[\w-]+/)?[\w-]+\.svg)"[^>]*>'
)


def on_page_content(html, config, **_):
    def insert(match):
        """Inlines the picture, so that its text can be searched, and its colors are those of the
        page instead of the system."""
        picture = pathlib.Path(config.docs_dir, "docs", match[1]).read_text().strip()
        return DARK.sub(r"[data-md-color-scheme=slate] \1", picture)

    html = PICTURE.sub(insert, html)
    # Docstrings refer to functions and classes with Sphinx roles.
    return re.sub(r":(?:func|class|meth|mod|attr|data):(?=<code>)", "", html)
