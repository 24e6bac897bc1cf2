//===- ReductionLoops.h - Vector loops of reductions ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_REDUCTIONLOOPS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_REDUCTIONLOOPS_H

#include "AccumulatorInit.h"
#include "ReductionPlan.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::quant_float {

/// The parameters that the loops of all strategies share.
struct ReductionContext {
  ImplicitLocOpBuilder &builder;
  /// The extent of each loop.
  ArrayRef<Value> sizes;
  /// The initial value of the accumulators. If there is none, they are loaded
  /// from the output.
  const std::optional<AccumulatorInit> &accumulatorInit;
  /// Returns the memory for panels.
  llvm::function_ref<Value()> getPanelBuffer;
};

/// Emits the loops that the plan of a reduction describes. This class
/// implements the strategies for scalars and vectors. Derived classes implement
/// the others.
class ReductionLoops {
public:
  ReductionLoops(const ReductionPlan &plan, const ReductionContext &context)
      : plan(plan), op(plan.op), builder(context.builder), sizes(context.sizes),
        accumulatorInit(context.accumulatorInit), position(plan.ranges.size()) {
  }
  virtual ~ReductionLoops() = default;
  /// Returns the loops for the strategy of the plan.
  static std::unique_ptr<ReductionLoops>
  create(const ReductionPlan &plan, const ReductionContext &context);

  void emit() { emitOuterLoops(plan.getOuterLoops()); }

protected:
  /// Emits the loops within the outer ones.
  virtual void emitInnerLoops() { emitColumns(); }
  /// Emits all rows of a column of vectors (0 lanes: of scalars).
  virtual void emitColumn(int64_t lanes);
  /// Emits a reduction loop that is not unrolled.
  virtual SmallVector<Value> emitReductionLoop(ArrayRef<unsigned> loops,
                                               int64_t rows, int64_t lanes,
                                               ValueRange accumulators);

  // Loops.
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }
  Value getValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, op.getLoc(), value);
  }
  OpFoldResult apply(AffineExpr expression, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(builder, op.getLoc(),
                                                 expression, operands);
  }
  OpFoldResult add(OpFoldResult index, int64_t offset) {
    return apply(builder.getAffineDimExpr(0) + offset, {index});
  }
  /// Returns the end of the last full step between two indices.
  Value getEndOfFullSteps(Value from, Value to, int64_t step) {
    Value size = builder.createOrFold<arith::SubIOp>(to, from);
    return arith::SubIOp::create(
        builder, to, arith::RemSIOp::create(builder, size, getConstant(step)));
  }
  /// Emits a loop with accumulators.
  SmallVector<Value>
  emitFor(Value from, Value to, int64_t step, ValueRange inits,
          llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body);
  /// Emits a loop, and calls `body` with its index.
  void emitFor(Value from, Value to, Value step,
               llvm::function_ref<void(Value)> body);
  void emitIf(Value condition, llvm::function_ref<void()> body);
  /// Emits tiles of the first size and then the remainder. For static extents,
  /// the plan divides the remainder. For dynamic extents, loops over tiles of
  /// the following sizes process the remainder; the last one may call `body`
  /// with kDynamic for a partial tile.
  void emitTiles(unsigned loop, ArrayRef<int64_t> sizes,
                 llvm::function_ref<void(int64_t)> body);
  void emitOuterLoops(ArrayRef<unsigned> loops);
  void emitColumns();
  /// Emits tiles of the rows that share `lanes` lanes.
  void emitRowTiles(int64_t lanes, llvm::function_ref<void(int64_t)> body);
  /// Calls `body` for each register of `lanes` lanes with the lane that it
  /// starts at. Meanwhile `position`, `mask` and `validLanes` describe this
  /// register.
  void forEachRegister(int64_t lanes, llvm::function_ref<void(int64_t)> body);

  // Tiles of accumulators.
  void emitTile(int64_t rows, int64_t lanes);
  virtual SmallVector<Value> emitReductions(ArrayRef<unsigned> loops,
                                            int64_t rows, int64_t lanes,
                                            ValueRange accumulators);
  SmallVector<Value> emitStep(int64_t rows, int64_t lanes,
                              ValueRange accumulators);
  SmallVector<Value> emitBody(ValueRange arguments, int64_t row, int64_t lanes);
  /// Combines two values of an output, or vectors of them, with the op that the
  /// body combines an element and the accumulator with.
  Value combine(size_t index, Value lhs, Value rhs);
  /// Returns the neutral element of the op above, in a vector.
  Value createNeutral(size_t index, int64_t lanes);

  // Operands.
  SmallVector<OpFoldResult> getOutputPosition(int64_t row);
  SmallVector<Value> getIndices(OpOperand *operand, int64_t row) {
    return createIndices(builder, op.getLoc(),
                         op.getMatchingIndexingMap(operand),
                         getOutputPosition(row));
  }
  Value load(OpOperand *operand, int64_t row, int64_t lanes);
  void store(OpOperand *operand, int64_t row, Value value);
  Value createMask(int64_t lanes, Value valid);
  Value createZero(Type type) {
    return arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  }
  Value broadcast(Value value, int64_t lanes) {
    return quant_float::broadcast(builder, value, lanes);
  }
  /// Returns the initial value of the accumulators of a row.
  Value createInit(int64_t row, int64_t lanes) {
    return broadcast(accumulatorInit->build(builder, getOutputPosition(row)),
                     lanes);
  }
  /// Loads a square block: one vector along the reduction for each lane.
  /// Transposes it to one vector across the lanes for each reduction step.
  SmallVector<Value> loadBlock(OpOperand *operand);

  const ReductionPlan &plan;
  linalg::GenericOp op;
  ImplicitLocOpBuilder &builder;
  ArrayRef<Value> sizes;
  const std::optional<AccumulatorInit> &accumulatorInit;
  /// The current index of each loop.
  SmallVector<OpFoldResult> position;
  /// The index of each row of the current tile, if it is the last tile of a
  /// dynamic number of rows.
  SmallVector<Value> lastRows;
  /// For each operand, the vector of the current step, if it is already loaded.
  SmallVector<Value> columns;
  /// The mask of the valid lanes of the current vectors, or null if all lanes
  /// are valid, and the number of valid lanes if it is static.
  Value mask;
  int64_t validLanes = 0;
  /// The number of remaining elements in the remainder of a vector loop of
  /// dynamic size.
  Value numRemaining;
};

/// Return the loops of the strategies that derived classes implement.
std::unique_ptr<ReductionLoops>
createSquareBlockLoops(const ReductionPlan &plan,
                       const ReductionContext &context);
std::unique_ptr<ReductionLoops>
createFoldedLoops(const ReductionPlan &plan, const ReductionContext &context);
std::unique_ptr<ReductionLoops>
createWindowRowLoops(const ReductionPlan &plan,
                     const ReductionContext &context);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_REDUCTIONLOOPS_H
