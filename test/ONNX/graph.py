# Names, shapes, types of values, the order of nodes, and the attributes of the module.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs %python %s %t
# RUN: quant-float-translate --import-onnx %t/names.onnx | FileCheck %s --check-prefix=NAMES
# RUN: quant-float-translate --import-onnx %t/nameless.onnx | FileCheck %s --check-prefix=NAMELESS
# RUN: quant-float-translate --import-onnx %t/keyword.onnx | FileCheck %s --check-prefix=KEYWORD
# RUN: quant-float-translate --import-onnx %t/shapes.onnx | FileCheck %s --check-prefix=SHAPES
# RUN: quant-float-translate --import-onnx %t/types.onnx | FileCheck %s --check-prefix=TYPES
# RUN: quant-float-translate --import-onnx %t/unsorted.onnx | FileCheck %s --check-prefix=SORT
# RUN: quant-float-translate --import-onnx %t/inferred.onnx | FileCheck %s --check-prefix=INFER
# RUN: quant-float-translate --import-onnx %t/untyped.onnx 2>&1 | FileCheck %s --check-prefix=UNTYPED
# RUN: quant-float-translate --import-onnx %t/old.onnx | FileCheck %s --check-prefix=OLD
# RUN: quant-float-translate --import-onnx %t/training.onnx 2>&1 | FileCheck %s --check-prefix=TRAINING
# RUN: cat %t/names.onnx | quant-float-translate --import-onnx | FileCheck %s --check-prefix=NAMES
import sys

from models import FLOAT, model, save
from onnx import TensorProto as T
from onnx import helper

node = helper.make_node
info = helper.make_tensor_type_proto
value = helper.make_value_info

names = model(
    [node("Cast", ["in put:0"], ["é/1"], name="a b\n", to=T.FLOAT16)],
    [("in put:0", FLOAT, [1])],
    [("é/1", T.FLOAT16, [1])],
    name="2 main/graph",
    opset=19,
    ir_version=9,
    # A duplicate, as skl2onnx writes it. ai.onnx and "" are one domain.
    imports=[("com.example", 3), ("ai.onnx", 19), ("com.example", 3)],
)
names.producer_name, names.producer_version = "maker", "1.2"

dims = value("x", info(FLOAT, [2, "N", -1, 0, None]))
unset = value("y", info(FLOAT, None))
training = model([], [("x", FLOAT, [1])], [("x", FLOAT, [1])])
training.training_info.add()
old = model([node("Relu", ["x"], ["y"])], [("x", FLOAT, [1])], [("y", FLOAT, [1])], opset=None)
old.ir_version = 2
untyped = model([node("Transpose", ["x"], ["y"], perm=[1, 0])], [("x", FLOAT, [2, 3])], [])
untyped.graph.node[0].attribute[0].ClearField("type")

