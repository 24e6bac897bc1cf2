# Constant in every form, Identity, and initializers that are inputs or outputs.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs %python %s %t
# RUN: quant-float-translate --import-onnx %t/constant.onnx | FileCheck %s --check-prefix=CONST
# RUN: quant-float-translate --import-onnx %t/identity.onnx | FileCheck %s --check-prefix=IDENTITY
# RUN: quant-float-translate --import-onnx %t/defaults.onnx | FileCheck %s --check-prefix=DEFAULTS
# RUN: quant-float-translate --import-onnx %t/sparse.onnx | FileCheck %s --check-prefix=SPARSE
# RUN: quant-float-translate --import-onnx %t/empty.onnx | FileCheck %s --check-prefix=EMPTY
import sys

from models import FLOAT, model, save
from onnx import TensorProto as T
from onnx import helper

node = helper.make_node
tensor = helper.make_tensor


def sparse(name, values, indices, dims):
    return helper.make_sparse_tensor(values, tensor(name + "_i", T.INT64, *indices), dims)


forms = {
    "value": tensor("t", T.FLOAT8E4M3FN, [2], [1.0, -448.0]),
    "value_float": 0.5,
    "value_floats": [1.0, 2.5],
    "value_int": -3,
    "value_ints": [4, 5],
    "value_string": "hello",
    "value_strings": ["a", "b c"],
}

save(
    sys.argv[1],
    # CONST-LABEL: func.func @g
    # CONST: arith.constant dense<[1.000000e+00, -4.480000e+02]> : tensor<2xf8E4M3FN>
    # CONST: arith.constant dense<5.000000e-01> : tensor<f32>
    # CONST: arith.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>
    # CONST: arith.constant dense<-3> : tensor<i64>
    # CONST: arith.constant dense<[4, 5]> : tensor<2xi64>
    # CONST: arith.constant dense<"hello"> : tensor<!quant_float.string>
    # CONST: arith.constant dense<["a", "b c"]> : tensor<2x!quant_float.string>
    # CONST: arith.constant dense<{{\[}}[0.000000e+00, 7.000000e+00], [8.000000e+00, 0.000000e+00]]> : tensor<2x2xf32>
    constant=model(
        [node("Constant", [], [name], **{name: value}) for name, value in forms.items()]
        + [
            node(
                "Constant",
                [],
                ["sparse"],
                sparse_value=sparse("s", tensor("v", FLOAT, [2], [7, 8]), ([2], [1, 2]), [2, 2]),
            )
        ],
        [],
        [helper.make_empty_tensor_value_info(name) for name in [*forms, "sparse"]],
    ),
    # Identity is removed, unless only its output has a type.
    # IDENTITY-LABEL: func.func @g
    # IDENTITY-SAME: %[[X:.+]]: tensor<2xf32> {quant_float.name = "x"}
    # IDENTITY-NEXT: %[[S:.+]] = quant_float.node "Strange"(%[[X]])
    # IDENTITY-NEXT: %[[I:.+]] = quant_float.node "Identity"(%[[S]]) {{.*}} -> tensor<3xf16>
    # IDENTITY-NEXT: return %[[X]], %[[X]], %[[S]], %[[I]]
    identity=model(
        [
            node("Identity", ["x"], ["a"]),
            node("Identity", ["a"], ["b"]),
            node("Strange", ["b"], ["s"]),
            node("Identity", ["s"], ["c"]),
            node("Identity", ["s"], ["d"]),
        ],
        [("x", FLOAT, [2])],
        [
            ("a", FLOAT, [2]),
            ("b", FLOAT, [2]),
            helper.make_empty_tensor_value_info("c"),
            ("d", T.FLOAT16, [3]),
        ],
    ),
    # An initializer that is an input is a constant. Outputs may be inputs and initializers.
    # DEFAULTS: func.func @g(%[[X:.+]]: tensor<1xf32> {quant_float.name = "x"}, %{{.+}}: tensor<1xf32> {quant_float.name = "z"})
    # DEFAULTS-SAME: -> (tensor<1xf32> {quant_float.name = "x"}, tensor<2xi32> {quant_float.name = "w"})
    # DEFAULTS-NEXT: %[[W:.+]] = arith.constant dense<[1, 2]> : tensor<2xi32>
    # DEFAULTS-NEXT: return %[[X]], %[[W]]
    defaults=model(
        [],
        [("x", FLOAT, [1]), ("w", T.INT32, [2]), ("z", FLOAT, [1])],
        [("x", FLOAT, [1]), ("w", T.INT32, [2])],
        initializer=[tensor("w", T.INT32, [2], [1, 2])],
        ir_version=3,
        opset=9,
    ),
    # Sparse initializers, with linear indices and with coordinates.
    # SPARSE-LABEL: func.func @g
    # SPARSE: quant_float.constant dense<[0, 0, 0, 9]> : tensor<4xui8>
    # SPARSE: arith.constant dense<{{\[}}[0, 5, 0], [0, 0, 6]]> : tensor<2x3xi4>
    sparse=model(
        [],
        [],
        [("a", T.UINT8, [4]), ("b", T.INT4, [2, 3])],
        sparse_initializer=[
            sparse("a", tensor("a", T.UINT8, [1], [9]), ([1], [3]), [4]),
            sparse("b", tensor("b", T.INT4, [2], [5, 6]), ([2, 2], [0, 1, 1, 2]), [2, 3]),
        ],
    ),
    # EMPTY-LABEL: func.func @g
    # EMPTY: arith.constant dense<> : tensor<0xf32>
    # EMPTY: arith.constant dense<> : tensor<2x0xi1>
    # EMPTY: arith.constant dense<> : tensor<0x3x!quant_float.string>
    # EMPTY: arith.constant dense<> : tensor<0xf4E2M1FN>
    empty=model(
        [],
        [],
        [("a", FLOAT, [0])],
        initializer=[
            tensor("a", FLOAT, [0], []),
            tensor("b", T.BOOL, [2, 0], []),
            tensor("c", T.STRING, [0, 3], []),
            tensor("d", T.FLOAT4E2M1, [0], b"", raw=True),
        ],
    ),
)
