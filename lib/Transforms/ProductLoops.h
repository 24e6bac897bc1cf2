//===- ProductLoops.h - Loops of vectors for products -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_PRODUCTLOOPS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_PRODUCTLOOPS_H

#include "WeightTerms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::quant_float {

/// What all forms of loops share.
class ProductLoops {
public:
  ProductLoops(const WeightProduct &product, const SumOrder &order,
               const EmulationTarget &target, bool parallel);
  virtual ~ProductLoops() = default;
  virtual void emit() = 0;

protected:
  static constexpr int64_t kMostLanes = 16, kLineBytes = 64;

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
  Value spread(Value value, int64_t count) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, vectorOf(count, value.getType()),
                                       value);
  }
  Value add(Value one, Value other) {
    return one ? arith::AddFOp::create(b, one, other).getResult() : other;
  }
  Value multiply(Value one, Value other) {
    return arith::MulFOp::create(b, one, other);
  }
  OpFoldResult plus(OpFoldResult place, int64_t offset) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) + offset, {place});
  }
  OpFoldResult times(OpFoldResult place, int64_t factor) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) * factor, {place});
  }
  Value toValue(OpFoldResult place) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), place);
  }
  /// Where the operand is at the position of the loops.
  SmallVector<Value> getIndices(OpOperand *operand);
  Value load(OpOperand *operand);
  Value load(OpOperand *operand, int64_t count);
  Value getIndex(unsigned loop) { return toValue(position[loop]); }
  /// A value of the body, of scalars at the position.
  Value buildScalar(Value value);
  /// As elements of another type.
  Value convert(Value value, Type element);
  Value toFloat(Value value) { return convert(value, b.getF32Type()); }
  /// Sets the other loops to the combination of their indices.
  void selectVector(int64_t vector);
  /// So many codes from the position on, as many words as lanes; words that
  /// are not all there have zeros.
  Value loadWords(int64_t count);
  Value x(int64_t vector) {
    selectVector(vector);
    return toFloat(buildScalar(product.x));
  }
  void prefetch(int64_t ahead);
  /// Elements that a code is decoded together with: floats fill a register of
  /// their codes, integers one of f32, which they are loaded into.
  int64_t getDecoded() {
    Type element = getElementTypeOrSelf(product.codes->get());
    return isa<FloatType>(element) ? std::max<int64_t>(target.vectorBytes, 32)
                                   : lanes;
  }
  Value slice(Value vector, int64_t from, int64_t count) {
    if (cast<VectorType>(vector.getType()).getNumElements() == count)
      return vector;
    return vector::ExtractStridedSliceOp::create(b, vector, from, count, 1);
  }
  /// A vector with zeros behind.
  Value pad(Value vector, int64_t count) {
    auto type = cast<VectorType>(vector.getType());
    if (type.getNumElements() == count)
      return vector;
    Value zeros = arith::ConstantOp::create(
        b, b.getZeroAttr(vectorOf(count, type.getElementType())));
    return vector::InsertStridedSliceOp::create(b, vector, zeros, 0, 1);
  }
  bool needsSums() {
    return product.isPacked() && (product.values.offset || product.point);
  }
  /// What sums of x are multiplied by in a block: -(offset + point).
  Value getCorrection(Value point, int64_t count);
  /// A loop from 0 to `count`, in threads if there are several.
  void forEach(int64_t count, bool inThreads,
               llvm::function_ref<void(OpFoldResult)> body);

  const WeightProduct &product;
  SumOrder order;
  const EmulationTarget &target;
  linalg::GenericOp op;
  ImplicitLocOpBuilder b;
  SmallVector<OpFoldResult> position;
  int64_t lanes;
  bool parallel;
  std::optional<WeightTerms> terms;
};

/// What the forms along the summed loop share: several channels at once go
/// along it, each with the order's lanes of sums, in as many registers as they
/// need.
class RowProducts : public ProductLoops {
public:
  using ProductLoops::ProductLoops;
  void emit() final;

protected:
  int64_t getChunks() const {
    return llvm::divideCeil(product.getDepth(), order.getChunk());
  }
  int64_t getParts() const { return order.lanes / lanes; }
  /// Channels at once.
  virtual int64_t chooseRows() = 0;
  /// Rearranges x in buffers of `allocate`.
  virtual void packX() = 0;
  /// What sums, by row, vector and part, are after `count` elements of a chunk.
  virtual SmallVector<Value> emitChunk(OpFoldResult first, int64_t rows,
                                       OpFoldResult chunk, int64_t count,
                                       ValueRange sums) = 0;
  /// A buffer that is freed at the end.
  Value allocate(ArrayRef<int64_t> sizes, Type element);
  /// Sets the position to a chunk, and asks for what comes after it.
  void startChunk(OpFoldResult first, int64_t rows, OpFoldResult chunk,
                  int64_t count);
  int64_t getNumber(int64_t row, int64_t vector, int64_t part) const {
    return (row * product.vectors + vector) * getParts() + part;
  }
  /// The scale that a block multiplies its sums by; null for a whole channel.
  Value getBlockScale(int64_t part, int64_t count);
  /// A value of the body that blocks share, for the lanes of a part.
  Value buildShared(Value value, int64_t part, int64_t count, Type element);

  /// The first element of the chunk that is emitted.
  OpFoldResult start;

private:
  void emitRows(OpFoldResult first, int64_t rows);
  Value reduce(ValueRange parts);

  SmallVector<Value> buffers;
};

/// Summed elements are next to each other: factors in f32, or integers where
/// the order says that x is rounded to them.
std::unique_ptr<ProductLoops>
makeFloatRowProducts(const WeightProduct &product, const SumOrder &order,
                     const EmulationTarget &target, bool parallel);
std::unique_ptr<ProductLoops>
makeIntegerRowProducts(const WeightProduct &product, const SumOrder &order,
                       const EmulationTarget &target, bool parallel);
/// Channels are next to each other.
std::unique_ptr<ProductLoops> makeColumnProducts(const WeightProduct &product,
                                                 const SumOrder &order,
                                                 const EmulationTarget &target,
                                                 bool parallel);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_PRODUCTLOOPS_H
