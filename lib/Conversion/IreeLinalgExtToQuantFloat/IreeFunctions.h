//===- IreeFunctions.h - Functions of IREE ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_IREELINALGEXTTOQUANTFLOAT_IREEFUNCTIONS_H
#define QUANT_FLOAT_LIB_CONVERSION_IREELINALGEXTTOQUANTFLOAT_IREEFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::quant_float::iree_ops {

/// Converts functions of IREE's dialects util and hal to functions on tensors.
/// An asynchronous function gets the name of the function that waits for it,
/// which is erased. Emits an error for each op of these dialects that is not
/// supported, and fails.
LogicalResult convertIreeFunctions(ModuleOp module);

} // namespace mlir::quant_float::iree_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_IREELINALGEXTTOQUANTFLOAT_IREEFUNCTIONS_H
