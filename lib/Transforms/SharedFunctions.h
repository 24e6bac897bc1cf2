//===- SharedFunctions.h - Functions of code that repeats -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_SHAREDFUNCTIONS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_SHAREDFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::quant_float {

/// The type of the argument that takes the buffer: parts of buffers begin at
/// any offset. Null for buffers that no function takes.
Type getBufferArgumentType(Value buffer);

/// An internal function that LLVM does not inline, not yet in a module. The
/// name has a dot in it, which no entry point's has.
func::FuncOp makeInternalFunction(Location loc, StringRef name,
                                  TypeRange arguments, TypeRange results);

/// Calls the function at the insertion point, with buffers cast to the types of
/// its arguments.
func::CallOp callWithCasts(OpBuilder &builder, Location loc,
                           func::FuncOp function, ValueRange arguments);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_SHAREDFUNCTIONS_H
