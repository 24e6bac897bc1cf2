//===- QuantFloatEnums.td - Enum attributes ----------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_ENUMS_TD
#define QUANT_FLOAT_IR_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "quant-float/IR/QuantFloatDialect.td"

def QuantFloat_RoundMode : I32EnumAttr<"RoundMode",
    "how a cast to f8E8M0FNU rounds (ONNX Cast-24 round_mode)", [
      I32EnumAttrCase<"Up", 0, "up">,
      I32EnumAttrCase<"Down", 1, "down">,
      I32EnumAttrCase<"Nearest", 2, "nearest">]> {
  let cppNamespace = "::mlir::quant_float";
  let genSpecializedAttr = 0;
}

def QuantFloat_RoundModeAttr
    : EnumAttr<QuantFloat_Dialect, QuantFloat_RoundMode, "round_mode">;

def QuantFloat_FakeConvertMode : I32EnumAttr<"FakeConvertMode",
    "whose arithmetic a fakeconvert follows", [
      I32EnumAttrCase<"Exact", 0, "exact">,
      I32EnumAttrCase<"OpenVINO", 1, "openvino">,
      I32EnumAttrCase<"OpenVINOReference", 2, "openvino_reference">]> {
  let cppNamespace = "::mlir::quant_float";
  let genSpecializedAttr = 0;
}

def QuantFloat_FakeConvertModeAttr
    : EnumAttr<QuantFloat_Dialect, QuantFloat_FakeConvertMode, "fakeconvert_mode">;

def QuantFloat_FakeConvertReciprocal : I32EnumAttr<"FakeConvertReciprocal",
    "how the reciprocal of a fakeconvert's scale is rounded", [
      I32EnumAttrCase<"Single", 0, "single">,
      I32EnumAttrCase<"Nearest", 1, "nearest">,
      I32EnumAttrCase<"OpenVINO", 2, "openvino">]> {
  let cppNamespace = "::mlir::quant_float";
  let genSpecializedAttr = 0;
}

def QuantFloat_FakeConvertReciprocalAttr
    : EnumAttr<QuantFloat_Dialect, QuantFloat_FakeConvertReciprocal,
               "fakeconvert_reciprocal">;

#endif // QUANT_FLOAT_IR_ENUMS_TD
