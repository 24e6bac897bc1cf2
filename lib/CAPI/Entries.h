//===- Entries.h - Entry points as C sees them ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CAPI_ENTRIES_H
#define QUANT_FLOAT_LIB_CAPI_ENTRIES_H

#include "quant-float-c/Runtime.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include <vector>

namespace mlir::quant_float::capi {

/// An entry point with the memory of its strings and sizes; stays where it is.
class OwnedEntry {
public:
  explicit OwnedEntry(EntryPointInfo info);
  OwnedEntry(const OwnedEntry &) = delete;
  OwnedEntry &operator=(const OwnedEntry &) = delete;

  const QuantFloatEntry *get() const { return &entry; }
  /// Whether C would see the same.
  bool describes(const EntryPointInfo &other) const;

private:
  EntryPointInfo info;
  std::vector<QuantFloatArgument> inputs;
  std::vector<QuantFloatArgument> outputs;
  QuantFloatEntry entry;
};

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_ENTRIES_H
