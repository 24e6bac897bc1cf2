# Nodes that are kept unchanged: attributes of every kind, domains, absent inputs, bodies.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs %python %s %t
# RUN: quant-float-translate --import-onnx %t/attributes.onnx | FileCheck %s --check-prefix=ATTR
# RUN: quant-float-translate --import-onnx %t/inputs.onnx | FileCheck %s --check-prefix=INPUTS
# RUN: quant-float-translate --import-onnx %t/bodies.onnx | FileCheck %s --check-prefix=BODIES
# RUN: quant-float-translate --import-onnx %t/graphs.onnx | FileCheck %s --check-prefix=GRAPHS
import sys

from models import FLOAT, body, model, save
from onnx import AttributeProto, TensorProto, helper

T = TensorProto
node = helper.make_node
tensor = helper.make_tensor

values = {
    "f": 0.5,
    "floats": [1.0, 2.0],
    "i": -7,
    "ints": [1, 2],
    "s": "a\x01b",
    "strings": ["x", ""],
    "t": tensor("t", T.UINT4, [3], [1, 2, 15]),
    "tensors": [tensor("t", FLOAT, [], [1.0]), tensor("t", T.INT8, [1], [-1])],
    "tp": helper.make_tensor_type_proto(FLOAT, ["N", 2]),
    "sp": helper.make_sparse_tensor(
        tensor("v", FLOAT, [1], [3.0]), tensor("i", T.INT64, [1], [2]), [5]
    ),
    "an odd name": 1,
}
attributes = node("Odd", ["x"], ["y"], name="odd/1", **values)
attributes.attribute.add(name="no_ints", type=AttributeProto.INTS)
attributes.attribute.add(name="no_floats", type=AttributeProto.FLOATS)
attributes.attribute.add(name="no_type").i = 5

counter = helper.make_tensor_value_info("n", T.INT64, [])
going = helper.make_tensor_value_info("go", T.BOOL, [])

save(
    sys.argv[1],
    # ATTR: quant_float.node "Odd"(%arg0) opset 28
    # ATTR-SAME: "an odd name" = 1 : i64
    # ATTR-SAME: f = 5.000000e-01 : f32
    # ATTR-SAME: floats = array<f32: 1.000000e+00, 2.000000e+00>
    # ATTR-SAME: i = -7 : i64
    # ATTR-SAME: ints = array<i64: 1, 2>
    # ATTR-SAME: no_floats = array<f32>
    # ATTR-SAME: no_ints = array<i64>
    # ATTR-SAME: no_type = 5 : i64
    # ATTR-SAME: s = "a\01b"
    # ATTR-SAME: sp = {dims = array<i64: 5>, indices = dense<2> : tensor<1xi64>, values = dense<3.000000e+00> : tensor<1xf32>}
    # ATTR-SAME: strings = ["x", ""]
    # ATTR-SAME: t = dense<[1, 2, 15]> : tensor<3xui4>
    # ATTR-SAME: tensors = [dense<1.000000e+00> : tensor<f32>, dense<-1> : tensor<1xi8>]
    # ATTR-SAME: tp = tensor<?x2xf32>
    # ATTR-SAME: name "odd/1"
    attributes=model([attributes], [("x", FLOAT, [1])], [("y", FLOAT, [1])]),
    # Absent inputs keep their index. Absent outputs are results without uses.
    # INPUTS: %[[R:.+]]:3 = quant_float.node "Op"(%arg0, %arg1) opset 5 domain "com.example"
    # INPUTS-SAME: absent [0, 2]
    # INPUTS-SAME: : (tensor<1xf32>, tensor<2xf32>) -> (tensor<3xf32>, !quant_float.unknown, tensor<4xf32>)
    # INPUTS: return %[[R]]#0, %[[R]]#2
    inputs=model(
        [node("Op", ["", "x", "", "y"], ["a", "", "b"], domain="com.example")],
        [("x", FLOAT, [1]), ("y", FLOAT, [2])],
        [("a", FLOAT, [3]), ("b", FLOAT, [4])],
        imports=[("com.example", 5)],
    ),
    # Bodies use outside values. A node's types are those of its branches if the file omits them.
    # BODIES-LABEL: func.func @g(
    # BODIES-SAME: %[[C:[^ ]+]]: tensor<i1>
    # BODIES-SAME: %[[X:[^ ]+]]: tensor<2xf32>
    # BODIES: %[[IF:.+]] = quant_float.node "If"(%[[C]])
    # BODIES-SAME: (tensor<i1>) -> tensor<?xf16>
    # BODIES-SAME: bodies ["else_branch", "then_branch"]
    # BODIES: %[[W:.+]] = arith.constant dense<1.000000e+00> : tensor<3xf16>
    # BODIES: quant_float.yield %[[W]] : tensor<3xf16>
    # BODIES: %[[A:.+]] = quant_float.cast %[[X]] opset 28 : tensor<2xf32> to tensor<2xf16>
    # BODIES: quant_float.yield %[[A]] : tensor<2xf16>
    # BODIES: quant_float.node "Loop"(%[[C]], %[[IF]])
    # BODIES-SAME: absent [0]
    # BODIES-SAME: -> tensor<*xf16>
    # BODIES-SAME: bodies ["body"]
    # BODIES: ^bb0(%[[N:.+]]: tensor<i64>, %[[GO:.+]]: tensor<i1>, %[[S:.+]]: tensor<*xf16>
    # BODIES: %[[T:.+]] = quant_float.node "Add"(%[[S]], %[[X]])
    # BODIES: quant_float.yield %[[GO]], %[[T]]
    bodies=model(
        [
            node(
                "If",
                ["c"],
                ["h"],
                then_branch=body([node("Cast", ["x"], ["a"], to=T.FLOAT16)], [], ["a"]),
                else_branch=body([], [], ["w"], initializer=[tensor("w", T.FLOAT16, [3], [1] * 3)]),
            ),
            node(
                "Loop",
                ["", "c", "h"],
                ["y"],
                body=body([node("Add", ["s", "x"], ["t"])], [counter, going, "s"], ["go", "t"]),
            ),
        ],
        [("c", T.BOOL, []), ("x", FLOAT, [2])],
        [helper.make_empty_tensor_value_info("y")],
    ),
    # A list of graphs yields several bodies. An inner name may hide an outer one.
    # GRAPHS: quant_float.node "Many"(%arg0)
    # GRAPHS-SAME: bodies ["cases[0]", "cases[1]"]
    # GRAPHS: quant_float.yield %arg0 : tensor<2xf32>
    # GRAPHS: ^bb0(%[[B:.+]]: tensor<1xi8>
    # GRAPHS: quant_float.yield %[[B]] : tensor<1xi8>
    graphs=model(
        [
            node(
                "Many",
                ["x"],
                ["y"],
                cases=[
                    body([], [], ["x"]),
                    body([], [helper.make_tensor_value_info("x", T.INT8, [1])], ["x"]),
                ],
            )
        ],
        [("x", FLOAT, [2])],
        [("y", FLOAT, [2])],
    ),
)
