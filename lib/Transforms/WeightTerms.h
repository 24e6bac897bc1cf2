//===- WeightTerms.h - Packed codes as float factors ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_WEIGHTTERMS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_WEIGHTTERMS_H

#include "WeightProduct.h"
#include "quant-float/Emulation/EmulationTarget.h"

namespace mlir::quant_float {

/// How a register of words of packed codes becomes factors in f32. Each lane of
/// 32 bits has `count` codes, the first one in its lowest bits; term t of all
/// lanes is a vector of
///
///   integer(code t of the lane) * 2^exponents[t]
///
/// so that nothing is shifted into place: x is scaled by what this leaves.
class WeightTerms {
public:
  WeightTerms(const CodeValues &values, unsigned bits,
              const EmulationTarget &target);

  unsigned getCount() const { return exponents.size(); }
  int getExponent(unsigned term) const { return exponents[term]; }
  /// `words` is a vector of i32.
  SmallVector<Value> decode(ImplicitLocOpBuilder &b, Value words) const;

private:
  const CodeValues &values;
  unsigned bits;
  const EmulationTarget &target;
  SmallVector<int> exponents;
};

/// The bytes that stand for the codes in low and in high halves of the words'
/// bytes, as words.
std::pair<Value, Value> lookUpHalves(ImplicitLocOpBuilder &b,
                                     const CodeValues &values,
                                     const EmulationTarget &target,
                                     Value words);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_WEIGHTTERMS_H
