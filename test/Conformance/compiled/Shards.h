//===- Shards.h - Test shards -----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_SHARDS_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_SHARDS_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <random>
#include <vector>

namespace mlir::quant_float::test {

/// Returns the cases of shard "K/N" whose names contain `filter`. The N shards
/// together have all cases. Cases are shuffled with a fixed seed, because a
/// stride through the original order would never include some combinations of
/// types, layouts and zero points.
template <typename Case>
FailureOr<std::vector<Case>> chooseCases(std::vector<Case> cases,
                                         StringRef shard, StringRef filter) {
  auto [numberText, countText] = shard.split('/');
  size_t number, count;
  if (numberText.getAsInteger(10, number) ||
      countText.getAsInteger(10, count) || number < 1 || number > count) {
    llvm::errs() << "error: the shard must be K/N with K from 1 to N, but got "
                 << shard << "\n";
    return failure();
  }
  // std::shuffle differs between standard libraries.
  std::mt19937_64 random(1);
  for (size_t i = cases.size(); i > 1; --i)
    std::swap(cases[i - 1], cases[random() % i]);
  std::vector<Case> chosen;
  for (size_t i = number - 1; i < cases.size(); i += count)
    if (StringRef(cases[i].getName()).contains(filter))
      chosen.push_back(cases[i]);
  return chosen;
}

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_SHARDS_H
