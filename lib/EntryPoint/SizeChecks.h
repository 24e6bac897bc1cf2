//===- SizeChecks.h - Checks of dynamic sizes -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ENTRYPOINT_SIZECHECKS_H
#define QUANT_FLOAT_ENTRYPOINT_SIZECHECKS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace mlir::quant_float {

/// Two values that must be equal for the ops of the function to be valid.
struct PendingCheck {
  Value expected;
  Value actual;
  /// The op that requires it, and the description of the comparison for the
  /// error message.
  Operation *op;
  std::string description;
  /// The assertion that the check replaces, if any. Its condition is `actual`,
  /// or that the two sizes are equal.
  cf::AssertOp assertion;
  bool isEquality = true;
};

/// Collects the requirements of the linalg ops, casts and assertions in the
/// function's body on sizes that are dynamic in its types: operands that share
/// a loop have the same size along it, and operands with one element per block
/// of a loop have as many elements as there are blocks. Creates the ops that
/// compute the values, before the ops that require them.
SmallVector<PendingCheck> collectChecks(func::FuncOp function);

/// Determines whether values only depend on the sizes of the function's
/// arguments. Expects that `tensor.dim` ops have been resolved.
class SizeDependence {
public:
  bool isOnlyOnSizes(Value value);

private:
  /// Returns nullopt if the defining op has not been analyzed yet.
  std::optional<bool> find(Value value) const;

  llvm::DenseMap<Operation *, bool> known;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ENTRYPOINT_SIZECHECKS_H
