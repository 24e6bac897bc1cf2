# QuantizeLinear and DequantizeLinear of every version, in ONNX's domain and com.microsoft: the
# granularity (Q1) and types (Q5, Q6) that the importer selects, the attributes that are ignored
# (V3), and that the printed module can be parsed again.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs %python %s %t
# RUN: quant-float-translate --import-onnx %t/versions.onnx | FileCheck %s --check-prefix=V28
# RUN: quant-float-translate --import-onnx %t/v10.onnx | FileCheck %s --check-prefix=V10
# RUN: quant-float-translate --import-onnx %t/v13.onnx | FileCheck %s --check-prefix=V13
# RUN: quant-float-translate --import-onnx %t/v19.onnx | FileCheck %s --check-prefix=V19
# RUN: quant-float-translate --import-onnx %t/v21.onnx | FileCheck %s --check-prefix=V21
# RUN: quant-float-translate --import-onnx %t/v23.onnx | FileCheck %s --check-prefix=V23
# RUN: quant-float-translate --import-onnx %t/v24.onnx | FileCheck %s --check-prefix=V24
# RUN: quant-float-translate --import-onnx %t/v25.onnx | FileCheck %s --check-prefix=V25
# RUN: quant-float-translate --import-onnx %t/v28.onnx | FileCheck %s --check-prefix=V28F6
# RUN: quant-float-translate --import-onnx %t/granularity.onnx | FileCheck %s --check-prefix=GRAIN
# RUN: quant-float-translate --import-onnx %t/ignored.onnx | FileCheck %s --check-prefix=IGNORED
# RUN: quant-float-translate --import-onnx %t/dynamic.onnx | FileCheck %s --check-prefix=DYN
# RUN: quant-float-translate --import-onnx %t/before_axis.onnx | FileCheck %s --check-prefix=BEFORE
# RUN: quant-float-translate --import-onnx %t/microsoft.onnx | FileCheck %s --check-prefix=MS
# RUN: quant-float-translate --import-onnx %t/zeros.onnx | FileCheck %s --check-prefix=ZEROS
# RUN: quant-float-translate --import-onnx %t/dynamic_quantize.onnx | FileCheck %s --check-prefix=DQL
# RUN: quant-float-translate --import-onnx %t/unknown.onnx 2>%t/err | FileCheck %s --check-prefix=UNKNOWN
# RUN: FileCheck %s --check-prefix=WARN --input-file=%t/err
# RUN: sh -ec 'for i in %t/*.onnx; do quant-float-translate --import-onnx $i -o %t/m.mlir 2>/dev/null; quant-float-opt %t/m.mlir -o %t/n.mlir; diff -B %t/m.mlir %t/n.mlir; done'
import sys

from models import FLOAT, body, model, save
from onnx import TensorProto as T
from onnx import helper

node = helper.make_node
QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"


class Graph:
    """Collects nodes, each with its own inputs."""

    def __init__(self, **fields):
        self.nodes, self.inputs, self.outputs, self.fields = [], [], [], fields

    def add(self, op, *types, domain="", **attributes):
        index = len(self.nodes)
        names = [f"{name}{index}" for name, one in zip("xsz", types, strict=False) if one]
        self.inputs += [
            (name, *one) for name, one in zip(names, [t for t in types if t], strict=True)
        ]
        self.nodes.append(node(op, names, [f"y{index}"], domain=domain, **attributes))
        self.outputs.append(helper.make_empty_tensor_value_info(f"y{index}"))
        return self

    def build(self):
        return model(self.nodes, self.inputs, self.outputs, **self.fields)


def one(op, *types, opset, **attributes):
    return Graph(opset=opset).add(op, *types, **attributes)


X, S = (FLOAT, [4, 5]), (FLOAT, [])

