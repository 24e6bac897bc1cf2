//===- ElementBits.h - Constants as bit patterns ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_IR_ELEMENTBITS_H
#define QUANT_FLOAT_LIB_IR_ELEMENTBITS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "quant-float/Reference/Granularity.h"
#include "llvm/ADT/APInt.h"

namespace mlir::quant_float {

/// The maximum number of elements of folded constants. Compiled code evaluates
/// larger constants faster, and folding would store their values twice in the
/// IR. A splat counts as one element, whatever its shape.
constexpr int64_t kFoldLimit = 4096;

/// Returns the bit patterns of a scalar or dense constant: one per element, or
/// a single one for a splat. Nullopt for other attributes and for constants
/// that exceed kFoldLimit.
std::optional<SmallVector<APInt>> getElementBits(Attribute attribute);

/// Returns the number of elements of a static shape, or nullopt if it exceeds
/// `limit`.
std::optional<int64_t> countFolded(ArrayRef<int64_t> shape, int64_t limit);

/// Returns the constant of `type`, a scalar or statically shaped type, with
/// these bit patterns: one for all elements, or one for each. Null for other
/// types.
TypedAttr getConstantOfBits(Type type, ArrayRef<APInt> bits);

/// The operands of a fold of one element: the input, its scale, and optionally
/// another parameter with the scale's shape and random bits.
struct FoldedElement {
  const APInt &input, &scale;
  std::optional<APInt> other, random;
};

/// Folds an op on an input and parameters: applies `fold` to each element and
/// the parameters that belong to it. With `hasRandomBits`, the last operand has
/// the input's shape. Null if an operand is not constant, or if the result is
/// not a splat and has more than `limit` elements.
Attribute
foldWithParameters(Operation *op, ArrayRef<Attribute> operands,
                   const reference::Granularity &granularity, int64_t limit,
                   llvm::function_ref<APInt(const FoldedElement &)> fold,
                   bool hasRandomBits = false);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_IR_ELEMENTBITS_H
