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

/// Larger constants are left to compiled code, which is faster and keeps the
/// IR from holding the values twice. A splat is one value whatever its shape.
constexpr int64_t kFoldLimit = 4096;

/// The bits of a scalar constant or of the elements of a dense one, a single
/// one for a splat. None where the attribute is no such thing or too large.
std::optional<SmallVector<APInt>> getElementBits(Attribute attribute);

/// The number of elements of a static shape; none where it is above `limit`.
std::optional<int64_t> countFolded(ArrayRef<int64_t> shape, int64_t limit);

/// The constant of `type`, a scalar or a static shape, with these bits: one
/// pattern for all elements, or one for each. Null for any other type.
TypedAttr getConstantOfBits(Type type, ArrayRef<APInt> bits);

/// The operands of one element: of the input, a scale, perhaps another
/// parameter of its shape and random bits.
struct FoldedElement {
  const APInt &input, &scale;
  std::optional<APInt> other, random;
};

/// What an op on an input and its parameters makes of constants: `fold` of each
/// element with those that belong to it. The last operand has an element for
/// each of the input's where there are random bits. Null where an operand is no
/// constant, or the result has more than `limit` elements that are not alike.
Attribute
foldWithParameters(Operation *op, ArrayRef<Attribute> operands,
                   const reference::Granularity &granularity, int64_t limit,
                   llvm::function_ref<APInt(const FoldedElement &)> fold,
                   bool hasRandomBits = false);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_IR_ELEMENTBITS_H
