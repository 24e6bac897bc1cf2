//===- QuantizeBuffer.cpp - Quantization of buffers -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantizes.h"
#include "StorageUnits.h"
#include "quant-float/Reference/Stochastic.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;

namespace {

/// The decoded scales and zero points of a buffer.
struct Parameters {
  SmallVector<APFloat, 0> scales;
  SmallVector<APInt, 0> zeroPoints;

  const APInt *getZeroPoint(uint64_t index) const {
    return zeroPoints.empty() ? nullptr : &zeroPoints[index];
  }
};

} // namespace

/// Returns whether the granularity is valid for a tensor of these sizes.
static bool isValid(const Granularity &granularity, ArrayRef<int64_t> sizes) {
  if (granularity.isBroadcast ||
      llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return false;
  if (!granularity.axis)
    return !granularity.blockSize;
  return granularity.getAxis(sizes.size()) &&
         granularity.blockSize.value_or(1) >= 1;
}

/// Converts the element at `index`, and returns its new bit pattern.
using ElementFunction =
    llvm::function_ref<APInt(size_t index, const APInt &x, const APFloat &scale,
                             const APInt *zeroPoint)>;

static LogicalResult
transformBuffer(const QuantizeFormats &formats, const Format &storage,
                ArrayRef<int64_t> sizes, const Granularity &granularity,
                ArrayRef<char> in, ArrayRef<char> scales,
                std::optional<ArrayRef<char>> zeroPoints,
                MutableArrayRef<char> out, ElementFunction transform) {
  if (!isValid(granularity, sizes))
    return failure();
  SmallVector<int64_t> scaleSizes = granularity.getParameterSizes(sizes);
  if (!holds(formats.x, in, sizes) || !holds(formats.y, out, sizes) ||
      !holds(formats.scale, scales, scaleSizes) ||
      (zeroPoints && !holds(storage, *zeroPoints, scaleSizes)))
    return failure();

  Parameters parameters;
  size_t numScales = scales.size() / getSlotSize(formats.scale);
  for (size_t i = 0; i < numScales; ++i) {
    parameters.scales.push_back(
        convertTo(formats.precision, formats.scale,
                  loadElement(formats.scale, scales, i)));
    if (zeroPoints)
      parameters.zeroPoints.push_back(loadElement(storage, *zeroPoints, i));
  }
  ParameterElements elements(granularity, scaleSizes, sizes);
  size_t numElements = in.size() / getSlotSize(formats.x);
  for (size_t i = 0; i < numElements; ++i) {
    uint64_t scale = elements[i];
    storeElement(formats.y, out, i,
                 transform(i, loadElement(formats.x, in, i),
                           parameters.scales[scale],
                           parameters.getZeroPoint(scale)));
  }
  return success();
}

LogicalResult reference::quantizeBuffer(
    Type x, Type scale, Type y, ArrayRef<int64_t> sizes,
    const Granularity &granularity, ArrayRef<char> in, ArrayRef<char> scales,
    std::optional<ArrayRef<char>> zeroPoints, MutableArrayRef<char> out,
    const QuantizeOptions &options, std::optional<RandomBits> random) {
  std::optional<QuantizeFormats> formats =
      getQuantizeFormats(x, scale, y, options.precision);
  std::optional<Format> randomFormat;
  if (random && isRandomBits(random->type))
    randomFormat = getFormat(random->type);
  if (!formats || (random && !randomFormat) ||
      (random && !holds(*randomFormat, random->bytes, sizes)))
    return failure();
  return transformBuffer(
      *formats, formats->y, sizes, granularity, in, scales, zeroPoints, out,
      [&](size_t index, const APInt &element, const APFloat &scale,
          const APInt *zeroPoint) {
        if (!random)
          return quantize(*formats, element, scale, zeroPoint, options.saturate,
                          /*random=*/nullptr);
        APInt bits = loadElement(*randomFormat, random->bytes, index);
        return quantize(*formats, element, scale, zeroPoint, options.saturate,
                        &bits);
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
      [&](size_t, const APInt &element, const APFloat &scale,
          const APInt *zeroPoint) {
        return dequantize(*formats, element, scale, zeroPoint);
      });
}
