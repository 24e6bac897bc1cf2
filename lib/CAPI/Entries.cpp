//===- Entries.cpp - Entry points as C sees them ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"

#include "quant-float/Model/Model.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

static std::vector<QuantFloatArgument>
getViews(llvm::ArrayRef<EntryPointArgument> arguments) {
  std::vector<QuantFloatArgument> views;
  for (const EntryPointArgument &argument : arguments) {
    bool isRanked = !llvm::is_contained(argument.sizes, Model::kUnranked);
    views.push_back(
        {argument.name.c_str(), isRanked ? argument.sizes.data() : nullptr,
         isRanked ? static_cast<int32_t>(argument.sizes.size()) : -1,
         argument.dtype});
  }
  return views;
}

OwnedEntry::OwnedEntry(EntryPointInfo given)
    : info(std::move(given)), inputs(getViews(info.inputs)),
      outputs(getViews(info.outputs)),
      entry{info.symbol.c_str(), info.graphName.c_str(), inputs.data(),
            inputs.size(),       outputs.data(),         outputs.size()} {}

bool OwnedEntry::describes(const EntryPointInfo &other) const {
  auto areAlike = [](ArrayRef<EntryPointArgument> one,
                     ArrayRef<EntryPointArgument> two) {
    return std::equal(
        one.begin(), one.end(), two.begin(), two.end(),
        [](const EntryPointArgument &x, const EntryPointArgument &y) {
          return x.name == y.name && x.dtype == y.dtype && x.sizes == y.sizes;
        });
  };
  return info.symbol == other.symbol && info.graphName == other.graphName &&
         areAlike(info.inputs, other.inputs) &&
         areAlike(info.outputs, other.outputs);
}
