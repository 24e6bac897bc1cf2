//===- ByteContractions.h - Contractions of 8-bit integers ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes the loops and operands of a contraction of bytes for
// PackVnniOperands, which packs the operands for dot-product instructions.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_BYTECONTRACTIONS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_BYTECONTRACTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace mlir::quant_float {
class Contraction;
struct LoweringTarget;
} // namespace mlir::quant_float

namespace mlir::quant_float::dots {

/// The zero point that is subtracted from each element of an operand.
struct ZeroPoint {
  /// The op's operand that holds the zero points as bytes, either one or one
  /// for each index of `dim`. If null, the zero point is `constant`.
  OpOperand *operand = nullptr;
  bool isSigned = false;
  int64_t constant = 0;
  /// The dimension of the contraction's operand that the zero point varies
  /// along.
  std::optional<unsigned> dim;

  bool isZero() const { return !operand && constant == 0; }
};

/// An operand of the contraction: bytes minus a zero point.
struct ByteOperand {
  OpOperand *operand = nullptr;
  bool isSigned = false;
  ZeroPoint point;
  AffineMap map;
  /// The dimension that is indexed by the K loop alone, if there is one.
  /// Elements that are adjacent along it are packed together.
  std::optional<unsigned> depth;
  /// The permutation of the dimensions in the packed tensor.
  SmallVector<unsigned> order;

  RankedTensorType getType() const {
    return cast<RankedTensorType>(operand->get().getType());
  }
  /// Returns the distance along the dimension `dim` between the elements at
  /// `index` and at 0 of the loop. Returns nullopt if it is not a constant.
  std::optional<int64_t> getOffset(unsigned dim, unsigned loop,
                                   int64_t index) const;
};

/// How elements along K are packed into i32 elements. Element i holds
/// the `count` elements that start at i * `step`. If i32 elements
/// overlap, an element along K belongs to the first one that contains it.
struct Grouping {
  int64_t extent, count, step, elements;

  int64_t getElement(int64_t index) const {
    return index < count ? 0 : llvm::divideCeil(index - count + 1, step);
  }
  int64_t getPart(int64_t index) const {
    return index - getElement(index) * step;
  }
};

/// A contraction that accumulates products of bytes in i32.
class ByteContraction {
public:
  static std::optional<ByteContraction> get(linalg::GenericOp op);
  /// Replaces the op by one on packed operands, if the target has dot-product
  /// instructions for them. Returns whether it has.
  bool pack(RewriterBase &rewriter, const LoweringTarget &target);

private:
  explicit ByteContraction(linalg::GenericOp op) : op(op) {}
  bool matchBody(const Contraction &contraction);
  bool matchLoops(const Contraction &contraction);
  bool isProfitable();
  /// Returns how K is packed into elements of `width` bits. Returns nullopt if
  /// the distances between the elements of a convolution window depend on the
  /// position of the i32 element.
  std::optional<Grouping> getGrouping(unsigned width);
  ByteOperand &getVectors() { return byteOperands[vectors]; }
  ByteOperand &getScalars() { return byteOperands[1 - vectors]; }

  linalg::GenericOp op;
  ByteOperand byteOperands[2];
  /// The index of the operand that varies along the output's columns (N).
  unsigned vectors = 0;
  unsigned column = 0, depth = 0;
  /// The number of output rows that read the same vectors, or nullopt if it is
  /// dynamic, and the number of times that one row reads a vector.
  std::optional<int64_t> rows;
  int64_t uses = 1;
};

} // namespace mlir::quant_float::dots

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_BYTECONTRACTIONS_H
