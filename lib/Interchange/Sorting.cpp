//===- Sorting.cpp - Topological sort -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::target;

/// Follows unfinished producers until it reaches an index for the second time.
static SmallVector<unsigned>
findCycle(ArrayRef<SmallVector<unsigned>> producers,
          const llvm::BitVector &done) {
  SmallVector<unsigned> path;
  llvm::DenseMap<unsigned, unsigned> positions;
  unsigned current = done.find_first_unset();
  while (positions.try_emplace(current, path.size()).second) {
    path.push_back(current);
    current = *llvm::find_if(producers[current],
                             [&](unsigned other) { return !done[other]; });
  }
  return SmallVector<unsigned>(ArrayRef(path).drop_front(positions[current]));
}

SortedIndices
target::sortByDependences(ArrayRef<SmallVector<unsigned>> producers) {
  unsigned size = producers.size();
  SmallVector<SmallVector<unsigned>> consumers(size);
  SmallVector<unsigned> waiting(size);
  for (auto [index, needed] : llvm::enumerate(producers)) {
    waiting[index] = needed.size();
    for (unsigned producer : needed)
      consumers[producer].push_back(index);
  }

  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned index = 0; index != size; ++index)
    if (waiting[index] == 0)
      ready.push(index);
  SortedIndices sorted;
  llvm::BitVector done(size);
  while (!ready.empty()) {
    unsigned index = ready.top();
    ready.pop();
    done.set(index);
    sorted.order.push_back(index);
    for (unsigned consumer : consumers[index])
      if (--waiting[consumer] == 0)
        ready.push(consumer);
  }
  if (sorted.order.size() != size)
    sorted.cycle = findCycle(producers, done);
  return sorted;
}
