//===- WeightContractionLoops.h - Loops of contractions ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_WEIGHTCONTRACTIONLOOPS_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_WEIGHTCONTRACTIONLOOPS_H

#include "WeightDecoding.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::quant_float {

/// Base class of the emitters of loops for contractions with low-bit weights.
class WeightContractionLoops {
public:
  WeightContractionLoops(const WeightContraction &contraction,
                         const ReductionSchedule &order,
                         const LoweringTarget &target, bool parallel);
  virtual ~WeightContractionLoops() = default;
  virtual void emit() = 0;

protected:
  static constexpr int64_t kMaxLanes = 16, kLineBytes = 64;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  VectorType vectorOf(int64_t count, Type element) {
    return VectorType::get({count}, element);
  }
  Value splat(double value, int64_t count) {
    return arith::ConstantOp::create(
        b,
        DenseElementsAttr::get(vectorOf(count, b.getF32Type()), float(value)));
  }
  Value broadcast(Value value, int64_t count) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, vectorOf(count, value.getType()),
                                       value);
  }
  Value add(Value lhs, Value rhs) {
    return lhs ? arith::AddFOp::create(b, lhs, rhs).getResult() : rhs;
  }
  Value multiply(Value lhs, Value rhs) {
    return arith::MulFOp::create(b, lhs, rhs);
  }
  /// Returns accumulator + one * other, rounded once.
  Value accumulate(Value accumulator, Value lhs, Value rhs) {
    return accumulator ? math::FmaOp::create(b, lhs, rhs, accumulator)
                       : multiply(lhs, rhs);
  }
  OpFoldResult plus(OpFoldResult index, int64_t offset) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) + offset, {index});
  }
  OpFoldResult times(OpFoldResult index, int64_t factor) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) * factor, {index});
  }
  Value toValue(OpFoldResult index) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), index);
  }
  /// Returns the indices of the operand's element at the current position.
  SmallVector<Value> getIndices(OpOperand *operand);
  Value load(OpOperand *operand);
  Value load(OpOperand *operand, int64_t count);
  Value getIndex(unsigned loop) { return toValue(position[loop]); }
  /// Builds a value of the body from scalars at the current position.
  Value buildScalar(Value value);
  /// Converts elements to another type.
  Value convert(Value value, Type element);
  Value toFloat(Value value) { return convert(value, b.getF32Type()); }
  /// Returns the scale of a channel at the current position, or null if there
  /// is none, or if blocks of a channel have separate scales.
  Value getChannelScale() {
    bool isPerChannel =
        contraction.scale && contraction.block == contraction.getDepth();
    return isPerChannel ? toFloat(buildScalar(contraction.scale)) : Value();
  }
  /// Sets the loops other than channels and K to the indices of a vector.
  void selectVector(OpFoldResult vector);
  void selectVector(int64_t vector) { selectVector(b.getIndexAttr(vector)); }
  OpFoldResult getSize(unsigned loop);
  /// Returns the number of vectors.
  OpFoldResult getVectors();
  /// Loads `count` quantized values at the current position in 32-bit
  /// lanes. Lanes that are not filled are padded with zeros.
  Value loadPacked(int64_t count);
  Value x(OpFoldResult vector) {
    selectVector(vector);
    return toFloat(buildScalar(contraction.x));
  }
  Value x(int64_t vector) { return x(OpFoldResult(b.getIndexAttr(vector))); }
  void prefetch(int64_t ahead);
  /// Returns the number of elements that are decoded at once. Floats fill a
  /// register with their encodings. Integers are loaded directly to a register
  /// of f32.
  int64_t getDecoded() {
    Type element = getElementTypeOrSelf(contraction.quantized->get());
    return isa<FloatType>(element) ? std::max<int64_t>(target.vectorBytes, 32)
                                   : lanes;
  }
  Value slice(Value vector, int64_t from, int64_t count) {
    if (cast<VectorType>(vector.getType()).getNumElements() == count)
      return vector;
    return vector::ExtractStridedSliceOp::create(b, vector, from, count, 1);
  }
  /// Pads a vector with zeros at the end.
  Value pad(Value vector, int64_t count) {
    auto type = cast<VectorType>(vector.getType());
    if (type.getNumElements() == count)
      return vector;
    Value zeros = arith::ConstantOp::create(
        b, b.getZeroAttr(vectorOf(count, type.getElementType())));
    return vector::InsertStridedSliceOp::create(b, vector, zeros, 0, 1);
  }
  /// Whether the sums of x correct sums of values without offset and zero
  /// point.
  bool needsCorrection() {
    return contraction.isPacked() &&
           (contraction.values.offset || contraction.point);
  }
  bool needsInputSums() { return needsCorrection() || contraction.minimum; }
  /// Subtracts the minimum times a sum of x from an accumulator.
  Value accumulateMinimum(Value accumulator, Value minimum, Value inputSum) {
    if (!contraction.addsMinimum)
      minimum = arith::NegFOp::create(b, minimum);
    return accumulate(accumulator, minimum, inputSum);
  }
  /// Returns -(offset + point), which multiplies the sum of x in a block.
  Value getCorrection(Value point, int64_t count);
  /// Emits a loop from 0 to `count`, a parallel one if `inThreads`.
  void forEach(OpFoldResult count, bool inThreads,
               llvm::function_ref<void(OpFoldResult)> body);
  void forEach(int64_t count, bool inThreads,
               llvm::function_ref<void(OpFoldResult)> body) {
    forEach(b.getIndexAttr(count), inThreads, body);
  }
  /// Emits a loop from 0 to `count`. If `inThreads`, kTasks threads at most run
  /// a part of the iterations each. `body` gets the number of the part, by
  /// which buffers of threads are indexed.
  static constexpr int64_t kTasks = 16;
  void forEachInTasks(
      OpFoldResult count, bool inThreads,
      llvm::function_ref<void(OpFoldResult number, Value task)> body);

  const WeightContraction &contraction;
  ReductionSchedule order;
  const LoweringTarget &target;
  linalg::GenericOp op;
  ImplicitLocOpBuilder b;
  SmallVector<OpFoldResult> position;
  int64_t lanes;
  bool parallel;
  std::optional<WeightDecoding> terms;
};

