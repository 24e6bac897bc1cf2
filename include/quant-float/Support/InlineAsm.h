//===- InlineAsm.h - Inline assembly ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_INLINEASM_H
#define QUANT_FLOAT_SUPPORT_INLINEASM_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::quant_float {

/// Creates inline assembly in AT&T syntax. `operandAttrs` has one dictionary
/// for each operand, or is null.
inline LLVM::InlineAsmOp createInlineAsm(OpBuilder &builder, Location loc,
                                         TypeRange results, ValueRange operands,
                                         StringRef text, StringRef constraints,
                                         bool hasSideEffects,
                                         ArrayAttr operandAttrs = {}) {
  MLIRContext *context = builder.getContext();
  LLVM::InlineAsmOp::Properties properties;
  properties.asm_string = builder.getStringAttr(text);
  properties.constraints = builder.getStringAttr(constraints);
  if (hasSideEffects)
    properties.has_side_effects = builder.getUnitAttr();
  properties.tail_call_kind =
      LLVM::TailCallKindAttr::get(context, LLVM::TailCallKind::None);
  properties.asm_dialect =
      LLVM::AsmDialectAttr::get(context, LLVM::AsmDialect::AD_ATT);
  properties.operand_attrs = operandAttrs;
  return LLVM::InlineAsmOp::create(builder, loc, results, operands, properties);
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_INLINEASM_H
