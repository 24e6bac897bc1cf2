//===- Expectation.h - The expected results of a call -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CERTIFY_EXPECTATION_H
#define QUANT_FLOAT_LIB_CERTIFY_EXPECTATION_H

#include "StorageUnits.h"
#include "quant-float/Certify/Inputs.h"
#include <map>
#include <tuple>

namespace mlir::quant_float::certify {

/// Computes the oracle's results for all elements of a call. Quantizations that
/// differ only in the result type, the zero point or `saturate` divide the same
/// inputs by the same scales. For inputs of at most 16 bits, the quotients are
/// reused for the next conversion.
class Expectation {
public:
  /// Writes the expected outputs of a call to `slots`.
  void fill(const Conversion &conversion, const Call &call, Slots &slots);

private:
  void fillQuantized(const Conversion &conversion, const Call &call,
                     Slots &slots);
  const std::vector<Value> &getQuotients(const Conversion &conversion,
                                         const Call &call);

  /// The quotients for one input type, scale type and precision, by scale.
  std::tuple<const Format *, const Format *, const Format *> divided;
  std::map<uint64_t, std::vector<Value>> quotients;
};

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_LIB_CERTIFY_EXPECTATION_H
