"""Comparing casts bit for bit: element formats, inputs worth trying, and the table of known differences."""
