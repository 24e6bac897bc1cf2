//===- Sorting.h - Sorting by dependences -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_COMMON_SORTING_H
#define QUANT_FLOAT_LIB_TARGET_COMMON_SORTING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::quant_float::target {

struct SortedIndices {
  SmallVector<unsigned> order;
  /// Each depends on the next one, and the last on the first; empty where there
  /// is an order.
  SmallVector<unsigned> cycle;
};

/// An order in which everything comes after what it depends on, its
/// `producers`. The smallest index that is ready comes first: what is sorted
/// stays as it is. No index is listed twice among one's producers.
SortedIndices sortByDependences(ArrayRef<SmallVector<unsigned>> producers);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_TARGET_COMMON_SORTING_H
