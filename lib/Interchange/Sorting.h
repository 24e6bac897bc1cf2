//===- Sorting.h - Topological sort -----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_INTERCHANGE_SORTING_H
#define QUANT_FLOAT_LIB_INTERCHANGE_SORTING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::quant_float::target {

struct SortedIndices {
  SmallVector<unsigned> order;
  /// If the dependences are cyclic: indices each of which depends on the next
  /// one, and the last on the first. Empty otherwise.
  SmallVector<unsigned> cycle;
};

/// Sorts indices topologically: every index follows its `producers`. Among the
/// indices that are ready, the smallest comes first, so that a sorted input
/// keeps its order. A list of producers contains no index twice.
SortedIndices sortByDependences(ArrayRef<SmallVector<unsigned>> producers);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_INTERCHANGE_SORTING_H
