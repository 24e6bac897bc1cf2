//===- Conditionals.h - Code under optional conditions ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_CONDITIONALS_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_CONDITIONALS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::quant_float {

/// Emits `body` in an scf.if, or unconditionally if `condition` is null.
void emitIf(OpBuilder &builder, Location loc, Value condition,
            llvm::function_ref<void()> body);

/// Emits an scf.if and returns the results of `thenBody` or `elseBody`. Emits
/// `thenBody` unconditionally if `condition` is null.
SmallVector<Value>
emitIfElse(OpBuilder &builder, Location loc, TypeRange types, Value condition,
           llvm::function_ref<SmallVector<Value>()> thenBody,
           llvm::function_ref<SmallVector<Value>()> elseBody);
Value emitIfElse(OpBuilder &builder, Location loc, Type type, Value condition,
                 llvm::function_ref<Value()> thenBody,
                 llvm::function_ref<Value()> elseBody);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_CONDITIONALS_H
