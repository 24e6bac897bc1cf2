//===- RuntimeFunction.h - Declare runtime functions ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_RUNTIMEFUNCTION_H
#define QUANT_FLOAT_SUPPORT_RUNTIMEFUNCTION_H

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::quant_float {

/// Returns the declaration of the function `name`, and creates it if there is
/// none. Emits an error if another kind of symbol has this name, because
/// `lookupOrCreateFn` only looks for functions.
inline FailureOr<LLVM::LLVMFuncOp>
declareFunction(OpBuilder &builder, ModuleOp module, StringRef name,
                ArrayRef<Type> arguments, Type result) {
  Operation *symbol = SymbolTable::lookupSymbolIn(module, name);
  if (symbol && !isa<LLVM::LLVMFuncOp>(symbol))
    return symbol->emitError("expected a function named '") << name << "'";
  return LLVM::lookupOrCreateFn(builder, module, name, arguments, result);
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_RUNTIMEFUNCTION_H
