# A conversion exists for everything that ONNX's schemas allow Cast, CastLike, QuantizeLinear and
# DequantizeLinear, in every version. For every rule of blocks, a conversion exists for every pair
# of types that it permits.
# RUN: env PYTHONPATH=%S/../helpers %python %s %tools_dir/quant-float-certify
import itertools
import re
import subprocess
import sys

import onnx.defs
from conformance import block_cases, blocks

printed = subprocess.run([sys.argv[1], "--cells"], capture_output=True, text=True, check=True)
assert printed.stderr == "", printed.stderr
lines = re.findall(r"^(.+): (\d+) cells, (\d+) certified$", printed.stdout, re.M)
found = {name: (int(cells), int(certified)) for name, cells, certified in lines}


def list_types(schema, formal):
    """The types of a type variable, without strings and the types that are never legal here."""
    allowed = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    names = allowed.get(formal.type_str, [formal.type_str])
    return [name for name in names if "string" not in name and "complex" not in name]


def count_casts(schema, result):
    pairs = len(list_types(schema, schema.inputs[0])) * len(list_types(schema, result))
    saturate = 2 if "saturate" in schema.attributes else 1
    return pairs * saturate * (3 if "round_mode" in schema.attributes else 1)


def count_quantizations(schema):
    """The result's type is the zero point's, or any with output_dtype, or uint8."""
    x, scale, zero_point = schema.inputs
    has_dtype = "output_dtype" in schema.attributes
    results = list_types(schema, zero_point)
    count = 0
    for a, b in itertools.product(list_types(schema, x), list_types(schema, scale)):
        if a == b or x.type_str != scale.type_str:
            count += len(results) + (len(results) if has_dtype else 1)
    attributes = (2 if "saturate" in schema.attributes else 1) * (
        5 if "precision" in schema.attributes else 1
    )
    return count * attributes


def count_dequantizations(schema):
    x, scale, _ = schema.inputs
    results = list_types(schema, schema.outputs[0])
    pairs = 0
    for given, made in itertools.product(list_types(schema, scale), results):
        pairs += "output_dtype" in schema.attributes or given == made
    return 2 * len(list_types(schema, x)) * pairs


wanted = {}
for op in ("Cast", "CastLike", "QuantizeLinear", "DequantizeLinear"):
    versions = {
        onnx.defs.get_schema(op, v, "").since_version
        for v in range(28, 0, -1)
        if onnx.defs.has(op, max_inclusive_version=v)
    }
    for since in versions:
        schema = onnx.defs.get_schema(op, since, "")
        if op == "Cast":
            count = count_casts(schema, schema.outputs[0])
        elif op == "CastLike":
            count = count_casts(schema, schema.inputs[1])
        elif op == "QuantizeLinear":
            count = count_quantizations(schema)
        else:
            count = count_dequantizations(schema)
        wanted[f"{op}-{since}"] = (count, count)
# Inputs of f32, f16 and bf16. Rules with two levels take the maximum magnitude or the scale of the
# tensor.
for rule, _, _ in block_cases.RULES:
    for op in ("block_scale", "block_quantize_elements"):
        count = wanted.get(f"{op} {rule}", (0, 0))[0] + (6 if rule in blocks.TWO_LEVELS else 3)
        wanted[f"{op} {rule}"] = (count, count)
# Without a scale of the tensor, and with it in both orders.
count = len(block_cases.ELEMENTS) * (len(block_cases.FLOAT_SCALES) + 1) * 3 * 3
wanted |= {"block_dequantize": (count, count), "tensor_scale": (1, 1)}
ours = {
    name: counts for name, counts in found.items() if "com.microsoft" not in name and name != "all"
}
assert ours == wanted, set(ours.items()) ^ set(wanted.items())
total = sum(cells for name, (cells, _) in found.items() if name != "all")
assert found["all"] == (total, total), found["all"]
