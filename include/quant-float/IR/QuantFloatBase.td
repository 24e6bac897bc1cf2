//===- QuantFloatBase.td - Base definitions ----------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_BASE_TD
#define QUANT_FLOAT_IR_BASE_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "quant-float/IR/QuantFloatAttributes.td"
include "quant-float/IR/QuantFloatDialect.td"
include "quant-float/IR/QuantFloatEnums.td"
include "quant-float/IR/QuantFloatInterfaces.td"
include "quant-float/IR/QuantFloatTypes.td"

// For ops with a DefaultValuedAttr.
def QuantFloat_HasDefaultAttributes : NativeOpTrait<"HasDefaultAttributes"> {
  let cppNamespace = "::mlir::quant_float";
}

class QuantFloat_Op<string opMnemonic, list<Trait> traits = []>
    : Op<QuantFloat_Dialect, opMnemonic, traits>;

#endif // QUANT_FLOAT_IR_BASE_TD
