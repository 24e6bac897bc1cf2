//===- BlockValues.h - Values that a block shares ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_BLOCKVALUES_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_BLOCKVALUES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::quant_float {

/// The values in the body of an elementwise op that are computed from inputs
/// that are indexed by block.
class BlockValues {
public:
  explicit BlockValues(linalg::GenericOp op) : op(op) {}

  bool find();
  /// Moves the values to a new op on blocks, whose results the op reads.
  void hoist(RewriterBase &rewriter);

private:
  bool isInvariant(Value value) {
    return value.getParentBlock() != op.getBody() || invariant.contains(value);
  }

  linalg::GenericOp op;
  /// The indexing map of the inputs.
  AffineMap map;
  /// The input with the shape of the new op's loops.
  OpOperand *blocks = nullptr;
  llvm::SmallDenseSet<Value> invariant, shared;
  /// The values that the elements are computed with.
  llvm::SmallSetVector<Value, 4> results;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_BLOCKVALUES_H
