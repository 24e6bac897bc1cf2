//===- WeightDecoding.h - Decode packed weights to f32 ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_WEIGHTDECODING_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_WEIGHTDECODING_H

#include "WeightContraction.h"
#include "quant-float/Lowering/LoweringTarget.h"

namespace mlir::quant_float {

/// Decodes a register of packed quantized values to f32. Each 32-bit
/// lane has `count` values, the first one in its lowest bits. Term t of all
/// lanes is a vector of
///
///   integer(value t of the lane) * 2^exponents[t]
///
/// so that no shift is needed. 2^-exponents[t] is applied to x, or to the
/// accumulator.
class WeightDecoding {
public:
  WeightDecoding(const EncodingValues &values, unsigned bits,
                 const LoweringTarget &target);

  unsigned getCount() const { return exponents.size(); }
  int getExponent(unsigned term) const { return exponents[term]; }
  /// Returns a vector for each term. `packed` is a vector of i32.
  SmallVector<Value> decode(ImplicitLocOpBuilder &b, Value packed) const;

private:
  const EncodingValues &values;
  unsigned bits;
  const LoweringTarget &target;
  SmallVector<int> exponents;
};

/// Looks up the 4-bit encodings in the low and in the high halves of the bytes
/// of `packed`. Returns the two vectors of bytes as vectors of i32.
std::pair<Value, Value> lookUpHalves(ImplicitLocOpBuilder &b,
                                     const EncodingValues &values,
                                     const LoweringTarget &target,
                                     Value packed);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_WEIGHTDECODING_H
