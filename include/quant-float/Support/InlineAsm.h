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
  auto dialect =
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT);
  return LLVM::InlineAsmOp::create(
      builder, loc, results, operands, text, constraints, hasSideEffects,
      /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect,
      operandAttrs);
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_INLINEASM_H
