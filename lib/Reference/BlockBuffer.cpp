//===- BlockBuffer.cpp - Ops on blocks of buffers (B) ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantizes.h"
#include "StorageUnits.h"
#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Reference/BlockScale.h"
#include "quant-float/Reference/Stochastic.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;

static bool isInput(Type x) {
  return x && isa<Float32Type, Float16Type, BFloat16Type>(x);
}

static bool fitsSizes(ArrayRef<int64_t> sizes, ArrayRef<int64_t> blockShape) {
  return sizes.size() == blockShape.size() &&
         llvm::all_of(sizes, [](int64_t size) { return size >= 0; }) &&
         llvm::all_of(blockShape, [](int64_t size) {
           return size >= 1 || size == Granularity::kWholeDim;
         });
}

/// A scalar has no dimensions, and one block.
static SmallVector<int64_t> getScaleSizes(ArrayRef<int64_t> sizes,
                                          ArrayRef<int64_t> blockShape) {
  return Granularity::getBlocks(blockShape).getParameterSizes(sizes);
}

static APFloat load(const Format &format, ArrayRef<char> buffer, size_t index) {
  Format f32 = ieee(32, APFloat::IEEEsingle());
  return convertTo(f32, format, loadElement(format, buffer, index));
}

/// Returns the larger magnitude, or NaN if one is NaN.
static APFloat getLarger(const APFloat &amax, const APFloat &value) {
  return maximum(amax, abs(value));
}

APFloat reference::getAmax(Type x, ArrayRef<char> in) {
  Format format = *getFormat(x);
  APFloat amax(APFloat::IEEEsingle());
  for (size_t i = 0, e = in.size() / getSlotSize(format); i != e; ++i)
    amax = getLarger(amax, load(format, in, i));
  return amax;
}

/// Returns the largest magnitude of each block, or the largest finite one and
/// NaN if there is none.
static SmallVector<APFloat, 0> getBlockAmaxes(const Format &format,
                                              ArrayRef<int64_t> sizes,
                                              ArrayRef<int64_t> blockShape,
                                              ArrayRef<char> in,
                                              bool finite = false) {
  SmallVector<int64_t> scaleSizes = getScaleSizes(sizes, blockShape);
  size_t count = 1;
  for (int64_t size : scaleSizes)
    count *= size;
  APFloat init = finite ? APFloat::getQNaN(APFloat::IEEEsingle())
                        : APFloat(APFloat::IEEEsingle());
  SmallVector<APFloat, 0> result(count, init);
  ParameterElements blocks(Granularity::getBlocks(blockShape), scaleSizes,
                           sizes);
  for (size_t i = 0, e = in.size() / getSlotSize(format); i != e; ++i) {
    APFloat &amax = result[blocks[i]];
    APFloat value = load(format, in, i);
    if (!finite)
      amax = getLarger(amax, value);
    else if (value.isFinite())
      amax = maximumnum(amax, abs(value));
  }
  return result;
}

