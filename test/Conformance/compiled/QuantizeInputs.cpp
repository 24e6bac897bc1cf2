//===- QuantizeInputs.cpp - Inputs of quantizations -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastCases.h"
#include "QuantizeCases.h"
#include "ScaledCases.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

using Random = std::mt19937_64;

static uint32_t toBits(float value) { return llvm::bit_cast<uint32_t>(value); }
static float toFloat(uint32_t bits) { return llvm::bit_cast<float>(bits); }

static Type getF32(Type type) { return Float32Type::get(type.getContext()); }

/// Returns the encoding of an f32 in `type`.
static uint64_t encode(Type type, float value) {
  if (type.isF32())
    return toBits(value);
  return reference::castElement(getF32(type), type,
                                llvm::APInt(32, toBits(value)), {})
      .getZExtValue();
}

/// Returns the value of an encoding after a cast to `precision`.
static double decode(Type type, uint64_t encoding, Type precision) {
  auto f64 = Float64Type::get(type.getContext());
  llvm::APInt bits(type.getIntOrFloatBitWidth(), encoding);
  bits = reference::castElement(type, precision, bits, {});
  return llvm::bit_cast<double>(
      reference::castElement(precision, f64, bits, {}).getZExtValue());
}
static double decode(Type type, uint64_t encoding) {
  return decode(type, encoding, Float64Type::get(type.getContext()));
}

static uint64_t getMask(Type type) {
  return ~uint64_t(0) >> (64 - type.getIntOrFloatBitWidth());
}

/// Returns a scale: special ones for small indices, otherwise mostly ordinary
/// ones.
static float makeScale(size_t index, Random &random) {
  static const float special[] = {1.0f,
                                  0.1f,
                                  0.0078125f,
                                  -0.37f,
                                  0.0f,
                                  -0.0f,
                                  INFINITY,
                                  -INFINITY,
                                  NAN,
                                  0x1p-149f,
                                  0x1p-126f,
                                  0x1.fffffcp-127f,
                                  0x1.5p-100f,
                                  0x1.1p-60f,
                                  0x1.ep60f,
                                  -0x1.bp100f,
                                  0x1.fffffep127f,
                                  0x1.fffffep-61f,
                                  3.0f,
                                  0x1.fffffep0f};
  if (index < std::size(special))
    return special[index];
  int exponent = int(random() % 24) - 16;
  float value =
      std::ldexp(1.0f + float(random() % (1 << 23)) * 0x1p-23f, exponent);
  return random() % 8 ? value : -value;
}

/// Returns a threshold at which the result changes: the midpoint of two values,
/// or one of the values.
static double makeThreshold(Type type, int64_t zeroPoint, Random &random) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<IntegerType>(type)) {
    int64_t lowest =
        type.isUnsignedInteger() ? 0 : -(int64_t(1) << (width - 1));
    int64_t quantized =
        lowest - 3 + int64_t(random() % ((uint64_t(1) << width) + 6));
    return double(quantized - zeroPoint) + 0.5 * double(random() % 3 - 1.0);
  }
  uint64_t encoding = random() & getMask(type);
  double value = decode(type, encoding),
         next = decode(type, (encoding + 1) & getMask(type));
  return random() % 2 ? value : (value + next) / 2;
}

static float makeExpressed(Type quantized, float scale, int64_t zeroPoint,
                           Random &random) {
  static const float special[] = {
      0.0f,      -0.0f, INFINITY,  -INFINITY,       NAN,
      0x1p-149f, 1.0f,  0x1p-126f, 0x1.fffffep127f, -0x1.fffffep127f};
  switch (random() % 8) {
  case 0:
    return special[random() % std::size(special)];
  case 1: // A NaN may have any payload.
  case 2:
    return toFloat(uint32_t(random()));
  default:
    float value = float(makeThreshold(quantized, zeroPoint, random) * scale);
    return toFloat(toBits(value) + uint32_t(random() % 5) - 2);
  }
}

static uint64_t makeZeroPoint(const QuantizeCase &one, Random &random) {
  Type type = one.quantized;
  bool isFloat8 = isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
  if (isFloat8 || random() % 4 == 0)
    return 0;
  return random() & getMask(type);
}

/// Appends the encoding as an element in memory. The unused bits of narrow
/// types are random, because callers need not clear them.
static void append(std::vector<char> &bytes, Type type, uint64_t encoding,
                   Random &random) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 8)
    encoding = (encoding & getMask(type)) | (random() << width & 0xFF);
  for (size_t i = 0; i < getSlotSize(type); ++i)
    bytes.push_back(char(encoding >> (8 * i)));
}

