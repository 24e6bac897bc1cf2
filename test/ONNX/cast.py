# Cast in every form, CastLike, and casts with an input of unknown type.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs %python %s %t
# RUN: quant-float-translate --import-onnx %t/v1.onnx | FileCheck %s --check-prefix=V1
# RUN: quant-float-translate --import-onnx %t/v6.onnx | FileCheck %s --check-prefix=V6
# RUN: quant-float-translate --import-onnx %t/attributes.onnx | FileCheck %s --check-prefix=ATTR
# RUN: quant-float-translate --import-onnx %t/like.onnx | FileCheck %s --check-prefix=LIKE
# RUN: quant-float-translate --import-onnx %t/shapes.onnx | FileCheck %s --check-prefix=SHAPES
# RUN: quant-float-translate --import-onnx %t/untyped.onnx 2>%t/err | FileCheck %s --check-prefix=UNTYPED
# RUN: FileCheck %s --check-prefix=WARN --input-file=%t/err
# RUN: quant-float-translate --import-onnx %t/attributes.onnx --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
import sys

from models import FLOAT, model, save
from onnx import TensorProto as T
from onnx import helper

cast = helper.make_node

save(
    sys.argv[1],
    # V1-LABEL: func.func @g
    # V1: quant_float.cast %{{.*}} opset 1 : tensor<2xf32> to tensor<2xf16>
    v1=model(
        [cast("Cast", ["x"], ["y"], to="FLOAT16")],
        [("x", FLOAT, [2])],
        [("y", T.FLOAT16, [2])],
        opset=1,
        ir_version=1,
    ),
    # V6-LABEL: func.func @g
    # V6: quant_float.cast %{{.*}} opset 6 : tensor<f32> to tensor<ui8>
    v6=model(
        [cast("Cast", ["x"], ["y"], to=T.UINT8)],
        [("x", FLOAT, [])],
        [("y", T.UINT8, [])],
        opset=6,
    ),
    # The attributes are kept as written, defaults included.
    # ATTR-LABEL: func.func @g
    # ATTR: %[[A:.+]] = quant_float.cast %[[X:.+]] opset 28 : tensor<?x3xf32> to tensor<?x3xf8E4M3FN>
    # ATTR: %[[B:.+]] = quant_float.cast %[[X]] opset 28 saturate true : tensor<?x3xf32> to tensor<?x3xf8E5M2FNUZ>
    # ATTR: %[[C:.+]] = quant_float.cast %[[X]] opset 28 saturate false round_mode nearest : tensor<?x3xf32> to tensor<?x3xf8E8M0FNU>
    # ATTR: return %[[A]], %[[B]], %[[C]]
    # LOC-DAG: loc("first"(#[[FILE:.+]]))
    # LOC-DAG: loc("b"(#[[FILE]]))
    # LOC-DAG: loc("{{.*}}attributes.onnx":0:0)
    attributes=model(
        [
            cast("Cast", ["x"], ["a"], name="first", to=T.FLOAT8E4M3FN),
            cast("Cast", ["x"], ["b"], to=T.FLOAT8E5M2FNUZ, saturate=1),
            cast("Cast", ["x"], ["c"], to=T.FLOAT8E8M0, saturate=0, round_mode="nearest"),
        ],
        [("x", FLOAT, ["N", 3])],
        [("a", 17, ["N", 3]), ("b", 20, ["N", 3]), ("c", 24, ["N", 3])],
    ),
    # Only the element type of the second input counts.
    # LIKE-LABEL: func.func @g
    # LIKE: quant_float.cast %arg0 like opset 25 saturate false : tensor<4xf32> to tensor<4xui4>
    like=model(
        [cast("CastLike", ["x", "t"], ["y"], saturate=0)],
        [("x", FLOAT, [4]), ("t", T.UINT4, None)],
        [("y", T.UINT4, [4])],
        opset=25,
    ),
    # The result has the input's shape, even if the file declares a more precise one.
    # SHAPES-LABEL: func.func @g
    # SHAPES: quant_float.cast %arg0 opset 28 : tensor<*xf32> to tensor<*xf16>
    # SHAPES: quant_float.cast %arg0 opset 28 : tensor<*xf32> to tensor<*xbf16>
    # SHAPES: quant_float.cast %arg1 opset 28 : tensor<?xi64> to tensor<?xf32>
    shapes=model(
        [
            cast("Cast", ["x"], ["a"], to=T.FLOAT16),
            cast("Cast", ["x"], ["b"], to=T.BFLOAT16),
            cast("Cast", ["n"], ["c"], to=T.FLOAT),
        ],
        [("x", FLOAT, None), ("n", T.INT64, [-1])],
        [("a", T.FLOAT16, [5]), ("b", T.BFLOAT16, None), ("c", T.FLOAT, [7])],
    ),
    # UNTYPED-LABEL: func.func @g
    # UNTYPED: %[[S:.+]] = quant_float.node "Strange"(%arg0) opset 28 : (tensor<2xf32>) -> !quant_float.unknown
    # UNTYPED: %[[C:.+]] = quant_float.node "Cast"(%[[S]]) opset 28 {{.*}}{to = 10 : i64}{{.*}} : (!quant_float.unknown) -> tensor<*xf16>
    # UNTYPED: quant_float.node "CastLike"(%[[C]], %[[S]]) opset 28 {{.*}} : (tensor<*xf16>, !quant_float.unknown) -> tensor<2xf32>
    # WARN: untyped.onnx:0:0: warning: node 'c' (Cast): the type of input 0 's' is not known, so the node is kept unchanged
    # WARN: untyped.onnx:0:0: warning: node 'l' (CastLike): the type of input 1 's' is not known, so the result's is not known either
    untyped=model(
        [
            cast("Strange", ["x"], ["s"]),
            cast("Cast", ["s"], ["h"], name="c", to=T.FLOAT16),
            cast("CastLike", ["h", "s"], ["y"], name="l"),
        ],
        [("x", FLOAT, [2])],
        [("y", FLOAT, [2])],
    ),
)
