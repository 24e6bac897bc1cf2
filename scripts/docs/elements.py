"""Writes the page of element types, a table of the rows of ElementTypes.def."""

import csv
import pathlib
import re

INCLUDE = pathlib.Path(__file__).parents[2] / "include/quant-float"
TABLE = INCLUDE / "Support/ElementTypes.def"
# The kinds of DLPack's type codes.
DLPACK = {"0": "int", "1": "uint", "2": "float", "4": "bfloat", "6": "bool"}
PAGE = """# Element types

This page is generated from [ElementTypes.def]({table}), which the importers, the C API, `.npy` files and the
Python package use, too. In memory an element has a whole number of bytes; [the rules](../docs/rules.md#t-types)
specify the meaning of its bits.

"""


def read():
    """Returns the rows of the table, by the names of the columns in its comment."""
    text = TABLE.read_text()
    names = re.search(r"// QUANT_FLOAT_ELEMENT\(([^)]*)\)", text)[1].replace("//", "")
    rows = re.findall(r"^QUANT_FLOAT_ELEMENT\((.*)\)$", text, re.MULTILINE)
    # The getter may contain commas.
    rows = [re.sub(r"\w+\([^()]*\)|\w+::get\(context\)", "getter", row) for row in rows]
    keys = [name.strip() for name in names.split(",")]
    return [dict(zip(keys, row, strict=True)) for row in csv.reader(rows, skipinitialspace=True)]


def write_page():
    def code(name):
        return f"`{name}`" if name else "-"

    head = [
        "ONNX",
        "number",
        "MLIR",
        "bits",
        "C",
        "numpy, ml_dtypes",
        ".npy",
        "DLPack",
        "safetensors",
        "OpenVINO",
    ]
    lines = [head, ["---"] * len(head)]
    for row in read():
        is_number = row["Bits"] != "0"
        # DLPack's bools have 8 bits.
        bits = "8" if row["Class"] == "Bool" else row["Bits"]
        dlpack = f"{DLPACK.get(row['Dlpack'], 'code')} {row['Dlpack']}, {bits} bits"
        lines.append(
            [
                code(row["Onnx"]),
                row["Number"],
                code(row["Mlir"]),
                row["Bits"] if is_number else "-",
                code(row["C"]) if is_number else "-",
                code(row["Numpy"]),
                code(row["Npy"]),
                dlpack if is_number else "-",
                code(row["Safetensors"]),
                code(row["OpenVino"]),
            ]
        )
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return PAGE.format(table="../include/quant-float/Support/ElementTypes.def.md") + table