/// Base class of the emitters for K-contiguous weights. They process several
/// channels at once along K, each with the schedule's lanes of accumulators in
/// as many registers as these need.
class RowContraction : public WeightContractionLoops {
public:
  using WeightContractionLoops::WeightContractionLoops;
  void emit() final;

protected:
  int64_t getChunks() const {
    return llvm::divideCeil(contraction.getDepth(), order.getChunk());
  }
  int64_t getParts() const { return order.lanes / lanes; }
  /// Chooses the number of channels that are processed at once.
  virtual int64_t chooseRows() = 0;
  /// Rearranges x to buffers.
  virtual void packX() = 0;
  virtual void freeX() = 0;
  /// Returns the accumulators, by row, vector and part, after `count` elements
  /// of a chunk.
  virtual SmallVector<Value> emitChunk(OpFoldResult first, int64_t rows,
                                       OpFoldResult chunk, int64_t count,
                                       ValueRange accumulators) = 0;
  /// Sets the position to a chunk, and prefetches later ones.
  void startChunk(OpFoldResult first, int64_t rows, OpFoldResult chunk,
                  int64_t count);
  int64_t getNumber(int64_t row, int64_t vector, int64_t part) const {
    return (row * contraction.vectors + vector) * getParts() + part;
  }
  /// Returns the scale of a block, which multiplies its accumulators; null if
  /// the scale is the same for an entire channel.
  Value getBlockScale(int64_t part, int64_t count);
  /// Returns the minimum of a block, or null if there is none.
  Value getBlockMinimum(int64_t part, int64_t count) {
    return contraction.minimum
               ? buildShared(contraction.minimum, part, count, b.getF32Type())
               : Value();
  }
  /// Builds a value of the body that is the same for a block, for the lanes of
  /// a part.
  Value buildShared(Value value, int64_t part, int64_t count, Type element);

  /// The index along K of the current chunk.
  OpFoldResult start;

private:
  void emitRows(OpFoldResult first, int64_t rows);
  Value reduce(ValueRange parts);
};

/// Create emitters for K-contiguous weights: with floating-point arithmetic, or
/// with integer arithmetic if the schedule has `xBits`.
std::unique_ptr<WeightContractionLoops>
makeFloatRowContraction(const WeightContraction &contraction,
                        const ReductionSchedule &order,
                        const LoweringTarget &target, bool parallel);
std::unique_ptr<WeightContractionLoops>
makeIntegerRowContraction(const WeightContraction &contraction,
                          const ReductionSchedule &order,
                          const LoweringTarget &target, bool parallel);
/// Creates an emitter for K-contiguous weights and any number of vectors, with
/// integer arithmetic.
std::unique_ptr<WeightContractionLoops>
makeIntegerPanelContraction(const WeightContraction &contraction,
                            const ReductionSchedule &order,
                            const LoweringTarget &target, bool parallel);
/// Creates an emitter for weights that are contiguous along the channels.
std::unique_ptr<WeightContractionLoops>
makeColumnContraction(const WeightContraction &contraction,
                      const ReductionSchedule &order,
                      const LoweringTarget &target, bool parallel);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_WEIGHTCONTRACTIONLOOPS_H