/// Returns the index of the scale of each element, in row-major order.
static std::vector<size_t>
getScaleIndices(const reference::Granularity &granularity,
                ArrayRef<int64_t> sizes, ArrayRef<int64_t> scaleSizes) {
  size_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  std::vector<size_t> indices(count, 0);
  if (!granularity.axis)
    return indices;
  int64_t rank = sizes.size();
  int64_t axis = (*granularity.axis + rank) % rank;
  for (size_t i = 0; i < count; ++i) {
    SmallVector<int64_t> at(rank);
    size_t left = i;
    for (int64_t d = rank - 1; d >= 0; --d) {
      at[d] = left % sizes[d];
      left /= sizes[d];
    }
    if (!granularity.blockSize) {
      indices[i] = at[axis];
      continue;
    }
    at[axis] /= *granularity.blockSize;
    for (int64_t d = 0; d < rank; ++d)
      indices[i] = indices[i] * scaleSizes[d] + at[d];
  }
  return indices;
}

static uint64_t read(ArrayRef<char> bytes, Type type, size_t index) {
  size_t slot = getSlotSize(type);
  uint64_t encoding = 0;
  for (size_t i = 0; i < slot; ++i)
    encoding |= uint64_t(uint8_t(bytes[index * slot + i])) << (8 * i);
  return encoding & getMask(type);
}

/// Computes the expected results with the Reference.
static bool computeExpected(const QuantizeCase &one, QuantizeRun &run,
                            size_t count) {
  std::optional<ArrayRef<char>> zeroPoints;
  if (one.hasZeroPoint)
    zeroPoints = run.zeroPoints;
  const reference::Granularity &granularity = one.layout->granularity;
  reference::QuantizeOptions options;
  options.saturate = one.saturate;
  options.precision = one.getPrecision();
  run.expected.resize(count * getSlotSize(one.getResultType()));
  if (one.kind == QuantizeKind::Dequantize)
    return succeeded(reference::dequantizeBuffer(
        one.quantized, one.scale, one.expressed, run.sizes, granularity,
        run.input, run.scales, zeroPoints, run.expected));
  std::vector<char> quantized(count * getSlotSize(one.quantized));
  if (failed(reference::quantizeBuffer(
          one.expressed, one.scale, one.quantized, run.sizes, granularity,
          run.input, run.scales, zeroPoints, quantized, options)))
    return false;
  if (one.kind == QuantizeKind::Quantize) {
    run.expected = std::move(quantized);
    return true;
  }
  return succeeded(reference::dequantizeBuffer(
      one.quantized, one.scale, one.expressed, run.sizes, granularity,
      quantized, run.scales, zeroPoints, run.expected));
}

QuantizeRun test::makeQuantizeRun(const QuantizeCase &one, size_t number) {
  Random random(number * 7919 + 1);
  QuantizeRun run;
  const Layout &layout = *one.layout;
  run.sizes = layout.runs[number];
  const reference::Granularity &granularity = layout.granularity;
  if (granularity.axis && !granularity.blockSize) {
    int64_t rank = run.sizes.size();
    run.scaleSizes = {run.sizes[(*granularity.axis + rank) % rank]};
  } else if (granularity.axis) {
    int64_t rank = run.sizes.size();
    int64_t axis = (*granularity.axis + rank) % rank;
    run.scaleSizes = run.sizes;
    run.scaleSizes[axis] =
        (run.sizes[axis] + *granularity.blockSize - 1) / *granularity.blockSize;
  } else if (StringRef(layout.name) == "one") {
    run.scaleSizes = {1};
  }
  size_t scaleCount = 1;
  for (int64_t size : run.scaleSizes)
    scaleCount *= size;
  for (size_t i = 0; i < scaleCount; ++i) {
    append(run.scales, one.scale,
           encode(one.scale, makeScale(scaleCount == 1 ? number : i, random)),
           random);
    if (one.hasZeroPoint)
      append(run.zeroPoints, one.quantized, makeZeroPoint(one, random), random);
  }

  Type type = one.getInputType();
  std::vector<size_t> indices =
      getScaleIndices(granularity, run.sizes, run.scaleSizes);
  for (size_t index : indices) {
    float scale = float(decode(one.scale, read(run.scales, one.scale, index)));
    int64_t zeroPoint = 0;
    if (one.hasZeroPoint && isa<IntegerType>(one.quantized))
      zeroPoint = int64_t(
          decode(one.quantized, read(run.zeroPoints, one.quantized, index)));
    uint64_t encoding = one.kind == QuantizeKind::Dequantize
                            ? random() & getMask(type)
                            : encode(type, makeExpressed(one.quantized, scale,
                                                         zeroPoint, random));
    append(run.input, type, encoding, random);
  }
  if (!computeExpected(one, run, indices.size())) {
    run.expected.clear();
    return run;
  }

  // Some results are not specified uniquely (D8).
  bool hasNoNaN = isa<FloatType>(one.quantized) &&
                  one.quantized.getIntOrFloatBitWidth() < 8;
  Type precision = one.getPrecision();
  for (auto [i, index] : llvm::enumerate(indices)) {
    uint64_t result = read(run.expected, one.getResultType(), i);
    char freedom = isNaNEncoding(one.getResultType(), result) ? 1 : 0;
    if (!freedom && hasNoNaN && one.kind != QuantizeKind::Dequantize &&
        std::isnan(
            decode(type, read(run.input, type, i), precision) /
            decode(one.scale, read(run.scales, one.scale, index), precision)))
      freedom = 2;
    run.freedom.push_back(freedom);
  }
  return run;
}
