//===- LinalgUtils.h - Classification of linalg ops -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_LINALGUTILS_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_LINALGUTILS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::quant_float {

/// The body of a contraction: `accumulator + lhs * rhs`. Floats are a fused
/// multiply-add after `quant-float-fuse-multiply-add`; integers, and types
/// without one, are a multiplication and an addition.
struct MultiplyAccumulate {
  /// Matches the value that the op yields for its only result.
  static std::optional<MultiplyAccumulate> get(linalg::LinalgOp op);
  /// Creates the same ops on other operands, which may be vectors.
  Value create(OpBuilder &builder, Value accumulator, Value lhs,
               Value rhs) const;
  Type getType() const { return accumulate->getResult(0).getType(); }
  /// Whether the body does nothing else.
  bool isPlain() const {
    return accumulate->getBlock()->getOperations().size() == (multiply ? 3 : 2);
  }

  /// The op that is yielded.
  Operation *accumulate;
  /// Null if `accumulate` multiplies, too.
  Operation *multiply;
  Value lhs, rhs;
};

/// Whether the op has loops and all of them are parallel.
inline bool isElementwise(linalg::GenericOp op) {
  return op.getNumLoops() > 0 && op.getNumParallelLoops() == op.getNumLoops();
}

inline bool isElementwiseOnTensors(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && isElementwise(op);
}

/// Whether the op reduces along at least one loop and has one result.
inline bool isReductionOnTensors(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         op.getNumReductionLoops() != 0;
}

/// How an operand's address changes along a loop.
enum class Access { Invariant, Contiguous, Strided };

/// Requires an operand on a memref.
Access getAccess(linalg::GenericOp op, OpOperand *operand, unsigned loop);

/// Returns, for each result of the map, the difference between two consecutive
/// iterations of the loop. Returns nullopt if a difference is not constant.
std::optional<SmallVector<int64_t>> getSteps(AffineMap map, unsigned loop);

/// Returns the op that combines an element with the accumulator of each output.
/// Returns nothing unless each is an op whose result does not depend on the
/// accumulation order: an integer addition, a bitwise op, a minimum or a
/// maximum.
SmallVector<Operation *> getCombiners(linalg::GenericOp op);

/// Creates the indices that the map has at `position`.
SmallVector<Value> createIndices(OpBuilder &builder, Location loc,
                                 AffineMap map,
                                 ArrayRef<OpFoldResult> position);

/// Emits the op's body on vectors of `lanes` elements (0: on scalars) and
/// returns the values that it yields, as vectors. Values that do not vary along
/// the vectors are computed as scalars. `getIndex` returns the index of a loop,
/// which is a vector for the loop that the vectors run along.
SmallVector<Value> emitBody(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                            ValueRange arguments, int64_t lanes,
                            llvm::function_ref<Value(unsigned)> getIndex);
/// Returns a vector of `lanes` elements (0: a scalar) that are `value`, unless
/// it is a vector.
Value broadcast(ImplicitLocOpBuilder &builder, Value value, int64_t lanes);
/// Returns the indices from `first` on as a vector.
Value createIndexVector(ImplicitLocOpBuilder &builder, Value first,
                        int64_t lanes);

/// Returns the extents of the op's loops.
SmallVector<Value> createLoopExtents(OpBuilder &builder, Location loc,
                                     linalg::GenericOp op);

/// Returns a folded affine.apply, or a constant.
Value createAffineApply(OpBuilder &builder, Location loc, AffineMap map,
                        ArrayRef<OpFoldResult> operands);
Value createAffineApply(OpBuilder &builder, Location loc, AffineExpr expression,
                        ArrayRef<OpFoldResult> operands);

/// Whether the op has memref operands only, which are contiguous along their
/// last dimension.
bool hasContiguousOperands(linalg::GenericOp op);

/// Returns the linalg.generic ops in `root` that match the filter, if there is
/// one.
SmallVector<linalg::GenericOp>
collectGenericOps(Operation *root,
                  llvm::function_ref<bool(linalg::GenericOp)> filter = {});

/// Whether the elements of a tensor or buffer are packed.
bool hasPackedElements(Value value);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_LINALGUTILS_H
