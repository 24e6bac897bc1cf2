//===- EqualFunctions.h - Equivalent functions ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_EQUALFUNCTIONS_H
#define QUANT_FLOAT_IR_EQUALFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::quant_float {

/// Groups functions that only differ in names: those of the functions, their
/// graphs, arguments and results. Each group has the indices of its functions,
/// in order; groups are sorted by their first function.
llvm::SmallVector<llvm::SmallVector<size_t>>
groupEqualFunctions(llvm::ArrayRef<func::FuncOp> functions);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_EQUALFUNCTIONS_H