save(
    sys.argv[1],
    # The output type: the zero point's, output_dtype, or uint8 (Q5); output_dtype, or the scale's
    # (Q6).
    # V28-LABEL: func.func @g
    # V28: quant_float.quantize %{{.*}}, %{{.*}}, %{{.*}} opset 28 : tensor<4x5xf32>, tensor<f32>, tensor<i8> to tensor<4x5xi8>
    # V28: quant_float.quantize %{{.*}}, %{{.*}} opset 28 : tensor<4x5xf32>, tensor<f32> to tensor<4x5xui16>
    # V28: quant_float.quantize %{{.*}}, %{{.*}} opset 28 : tensor<4x5xf32>, tensor<f32> to tensor<4x5xui8>
    # V28: quant_float.dequantize %{{.*}}, %{{.*}} opset 28 : tensor<4x5xi8>, tensor<f32> to tensor<4x5xf16>
    # V28: quant_float.dequantize %{{.*}}, %{{.*}}, %{{.*}} opset 28 : tensor<4x5xi32>, tensor<bf16>, tensor<i32> to tensor<4x5xbf16>
    versions=Graph()
    .add(QUANTIZE, X, S, (T.INT8, []))
    .add(QUANTIZE, X, S, output_dtype=T.UINT16)
    .add(QUANTIZE, X, S)
    .add(DEQUANTIZE, (T.INT8, [4, 5]), S, output_dtype=T.FLOAT16)
    .add(DEQUANTIZE, (T.INT32, [4, 5]), (T.BFLOAT16, []), (T.INT32, []))
    .build(),
    # V10: quant_float.quantize %{{.*}}, %{{.*}}, %{{.*}} opset 10 : tensor<4x5xi32>, tensor<f32>, tensor<i8> to tensor<4x5xi8>
    v10=one(QUANTIZE, (T.INT32, [4, 5]), S, (T.INT8, []), opset=10).build(),
    # V13: quant_float.dequantize %{{.*}}, %{{.*}} axis 1 opset 13 : tensor<4x5xui8>, tensor<5xf32> to tensor<4x5xf32>
    v13=one(DEQUANTIZE, (T.UINT8, [4, 5]), (FLOAT, [5]), opset=13).build(),
    # V19: quant_float.quantize %{{.*}}, %{{.*}}, %{{.*}} axis -2 opset 19 saturate false : tensor<4x5xf16>, tensor<4xf16>, tensor<4xf8E5M2> to tensor<4x5xf8E5M2>
    v19=one(
        QUANTIZE,
        (T.FLOAT16, [4, 5]),
        (T.FLOAT16, [4]),
        (T.FLOAT8E5M2, [4]),
        opset=19,
        axis=-2,
        saturate=0,
    ).build(),
    # V21: quant_float.quantize %{{.*}}, %{{.*}} axis 1 block_size 2 opset 21 : tensor<4x5xf32>, tensor<4x3xf32> to tensor<4x5xi4>
    v21=one(QUANTIZE, X, (FLOAT, [4, 3]), opset=21, block_size=2, output_dtype=T.INT4).build(),
    # V23: quant_float.quantize %{{.*}}, %{{.*}} opset 23 saturate true precision f16 : tensor<4x5xf32>, tensor<bf16> to tensor<4x5xf4E2M1FN>
    v23=one(
        QUANTIZE,
        X,
        (T.BFLOAT16, []),
        opset=23,
        precision=T.FLOAT16,
        output_dtype=T.FLOAT4E2M1,
        saturate=1,
    ).build(),
    # V24: quant_float.dequantize %{{.*}}, %{{.*}} axis 0 block_size 3 opset 24 : tensor<4x5xi8>, tensor<2x5xf8E8M0FNU> to tensor<4x5xbf16>
    v24=one(
        DEQUANTIZE,
        (T.INT8, [4, 5]),
        (T.FLOAT8E8M0, [2, 5]),
        opset=24,
        axis=0,
        block_size=3,
        output_dtype=T.BFLOAT16,
    ).build(),
    # V25: quant_float.quantize %{{.*}}, %{{.*}}, %{{.*}} opset 25 : tensor<4x5xf32>, tensor<f32>, tensor<1xui2> to tensor<4x5xui2>
    v25=one(QUANTIZE, X, S, (T.UINT2, [1]), opset=25).build(),
    # V28F6: quant_float.quantize %{{.*}}, %{{.*}}, %{{.*}} opset 28 : tensor<4x5xf32>, tensor<f32>, tensor<f6E3M2FN> to tensor<4x5xf6E3M2FN>
    v28=one(QUANTIZE, X, S, (T.FLOAT6E3M2, []), opset=28).build(),
    # GRAIN-LABEL: func.func @g
    # Rank 0, one element, several, and one along a dimension of size 1.
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} opset 28
    # GRAIN-SAME: tensor<4x5xf32>, tensor<f32>
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} opset 28
    # GRAIN-SAME: tensor<4x5xf32>, tensor<1xf32>
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} axis 1 opset 28
    # GRAIN-SAME: tensor<4x5xf32>, tensor<5xf32>
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} opset 28
    # GRAIN-SAME: tensor<4x1xf32>, tensor<1xf32>
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} axis 0 opset 28
    # GRAIN-SAME: tensor<3xf32>, tensor<3xf32>
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} axis -1 block_size 3 opset 28
    # GRAIN-SAME: tensor<4x5xf32>, tensor<4x2xf32>
    # With a block size, a scale of one element is blocked, too.
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} axis 0 block_size 4 opset 28
    # GRAIN-SAME: tensor<3xf32>, tensor<1xf32>
    # A tensor without elements has no scales.
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} axis 1 opset 28
    # GRAIN-SAME: tensor<4x0xf32>, tensor<0xf32>
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} axis 1 block_size 32 opset 28
    # GRAIN-SAME: tensor<4x0xf32>, tensor<4x0xf32>
    # GRAIN: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} axis 1 block_size 9223372036854775807 opset 28
    # GRAIN-SAME: tensor<4x5xf32>, tensor<4x1xf32>
    granularity=Graph()
    .add(QUANTIZE, X, S)
    .add(QUANTIZE, X, (FLOAT, [1]))
    .add(QUANTIZE, X, (FLOAT, [5]))
    .add(QUANTIZE, (FLOAT, [4, 1]), (FLOAT, [1]))
    .add(QUANTIZE, (FLOAT, [3]), (FLOAT, [3]), axis=0)
    .add(QUANTIZE, X, (FLOAT, [4, 2]), axis=-1, block_size=3)
    .add(QUANTIZE, (FLOAT, [3]), (FLOAT, [1]), axis=0, block_size=4)
    .add(QUANTIZE, (FLOAT, [4, 0]), (FLOAT, [0]))
    .add(QUANTIZE, (FLOAT, [4, 0]), (FLOAT, [4, 0]), block_size=32)
    .add(QUANTIZE, X, (FLOAT, [4, 1]), block_size=2**63 - 1)
    .build(),
    # Attributes without effect keep their names. An axis out of range is an error (Q1).
    # IGNORED-LABEL: func.func @g
    # IGNORED: quantize {{.*}} opset 28 ignored_attributes ["axis"]
    # IGNORED: quantize {{.*}} opset 28 ignored_attributes ["axis"]
    # IGNORED: quantize {{.*}} axis 1 opset 28 ignored_attributes ["block_size"]
    # IGNORED: quantize {{.*}} opset 28 ignored_attributes ["output_dtype", "precision"]
    # IGNORED: quantize {{.*}} opset 28 ignored_attributes ["output_dtype"]
    # IGNORED: quantize {{.*}} opset 28 ignored_attributes ["output_dtype"]
    # IGNORED: dequantize {{.*}} opset 28 ignored_attributes ["output_dtype"]
    # IGNORED: dequantize {{.*}} opset 28 ignored_attributes ["axis", "block_size", "output_dtype"]
    ignored=Graph()
    .add(QUANTIZE, X, S, axis=-(2**63))
    .add(QUANTIZE, X, (FLOAT, [1]), axis=7)
    .add(QUANTIZE, X, (FLOAT, [5]), axis=1, block_size=0)
    .add(QUANTIZE, X, S, output_dtype=0, precision=0)
    .add(QUANTIZE, X, S, output_dtype=T.UINT8)
    .add(QUANTIZE, X, S, (T.INT8, []), output_dtype=T.INT8)
    .add(DEQUANTIZE, (T.INT8, [4]), S, output_dtype=FLOAT)
    .add(DEQUANTIZE, (T.INT8, [4]), S, output_dtype=0, block_size=0, axis=1)
    .build(),
    # A dynamic length: per axis, or per tensor if the input has no such axis.
    # DYN-LABEL: func.func @g
    # DYN: quantize {{.*}} axis 1 opset 28 : tensor<?x?xf32>, tensor<?xf32> to tensor<?x?xui8>
    # DYN: quantize {{.*}} axis 1 opset 28 : tensor<*xf32>, tensor<3xf32> to tensor<*xui8>
    # DYN: quantize {{[^:]*}} %{{[a-z0-9]+}} opset 28 : tensor<3xf32>, tensor<?xf32> to tensor<3xui8>
    # DYN: quantize {{.*}} axis 1 block_size 2 opset 28 : tensor<*xf32>, tensor<*xf32> to tensor<*xui8>
    # DYN: quantize {{.*}} axis 0 block_size 2 opset 28 : tensor<?x3xf32>, tensor<?x?xf32> to tensor<?x3xui8>
    # DYN: quantize {{[^:]*}} %{{[a-z0-9]+}} opset 28 : tensor<*xf32>, tensor<f32> to tensor<*xui8>
    # DYN: dequantize {{.*}} opset 28 : tensor<3xi8>, tensor<f32>, tensor<*xi8> to tensor<3xf32>
    dynamic=Graph()
    .add(QUANTIZE, (FLOAT, ["N", "M"]), (FLOAT, ["K"]))
    .add(QUANTIZE, (FLOAT, None), (FLOAT, [3]))
    .add(QUANTIZE, (FLOAT, [3]), (FLOAT, ["K"]))
    .add(QUANTIZE, (FLOAT, None), (FLOAT, None), block_size=2)
    .add(QUANTIZE, (FLOAT, ["N", 3]), (FLOAT, ["K", "L"]), block_size=2, axis=0)
    .add(QUANTIZE, (FLOAT, None), S)
    .add(DEQUANTIZE, (T.INT8, [3]), S, (T.INT8, None))
    .build(),
    # BEFORE: quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} opset 12 : tensor<4x5xf32>, tensor<?xf32>
    before_axis=one(QUANTIZE, X, (FLOAT, ["K"]), opset=12).build(),
    # MS-LABEL: func.func @g
    # MS: quantize {{.*}} opset 1 domain "com.microsoft" : tensor<4x5xf16>, tensor<f16>, tensor<ui16> to tensor<4x5xui16>
    # MS: dequantize {{.*}} axis 0 opset 1 domain "com.microsoft" : tensor<4x5xi4>, tensor<4xf32>, tensor<4xi4> to tensor<4x5xf32>
    # MS: dequantize {{.*}} opset 1 domain "com.microsoft" : tensor<4x5xi32>, tensor<f16> to tensor<4x5xf16>
    # MS: quantize {{.*}} axis 1 block_size 2 opset 1 domain "com.microsoft" : tensor<4x5xf32>, tensor<4x3xf32> to tensor<4x5xui8>
    microsoft=Graph(imports=[("com.microsoft", 1)], opset=13)
    .add(
        QUANTIZE,
        (T.FLOAT16, [4, 5]),
        (T.FLOAT16, []),
        (T.UINT16, []),
        domain="com.microsoft",
    )
    .add(
        DEQUANTIZE,
        (T.INT4, [4, 5]),
        (FLOAT, [4]),
        (T.INT4, [4]),
        axis=0,
        domain="com.microsoft",
    )
    .add(DEQUANTIZE, (T.INT32, [4, 5]), (T.FLOAT16, []), domain="com.microsoft")
    .add(QUANTIZE, X, (FLOAT, [4, 3]), block_size=2, domain="com.microsoft")
    .build(),
    # float8 zeros of either sign, a zero point that is not a constant (Q7), and an absent one.
    # ZEROS-COUNT-3: quant_float.quantize {{.*}} to tensor<2xf8E4M3FN>
    # ZEROS: quant_float.quantize %{{[a-z0-9]+}}, %{{[a-z0-9]+}} opset 28 {{.*}} to tensor<2xui8>
    zeros=model(
        [
            node(QUANTIZE, ["x", "s", "plus"], ["a"]),
            node(QUANTIZE, ["x", "s", "minus"], ["b"]),
            node(QUANTIZE, ["x", "s", "other"], ["c"]),
            node(QUANTIZE, ["x", "s", ""], ["d"]),
        ],
        [("x", FLOAT, [2]), ("s", FLOAT, []), ("other", T.FLOAT8E4M3FN, [])],
        [helper.make_empty_tensor_value_info(name) for name in "abcd"],
        initializer=[
            helper.make_tensor("plus", T.FLOAT8E4M3FN, [], b"\0", raw=True),
            helper.make_tensor("minus", T.FLOAT8E4M3FN, [], b"\x80", raw=True),
        ],
    ),
    # DynamicQuantizeLinear remains a node with known types.
    # DQL: quant_float.node "DynamicQuantizeLinear"(%arg0) opset 28 {{.*}}: (tensor<?x3xf32>) -> (tensor<?x3xui8>, tensor<f32>, tensor<ui8>)
    # DQL: quant_float.dequantize
    dynamic_quantize=model(
        [
            node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"]),
            node(DEQUANTIZE, ["y", "s", "z"], ["d"]),
        ],
        [("x", FLOAT, ["N", 3])],
        [("d", FLOAT, ["N", 3])],
    ),
    # With missing types, the node is kept, and its result type is inferred as far as possible.
    # Shapes are rarely present, so a missing rank is no reason for a warning.
    # UNKNOWN-LABEL: func.func @g
    # UNKNOWN: %[[S:.+]] = quant_float.node "Strange"(%arg0) opset 28 : (tensor<4x5xf32>) -> !quant_float.unknown
    # UNKNOWN: quant_float.node "QuantizeLinear"(%[[S]], %arg1) opset 28 {{.*}} -> tensor<*xui8>
    # UNKNOWN: quant_float.node "QuantizeLinear"(%arg0, %arg1, %[[S]]) opset 28 {{.*}} -> !quant_float.unknown
    # UNKNOWN: quant_float.node "QuantizeLinear"(%arg0, %arg2) opset 28 {{.*}} -> tensor<4x5xui8>
    # UNKNOWN: quant_float.node "DequantizeLinear"(%arg3, %[[S]]) opset 28 {{.*}} -> !quant_float.unknown
    # UNKNOWN: quant_float.node "DequantizeLinear"(%arg3, %[[S]]) opset 28 {{.*}}output_dtype = 10 : i64{{.*}} -> tensor<4x5xf16>
    # UNKNOWN: quant_float.dequantize %arg3, %arg1
    # WARN: warning: node 'a' (QuantizeLinear): the type of input 0 's' is not known, so the node is kept unchanged
    # WARN: warning: node 'b' (QuantizeLinear): the type of input 2 's' is not known, so the result's is not known either
    # WARN-NOT: node 'c'
    # WARN: warning: node 'd' (DequantizeLinear): the type of input 1 's' is not known, so the result's is not known either
    # WARN: warning: node 'e' (DequantizeLinear): the type of input 1 's' is not known, so the node is kept unchanged
    unknown=model(
        [
            node("Strange", ["x"], ["s"]),
            node(QUANTIZE, ["s", "t"], ["a"], name="a"),
            node(QUANTIZE, ["x", "t", "s"], ["b"], name="b"),
            node(QUANTIZE, ["x", "r"], ["c"], name="c"),
            node(DEQUANTIZE, ["q", "s"], ["d"], name="d"),
            node(DEQUANTIZE, ["q", "s"], ["e"], name="e", output_dtype=T.FLOAT16),
            node(
                "If",
                ["i"],
                ["f"],
                then_branch=body([node(DEQUANTIZE, ["q", "t"], ["h"])], [], ["h"]),
            ),
        ],
        [
            ("x", *X),
            ("t", FLOAT, []),
            ("r", FLOAT, None),
            ("q", T.INT8, [4, 5]),
            ("i", T.BOOL, []),
        ],
        [helper.make_empty_tensor_value_info(name) for name in "abcdef"],
    ),
)
