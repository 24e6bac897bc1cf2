//===- ByteProducts.h - Sums of products of bytes ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is summed and along which loops, for who puts bytes into words of
// products.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_BYTEPRODUCTS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_BYTEPRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace mlir::quant_float {
struct EmulationTarget;
} // namespace mlir::quant_float

namespace mlir::quant_float::dots {

/// What is subtracted from each number of a factor.
struct ZeroPoint {
  /// An operand of bytes, one or one for each index of a dimension; else the
  /// constant.
  OpOperand *operand = nullptr;
  bool isSigned = false;
  int64_t constant = 0;
  /// The factor's dimension that it varies along.
  std::optional<unsigned> dim;

  bool isZero() const { return !operand && constant == 0; }
};

/// One side of the products: bytes less a zero point.
struct Factor {
  OpOperand *operand = nullptr;
  bool isSigned = false;
  ZeroPoint point;
  AffineMap map;
  /// The dimension of the summed elements that share words, if they have one of
  /// their own.
  std::optional<unsigned> depth;
  /// The order of dimensions in packed tensors.
  SmallVector<unsigned> order;

  RankedTensorType getType() const {
    return cast<RankedTensorType>(operand->get().getType());
  }
  /// How much further along a dimension the element is than the one at 0 of a
  /// loop, if it is so everywhere.
  std::optional<int64_t> getOffset(unsigned dim, unsigned loop,
                                   int64_t index) const;
};

/// How the summed elements share words: word i has `count` of them, from
/// i * `step` on. If words overlap an element counts in the first that has it.
struct Grouping {
  int64_t extent, count, step, words;

  int64_t getWord(int64_t index) const {
    return index < count ? 0 : llvm::divideCeil(index - count + 1, step);
  }
  int64_t getPart(int64_t index) const { return index - getWord(index) * step; }
};

/// A sum of products of bytes.
class Products {
public:
  static std::optional<Products> get(linalg::GenericOp op);
  /// Rewrites the op for the target, if it has instructions.
  void pack(RewriterBase &rewriter, const EmulationTarget &target);

private:
  explicit Products(linalg::GenericOp op) : op(op) {}
  bool matchBody();
  bool matchLoops();
  bool isProfitable();
  /// None where windows are not the same everywhere.
  std::optional<Grouping> getGrouping(unsigned width);
  Factor &getVectors() { return factors[vectors]; }
  Factor &getScalars() { return factors[1 - vectors]; }

  linalg::GenericOp op;
  Factor factors[2];
  /// The factor that has the loop of the output's columns.
  unsigned vectors = 0;
  unsigned column = 0, depth = 0;
  /// Rows of the output that share vectors, if that is known, and how often a
  /// row uses one.
  std::optional<int64_t> rows;
  int64_t uses = 1;
};

} // namespace mlir::quant_float::dots

#endif // QUANT_FLOAT_LIB_TRANSFORMS_BYTEPRODUCTS_H
