//===- Expectation.h - What a call has to give -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CERTIFY_EXPECTATION_H
#define QUANT_FLOAT_LIB_CERTIFY_EXPECTATION_H

#include "Slots.h"
#include "quant-float/Certify/Inputs.h"
#include <map>
#include <tuple>

namespace mlir::quant_float::certify {

/// Asks the oracle for all elements of a call. Quantizations that differ in
/// what they make, in zero points or in `saturate` alone divide the same codes
/// by the same scales: of 16 bits and less, the quotients are kept for the next
/// one.
class Expectation {
public:
  /// The outputs.
  void fill(const Conversion &conversion, const Call &call, Slots &slots);

private:
  void fillQuantized(const Conversion &conversion, const Call &call,
                     Slots &slots);
  const std::vector<Value> &getQuotients(const Conversion &conversion,
                                         const Call &call);

  /// Of one input type, scale and precision, by scales.
  std::tuple<const Format *, const Format *, const Format *> divided;
  std::map<uint64_t, std::vector<Value>> quotients;
};

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_LIB_CERTIFY_EXPECTATION_H
