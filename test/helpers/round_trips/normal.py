"""The normal form of a model: the changes of export, as include/quant-float/ONNX/Export/Export.h
lists them."""

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

# Each attribute of a Constant has elements of one type, which old files omit.
KINDS = {
    "f": AttributeProto.FLOAT,
    "i": AttributeProto.INT,
    "s": AttributeProto.STRING,
    "t": AttributeProto.TENSOR,
    "g": AttributeProto.GRAPH,
    "floats": AttributeProto.FLOATS,
    "ints": AttributeProto.INTS,
    "strings": AttributeProto.STRINGS,
    "tensors": AttributeProto.TENSORS,
    "graphs": AttributeProto.GRAPHS,
    "sparse_tensor": AttributeProto.SPARSE_TENSOR,
    "sparse_tensors": AttributeProto.SPARSE_TENSORS,
    "tp": AttributeProto.TYPE_PROTO,
    "type_protos": AttributeProto.TYPE_PROTOS,
}
PAYLOADS = (
    *("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data"),
    *("external_data", "data_location"),
)


def normalize_tensor(tensor, folder):
    """One form of the elements: raw_data, or string_data for strings."""
    if tensor.data_type == TensorProto.STRING:
        return
    if tensor.data_location == TensorProto.EXTERNAL:
        onnx.external_data_helper.load_external_data_for_tensor(tensor, str(folder))
    bits = {TensorProto.INT2: 2, TensorProto.UINT2: 2, TensorProto.INT4: 4, TensorProto.UINT4: 4}
    bits |= {TensorProto.FLOAT4E2M1: 4}
    if not tensor.HasField("raw_data"):
        if tensor.data_type in bits:
            # One entry for each byte.
            raw = np.array(tensor.int32_data, np.int32).astype(np.uint8).tobytes()
        else:
            raw = numpy_helper.to_array(tensor).tobytes()
    else:
        raw = tensor.raw_data
    if tensor.data_type == TensorProto.BOOL:
        raw = bytes(byte != 0 for byte in raw)
    for field in PAYLOADS:
        tensor.ClearField(field)
    tensor.raw_data = raw


def make_dense(sparse):
    """The dense tensor of a sparse one."""
    values, indices = map(numpy_helper.to_array, (sparse.values, sparse.indices))
    dense = np.zeros(tuple(sparse.dims), values.dtype)
    if indices.ndim == 1:
        dense.reshape(-1)[indices] = values
    else:
        dense[tuple(indices.T)] = values
    tensor = numpy_helper.from_array(dense, sparse.values.name)
    tensor.doc_string = sparse.values.doc_string
    if not sparse.values.HasField("doc_string"):
        tensor.ClearField("doc_string")
    return tensor


def normalize_attribute(attribute, folder):
    if attribute.type == AttributeProto.UNDEFINED and not attribute.ref_attr_name:
        for field, _ in attribute.ListFields():
            attribute.type = KINDS.get(field.name, attribute.type)
    # Numbers that are 0 and empty strings are omitted.
    for kind, field in (
        (AttributeProto.INT, "i"),
        (AttributeProto.FLOAT, "f"),
        (AttributeProto.STRING, "s"),
    ):
        if attribute.type == kind and not attribute.ref_attr_name:
            setattr(attribute, field, getattr(attribute, field))
    tensors = [*attribute.tensors, *([attribute.t] if attribute.HasField("t") else [])]
    sparse = [*attribute.sparse_tensors]
    sparse += [attribute.sparse_tensor] if attribute.HasField("sparse_tensor") else []
    for tensor in (*tensors, *(part for s in sparse for part in (s.values, s.indices))):
        normalize_tensor(tensor, folder)
    for graph in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
        normalize_graph(graph, folder)


def get_uses(node):
    """The names that a node and its bodies use."""
    yield from node.input
    for attribute in node.attribute:
        for graph in (*attribute.graphs, attribute.g):
            for inner in graph.node:
                yield from get_uses(inner)
            yield from (output.name for output in graph.output)


def sort_nodes(graph):
    """The first node in the file whose inputs are ready comes next."""
    makers = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    waits = [
        {makers[u] for u in get_uses(n) if u in makers} - {i} for i, n in enumerate(graph.node)
    ]
    done, order = set(), []
    while len(order) < len(graph.node):
        ready = next(i for i in range(len(waits)) if i not in done and waits[i] <= done)
        done.add(ready)
        order.append(ready)
    nodes = [graph.node[i] for i in order]
    if order != sorted(order):
        nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
        del graph.node[:]
        graph.node.extend(nodes)


def normalize_graph(graph, folder):
    sort_nodes(graph)
    for node in graph.node:
        if node.op_type == "Constant" and [a.name for a in node.attribute] == ["sparse_value"]:
            dense = make_dense(node.attribute[0].sparse_tensor)
            dense.ClearField("name")
            doc = node.attribute[0].doc_string
            del node.attribute[:]
            node.attribute.append(helper.make_attribute("value", dense, doc or None))
        for attribute in node.attribute:
            normalize_attribute(attribute, folder)
    for sparse in graph.sparse_initializer:
        graph.initializer.append(make_dense(sparse))
    del graph.sparse_initializer[:]
    for tensor in graph.initializer:
        normalize_tensor(tensor, folder)


def normalize(model, folder="."):
    """The model as export writes it, as a new message."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    normalize_graph(model.graph, folder)
    return model


def describe_difference(a, b, path="model"):
    """The first difference of two messages, or None if they are equal."""
    if a.SerializeToString(deterministic=True) == b.SerializeToString(deterministic=True):
        return None
    for field in a.DESCRIPTOR.fields:
        one, other = getattr(a, field.name), getattr(b, field.name)
        where = f"{path}.{field.name}"
        if field.is_repeated:
            if len(one) != len(other):
                return f"{where}: {len(one)} entries became {len(other)}"
            pairs = [
                (x, y, f"{where}[{i}]") for i, (x, y) in enumerate(zip(one, other, strict=True))
            ]
        else:
            if field.has_presence and a.HasField(field.name) != b.HasField(field.name):
                return f"{where}: given only {'before' if a.HasField(field.name) else 'after'}"
            pairs = [(one, other, where)]
        for x, y, place in pairs:
            if field.type == field.TYPE_MESSAGE:
                if found := describe_difference(x, y, place):
                    return found
            elif x != y and not (x != x and y != y):
                return f"{place}: {str(x)[:80]!r} became {str(y)[:80]!r}"
    return f"{path}: fields that are not in its schema"
