//===- IntegerDots.h - Dot products of small integers -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_INTEGERDOTS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_INTEGERDOTS_H

#include "WeightTerms.h"

namespace mlir::quant_float {

struct DotInstruction;

/// The attribute of a sum of products of words of 32 bits, which hold several
/// numbers each, the first in the lowest bits: the numbers' types, of both
/// factors in order. The op's body says the same by shifts.
constexpr StringLiteral kDotsAttrName = "quant_float.dots";
/// Its types; none without it.
SmallVector<IntegerType> getDotTypes(Operation *op);

/// Instructions that multiply the numbers of words and add up the products.
class WordDots {
public:
  /// Those for words of numbers of two types of 8 or 16 bits, those of either
  /// factor; none where there are none, which is also where bytes would have to
  /// be added in 16 bits, which saturate.
  static std::optional<WordDots> get(const EmulationTarget &target,
                                     ArrayRef<IntegerType> types);
  /// Those for an op with the attribute.
  static std::optional<WordDots> get(const EmulationTarget &target,
                                     Operation *op);

  /// sum + lhs . rhs, vectors of i32 of any number of lanes.
  Value add(ImplicitLocOpBuilder &b, Value sum, Value lhs, Value rhs) const;
  /// Whether products come by one instruction, and are added by another.
  bool isApart() const;
  /// lhs . rhs of one register, where they are apart.
  Value multiply(ImplicitLocOpBuilder &b, Value lhs, Value rhs) const;
  int64_t getLanes() const;

private:
  explicit WordDots(const DotInstruction &instruction)
      : instruction(&instruction) {}

  const DotInstruction *instruction;
  /// Whether the right factor is the one without signs.
  bool isTurned = false;
};

/// sum + lhs . rhs by shifts and products, on words. `types` are those of the
/// attribute.
Value addWordProducts(ImplicitLocOpBuilder &b, Value sum, Value lhs, Value rhs,
                      ArrayRef<IntegerType> types);

/// How words of codes are multiplied by integers and added up, lane by lane.
/// Each word is spread over fields: vectors whose elements, of `getWidth` bits,
/// hold one code each. Field f has codes f, f + getFields() and so on of each
/// word, in order.
class IntegerDots {
public:
  /// For words in `lanes` lanes, and integers of `xBits` bits.
  IntegerDots(const WeightProduct &product, const EmulationTarget &target,
              int64_t lanes, unsigned xBits);

  unsigned getWidth() const { return width; }
  unsigned getFields() const { return width / bits; }
  /// What the codes' integers are more than their values.
  int64_t getOffset() const;
  /// `words` is a vector of i32.
  SmallVector<Value> spread(ImplicitLocOpBuilder &b, Value words) const;
  /// sum + fields * x, in i32; `x` in the order of the fields.
  Value add(ImplicitLocOpBuilder &b, Value sum, ArrayRef<Value> fields,
            ArrayRef<Value> x) const;

private:
  /// Codes are read with a sign, in place of an offset.
  bool isSigned() const;

  const CodeValues &values;
  unsigned bits;
  const EmulationTarget &target;
  const DotInstruction *instruction = nullptr;
  unsigned width = 32;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_INTEGERDOTS_H
