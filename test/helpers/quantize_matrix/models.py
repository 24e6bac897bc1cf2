"""Cases as ONNX models, with many nodes in a model."""

import numpy as np
import onnx
from conformance.formats import FORMATS
from onnx import helper

from quantize_matrix.cases import MICROSOFT

NEWEST_IR = 14


def pack(name, encodings):
    """The layout of raw_data: sub-byte elements share bytes, lowest bits first."""
    form = FORMATS[name]
    if form.width >= 8:
        return np.ascontiguousarray(encodings.astype(form.slot)).tobytes()
    bits = encodings.astype(np.uint8).ravel()[:, None] >> np.arange(form.width, dtype=np.uint8) & 1
    return np.packbits(bits.ravel(), bitorder="little").tobytes()


def unpack(name, data, count):
    form = FORMATS[name]
    if form.width >= 8:
        return np.frombuffer(data, form.slot, count)
    bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
    bits = bits[: count * form.width].reshape(count, form.width)
    return (bits << np.arange(form.width, dtype=np.uint8)).sum(axis=1, dtype=np.uint8)


def tensor(name, type_name, encodings):
    return onnx.TensorProto(
        name=name,
        data_type=FORMATS[type_name].onnx,
        dims=encodings.shape,
        raw_data=pack(type_name, encodings),
    )


def input_names(index, case):
    kinds = ("x", "s") if case.zp_shape is None else ("x", "s", "z")
    return [f"{kind}{index}" for kind in kinds]


def node(index, case):
    names = input_names(index, case)
    made = helper.make_node(case.op, names, [f"y{index}"], name=f"n{index}", domain=case.domain)
    for name, value in case.attributes.items():
        made.attribute.append(helper.make_attribute(name, value))
    return made


def model(cases, datas, every_constant=False, ir_version=NEWEST_IR, opset=None):
    """All cases must have the same version. Inputs that are not initializers are graph inputs."""
    nodes, inputs, outputs, initializers = [], [], [], []
    for index, (case, data) in enumerate(zip(cases, datas, strict=True)):
        nodes.append(node(index, case))
        sources = zip(
            input_names(index, case),
            (case.x, case.scale, case.quantized),
            (data.x, data.scale, data.zero_point),
            strict=False,
        )
        for place, (name, type_name, encodings) in enumerate(sources):
            constant = case.constants == "all" or (case.constants == "parameters" and place > 0)
            if every_constant or constant:
                initializers.append(tensor(name, type_name, encodings))
                continue
            sizes = encodings.shape
            # A scale of dynamic length would be per axis.
            if case.dynamic and (place == 0 or case.axis is not None):
                sizes = [f"{name}_{i}" for i in range(len(sizes))]
            number = FORMATS[type_name].onnx
            inputs.append(helper.make_tensor_value_info(name, number, sizes))
        sizes = None if case.dynamic else case.shape
        outputs.append(helper.make_tensor_value_info(f"y{index}", FORMATS[case.y].onnx, sizes))
    graph = helper.make_graph(nodes, "cases", inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", opset or cases[0].opset)]
    if any(case.domain for case in cases):
        opsets.append(helper.make_opsetid(MICROSOFT, 1))
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)


def graph_inputs(cases, datas):
    """(name, type, encodings) of the graph inputs of a model without every_constant."""
    for index, (case, data) in enumerate(zip(cases, datas, strict=True)):
        encodings = [data.x, data.scale, data.zero_point]
        types = [case.x, case.scale, case.quantized]
        kept = {"none": 3, "parameters": 1, "all": 0}[case.constants]
        yield from list(zip(input_names(index, case), types, encodings, strict=False))[:kept]
