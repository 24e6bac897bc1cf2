//===- WeightContraction.h - Low-bit weight contractions --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_WEIGHTCONTRACTION_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_WEIGHTCONTRACTION_H

#include "../../Transforms/MatvecLimit.h"
#include "Contraction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/IR/QuantFloatAttributes.h"
#include <functional>

namespace mlir::quant_float {

/// The accumulation order of an element of the result, as specified in
/// docs/rules.md (R7). K is divided into chunks of `lanes * terms` elements.
/// Each of `lanes` partial accumulators adds `terms` elements of each chunk:
/// adjacent ones if `consecutive`, else every `lanes`-th one. If `xBits` is not
/// 0, x is quantized in blocks to integers of this width (R8).
struct ReductionSchedule {
  int64_t lanes, terms;
  bool consecutive;
  unsigned xBits = 0;

  /// Returns the order for K-contiguous weights of `bits` bits, with a scale
  /// for each `block` elements. `depth` is the K extent.
  static ReductionSchedule forRows(unsigned bits, int64_t block, int64_t depth);

  int64_t getChunk() const { return lanes * terms; }
  /// Whether chunks consist of full blocks, or blocks of full chunks.
  bool hasFullBlocks(int64_t block, int64_t depth) const {
    return block == depth || getChunk() % block == 0 || block % getChunk() == 0;
  }
  bool operator==(const ReductionSchedule &other) const {
    return std::tie(lanes, terms, consecutive, xBits) ==
           std::tie(other.lanes, other.terms, other.consecutive, other.xBits);
  }
  bool operator!=(const ReductionSchedule &other) const {
    return !(*this == other);
  }
  ReductionScheduleAttr toAttribute(MLIRContext *context) const;
  static std::optional<ReductionSchedule> get(Operation *op);
};

/// The values of encodings: (integer - offset) * unit. The integer is
/// `integers[encoding]`, or if `isEncoding` the encoding with the bits in
/// `flip` inverted.
struct EncodingValues {
  SmallVector<uint8_t> integers;
  bool isEncoding = false;
  unsigned flip = 0;
  int64_t offset = 0;
  double unit = 1;
};

/// A linalg.generic with the body
///
///   acc += x * (scale * (decoded - point) - minimum)
///
/// One operand holds the quantized weights. Another operand may depend on both
/// the channels and K only if it is constant in blocks along K.
struct WeightContraction {
  /// Matches an op on tensors or memrefs. Returns nullopt for other ops.
  /// `asIntegers` requests the values of 8-bit encodings as well.
  static std::optional<WeightContraction> get(linalg::GenericOp op,
                                              bool asIntegers = false);

  int64_t getRange(unsigned loop) const { return ranges[loop]; }
  int64_t getChannels() const { return ranges[channel]; }
  int64_t getDepth() const { return ranges[depth]; }
  bool isPacked() const { return bits < 8; }
  /// Whether there are few vectors, so that each weight is decoded where it is
  /// used.
  bool isMatvec() const {
    return ShapedType::isStatic(vectors) && vectors <= kMaxMatvecRows;
  }
  /// Returns the accumulation order with x in floating point, or with x
  /// quantized to integers of `xBits` bits if takesIntegers(). Only the latter
  /// is defined for more vectors than isMatvec() allows.
  ReductionSchedule getOrder(unsigned xBits = 0) const;
  /// Returns the number of elements of x that share a scale, if x is quantized.
  int64_t getActivationBlock() const {
    return block == getDepth() || block % 32 == 0 ? 32 : 16;
  }
  /// Whether integer arithmetic is possible: weights are K-contiguous,
  /// quantized values and zero points represent integers, and chunks fit
  /// blocks.
  bool takesIntegers() const;

  linalg::GenericOp op;
  SmallVector<int64_t> ranges;
  /// The loops of the channels and of K.
  unsigned channel = 0, depth = 0;
  SmallVector<unsigned> others;
  /// The number of iterations of the other loops: the number of vectors that
  /// the matrix is multiplied by. It may be dynamic.
  int64_t vectors = 1;

  OpOperand *quantized = nullptr;
  unsigned bits = 8;
  /// Whether the weights are K-contiguous; else they are contiguous along the
  /// channels.
  bool isAlongDepth = false;
  /// Values in the body: x; the value of the encoding, without the zero point
  /// if that is separate; the scale and the zero point, or null.
  Value x, decoded, scale, point;
  /// The minimum, which is the same for the elements of a block, or null.
  /// Weights that are K-contiguous and have scales of blocks may have one.
  Value minimum;
  /// Whether the body adds the minimum instead of subtracting it.
  bool addsMinimum = false;
  /// The number of elements along K that share a scale, a zero point and a
  /// minimum.
  int64_t block = 0;
  /// The values of packed encodings, and of 8-bit ones if `asIntegers`.
  EncodingValues values;
};

/// Clones ops of a linalg.generic's body, on scalars or vectors.
class BodySlice {
public:
  using GetValue = std::function<Value(OpOperand *)>;
  using GetIndex = std::function<Value(unsigned)>;

  /// `getOperand` returns a scalar or a vector for an operand of the op, and
  /// `getIndex` the index of a loop.
  BodySlice(ImplicitLocOpBuilder &b, linalg::GenericOp op, GetValue getOperand,
            GetIndex getIndex)
      : b(b), op(op), getOperand(std::move(getOperand)),
        getIndex(std::move(getIndex)) {}

  Value build(Value value);

private:
  ImplicitLocOpBuilder &b;
  linalg::GenericOp op;
  GetValue getOperand;
  GetIndex getIndex;
  llvm::DenseMap<Value, Value> done;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_WEIGHTCONTRACTION_H
