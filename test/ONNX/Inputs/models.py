"""Builds small ONNX models for the importer's tests."""

import pathlib

from onnx import GraphProto, ModelProto, TensorProto, helper

NEWEST_OPSET = 28
NEWEST_IR = 14
FLOAT = TensorProto.FLOAT


def model(
    nodes,
    inputs,
    outputs,
    *,
    opset=NEWEST_OPSET,
    ir_version=NEWEST_IR,
    imports=(),
    functions=(),
    name="g",
    **graph,
):
    """A model of one graph. `inputs` and `outputs` are value infos or (name, type, shape)."""

    def infos(values):
        return [helper.make_tensor_value_info(*v) if isinstance(v, tuple) else v for v in values]

    made = helper.make_graph(nodes, name, infos(inputs), infos(outputs), **graph)
    result = ModelProto(ir_version=ir_version, graph=made)
    if opset is not None:
        result.opset_import.append(helper.make_opsetid("", opset))
    result.opset_import.extend(helper.make_opsetid(*one) for one in imports)
    result.functions.extend(functions)
    return result


def body(nodes, inputs, outputs, name="body", initializer=()):
    """A graph for an attribute. Inputs and outputs are names or value infos. Names have no type."""

    def infos(values):
        return [helper.make_empty_tensor_value_info(v) if isinstance(v, str) else v for v in values]

    return GraphProto(
        name=name, node=nodes, input=infos(inputs), output=infos(outputs), initializer=initializer
    )


def save(folder, **models):
    """Writes the models into the folder, by name."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, one in models.items():
        (folder / f"{name}.onnx").write_bytes(one.SerializeToString())
