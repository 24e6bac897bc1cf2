//===- QuantizeBuffer.cpp - Buffers by their granularity ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantizes.h"
#include "Slots.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;

namespace {

/// A tensor seen as [outer, length, inner] with the axis in the middle, and how
/// far a step along each leads in the scales: nowhere where all indices share
/// one. Along the axis the steps are those of blocks.
struct ScaleLayout {
  uint64_t outer = 1, length = 1, inner = 1;
  uint64_t block = 1;
  uint64_t outerStride = 0, blockStride = 0, innerStride = 0;
  uint64_t numElements = 0, numScales = 1;

  uint64_t getScaleIndex(uint64_t element) const {
    return element / inner / length * outerStride +
           element / inner % length / block * blockStride +
           element % inner * innerStride;
  }
};

/// What the elements of a buffer are quantized with, ready for use.
struct Parameters {
  SmallVector<APFloat, 0> scales;
  SmallVector<APInt, 0> zeroPoints;

  const APInt *getZeroPoint(uint64_t index) const {
    return zeroPoints.empty() ? nullptr : &zeroPoints[index];
  }
};

} // namespace

static uint64_t multiply(ArrayRef<int64_t> sizes) {
  uint64_t product = 1;
  for (int64_t size : sizes)
    product = llvm::SaturatingMultiply(product, uint64_t(size));
  return product;
}

static std::optional<ScaleLayout> getLayout(ArrayRef<int64_t> sizes,
                                            const Granularity &granularity) {
  if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return std::nullopt;
  ScaleLayout layout;
  layout.numElements = multiply(sizes);
  if (!granularity.axis) {
    layout.inner = layout.numElements;
    if (granularity.blockSize)
      return std::nullopt;
    return layout;
  }

  int64_t rank = sizes.size();
  int64_t axis = *granularity.axis;
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  axis = axis < 0 ? axis + rank : axis;
  layout.outer = multiply(sizes.take_front(axis));
  layout.length = sizes[axis];
  layout.inner = multiply(sizes.drop_front(axis + 1));
  layout.blockStride = 1;
  layout.numScales = layout.length;
  if (!granularity.blockSize)
    return layout;

  if (*granularity.blockSize < 1)
    return std::nullopt;
  layout.block = *granularity.blockSize;
  uint64_t numBlocks = llvm::divideCeil(layout.length, layout.block);
  layout.innerStride = 1;
  layout.blockStride = layout.inner;
  layout.outerStride = llvm::SaturatingMultiply(numBlocks, layout.inner);
  layout.numScales = llvm::SaturatingMultiply(layout.outer, layout.outerStride);
  return layout;
}

/// Whether the buffer holds exactly these elements.
static bool holds(ArrayRef<char> buffer, const Format &format, uint64_t count) {
  return buffer.size() ==
         llvm::SaturatingMultiply<uint64_t>(count, getSlotSize(format));
}

/// One element of the quantized side: y's when quantizing, x's otherwise.
using ElementFunction = llvm::function_ref<APInt(
    const APInt &x, const APFloat &scale, const APInt *zeroPoint)>;

static LogicalResult
transformBuffer(const QuantizeFormats &formats, const Format &storage,
                ArrayRef<int64_t> sizes, const Granularity &granularity,
                ArrayRef<char> in, ArrayRef<char> scales,
                std::optional<ArrayRef<char>> zeroPoints,
                MutableArrayRef<char> out, ElementFunction transform) {
  std::optional<ScaleLayout> layout = getLayout(sizes, granularity);
  if (!layout || !holds(in, formats.x, layout->numElements) ||
      !holds(out, formats.y, layout->numElements) ||
      !holds(scales, formats.scale, layout->numScales) ||
      (zeroPoints && !holds(*zeroPoints, storage, layout->numScales)))
    return failure();

  Parameters parameters;
  for (uint64_t i = 0; i < layout->numScales; ++i) {
    parameters.scales.push_back(
        convertTo(formats.precision, formats.scale,
                  loadElement(formats.scale, scales, i)));
    if (zeroPoints)
      parameters.zeroPoints.push_back(loadElement(storage, *zeroPoints, i));
  }
  for (uint64_t i = 0; i < layout->numElements; ++i) {
    uint64_t scale = layout->getScaleIndex(i);
    storeElement(formats.y, out, i,
                 transform(loadElement(formats.x, in, i),
                           parameters.scales[scale],
                           parameters.getZeroPoint(scale)));
  }
  return success();
}

LogicalResult reference::quantizeBuffer(
    Type x, Type scale, Type y, ArrayRef<int64_t> sizes,
    const Granularity &granularity, ArrayRef<char> in, ArrayRef<char> scales,
    std::optional<ArrayRef<char>> zeroPoints, MutableArrayRef<char> out,
    const QuantizeOptions &options) {
  std::optional<QuantizeFormats> formats =
      getQuantizeFormats(x, scale, y, options.precision);
  if (!formats)
    return failure();
  return transformBuffer(
      *formats, formats->y, sizes, granularity, in, scales, zeroPoints, out,
      [&](const APInt &element, const APFloat &scale, const APInt *zeroPoint) {
        return quantize(*formats, element, scale, zeroPoint, options.saturate);
      });
}

LogicalResult reference::dequantizeBuffer(
    Type x, Type scale, Type y, ArrayRef<int64_t> sizes,
    const Granularity &granularity, ArrayRef<char> in, ArrayRef<char> scales,
    std::optional<ArrayRef<char>> zeroPoints, MutableArrayRef<char> out) {
  std::optional<QuantizeFormats> formats = getDequantizeFormats(x, scale, y);
  if (!formats)
    return failure();
  return transformBuffer(
      *formats, formats->x, sizes, granularity, in, scales, zeroPoints, out,
      [&](const APInt &element, const APFloat &scale, const APInt *zeroPoint) {
        return dequantize(*formats, element, scale, zeroPoint);
      });
}
