"""A lexer for MLIR, which Pygments lacks."""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

__all__ = ["MLIRLexer"]

# Types that may follow a shape, as in 4x8xf32.
ELEMENT = r"(?:[su]?i\d+|b?f\d\w*|index|none|complex|vector|tensor|memref)\b"


class MLIRLexer(RegexLexer):
    name = "MLIR"
    aliases = ["mlir"]
    filenames = ["*.mlir"]

    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"//.*$", Comment.Single),
            (r'"(?:\\.|[^"\\\n])*"', String),
            (r"%[\w$.#-]+", Name.Variable),
            (r"@(?:[\w$.]+|\"[^\"\n]*\")", Name.Function),
            (r"\^[\w$.]+", Name.Label),
            (r"[!#][A-Za-z_][\w$.]*", Keyword.Type),
            # Sizes of a shape, each with its x.
            (r"(\?|\d+)(x)(?=[\d?*\[!]|" + ELEMENT + ")", bygroups(Number, Punctuation)),
            (ELEMENT, Keyword.Type),
            (r"0x[0-9a-fA-F]+|[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", Number),
            # An attribute of a dictionary, or of the syntax of an op.
            (r"[A-Za-z_][\w$.]*(?=\s*=[^=])", Name.Attribute),
            # An operation is prefixed with the name of its dialect.
            (r"([A-Za-z_]\w*)(\.)([\w$.]+)", bygroups(Name.Namespace, Punctuation, Name.Builtin)),
            (r"[A-Za-z_][\w$]*", Keyword),
            (r"->|[-+*/=]", Operator),
            (r"[()\[\]{}<>,:?|.]", Punctuation),
        ],
    }
