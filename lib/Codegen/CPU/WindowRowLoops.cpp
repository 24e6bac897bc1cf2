//===- WindowRowLoops.cpp - Windows that share rows of the image ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a depthwise convolution of stride one, each vector of the image belongs to
// the windows of several rows of the result. A tile of these rows loads it
// once:
//
//   for a row of the image that any window of the tile contains:
//     for a column of the window:
//       vector = image[row, columns...]
//       for each row of the tile whose window contains the row:
//         acc[tile row] += vector * weight[row - tile row, column]
//
// Each accumulator adds its products in the same order as without the tile.
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class WindowRowLoops final : public ReductionLoops {
public:
  using ReductionLoops::ReductionLoops;

protected:
  SmallVector<Value> emitReductions(ArrayRef<unsigned> loops, int64_t rows,
                                    int64_t lanes,
                                    ValueRange accumulators) override;

private:
  void emitImageRow(ArrayRef<unsigned> loops, int64_t imageRow, int64_t rows,
                    int64_t lanes, SmallVectorImpl<Value> &accumulators);
};
} // namespace

std::unique_ptr<ReductionLoops>
quant_float::createWindowRowLoops(const ReductionPlan &plan,
                                  const ReductionContext &context) {
  return std::make_unique<WindowRowLoops>(plan, context);
}

SmallVector<Value> WindowRowLoops::emitReductions(ArrayRef<unsigned> loops,
                                                  int64_t rows, int64_t lanes,
                                                  ValueRange accumulators) {
  if (loops.front() != plan.windowLoop)
    return emitReductionLoop(loops, rows, lanes, accumulators);
  SmallVector<Value> results(accumulators);
  int64_t imageRows = rows + plan.ranges[*plan.windowLoop] - 1;
  for (int64_t imageRow = 0; imageRow < imageRows; ++imageRow)
    emitImageRow(loops.drop_front(), imageRow, rows, lanes, results);
  return results;
}

/// Emits the steps of all windows of the tile that read a row of the image.
/// `loops` are the reduction loops along the columns of the window.
void WindowRowLoops::emitImageRow(ArrayRef<unsigned> loops, int64_t imageRow,
                                  int64_t rows, int64_t lanes,
                                  SmallVectorImpl<Value> &accumulators) {
  if (!loops.empty()) {
    for (int64_t i = 0; i < plan.ranges[loops.front()]; ++i) {
      position[loops.front()] = builder.getIndexAttr(i);
      emitImageRow(loops.drop_front(), imageRow, rows, lanes, accumulators);
    }
    return;
  }
  SmallVector<Value> image(op.getNumDpsInputs());
  unsigned numOutputs = op.getNumDpsInits();
  for (int64_t row = 0; row < rows; ++row) {
    int64_t windowRow = imageRow - row;
    if (windowRow < 0 || windowRow >= plan.ranges[*plan.windowLoop])
      continue;
    position[*plan.windowLoop] = builder.getIndexAttr(windowRow);
    SmallVector<Value> arguments;
    for (auto [index, input] : llvm::enumerate(op.getDpsInputOperands())) {
      if (!image[index] || !plan.isWindow(input))
        image[index] = load(input, row, lanes);
      arguments.push_back(image[index]);
    }
    auto rowArguments =
        MutableArrayRef(accumulators).slice(row * numOutputs, numOutputs);
    llvm::append_range(arguments, rowArguments);
    llvm::copy(emitBody(arguments, row, lanes), rowArguments.begin());
  }
}
