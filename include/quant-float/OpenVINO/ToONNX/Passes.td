//===- Passes.td - OpenVINO layers to ONNX nodes -----------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_OPENVINO_TOONNX_PASSES_TD
#define QUANT_FLOAT_OPENVINO_TOONNX_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertOpenVinoNodesToOnnxPass
    : Pass<"convert-openvino-nodes-to-onnx", "mlir::ModuleOp"> {
  let summary = "Convert OpenVINO layers to ONNX nodes and quant_float ops";
  let description = [{
    Replaces every `quant_float.node` of domain "openvino" that has a lowering
    (see include/quant-float/OpenVINO/Common/OpenVinoLayers.def, one row for each
    layer and opset) by equivalent ONNX nodes, and Convert by a
    `quant_float.cast` with `mode openvino`.

    If the bits of OpenVINO's CPU plugin (with the precision hint f32) and of
    Model.evaluate differ, the following holds. For Convert, see
    `quant_float.cast`.
    - Clamp and ReLU return the lower bound for NaN, and 0 for -0 if a bound is
      0, as the plugin does.
    - Divide divides; the plugin multiplies by the reciprocal. FakeQuantize is
      the formula of the reference; the plugin's result differs in the last
      bits.
    - Integer arithmetic wraps; the plugin saturates 8-bit integers.
    - LRN adds the bias unchanged; the plugin truncates it to an integer.
      MaxPool returns -inf for a window that only contains padding; the plugin
      returns the lowest finite number.
    - TopK returns the first of equal elements, whether stable or not, and sorts
      them by value if no order is requested.
    - Out-of-bounds indices are clamped to the axis (Gather-1 and Gather-7) or
      return zeros (Gather-8, where negative indices count from the end).

    Without `allow-unsupported`, the pass fails if there are layers without a
    lowering. The error lists all of them, with the reason.

    The stage `normalize-import` runs this pass.
  }];
  let options = [
    Option<"allowUnsupported", "allow-unsupported", "bool", /*default=*/"false",
           "keep layers that have no lowering">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

#endif // QUANT_FLOAT_OPENVINO_TOONNX_PASSES_TD