LogicalResult reference::blockAmaxBuffer(Type x, ArrayRef<int64_t> sizes,
                                         ArrayRef<int64_t> blockShape,
                                         bool finite, ArrayRef<char> in,
                                         MutableArrayRef<char> out) {
  if (!isInput(x) || !fitsSizes(sizes, blockShape))
    return failure();
  Format format = *getFormat(x);
  if (!holds(format, in, sizes) ||
      !holds(format, out, getScaleSizes(sizes, blockShape)))
    return failure();
  for (auto [i, amax] :
       llvm::enumerate(getBlockAmaxes(format, sizes, blockShape, in, finite))) {
    // Exact, because the magnitude is an element of the buffer.
    bool losesInfo;
    amax.convert(*format.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    storeElement(format, out, i, amax.bitcastToAPInt());
  }
  return success();
}

LogicalResult reference::blockScaleBuffer(BlockScaleRule rule, Type x,
                                          Type element, Type scale,
                                          ArrayRef<char> amaxes,
                                          const TensorLevel &tensor,
                                          MutableArrayRef<char> out) {
  if (!isInput(x) || !isSupported(rule, element, scale))
    return failure();
  Format format = *getFormat(x), scaleFormat = *getFormat(scale);
  int64_t count = amaxes.size() / getSlotSize(format);
  if (!holds(format, amaxes, count) || !holds(scaleFormat, out, count))
    return failure();
  for (int64_t i = 0; i < count; ++i)
    storeElement(
        scaleFormat, out, i,
        getBlockScale(rule, element, scale, load(format, amaxes, i), tensor));
  return success();
}

LogicalResult reference::blockQuantizeElementsBuffer(
    BlockScaleRule rule, Type x, Type scale, Type element,
    ArrayRef<int64_t> sizes, ArrayRef<int64_t> blockShape, ArrayRef<char> in,
    ArrayRef<char> scales, const TensorLevel &tensor,
    std::optional<RandomBits> random, MutableArrayRef<char> out) {
  if (!isInput(x) || !isSupported(rule, element, scale) ||
      !fitsSizes(sizes, blockShape))
    return failure();
  Format xFormat = *getFormat(x), scaleFormat = *getFormat(scale);
  Format format = *getFormat(element);
  std::optional<Format> randomFormat;
  if (random && isRandomBits(random->type))
    randomFormat = getFormat(random->type);
  SmallVector<int64_t> scaleSizes = getScaleSizes(sizes, blockShape);
  if (!holds(xFormat, in, sizes) || !holds(format, out, sizes) ||
      !holds(scaleFormat, scales, scaleSizes) ||
      (random &&
       (!randomFormat || !holds(*randomFormat, random->bytes, sizes))))
    return failure();
  ParameterElements blocks(Granularity::getBlocks(blockShape), scaleSizes,
                           sizes);
  for (size_t i = 0, e = in.size() / getSlotSize(xFormat); i != e; ++i) {
    std::optional<APInt> bits;
    if (randomFormat)
      bits = loadElement(*randomFormat, random->bytes, i);
    storeElement(format, out, i,
                 quantizeBlockElement(
                     rule, x, scale, element, loadElement(xFormat, in, i),
                     loadElement(scaleFormat, scales, blocks[i]), tensor,
                     bits));
  }
  return success();
}

LogicalResult reference::blockQuantizeBuffer(
    BlockScaleRule rule, Type x, Type scale, Type element,
    ArrayRef<int64_t> sizes, ArrayRef<int64_t> blockShape, ArrayRef<char> in,
    TensorLevel tensor, std::optional<RandomBits> random,
    const BlockBuffers &out) {
  if (!isInput(x) || !isSupported(rule, element, scale) ||
      !fitsSizes(sizes, blockShape) || !holds(*getFormat(x), in, sizes) ||
      !holds(*getFormat(scale), out.scales, getScaleSizes(sizes, blockShape)))
    return failure();
  if (isTwoLevel(rule) && !tensor.amax && !tensor.scale)
    tensor.amax = getAmax(x, in);
  Format scaleFormat = *getFormat(scale);
  for (auto [i, amax] :
       llvm::enumerate(getBlockAmaxes(*getFormat(x), sizes, blockShape, in)))
    storeElement(scaleFormat, out.scales, i,
                 getBlockScale(rule, element, scale, amax, tensor));
  return blockQuantizeElementsBuffer(rule, x, scale, element, sizes, blockShape,
                                     in, out.scales, tensor, random,
                                     out.values);
}

LogicalResult reference::blockDequantizeBuffer(
    Type element, Type scale, Type y, ArrayRef<int64_t> sizes,
    ArrayRef<int64_t> blockShape, ArrayRef<char> in, ArrayRef<char> scales,
    std::optional<APFloat> tensorScale, bool tensorFirst,
    MutableArrayRef<char> out) {
  if (!isInput(y) || !isBlockElement(element) || !isBlockScale(scale) ||
      !fitsSizes(sizes, blockShape))
    return failure();
  Format format = *getFormat(element), scaleFormat = *getFormat(scale);
  Format yFormat = *getFormat(y);
  SmallVector<int64_t> scaleSizes = getScaleSizes(sizes, blockShape);
  if (!holds(format, in, sizes) || !holds(scaleFormat, scales, scaleSizes) ||
      !holds(yFormat, out, sizes))
    return failure();
  ParameterElements blocks(Granularity::getBlocks(blockShape), scaleSizes,
                           sizes);
  for (size_t i = 0, e = in.size() / getSlotSize(format); i != e; ++i)
    storeElement(
        yFormat, out, i,
        dequantizeBlockElement(element, scale, y, loadElement(format, in, i),
                               loadElement(scaleFormat, scales, blocks[i]),
                               tensorScale, tensorFirst));
  return success();
}

LogicalResult reference::convertBlockBuffer(
    BlockConversion conversion, Type x, Type scale, Type y,
    ArrayRef<int64_t> sizes, ArrayRef<int64_t> blockShape, ArrayRef<char> in,
    ArrayRef<char> scales, const Projection &projection,
    std::optional<RandomBits> random, MutableArrayRef<char> out) {
  if (!isConvertedBlock(conversion, x, scale, y) ||
      !fitsSizes(sizes, blockShape) ||
      projection.isStochastic() != random.has_value() ||
      (random && !isRandomBits(random->type)))
    return failure();
  Format xFormat = *getFormat(x), scaleFormat = *getFormat(scale);
  Format yFormat = *getFormat(y);
  SmallVector<int64_t> scaleSizes = getScaleSizes(sizes, blockShape);
  if (!holds(xFormat, in, sizes) || !holds(scaleFormat, scales, scaleSizes) ||
      !holds(yFormat, out, sizes) ||
      (random && !holds(*getFormat(random->type), random->bytes, sizes)))
    return failure();
  ParameterElements blocks(Granularity::getBlocks(blockShape), scaleSizes,
                           sizes);
  for (size_t i = 0, e = in.size() / getSlotSize(xFormat); i != e; ++i) {
    std::optional<APInt> bits;
    if (random)
      bits = loadElement(*getFormat(random->type), random->bytes, i);
    storeElement(yFormat, out, i,
                 convertBlockElement(
                     conversion, x, scale, y, loadElement(xFormat, in, i),
                     loadElement(scaleFormat, scales, blocks[i]), projection,
                     bits));
  }
  return success();
}
