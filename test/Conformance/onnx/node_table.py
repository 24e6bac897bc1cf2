# The table of ordinary nodes against ONNX's schemas and, for com.microsoft, ONNX Runtime's: first
# opsets, numbers of inputs, attributes with their kinds and defaults, and the element type of the
# first output.
# RUN: env PYTHONPATH=%src_root/scripts/docs %python %s %src_root/lib/ONNX/ToLinalg | FileCheck %s
import pathlib
import re
import sys
from types import SimpleNamespace

import nodes
import onnx
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

KINDS = {
    "aDataType": "INT",
    "anInt": "INT",
    "aFlag": "INT",
    "aFloat": "FLOAT",
    "ints": "INTS",
    "floats": "FLOATS",
    "aChoice": "STRING",
    "aString": "STRING",
    "aTensor": "TENSOR",
}
ELEMENTS = {
    "Boolean": "tensor(bool)",
    "UInt8": "tensor(uint8)",
    "Int32": "tensor(int32)",
    "Int64": "tensor(int64)",
}

# Inputs with the element type of the output.
INPUTS = {"First": 0, "Second": 1, "Third": 2, "Eighth": 7}

failures = []


def check(holds, *what):
    if not holds:
        failures.append(what)


schemas = {}
for schema in onnx.defs.get_all_schemas_with_history():
    if schema.domain == "":
        schemas.setdefault(schema.name, []).append(schema)


def adapt(schema):
    """A schema of ONNX Runtime with the interface of ONNX's."""
    attributes = {
        name: SimpleNamespace(
            required=a.required,
            type=SimpleNamespace(name=str(a.type).split(".")[-1]),
            default_value=onnx.AttributeProto.FromString(a._default_value),
        )
        for name, a in schema.attributes.items()
    }
    inputs, outputs = (
        [SimpleNamespace(type_str=p.typeStr) for p in values]
        for values in (schema.inputs, schema.outputs)
    )
    return SimpleNamespace(
        since_version=schema.since_version,
        min_input=schema.min_input,
        max_input=schema.max_input,
        attributes=attributes,
        inputs=inputs,
        outputs=outputs,
        type_constraints=schema.type_constraints,
    )


def get_default(attribute):
    if not attribute.default_value.name:
        return None
    value = onnx.helper.get_attribute_value(attribute.default_value)
    # Version 1 of GRU misspells it.
    return value.decode().replace("foward", "forward") if isinstance(value, bytes) else value


def parse_default(kind, text):
    if kind == "aChoice":
        return text.strip('"').split("|")[0]
    if kind == "aFlag":
        return int(text == "true")
    return float((text or "0").rstrip("f"))


def check_element(op, element, newest):
    output = newest.outputs[0].type_str
    if element in ELEMENTS:
        # Some have a type variable with a single type.
        types = {c.type_param_str: c.allowed_type_strs for c in newest.type_constraints}
        check(list(types.get(output, [output])) == [ELEMENTS[element]], op, element, output)
    elif element in INPUTS:
        check(newest.inputs[INPUTS[element]].type_str == output, op, element, output)


def check_attribute(row, attribute, versions):
    place = row.op, row.since, attribute.name
    known = [s.attributes[attribute.name] for s in versions if attribute.name in s.attributes]
    check(known, *place, "is no attribute of the op")
    # ONNX's op has it in exactly these opsets.
    for schema in versions:
        has = attribute.name in schema.attributes
        check(
            has == (attribute.since <= schema.since_version < attribute.before),
            *place,
            schema.since_version,
        )
    if attribute.kind == "anything" or not known:
        return
    # Every attribute that affects results is read by some conversion.
    check(f'"{attribute.name}"' in CODE, *place, "is not read")
    # An attribute without effect in later versions may be missing.
    check(attribute.is_required == all(k.required for k in known), *place, "required")
    for schema in known:
        check(KINDS[attribute.kind] == schema.type.name, *place, schema.type.name)
        given = get_default(schema)
        if given is not None:
            ours = parse_default(attribute.kind, attribute.default)
            is_string = isinstance(given, str)
            same = ours == given if is_string else abs(ours - given) <= 1e-6 * abs(given)
            check(same, *place, ours, given)


CODE = "".join(path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.cpp")))
rows = nodes.read_onnx()
ops = {row.op for row in rows}
removed = re.findall(
    r"^QUANT_FLOAT_REMOVED_NODE\((\w+), (\d+)\)$", nodes.read_text(nodes.ONNX_TABLE), re.M
)
removed = {op: int(opset) for op, opset in removed}
gone = {op: s.since_version for op in ops for s in schemas[op] if s.deprecated}
check(removed == gone, removed, gone)
# The attributes that isHint (NodeAttributes.cpp) accepts: hints of versions before opset 6 that no
# op needs.
hinted = {s.since_version for op in ops for s in schemas[op] if "consumed_inputs" in s.attributes}
check(max(hinted) < 6, hinted)
microsoft = nodes.read_microsoft()
for row in microsoft:
    row.op = "com.microsoft." + row.op
for schema in runtime.get_all_operator_schema():
    if schema.domain == "com.microsoft":
        schemas["com.microsoft." + schema.name] = [adapt(schema)]
rows += microsoft
facts = {}
for row in rows:
    end = min((r.since for r in rows if r.op == row.op and r.since > row.since), default=nodes.MANY)
    # Until the op is removed.
    end = min(end, removed.get(row.op, end))
    versions = [s for s in schemas[row.op] if row.since <= s.since_version < end]
    check(versions, row.op, row.since, "no version begins here")
    check(row.min_inputs <= min(s.min_input for s in versions), row.op, row.since, "min_inputs")
    many = max(s.max_input for s in versions)
    check(
        row.max_inputs == (-1 if many == nodes.MANY else many),
        row.op,
        row.since,
        "max_inputs",
        many,
    )
    for attribute in row.attributes:
        check_attribute(row, attribute, versions)
    names = {name for s in versions for name in s.attributes} - {"consumed_inputs"}
    check(names == {a.name for a in row.attributes}, row.op, row.since, names)
    facts.setdefault(row.op, set()).add(tuple(row.columns[1:]))
kept = re.findall(
    r"^QUANT_FLOAT_KEPT_NODE\((\w+), (\w+), \w+\)$", nodes.read_text(nodes.ONNX_TABLE), re.M
)
for op, element in kept:
    check(op not in facts, op, "has a lowering")
    facts.setdefault(op, set()).add((element,))
for op, columns in facts.items():
    # All rows of an op specify the same result.
    check(len(columns) == 1, op, columns)
    check_element(op, min(columns)[0], max(schemas[op], key=lambda s: s.since_version))

for failure in failures:
    print("FAIL", *failure)
# CHECK-NOT: FAIL
# CHECK: 188 ops, 219 rows, 3 kept
print(len(facts) - len(kept), "ops,", len(rows), "rows,", len(kept), "kept")
