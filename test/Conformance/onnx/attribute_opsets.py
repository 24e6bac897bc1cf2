# The opsets of attributes: for every attribute of every op with a lowering, at every opset with a
# version of the op, we report an error exactly if onnx.checker (and so ONNX Runtime) does. The same
# is tested for removed ops.
# RUN: env PYTHONPATH=%src_root/scripts/docs %python %s quant-float-opt | FileCheck %s
import re
import subprocess
import sys

import nodes
import onnx
from onnx import helper
from onnx.checker import ValidationError

# A value of each kind, in ONNX's syntax and in ours.
VALUES = {
    "INT": (0, "0 : i64"),
    "INTS": ([0], "array<i64: 0>"),
    "FLOAT": (0.0, "0.0 : f32"),
    "FLOATS": ([0.0], "array<f32: 0.0>"),
    "STRING": ("", '""'),
    "STRINGS": ([""], '[""]'),
    "TENSOR": (
        helper.make_tensor("", onnx.TensorProto.FLOAT, [1], [0.0]),
        "dense<0.0> : tensor<1xf32>",
    ),
    "SPARSE_TENSOR": (None, "{}"),
    "GRAPH": (None, "{}"),
}


def is_refused(op, schema, name, kind):
    outputs = [f"y{i}" for i in range(schema.min_output)]
    node = helper.make_node(op, ["x"] * schema.min_input, outputs)
    attribute = node.attribute.add(name=name, type=onnx.AttributeProto.AttributeType.Value(kind))
    if VALUES[kind][0] is not None:
        attribute.CopyFrom(helper.make_attribute(name, VALUES[kind][0]))
    context = onnx.checker.C.CheckerContext()
    context.ir_version = 10
    context.opset_imports = {"": schema.since_version}
    try:
        onnx.checker.check_node(node, context)
    except ValidationError as error:
        return re.search("Unrecognized attribute|is deprecated", str(error)) is not None
    return False


schemas = {}
for schema in onnx.defs.get_all_schemas_with_history():
    if schema.domain == "":
        schemas.setdefault(schema.name, []).append(schema)

cases, lines = [], []
for op in sorted({row.op for row in nodes.read_onnx()}):
    kinds = {name: a.type.name for s in schemas[op] for name, a in s.attributes.items()}
    for schema in schemas[op]:
        opset = schema.since_version
        count = schema.min_input
        for name, kind in kinds.items():
            lines.append(
                f'quant_float.node "{op}"({", ".join(["%x"] * count)}) opset {opset} attributes {{{name} = '
                f"{VALUES[kind][1]}}} : ({', '.join(['tensor<1xf32>'] * count)}) -> tensor<*xf32>"
            )
            cases.append((op, opset, name, is_refused(op, schema, name, kind)))

text = "\n".join(["func.func @main(%x: tensor<1xf32>) {", *lines, "return", "}"])
run = subprocess.run(
    [sys.argv[1], "--convert-onnx-nodes-to-linalg", "-o", "/dev/null"],
    input=text,
    capture_output=True,
    text=True,
)
# The lines of the errors. The first line is the signature.
said = dict(re.findall(r"^<stdin>:(\d+):\d+: error: (.*)$", run.stderr, re.MULTILINE))
refused = 0
for i, (op, opset, name, expected) in enumerate(cases):
    message = said.get(str(i + 2), "")
    match = re.search(
        rf"'{op}': (?:attribute '{name}'|the op) exists (from|before) opset (\d+) (?:on|only), but the node has opset "
        rf"{opset}$",
        message,
    )
    # A hint without effect is accepted if other ops of that opset have it (Reshape's lost it one
    # opset earlier).
    if name == "consumed_inputs":
        expected = opset >= 6
    refused += expected
    if expected != (match is not None or "unknown attribute" in message):
        print("FAIL", op, opset, name, expected, message)
    # The boundary is on the side that the message states.
    if match and (opset < int(match[2])) != (match[1] == "from"):
        print("FAIL", op, opset, name, message)
    if "unknown attribute" in message and name != "consumed_inputs":
        print("FAIL", op, opset, name, message)
# CHECK-NOT: FAIL
# CHECK: 1371 nodes, 405 refused
print(len(cases), "nodes,", refused, "refused")
