"""Bitwise comparison of casts: element formats, inputs, and the table of known differences."""
