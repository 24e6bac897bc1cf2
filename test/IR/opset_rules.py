# The opset rules against ONNX's own schemas: the table of every op, and the verifier's verdict on
# every pair of types and every combination of attributes of Cast and CastLike at every opset.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys

import onnx
from conformance.formats import FORMATS
from onnx import defs

tools_dir, work = map(pathlib.Path, sys.argv[1:])
NEWEST = defs.onnx_opset_version()
OPS = {
    # The formal parameters for the roles of the table. Others that share a type variable with one
    # of them (zero points) are not listed.
    "Cast": {"input": "input", "result": "output"},
    "CastLike": {"input": "input", "result": "output"},
    "QuantizeLinear": {"input": "x", "scale": "y_scale", "result": "y"},
    "DequantizeLinear": {"input": "x", "scale": "x_scale", "result": "y"},
    "DynamicQuantizeLinear": {"input": "x", "result": "y"},
    "BitCast": {"input": "input", "result": "output"},
    "ConvInteger": {"input": "x w", "result": "y"},
    "MatMulInteger": {"input": "A B", "result": "Y"},
    "QLinearConv": {"input": "x w", "scale": "x_scale w_scale y_scale", "result": "y"},
    "QLinearMatMul": {"input": "a b", "scale": "a_scale b_scale y_scale", "result": "y"},
}
# Their attributes are those of ordinary nodes, in OnnxNodes.def.
NODES = {"BitCast", "ConvInteger", "MatMulInteger", "QLinearConv", "QLinearMatMul"}
failures = []


def fail(message):
    failures.append(message)


def get_schema(op, opset):
    """The version that ONNX resolves the opset to, or None before the op's first version."""
    try:
        return defs.get_schema(op, opset, "")
    except defs.SchemaError:
        return None


def get_types(schema, parameter):
    """ONNX's names of the element types of a formal parameter, without the complex ones."""
    (found,) = (p for p in [*schema.inputs, *schema.outputs] if p.name == parameter)
    return {
        re.fullmatch(r"tensor\((.*)\)", name)[1] for name in found.types if "complex" not in name
    }


SCHEMAS = {
    (op, opset): schema
    for op in OPS
    for opset in range(1, NEWEST + 1)
    if (schema := get_schema(op, opset))
}


# --- the table ---------------------------------------------------------------------------------


def check_table():
    program = tools_dir / "quant-float-opset-rules"
    rows = json.loads(subprocess.run([program], capture_output=True, check=True).stdout)
    table = {(row["op"], row["opset"]): row for row in rows if row["op"] in OPS}
    if table.keys() != SCHEMAS.keys():
        fail(f"opsets on one side only: {sorted(table.keys() ^ SCHEMAS.keys())}")
    for key in table.keys() & SCHEMAS.keys():
        row, schema = table[key], SCHEMAS[key]
        if row["since"] != schema.since_version:
            fail(f"{key}: resolves to {row['since']}, but in ONNX to {schema.since_version}")
        for role, parameters in OPS[key[0]].items():
            for parameter in parameters.split():
                differing = set(row["types"][role]) ^ get_types(schema, parameter)
                if differing:
                    fail(f"{key}: {parameter}: types on one side only: {sorted(differing)}")
        if key[0] in NODES:
            continue
        # The types that Cast's `to` names are those of the result.
        differing = set(row["attributes"]) ^ (set(schema.attributes) - {"to"})
        if differing:
            fail(f"{key}: attributes on one side only: {sorted(differing)}")
    return len(table)


# --- the verifier ------------------------------------------------------------------------------

# MLIR's name of every element type, with ONNX's.
TYPES = {
    name: onnx.TensorProto.DataType.Name(form.onnx).lower() for name, form in FORMATS.items()
} | {"!quant_float.string": "string"}
SATURATE = [None, "false", "true"]
ROUND_MODE = [None, "up", "down", "nearest"]


def make_cases():
    return itertools.product(("Cast", "CastLike"), TYPES, TYPES, SATURATE, ROUND_MODE)


