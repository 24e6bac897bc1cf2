//===- WeightProduct.h - Products with weights of few bits ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_WEIGHTPRODUCT_H
#define QUANT_FLOAT_LIB_TRANSFORMS_WEIGHTPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <functional>

namespace mlir::quant_float {

/// More vectors than these are worth decoding each weight into a buffer once.
constexpr int64_t kMostVectors = 4;

/// The attribute of an op whose sums have a stated order.
constexpr StringLiteral kSumOrderAttrName = "quant_float.sum_order";

/// Which additions of a product make one element of its result, by
/// docs/rules.md (R7). Sums of `lanes` lanes run side by side through chunks of
/// `lanes * terms` summed elements; a lane adds `terms` of each chunk, next to
/// each other if `consecutive`, else every `lanes`-th. With `xBits` x is
/// rounded to integers of so many bits, in blocks (R8).
struct SumOrder {
  int64_t lanes, terms;
  bool consecutive;
  unsigned xBits = 0;

  /// Of rows of codes with so many bits, and one scale for so many elements.
  static SumOrder ofRows(unsigned bits, int64_t block, int64_t depth);

  int64_t getChunk() const { return lanes * terms; }
  /// Whether chunks of a row have whole blocks, or blocks whole chunks.
  bool hasWholeBlocks(int64_t block, int64_t depth) const {
    return block == depth || getChunk() % block == 0 || block % getChunk() == 0;
  }
  bool operator==(const SumOrder &other) const {
    return std::tie(lanes, terms, consecutive, xBits) ==
           std::tie(other.lanes, other.terms, other.consecutive, other.xBits);
  }
  bool operator!=(const SumOrder &other) const { return !(*this == other); }
  DictionaryAttr toAttribute(MLIRContext *context) const;
  static std::optional<SumOrder> get(Operation *op);
};

/// What codes stand for: (integer - offset) * unit, where
/// the integer is a byte, by code, or the code itself with `flip`ped bits.
struct CodeValues {
  SmallVector<uint8_t> integers;
  bool isCode = false;
  unsigned flip = 0;
  int64_t offset = 0;
  double unit = 1;
};

/// A linalg.generic of
///
///   sum += x * scale * (decoded - point)
///
/// for which one operand holds codes of weights, and no other operand has both
/// the loop of the weights' channels and the summed one, but for what blocks
/// of weights have in common.
struct WeightProduct {
  /// Of tensors or buffers; null for other ops. `asIntegers` asks for the
  /// values of whole bytes, too.
  static std::optional<WeightProduct> get(linalg::GenericOp op,
                                          bool asIntegers = false);

  int64_t getRange(unsigned loop) const { return ranges[loop]; }
  int64_t getChannels() const { return ranges[channel]; }
  int64_t getDepth() const { return ranges[depth]; }
  bool isPacked() const { return bits < 8; }
  /// With x as it is, or as integers of so many bits where these will do.
  SumOrder getOrder(unsigned xBits = 0) const;
  /// Whether codes and points are integers, blocks whole lanes of chunks.
  bool takesIntegers() const;

  linalg::GenericOp op;
  SmallVector<int64_t> ranges;
  /// The loops.
  unsigned channel = 0, depth = 0;
  SmallVector<unsigned> others;
  /// Combinations of the other loops: vectors that the matrix is applied to.
  int64_t vectors = 1;

  OpOperand *codes = nullptr;
  unsigned bits = 8;
  /// Codes that are next to each other are summed, or belong to channels.
  bool isAlongDepth = false;
  /// In the body: x in f32; what the code stands for, in f32 and without the
  /// point if it is packed; the scale and the point, or null.
  Value x, decoded, scale, point;
  /// Elements along the summed loop that share scale and point.
  int64_t block = 0;
  /// Of packed codes, and of bytes that were asked for as integers.
  CodeValues values;
};

/// Writes ops of a generic's body again, for scalars or vectors.
class BodySlice {
public:
  using GetValue = std::function<Value(OpOperand *)>;
  using GetIndex = std::function<Value(unsigned)>;

  /// `getOperand` gives a scalar, or a vector of the lanes; `getIndex` the
  /// place of a loop.
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

/// The operands of the op that the value in its body comes from.
SmallVector<OpOperand *> getSources(linalg::GenericOp op, Value value);
/// Whether the place in a loop is asked for.
bool usesIndex(linalg::GenericOp op, Value value);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_WEIGHTPRODUCT_H
