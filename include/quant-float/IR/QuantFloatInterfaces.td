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
    An op that converts between expressed and quantized values with a scale and
    a zero point: `quantize`, `dequantize` and `qdq`.
  }];
  let methods = [
    InterfaceMethod<"Returns the values to convert.",
      "::mlir::Value", "getInputValue">,
    InterfaceMethod<"Returns the scale: one element, or one per slice or block.",
      "::mlir::Value", "getScaleValue">,
    InterfaceMethod<"Returns the zero point, or null if absent.",
      "::mlir::Value", "getZeroPointValue">,
    InterfaceMethod<"Returns the random bits of stochastic rounding, or null if absent.",
      "::mlir::Value", "getRandomValue">,
    InterfaceMethod<"Returns the element type of the quantized values.",
      "::mlir::Type", "getQuantizedElementType">,
    InterfaceMethod<"Returns the `axis` attribute, if present.",
      "::std::optional<int64_t>", "getAxisAttribute">,
    InterfaceMethod<"Returns the number of elements per block along the axis, if blocked.",
      "::std::optional<int64_t>", "getBlockSizeAttribute">,
    InterfaceMethod<"Returns the domain of `opset`, \"\" for ONNX's default domain.",
      "::llvm::StringRef", "getStandardDomain">,
    InterfaceMethod<"Returns the opset of the domain.",
      "int64_t", "getStandardOpset">,
  ];
  let extraSharedClassDeclaration = [{
    /// Returns the granularity of the scale (Q1).
    ::mlir::quant_float::reference::Granularity getGranularity() {
      return {$_op.getAxisAttribute(), $_op.getBlockSizeAttribute()};
    }
    /// Returns the axis as a non-negative index, or nullopt if the op is per
    /// tensor or its input is unranked.
    ::std::optional<int64_t> getAxisIndex() {
      auto type = ::llvm::dyn_cast<::mlir::ShapedType>($_op.getInputValue().getType());
      if (!type || !type.hasRank())
        return ::std::nullopt;
      return getGranularity().getAxis(type.getRank());
    }
  }];
}

#endif // QUANT_FLOAT_IR_INTERFACES_TD
