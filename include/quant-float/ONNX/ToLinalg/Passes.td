//===- Passes.td - ONNX nodes to linalg --------------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ONNX_TOLINALG_PASSES_TD
#define QUANT_FLOAT_ONNX_TOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertOnnxNodesToLinalgPass
    : Pass<"convert-onnx-nodes-to-linalg", "mlir::ModuleOp"> {
  let summary = "Convert ONNX nodes to linalg, tensor and arith ops";
  let description = [{
    Replaces every `quant_float.node` of an op that has a lowering (see
    include/quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def) by linalg,
    tensor and arith ops with the semantics of the op's version at the node's
    opset. The pass also infers shapes: it visits functions in order, updates
    the result types of `quant_float` ops that use a converted node, and updates
    the function types.

    A node of an op that is not in the table, and that ONNX defines as a
    function of other ops at its opset, is first expanded to the function body
    of ONNX's own library. The locations of the expanded ops are call sites of
    the node's location. If one of them has no lowering, nothing changes, and
    the error names both.

    Shape arithmetic (`Shape`, `Gather`, `Concat`, ... on small integer tensors)
    is lowered to scalars and folded, so that reshapes to sizes computed from
    those of the arguments have static sizes.

    Tensors are broadcast as in NumPy. A dynamic size is assumed to be equal to
    the sizes that it is broadcast with, unless those are 1; the entry point
    checks that it is. If sizes must match otherwise (`Reshape`, `Concat`, ...),
    the pass emits a `cf.assert`. Out-of-bounds indices (`Gather`) are clamped
    to the axis.

    QuantizeLinear, DequantizeLinear, Cast and CastLike nodes that the importer
    kept because types were missing become ops of the dialect.

    Without `allow-unsupported`, the pass fails if there are nodes without a
    lowering. The error lists all of them, with the reason.

    The stage `lower-nodes-to-linalg` runs this pass, before the conversions of
    the dialect to linalg.

    Example:

    ```
    %0 = quant_float.node "Neg"(%x) opset 21 : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %init = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {indexing_maps = [(d0) -> (d0), (d0) -> (d0)], iterator_types = ["parallel"]}
           ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"allowUnsupported", "allow-unsupported", "bool", /*default=*/"false",
           "keep nodes that have no lowering">,
    Option<"onDevice", "on-device", "bool", /*default=*/"false",
           "sort by sorting networks, whose steps are parallel">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::cf::ControlFlowDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect",
    "mlir::vector::VectorDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

#endif // QUANT_FLOAT_ONNX_TOLINALG_PASSES_TD
