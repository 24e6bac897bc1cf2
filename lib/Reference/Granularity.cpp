//===- Granularity.cpp - Elements that share a scale ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Reference/Granularity.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float::reference;

SmallVector<int64_t> quant_float::reference::getSizes(ShapedType type) {
  SmallVector<int64_t> sizes(type.getShape());
  if (auto vector = dyn_cast<VectorType>(type))
    for (auto [size, isScalable] :
         llvm::zip_equal(sizes, vector.getScalableDims()))
      size = isScalable ? -size : size;
  return sizes;
}

std::optional<int64_t> Granularity::getAxis(int64_t rank) const {
  if (!axis || *axis < -rank || *axis >= rank)
    return std::nullopt;
  return *axis < 0 ? *axis + rank : *axis;
}

/// Avoids (size + blockSize - 1) / blockSize, which can overflow. Scalable
/// sizes, which are negative, are multiples of the block size.
static int64_t countBlocks(int64_t size, int64_t blockSize) {
  if (ShapedType::isDynamic(size))
    return size;
  return size / blockSize + (size % blockSize != 0);
}

SmallVector<int64_t>
Granularity::getParameterSizes(ArrayRef<int64_t> input) const {
  SmallVector<int64_t> sizes(input);
  if (isBroadcast)
    return sizes;
  if (!blockShape.empty()) {
    for (auto [size, blockSize] : llvm::zip_equal(sizes, blockShape))
      size = blockSize == kWholeDim ? 1 : countBlocks(size, blockSize);
    return sizes;
  }
  if (!axis)
    return {};
  int64_t &size = sizes[*getAxis(input.size())];
  if (!blockSize)
    return {size};
  size = countBlocks(size, *blockSize);
  return sizes;
}

bool Granularity::fits(ArrayRef<int64_t> parameter,
                       ArrayRef<int64_t> input) const {
  auto isAlike = [](int64_t a, int64_t b) {
    return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
  };
  if (isBroadcast)
    return parameter.size() <= input.size() &&
           llvm::all_of(
               llvm::zip(llvm::reverse(parameter), llvm::reverse(input)),
               [&](auto sizes) {
                 auto [own, full] = sizes;
                 return own == 1 || isAlike(own, full);
               });
  if (!axis && blockShape.empty())
    return parameter.empty() ||
           (parameter.size() == 1 && isAlike(parameter.front(), 1));
  return succeeded(verifyCompatibleShape(parameter, getParameterSizes(input)));
}

SmallVector<ParameterIndex>
Granularity::getIndices(ArrayRef<int64_t> parameter,
                        ArrayRef<int64_t> input) const {
  SmallVector<ParameterIndex> indices(parameter.size());
  if (!blockShape.empty()) {
    for (auto [i, index] : llvm::enumerate(indices)) {
      int64_t blockSize = blockShape[i];
      if (blockSize == kWholeDim || (!ShapedType::isDynamic(input[i]) &&
                                     input[i] <= blockSize && blockSize != 1))
        continue;
      index = {unsigned(i), blockSize};
    }
    return indices;
  }
  if (parameter.empty() || (!axis && !isBroadcast))
    return indices;
  std::optional<int64_t> along = getAxis(input.size());
  if (axis && !blockSize) {
    indices.front().dim = *along;
    return indices;
  }
  int64_t first = int64_t(input.size()) - int64_t(parameter.size());
  for (auto [i, index] : llvm::enumerate(indices)) {
    int64_t dim = first + int64_t(i);
    // A single block has the constant index 0 only if the size is static, so
    // that no further block can exist.
    bool canBeOnly =
        isBroadcast || (dim == along && !ShapedType::isDynamic(input[dim]));
    if (parameter[i] == 1 && canBeOnly)
      continue;
    index.dim = dim;
    if (dim == along)
      index.blockSize = *blockSize;
  }
  return indices;
}

AffineMap Granularity::getMap(MLIRContext *context, ArrayRef<int64_t> parameter,
                              ArrayRef<int64_t> input) const {
  SmallVector<AffineExpr> results;
  for (const ParameterIndex &index : getIndices(parameter, input))
    results.push_back(
        index.dim
            ? getAffineDimExpr(*index.dim, context).floorDiv(index.blockSize)
            : getAffineConstantExpr(0, context));
  return AffineMap::get(input.size(), /*symbolCount=*/0, results, context);
}

/// Returns the number of elements, or the largest integer if it overflows.
static uint64_t countElements(ArrayRef<int64_t> sizes) {
  uint64_t count = 1;
  for (int64_t size : sizes)
    count = llvm::SaturatingMultiply(count, uint64_t(size));
  return count;
}

ParameterElements::ParameterElements(const Granularity &granularity,
                                     ArrayRef<int64_t> parameter,
                                     ArrayRef<int64_t> input) {
  for (auto [i, index] :
       llvm::enumerate(granularity.getIndices(parameter, input)))
    if (index.dim)
      steps.push_back({countElements(input.drop_front(*index.dim + 1)),
                       uint64_t(input[*index.dim]), uint64_t(index.blockSize),
                       countElements(parameter.drop_front(i + 1))});
}
