//===- SizeChecks.h - Sizes that only show at run time ----------*- C++ -*-===//
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

/// Two values that have to be equal for the function's ops to make sense.
struct PendingCheck {
  Value expected;
  Value given;
  /// The op that needs it, and what is compared, for the error.
  Operation *op;
  std::string text;
  /// The assertion that the check stands for; its condition is `given`, or that
  /// the two sizes are equal.
  cf::AssertOp assertion;
  bool isEquality = true;
};

/// What the linalg ops and assertions of the function's body require of sizes
/// that its types leave open: operands that share a loop have the same size
/// along it, operands with one element per block of a loop as many elements as
/// there are blocks. The values are computed before the ops that need them.
SmallVector<PendingCheck> collectChecks(func::FuncOp function);

/// Whether values depend on sizes of the function's arguments alone, once dims
/// have been resolved.
class SizeDependence {
public:
  bool isOnlyOnSizes(Value value);

private:
  /// None while nobody has asked.
  std::optional<bool> find(Value value) const;

  llvm::DenseMap<Operation *, bool> known;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ENTRYPOINT_SIZECHECKS_H
