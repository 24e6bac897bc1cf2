//===- Contraction.h - Analysis of contractions -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyzes the loops and operands of matmuls, convolutions and other
// contractions. All code generation queries this analysis.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_CONTRACTION_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_CONTRACTION_H

#include "LinalgUtils.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::quant_float {

//===----------------------------------------------------------------------===//
// Values of a body
//===----------------------------------------------------------------------===//

/// Calls `visit` with the values of the op's body that `value` is computed
/// from, including itself.
void walkSources(linalg::LinalgOp op, Value value,
                 llvm::function_ref<void(Value)> visit);
/// Returns the operands of the op that a value in its body depends on.
SmallVector<OpOperand *> getSources(linalg::LinalgOp op, Value value);
/// Whether a value in the op's body depends on a linalg.index.
bool usesIndex(linalg::LinalgOp op, Value value);
/// Returns the loops that a value in the op's body varies along. Returns
/// nullopt if it depends on the result or on an op with regions.
std::optional<llvm::SmallBitVector> getLoops(linalg::LinalgOp op, Value value);

/// Returns the inputs that vary along a loop.
SmallVector<OpOperand *> getInputsAlong(linalg::LinalgOp op, unsigned loop);

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

/// A factor of the products.
struct ContractionOperand {
  /// The factor in the body.
  Value value;
  /// The inputs that it is computed from, such as quantized values, scales and
  /// zero points.
  SmallVector<OpOperand *> sources = {};
  /// The input of the highest rank. Inputs of equal rank are preferred if they
  /// are indexed by loops alone, and then if they are larger. Null if all
  /// inputs have rank 0.
  OpOperand *matrix = nullptr;
  /// The loops that it varies along.
  llvm::SmallBitVector loops;
};

/// A value of the body as `(decoded - zeroPoint) * scale`. `zeroPoint` and
/// `scale` are null if there are none.
struct ScaledValue {
  Value decoded, zeroPoint, scale;
};

/// How an operand is decoded.
struct OperandDecoding : ScaledValue {
  /// The input with the quantized values, and the width of one in bits. An i8
  /// element may hold several along its last dimension.
  OpOperand *quantized;
  unsigned bits;
  /// The number of elements along K that share the scale and the zero point;
  /// ShapedType::kDynamic if they do not vary along a K of dynamic size.
  /// Nullopt if they vary in another way than by blocks of equal size.
  std::optional<int64_t> block;
};

/// A dimension of an image that a window slides along. The window reads element
/// `loop * stride + offset`; `offset` is a function of the reduction loops, at
/// most `largestOffset`.
struct ConvolutionAxis {
  unsigned loop;
  int64_t stride;
  AffineExpr offset;
  int64_t largestOffset;

  /// Returns the axis that `index` describes if `loop` is the only parallel
  /// loop in it. The reduction loops in it must have static sizes.
  static std::optional<ConvolutionAxis> get(linalg::LinalgOp op,
                                            AffineExpr index, unsigned loop);
};

/// An op on tensors or memrefs whose body is `accumulator + lhs * rhs`, or the
/// dot product of packed operands that quant-float-pack-vnni-operands creates.
///
/// `rhs` varies along the innermost dimension of the result, unless both
/// operands do. The loops have the names of BLAS: batch loops are those of both
/// operands and the result, M those of `lhs` and the result, N those of `rhs`
/// and the result, and K the reduction loops of both operands, as upstream's
/// `linalg::inferContractionDims` defines them. Loops of the result are in the
/// order of its dimensions, and K in the order of the loops.
class Contraction {
public:
  /// Returns nullopt for other ops.
  static std::optional<Contraction> get(linalg::LinalgOp op);

  /// Whether the body does nothing else: operands are not decoded.
  bool isPlain() const { return body.isPlain(); }
  /// Whether all reduction loops are in K: both operands vary along them.
  bool hasOnlyKReductions() const;
  /// Whether a loop has no iteration.
  bool isEmpty() const { return llvm::is_contained(ranges, 0); }
  /// Whether an expression depends on a loop of K.
  bool variesAlongK(AffineExpr index) const;
  /// Whether a value of the body varies along K.
  bool variesAlongK(Value value) const;
  /// Returns the loop that alone indexes the last dimension of the operand's
  /// matrix, if any.
  std::optional<unsigned>
  getContiguousLoop(const ContractionOperand &operand) const;
  /// Whether the last index of the operand's matrix advances along K, and not
  /// along the operand's rows or columns.
  bool isKContiguous(const ContractionOperand &operand) const;
  /// Separates the operand's scale or zero point.
  ScaledValue getScaledValue(const ContractionOperand &operand) const;
  /// Returns how the operand is decoded if its matrix has elements of at most 8
  /// bits.
  std::optional<OperandDecoding>
  getDecoding(const ContractionOperand &operand) const;
  /// Classifies the loops of a convolution in the terms of upstream's
  /// `linalg::inferConvolutionDims`, whichever operand is the image. Returns
  /// nullopt if no window slides along an image.
  std::optional<linalg::ConvolutionDimensions> getConvolution() const;

  linalg::LinalgOp op;
  MultiplyAccumulate body;
  /// The static sizes of the loops, or ShapedType::kDynamic.
  SmallVector<int64_t> ranges;
  ContractionOperand lhs, rhs;
  SmallVector<unsigned> batch, m, n, k;

private:
  Contraction(linalg::LinalgOp op, const MultiplyAccumulate &body)
      : op(op), body(body), ranges(op.getStaticLoopRanges()) {}
};

/// Whether the value is a constant or a function argument, possibly after ops
/// that only move elements: a weight rather than an activation. Caches that the
/// function appends to count as well.
bool isWeight(Value value);

/// Returns the only user of the op's only result if it is an elementwise op on
/// tensors in the same block that reads and writes the elements in order.
/// Returns null otherwise.
linalg::GenericOp getElementwiseUser(linalg::LinalgOp op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_CONTRACTION_H
