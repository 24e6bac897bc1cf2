"""Tests any library against tables of inputs and correct outputs for low-precision floats.

A library is a function: it takes a Table and returns the outputs as an array (of any dtype whose
bytes are the elements), or None if it does not support the conversion. If the array is a masked
array, masked rows are not compared. check() returns the differences.
"""

import json
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).parent / "data"
UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
# Mantissa bits of the floats, and the encodings that are NaN: like IEEE 754's, all bits set without
# or with the sign, or that of -0.
FLOATS = {"f64": (52, "ieee"), "f32": (23, "ieee"), "f16": (10, "ieee"), "bf16": (7, "ieee")}
FLOATS |= {"f8E5M2": (2, "ieee"), "f8E4M3FN": (3, "ones")}
# Unsigned types, whose NaN has all bits set.
FLOATS |= {"f8E8M0FNU": (0, "all"), "!quant_float.f8UE5M3": (3, "all")}
FLOATS_BELOW_A_BYTE = {"f6E2M3FN": 6, "f6E3M2FN": 6, "f4E2M1FN": 4}
FLOATS |= {"f8E4M3FNUZ": (3, "zero"), "f8E5M2FNUZ": (2, "zero")}


class VectorError(Exception):
    """Invalid files, or results that are not an array of encodings."""


def get_encodings(array):
    """The bits of the elements as unsigned integers."""
    array = np.ascontiguousarray(array)
    if array.dtype.itemsize not in UNSIGNED:
        raise VectorError(f"expected elements of 1, 2, 4 or 8 bytes, but got {array.dtype}")
    return array.view(UNSIGNED[array.dtype.itemsize])


def find_nans(kind, encodings):
    """The encodings of a type, by its name in MLIR, that are NaN."""
    if kind not in FLOATS:
        return np.zeros(encodings.shape, bool)
    mantissa, nans = FLOATS[kind]
    bits = 8 * encodings.dtype.itemsize
    magnitude = encodings & encodings.dtype.type((1 << (bits - 1)) - 1)
    if nans == "all":
        return encodings == (1 << bits) - 1
    if nans == "ones":
        return magnitude == (1 << (bits - 1)) - 1
    if nans == "zero":
        return encodings == 1 << (bits - 1)
    return magnitude > (1 << (bits - 1)) - (1 << mantissa)


class Table:
    """One conversion: its names and attributes, and arrays of encodings."""

    def __init__(self, folder, entry, cases):
        keys = ("name", "operation", "from", "to", "rows", "files", "attributes", "rules", "cases")
        for key in keys:
            if key not in entry:
                raise VectorError(f"{folder}: expected {key!r} in each table")
        self.entry, self.name, self.operation = entry, entry["name"], entry["operation"]
        self.source, self.target = entry["from"], entry["to"]
        self.scale_type, self.attributes = entry.get("scale"), entry["attributes"]
        self.columns = {}
        for role, name in entry["files"].items():
            path = folder / pathlib.PurePath(name).name
            try:
                array = np.load(path, allow_pickle=False)
            except (OSError, ValueError, EOFError) as error:
                raise VectorError(f"{path}: {error}") from error
            if array.shape != (entry["rows"],):
                raise VectorError(f"{path}: expected {entry['rows']} rows, but got {array.shape}")
            self.columns[role] = array
        for role in ("input", "output", "rule"):
            if role not in self.columns:
                raise VectorError(f"{folder}: expected an {role} file of {self.name}")
        if entry["cases"] not in range(len(cases)):
            raise VectorError(f"{folder}: expected {self.name} to have one of {len(cases)} 'cases'")
        self.cases = dict(cases[entry["cases"]])

    def __getattr__(self, role):
        return self.__dict__["columns"].get(role)

    def rule(self, row):
        return self.entry["rules"][self.columns["rule"][row]]


def load(folder=FOLDER):
    """All tables of a folder that `quant-float-certify --vectors` has written."""
    folder = pathlib.Path(folder)
    path = folder / "vectors.json"
    try:
        index = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise VectorError(f"{path}: {error}") from error
    if not isinstance(index, dict) or index.get("vectors") != 2:
        raise VectorError(f"{path}: expected version 2 of 'vectors'")
    for key in ("tables", "cases"):
        if not isinstance(index.get(key), list):
            raise VectorError(f"{path}: expected a list of '{key}'")
    return [Table(folder, entry, index["cases"]) for entry in index["tables"]]


def compare(table, outputs):
    """The rows that differ. For a NaN that arithmetic creates, any NaN is right, and, by rule D8, a
    zero of either sign."""
    wanted, made = get_encodings(table.output), get_encodings(outputs)
    if made.shape != wanted.shape or made.dtype != wanted.dtype:
        text = f"{made.shape} of {made.dtype.itemsize} bytes"
        raise VectorError(
            f"{table.name}: expected {wanted.shape} of {wanted.dtype}, but got {text}"
        )
    wrong = made != wanted
    if table.entry["nan"] == "any":
        wrong &= ~(find_nans(table.target, made) & find_nans(table.target, wanted))
    if "D8" in table.entry["rules"]:
        sign = 1 << (FLOATS_BELOW_A_BYTE.get(table.target, 8 * wanted.itemsize) - 1)
        is_open = table.columns["rule"] == table.entry["rules"].index("D8")
        wrong &= ~(is_open & ((made ^ wanted) == sign))
    return np.flatnonzero(wrong)


def check(convert, folder=FOLDER):
    """For each table that `convert` supports: the number of rows that differ, the rule, and the
    first of them."""
    results = []
    for table in load(folder):
        outputs = convert(table)
        if outputs is None:
            continue
        skipped = np.ma.getmaskarray(outputs)
        outputs = np.ma.getdata(outputs)
        rows = compare(table, outputs)
        rows = rows[~skipped[rows]]
        compared = int(table.entry["rows"] - skipped.sum())
        result = {"table": table.name, "rows": compared, "differ": len(rows)}
        encodings = get_encodings(table.output), get_encodings(outputs)
        nans = np.logical_and(*(find_nans(table.target, each) for each in encodings))[rows]
        result["rules"] = {}
        for row, is_nan in zip(rows, nans, strict=True):
            key = table.rule(row) + (", bits of NaN" if is_nan else "")
            result["rules"][key] = result["rules"].get(key, 0) + 1
        if len(rows):
            # A number, and a named number, are more readable.
            order = sorted(
                zip(nans, (int(row) not in table.cases for row in rows), rows, strict=True)
            )
            first = order[0][2]
            encodings = {
                role: table.columns[role][first] for role in table.columns if role != "rule"
            }
            encodings["made"] = np.asarray(outputs)[first]
            encodings = {
                role: hex(int(get_encodings(value.reshape(1))[0]))
                for role, value in encodings.items()
            }
            result["first"] = encodings | {"rule": table.rule(first)}
            result["first"]["case"] = table.cases.get(int(first), "")
        results.append(result)
    return results
