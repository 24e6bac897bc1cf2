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
