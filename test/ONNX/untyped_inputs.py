# Every version of every operator with inputs of unknown type is imported or rejected.
# RUN: %python %s quant-float-translate
import concurrent.futures
import os
import subprocess
import sys

from onnx import TensorProto, defs, helper

KINDS = defs.OpSchema.AttrType
VALUES = {
    KINDS.FLOAT: 1.0,
    KINDS.INT: 1,
    KINDS.STRING: "a",
    KINDS.TENSOR: helper.make_tensor("t", TensorProto.FLOAT, [1], [1]),
    KINDS.GRAPH: helper.make_graph([], "b", [], []),
    KINDS.FLOATS: [1.0],
    KINDS.INTS: [1],
    KINDS.STRINGS: ["a"],
    KINDS.TYPE_PROTO: helper.make_tensor_type_proto(TensorProto.FLOAT, [1]),
}


def make_model(schema):
    inputs = [f"x{i}" for i in range(max(schema.min_input, min(schema.max_input, 6)))]
    outputs = [f"y{i}" for i in range(max(1, min(schema.max_output, 3)))]
    attributes = {
        name: VALUES[attribute.type]
        for name, attribute in schema.attributes.items()
        if attribute.type in VALUES
    }
    node = helper.make_node(schema.name, inputs, outputs, domain=schema.domain, **attributes)
    untyped = [helper.make_empty_tensor_value_info(name) for name in inputs]
    opsets = {"": 18, schema.domain: schema.since_version}
    return helper.make_model(
        helper.make_graph([node], "g", untyped, []),
        opset_imports=[helper.make_opsetid(*opset) for opset in opsets.items()],
        ir_version=10,
    )


def check(schema):
    done = subprocess.run(
        [sys.argv[1], "--import-onnx"],
        input=make_model(schema).SerializeToString(),
        capture_output=True,
    )
    if done.returncode not in (0, 1) or (done.returncode == 1) != (b"error: " in done.stderr):
        return f"{schema.name}-{schema.since_version}: {done.returncode} {done.stderr[:500]}"
    return None


schemas = [schema for schema in defs.get_all_schemas_with_history() if not schema.deprecated]
assert len(schemas) > 600, len(schemas)
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    problems = list(filter(None, pool.map(check, schemas)))
sys.exit("\n".join(problems) if problems else 0)
