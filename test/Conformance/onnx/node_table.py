# The table of ordinary nodes against ONNX's own schemas: first opsets, numbers of inputs, attributes with their kinds
# and defaults, and the elements of the first output.
# RUN: %python %s %S/../../.. | FileCheck %s
import pathlib
import re
import sys

import onnx

SOURCE = pathlib.Path(sys.argv[1])
TABLE = (SOURCE / "include/quant-float/Conversion/OnnxNodes.def").read_text()
LISTS = dict(re.findall(r"^#define (QUANT_FLOAT_\w+) (.+)$", TABLE, re.M))
ROW = (
    r"^QUANT_FLOAT_(?:NODE|ELEMENTWISE)\((\w+), (\d+), (\d+), (-?\d+), [\w| ]+, (\w+), (?:\w+, )?"
    r"\((.*)\), (?:\([^()]*\)|[\w:<>]+)\)$"
)
KEPT = r"^QUANT_FLOAT_KEPT_NODE\((\w+), (\w+), \w+\)$"
ATTRIBUTE = r'(required\()?(\w+)\("(\w+)"(?:, ([^)]+))?\)'
KINDS = {
    "anInt": "INT",
    "aFlag": "INT",
    "aFloat": "FLOAT",
    "ints": "INTS",
    "floats": "FLOATS",
    "aChoice": "STRING",
    "aTensor": "TENSOR",
}
ELEMENTS = {
    "Boolean": "tensor(bool)",
    "UInt8": "tensor(uint8)",
    "Int32": "tensor(int32)",
    "Int64": "tensor(int64)",
}
MANY = 2**31 - 1

failures = []


def check(holds, *what):
    if not holds:
        failures.append(what)


schemas = {}
for schema in onnx.defs.get_all_schemas_with_history():
    if schema.domain == "":
        schemas.setdefault(schema.name, []).append(schema)


def get_default(attribute):
    if not attribute.default_value.name:
        return None
    value = onnx.helper.get_attribute_value(attribute.default_value)
    return value.decode() if isinstance(value, bytes) else value


def parse_default(kind, text):
    if kind == "aChoice":
        return text.strip('"').split("|")[0]
    if kind == "aFlag":
        return int(text == "true")
    return float((text or "0").rstrip("f"))


def check_element(op, element, newest):
    output = newest.outputs[0].type_str
    if element in ELEMENTS:
        # Some have a variable that stands for one type.
        types = {c.type_param_str: c.allowed_type_strs for c in newest.type_constraints}
        check(list(types.get(output, [output])) == [ELEMENTS[element]], op, element, output)
    elif element in ("First", "Second"):
        check(newest.inputs[element == "Second"].type_str == output, op, element, output)


def check_attribute(op, since, row, versions):
    required, kind, name, default = row
    known = [s.attributes[name] for s in versions if name in s.attributes]
    check(known, op, since, name, "is no attribute of the op")
    if kind == "anything" or not known:
        return
    # What a later version can do without may be missing.
    check(bool(required) == all(a.required for a in known), op, since, name, "required")
    for attribute in known:
        check(KINDS[kind] == attribute.type.name, op, since, name, attribute.type.name)
        given = get_default(attribute)
        if given is not None:
            ours = parse_default(kind, default)
            same = ours == given if kind == "aChoice" else abs(ours - given) <= 1e-6 * abs(given)
            check(same, op, since, name, ours, given)


rows = []
for op, since, fewest, most, element, attributes in re.findall(ROW, TABLE, re.M):
    for name, text in LISTS.items():
        attributes = attributes.replace(name, text)
    found = re.findall(ATTRIBUTE, attributes)
    rows.append((op, int(since), int(fewest), int(most), element, found))
firsts = {}
for op, since, *_ in rows:
    firsts.setdefault(op, []).append(since)

for op, since, fewest, most, element, attributes in rows:
    end = min((other for other in firsts[op] if other > since), default=MANY)
    versions = [s for s in schemas[op] if s.since_version < end]
    current = [s for s in versions if s.since_version >= since]
    # The version that the row begins with, or one that it begins in.
    check(current, op, since, "no version")
    check(fewest <= min(s.min_input for s in current), op, since, "fewest", fewest)
    many = max(s.max_input for s in current)
    check(most == (-1 if many == MANY else many), op, since, "most", most, many)
    check_element(op, element, max(schemas[op], key=lambda s: s.since_version))
    for attribute in attributes:
        check_attribute(op, since, attribute, current)
    # A hint of version 1 that no op needs.
    names = {name for s in current for name in s.attributes} - {"consumed_inputs"}
    check(names == {name for _, _, name, _ in attributes}, op, since, names)
kept = re.findall(KEPT, TABLE, re.M)
for op, element in kept:
    check(op not in firsts, op, "has a lowering")
    check_element(op, element, max(schemas[op], key=lambda s: s.since_version))
# Each row is read above, and each op has the same elements and shape in all.
count = len(re.findall(r"^QUANT_FLOAT_(?:NODE|ELEMENTWISE)\(\w", TABLE, re.M))
check(count == len(rows), "rows", count, len(rows))
for op in firsts:
    facts = set(
        re.findall(
            rf"^QUANT_FLOAT_NODE\({op}, \d+, \d+, -?\d+, [\w| ]+, (\w+), (\w+),", TABLE, re.M
        )
    )
    check(len(facts) <= 1, op, facts)
# Whatever changes values is read by some conversion.
folder = SOURCE / "lib/Conversion/OnnxNodesToLinalg"
code = "".join(path.read_text() for path in sorted(folder.glob("*.cpp")))
for op, since, *_, attributes in rows:
    for _, kind, name, _ in attributes:
        check(kind == "anything" or f'"{name}"' in code, op, since, name, "is not read")

for failure in failures:
    print("FAIL", *failure)
# CHECK-NOT: FAIL
# CHECK: 99 ops, 112 rows, 22 kept
print(len(firsts), "ops,", len(rows), "rows,", len(kept), "kept")
