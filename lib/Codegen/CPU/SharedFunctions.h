//===- SharedFunctions.h - Outlined functions -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_SHAREDFUNCTIONS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_SHAREDFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::quant_float {

/// Returns the type of the function argument for a buffer, with a dynamic
/// offset if the buffer is strided. Returns null for buffers that cannot be
/// arguments.
Type getBufferArgumentType(Value buffer);

/// Creates an internal function that LLVM does not inline, and that is not in a
/// module yet. The caller inserts it into a symbol table. The name should
/// contain a dot, so that no entry point has the same name.
func::FuncOp makeInternalFunction(Location loc, StringRef name,
                                  TypeRange arguments, TypeRange results);

/// Creates a call of the function at the insertion point. Casts buffers to the
/// types of the function's arguments.
func::CallOp callWithCasts(OpBuilder &builder, Location loc,
                           func::FuncOp function, ValueRange arguments);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_SHAREDFUNCTIONS_H
