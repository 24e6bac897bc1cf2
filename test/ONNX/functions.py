# Model-local functions are replaced by their nodes.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs %python %s %t
# RUN: quant-float-translate --import-onnx %t/calls.onnx | FileCheck %s --check-prefix=CALLS
# RUN: quant-float-translate --import-onnx %t/graph.onnx | FileCheck %s --check-prefix=GRAPH
# RUN: quant-float-translate --import-onnx %t/overload.onnx | FileCheck %s --check-prefix=OVERLOAD
# RUN: quant-float-translate --import-onnx %t/calls.onnx --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
import sys

from models import FLOAT, body, model, save
from onnx import AttributeProto, helper
from onnx import TensorProto as T

node = helper.make_node
STANDARD = [helper.make_opsetid("", 19)]


def function(name, inputs, outputs, nodes, attributes=(), defaults=(), imports=(), **more):
    return helper.make_function(
        "local",
        name,
        inputs,
        outputs,
        nodes,
        [*STANDARD, *imports],
        attributes,
        attribute_protos=[helper.make_attribute(k, v) for k, v in defaults],
        **more,
    )


def with_refs(made, **references):
    """The node with attributes that refer to those of the function."""
    for name, (reference, kind) in references.items():
        made.attribute.add(name=name, ref_attr_name=reference, type=kind)
    return made


INT, STRING, GRAPH = AttributeProto.INT, AttributeProto.STRING, AttributeProto.GRAPH
LOCAL = [("local", 1)]

narrow = function(
    "Narrow",
    ["x", "unused"],
    ["y"],
    [with_refs(node("Cast", ["x"], ["y"], name="inner"), to=("type", INT), saturate=("sat", INT))],
    ["type", "sat"],
)
twice = function(
    "Twice",
    ["x"],
    ["wide", "thin"],
    [
        # In any order, with names that are local to the function.
        with_refs(node("Cast", ["thin"], ["wide"]), to=("out", INT)),
        with_refs(node("Narrow", ["x"], ["thin"], domain="local"), type=("type", INT)),
    ],
    ["type"],
    [("out", int(T.FLOAT))],
    [helper.make_opsetid("local", 1)],
)
apply = function(
    "Apply",
    ["c", "v"],
    ["r"],
    [with_refs(node("If", ["c"], ["r"]), then_branch=("todo", GRAPH), else_branch=("todo", GRAPH))],
    ["todo"],
)

save(
    sys.argv[1],
    # The opset is the function's. Attributes are those of the call, the default, or absent.
    # CALLS-LABEL: func.func @g(
    # CALLS-SAME: %[[X:[^ ]+]]: tensor<2xf32>
    # CALLS-NEXT: %[[A:.+]] = quant_float.cast %[[X]] opset 19 saturate false : tensor<2xf32> to tensor<2xf8E5M2>
    # CALLS-NEXT: %[[T:.+]] = quant_float.cast %[[X]] opset 19 : tensor<2xf32> to tensor<2xf8E4M3FN>
    # CALLS-NEXT: %[[W:.+]] = quant_float.cast %[[T]] opset 19 : tensor<2xf8E4M3FN> to tensor<2xf32>
    # CALLS-NEXT: return %[[A]], %[[W]], %[[T]]
    # LOC-DAG: loc("inner"(#[[FILE:.+]]))
    # LOC-DAG: loc("call"(#[[FILE]]))
    # LOC-DAG: loc(callsite(
    calls=model(
        [
            node(
                "Narrow", ["x"], ["a"], name="call", domain="local", type=int(T.FLOAT8E5M2), sat=0
            ),
            node("Twice", ["x"], ["w", "t"], domain="local", type=int(T.FLOAT8E4M3FN)),
        ],
        [("x", FLOAT, [2])],
        [("a", T.FLOAT8E5M2, [2]), ("w", FLOAT, [2]), ("t", T.FLOAT8E4M3FN, [2])],
        imports=LOCAL,
        functions=[narrow, twice],
    ),
    # A graph that is passed to a function uses the values of the caller.
    # GRAPH-LABEL: func.func @g(
    # GRAPH-SAME: %[[C:[^ ]+]]: tensor<i1>
    # GRAPH-SAME: %[[X:[^ ]+]]: tensor<2xf32>
    # GRAPH: quant_float.node "If"(%[[C]]) opset 19
    # GRAPH: quant_float.cast %[[X]] opset 28 : tensor<2xf32> to tensor<2xf16>
    # GRAPH: quant_float.cast %[[X]] opset 28 : tensor<2xf32> to tensor<2xf16>
    graph=model(
        [
            node(
                "Apply",
                ["c"],
                ["y"],
                domain="local",
                todo=body([node("Cast", ["x"], ["h"], to=T.FLOAT16)], [], ["h"]),
            )
        ],
        [("c", T.BOOL, []), ("x", FLOAT, [2])],
        [("y", T.FLOAT16, [2])],
        imports=LOCAL,
        functions=[apply],
    ),
    # OVERLOAD: quant_float.node "Abs"
    # OVERLOAD: quant_float.node "Neg"
    overload=model(
        [
            node("F", ["x"], ["a"], domain="local", overload="abs"),
            node("F", ["x"], ["b"], domain="local", overload="neg"),
        ],
        [("x", FLOAT, [2])],
        [("a", FLOAT, [2]), ("b", FLOAT, [2])],
        imports=LOCAL,
        functions=[
            function("F", ["x"], ["y"], [node("Neg", ["x"], ["y"])], overload="neg"),
            function("F", ["x"], ["y"], [node("Abs", ["x"], ["y"])], overload="abs"),
        ],
    ),
)