def write_module(cases, path):
    with open(path, "w", encoding="utf-8") as file:
        arguments = ", ".join(f"%x{i}: tensor<{name}>" for i, name in enumerate(TYPES))
        file.write(f"func.func @all({arguments}) {{\n")
        index = {name: i for i, name in enumerate(TYPES)}
        for i, (op, source, to, saturate, round_mode) in enumerate(cases):
            like = " like" if op == "CastLike" else ""
            saturate = f" saturate {saturate}" if saturate else ""
            round_mode = f" round_mode {round_mode}" if round_mode else ""
            file.write(
                f"%{i} = quant_float.cast %x{index[source]}{like} opset {NEWEST}{saturate}"
                f"{round_mode} : tensor<{source}> to tensor<{to}>\n"
            )
        file.write("return\n}\n")


def get_missing(case, schema):
    """The verifier's message about what a version lacks, or an empty string if it accepts the
    case."""
    _, source, to, saturate, round_mode = case
    roles = OPS[case[0]]
    if TYPES[source] not in get_types(schema, roles["input"]):
        return f"input element type '{source}' is not accepted by"
    if TYPES[to] not in get_types(schema, roles["result"]):
        return f"result element type '{to}' is not accepted by"
    if saturate and "saturate" not in schema.attributes:
        return "attribute 'saturate' does not exist in"
    if round_mode and "round_mode" not in schema.attributes:
        return "attribute 'round_mode' does not exist in"
    return ""


def get_groups(case):
    """The expected output of check: ranges of opsets that accept or lack the same, with the message
    for the last one of each."""
    op = case[0]
    groups = []
    for opset in range(1, NEWEST + 1):
        schema = SCHEMAS.get((op, opset))
        if schema is None:
            first = min(n for name, n in SCHEMAS if name == op)
            missing = "opset"
            words = f"opset of {op} must be between {first} and {NEWEST}, but got {opset}"
        else:
            missing = get_missing(case, schema)
            words = missing and f"{missing} {op}-{schema.since_version} (opset {opset})"
        if groups and groups[-1][0] == missing:
            groups[-1][2:] = [opset, words]
        else:
            groups.append([missing, opset, opset, words])
    # V1-V3: the note names the first opset that has what this one lacks.
    notes = {}
    for missing, *_ in groups:
        has = [
            n
            for n in range(1, NEWEST + 1)
            if (schema := SCHEMAS.get((op, n))) and not lacks(case, schema, missing)
        ]
        what = re.sub("(attribute '.*').*", r"has the \1", missing)
        if what == missing:
            what = "accepts this type"
        notes[missing] = (
            f"{op} {what} from opset {has[0]} on" if has else f"no version of {op} {what}"
        )
    return [
        (first, last, not missing, words, [] if missing in ("", "opset") else [notes[missing]])
        for missing, first, last, words in groups
    ]


def lacks(case, schema, missing):
    """Whether a version lacks the same thing."""
    op, source, to, *_ = case
    if missing.startswith("input"):
        return TYPES[source] not in get_types(schema, OPS[op]["input"])
    if missing.startswith("result"):
        return TYPES[to] not in get_types(schema, OPS[op]["result"])
    if missing.startswith("attribute"):
        return missing.split("'")[1] not in schema.attributes
    return False


def check_verifier():
    cases = list(make_cases())
    module = work / "cases.mlir"
    write_module(cases, module)
    result = subprocess.run(
        [tools_dir / "quant-float-check", module, "--opset", "all", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    reports = json.loads(result.stdout)
    if len(reports) != len(cases):
        fail(f"expected {len(cases)} reports, but got {len(reports)}")
    count = collections.Counter()
    expected_of = {}
    for case, report in zip(cases, reports, strict=False):
        # The values of attributes do not matter (V6).
        key = (*case[:3], bool(case[3]), bool(case[4]))
        if key not in expected_of:
            expected_of[key] = get_groups(case)
        expected = expected_of[key]
        got = [
            (g["first"], g["last"], g["accepted"], g.get("reason", ""), g.get("notes", []))
            for g in report["opsets"]
        ]
        if report["op"] != case[0] or got != expected:
            fail(f"{case}: expected {expected}, but got {got}")
        for first, last, accepted, *_ in got:
            count[accepted] += last - first + 1
    return count


rows = check_table()
count = check_verifier()
if NEWEST != 28:
    fail(f"expected the schemas of opset 28, but got those of {NEWEST}")
print(f"{rows} rows, {count[True]} accepted and {count[False]} rejected casts compared")
if failures:
    sys.exit("\n".join([*failures[:50], f"{len(failures)} disagreements"]))
