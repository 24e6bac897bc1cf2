//===- Passes.td - ONNX nodes to OpenVINO layers -----------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_OPENVINO_FROMONNX_PASSES_TD
#define QUANT_FLOAT_OPENVINO_FROMONNX_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertOnnxNodesToOpenVinoPass
    : Pass<"convert-onnx-nodes-to-openvino", "mlir::ModuleOp"> {
  let summary = "Convert ONNX nodes and quant_float ops to OpenVINO layers";
  let description = [{
    Replaces every `quant_float.node` of ONNX's default domain, at opset 21, by
    equivalent OpenVINO layers (see
    include/quant-float/OpenVINO/FromONNX/OpenVinoForms.def), and casts,
    `quantize` and `dequantize` by Convert and arithmetic in f32.

    - A cast becomes Convert if OpenVINO rounds as ONNX does, which excludes
      casts from f32 to float8 and saturating casts. Conversions to integers of
      values that are out of range are undefined in both.
    - `dequantize` becomes Convert, Subtract and Multiply. Per-axis scales and
      zero points are reshaped, blocked ones are repeated. `quantize` to
      integers becomes Divide, Round, Add, Clamp and Convert, with the division
      in f32 only. `quantize` to floats is not legalizable.
    - OpenVINO's CPU plugin multiplies by the reciprocal instead of executing
      Divide, and its Clamp returns the lower bound for NaN.

    If nodes are not legalizable, the pass fails. The error lists all of them,
    with the reason.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::quant_float::QuantFloatDialect"];
}

#endif // QUANT_FLOAT_OPENVINO_FROMONNX_PASSES_TD