save(
    sys.argv[1],
    # NAMES: module attributes {quant_float.ir_version = 9 : i64
    # NAMES-SAME: quant_float.opset_imports = {ai.onnx = 19 : i64, com.example = 3 : i64}
    # NAMES-SAME: quant_float.producer = "maker 1.2"
    # NAMES: func.func @_2_main_graph(
    # NAMES-SAME: tensor<1xf32> {quant_float.name = "in put:0"}
    # NAMES-SAME: -> (tensor<1xf16> {quant_float.name = "\C3\A9/1"})
    # NAMES-SAME: attributes {quant_float.graph_name = "2 main/graph"}
    # NAMES: quant_float.cast
    names=names,
    # NAMELESS: func.func @main()
    # NAMELESS-SAME: quant_float.graph_name = "???"
    nameless=model([], [], [], name="???"),
    # KEYWORD: func.func @double_()
    keyword=model([], [], [], name="double"),
    # SHAPES: func.func @g(
    # SHAPES-SAME: tensor<2x?x?x0x?xf32> {quant_float.name = "x"}
    # SHAPES-SAME: tensor<*xf32> {quant_float.name = "y"}
    # SHAPES-SAME: !quant_float.unknown {quant_float.name = "z"}
    # SHAPES-SAME: !quant_float.unknown {quant_float.name = "u"}
    # SHAPES-SAME: tensor<f32> {quant_float.name = "s"}
    shapes=model(
        [],
        [
            dims,
            unset,
            helper.make_empty_tensor_value_info("z"),
            value("u", info(T.UNDEFINED, [1])),
            ("s", FLOAT, []),
        ],
        [],
    ),
    # TYPES: func.func @g(
    # TYPES-SAME: !quant_float.opaque<"seq(tensor(float))">
    # TYPES-SAME: !quant_float.opaque<"optional(seq(tensor(int64)))">
    # TYPES-SAME: !quant_float.opaque<"map(string,tensor(float8e4m3fn))">
    # TYPES-SAME: !quant_float.opaque<"sparse_tensor(float16)">
    # TYPES-SAME: tensor<2xcomplex<f32>>
    # TYPES-SAME: tensor<2xcomplex<f64>>
    # TYPES-SAME: tensor<?x!quant_float.string>
    types=model(
        [],
        [
            value("a", helper.make_sequence_type_proto(info(FLOAT, None))),
            value(
                "b",
                helper.make_optional_type_proto(
                    helper.make_sequence_type_proto(info(T.INT64, None))
                ),
            ),
            value("c", helper.make_map_type_proto(T.STRING, info(T.FLOAT8E4M3FN, [1]))),
            value("d", helper.make_sparse_tensor_type_proto(T.FLOAT16, [3])),
            ("e", T.COMPLEX64, [2]),
            ("f", T.COMPLEX128, [2]),
            ("g", T.STRING, ["n"]),
        ],
        [],
    ),
    # Sorted topologically, otherwise as in the file. The values that a body captures count.
    # SORT: func.func @g(%[[X:[^ ]+]]
    # SORT: quant_float.node "Neg"
    # SORT: quant_float.node "Abs"
    # SORT: quant_float.node "If"
    # SORT: quant_float.node "Log"
    # SORT: quant_float.node "Exp"
    unsorted=model(
        [
            node("Log", ["d"], ["e"]),
            node(
                "If",
                ["c"],
                ["d"],
                then_branch=helper.make_graph(
                    [node("Identity", ["b"], ["t"])],
                    "t",
                    [],
                    [helper.make_tensor_value_info("t", FLOAT, [1])],
                ),
                else_branch=helper.make_graph(
                    [], "e", [], [helper.make_tensor_value_info("a", FLOAT, [1])]
                ),
            ),
            node("Neg", ["x"], ["a"]),
            node("Abs", ["a"], ["b"]),
            node("Exp", ["b"], ["f"]),
        ],
        [("x", FLOAT, [1]), ("c", T.BOOL, [])],
        [("e", FLOAT, [1]), ("f", FLOAT, [1])],
    ),
    # Types that the file omits are inferred with the op's schema, also from computed integers.
    # INFER: quant_float.node "Relu"{{.*}} -> tensor<?x3xf16>
    # INFER: quant_float.node "MatMul"{{.*}} -> tensor<?x4xf16>
    # INFER: quant_float.node "Shape"{{.*}} -> tensor<2xi64>
    # INFER: quant_float.node "Greater"{{.*}} -> tensor<?x4xi1>
    # INFER: quant_float.node "Where"{{.*}} -> tensor<?x4xf16>
    # INFER: quant_float.node "Split"{{.*}} -> (tensor<?x2xf16>, tensor<?x2xf16>)
    # INFER: quant_float.node "ConstantOfShape"{{.*}} -> tensor<?x4xf32>
    # INFER: quant_float.node "ConstantOfShape"{{.*}} -> tensor<?x4xi8>
    # INFER: quant_float.node "Relu"{{.*}} domain "other"{{.*}} -> !quant_float.unknown
    # INFER: quant_float.node "Abs"{{.*}} -> tensor<7xi8>
    inferred=model(
        [
            node("Relu", ["x"], ["a"]),
            node("MatMul", ["a", "w"], ["b"]),
            node("Shape", ["b"], ["c"]),
            node("Greater", ["b", "b"], ["g"]),
            node("Where", ["g", "b", "b"], ["h"]),
            node("Split", ["h"], ["s", "t"], axis=1, num_outputs=2),
            node("ConstantOfShape", ["c"], ["u"]),
            node("ConstantOfShape", ["c"], ["v"], value=helper.make_tensor("v", T.INT8, [1], [1])),
            node("Relu", ["x"], ["d"], domain="other"),
            node("Abs", ["d"], ["e"]),
        ],
        [("x", T.FLOAT16, [None, 3]), ("w", T.FLOAT16, [3, 4])],
        [],
        imports=[("other", 1)],
        value_info=[helper.make_tensor_value_info("e", T.INT8, [7])],
    ),
    # The contents of an attribute determine a type that the file omits.
    # UNTYPED-NOT: warning
    # UNTYPED: quant_float.node "Transpose"{{.*}} -> tensor<3x2xf32>
    untyped=untyped,
    # Before IR version 3, there were no opset imports: opset 1.
    # OLD: quant_float.node "Relu"(%arg0) opset 1
    old=old,
    # TRAINING: training.onnx:0:0: warning: training information is not imported
    # TRAINING: func.func @g
    training=training,
)
