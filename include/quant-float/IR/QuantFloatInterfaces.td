//===- QuantFloatInterfaces.td - Op interfaces -------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_INTERFACES_TD
#define QUANT_FLOAT_IR_INTERFACES_TD

include "mlir/IR/Interfaces.td"

def QuantFloat_QuantizationOpInterface : OpInterface<"QuantizationOpInterface"> {
  let cppNamespace = "::mlir::quant_float";
  let description = [{
    An op that relates expressed values to quantized ones by a scale and a zero
    point: `quantize`, `dequantize` and `qdq`.
  }];
  let methods = [
    InterfaceMethod<"The values that are converted.",
      "::mlir::Value", "getInputValue">,
    InterfaceMethod<"The scale: one, or one per slice or block.",
      "::mlir::Value", "getScaleValue">,
    InterfaceMethod<"The zero point, null where there is none.",
      "::mlir::Value", "getZeroPointValue">,
    InterfaceMethod<"The random bits that round, null where there are none.",
      "::mlir::Value", "getRandomValue">,
    InterfaceMethod<"The element type of the quantized side.",
      "::mlir::Type", "getQuantizedElementType">,
    InterfaceMethod<"The axis as it is written, if there is one.",
      "::std::optional<int64_t>", "getAxisAttribute">,
    InterfaceMethod<"Elements per block along the axis, where blocked.",
      "::std::optional<int64_t>", "getBlockSizeAttribute">,
    InterfaceMethod<"The domain that `opset` counts, \"\" for ONNX's own.",
      "::llvm::StringRef", "getStandardDomain">,
    InterfaceMethod<"The opset, of the domain.",
      "int64_t", "getStandardOpset">,
  ];
  let extraSharedClassDeclaration = [{
    /// What one element of the scale is for (Q1).
    ::mlir::quant_float::reference::Granularity getGranularity() {
      return {$_op.getAxisAttribute(), $_op.getBlockSizeAttribute()};
    }
    /// The axis, counted from the front; none per tensor or while the input
    /// has no rank.
    ::std::optional<int64_t> getAxisIndex() {
      auto type = ::llvm::dyn_cast<::mlir::ShapedType>($_op.getInputValue().getType());
      if (!type || !type.hasRank())
        return ::std::nullopt;
      return getGranularity().getAxis(type.getRank());
    }
  }];
}

#endif // QUANT_FLOAT_IR_INTERFACES_TD
