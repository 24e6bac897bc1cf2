//===- FakeConvertInputs.cpp - Inputs of fakeconvert ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastCases.h"
#include "FakeConvertCases.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

using Random = std::mt19937_64;

/// Returns the encoding of an f32 in `type`.
static uint64_t encode(Type type, float value) {
  llvm::APInt bits(32, llvm::bit_cast<uint32_t>(value));
  return reference::castElement(Float32Type::get(type.getContext()), type, bits,
                                {})
      .getZExtValue();
}

static float decode(Type type, uint64_t encoding) {
  llvm::APInt bits(type.getIntOrFloatBitWidth(), encoding);
  return llvm::bit_cast<float>(
      uint32_t(reference::castElement(type, Float32Type::get(type.getContext()),
                                      bits, {})
                   .getZExtValue()));
}

static void append(std::vector<char> &bytes, Type type, uint64_t encoding) {
  for (size_t i = 0; i < getSlotSize(type); ++i)
    bytes.push_back(char(encoding >> (8 * i)));
}

static uint64_t read(ArrayRef<char> bytes, Type type, size_t index) {
  size_t slot = getSlotSize(type);
  uint64_t encoding = 0;
  for (size_t i = 0; i < slot; ++i)
    encoding |= uint64_t(uint8_t(bytes[index * slot + i])) << (8 * i);
  return encoding;
}

/// Returns a scale: special ones for small indices, otherwise mostly ordinary
/// ones.
static float makeScale(size_t index, Random &random) {
  static const float special[] = {
      1.0f,       0.1f,      37.5f,         -0.37f,          448.0f,
      0.0f,       -0.0f,     INFINITY,      -INFINITY,       NAN,
      0x1p-149f,  0x1p-126f, 0x1.5p-40f,    0x1.1p-100f,     0x1.1p31f,
      0x1.ep-31f, 0x1.3p60f, -0x1.bp100f,   0x1.fffffep127f, 0x1.000002p112f,
      3.0f,       -NAN,      0x1.fffffep0f, 0x1.8p-30f};
  if (index < std::size(special))
    return special[index];
  float value = std::ldexp(1.0f + float(random() % (1 << 23)) * 0x1p-23f,
                           int(random() % 24) - 12);
  return random() % 8 ? value : -value;
}

static float makeShift(size_t index, Random &random) {
  static const float special[] = {
      0.0f,      0.5f,      -3.25f,   448.0f,    -0.0f,      60000.0f, 0x1p-10f,
      1e-4f,     0x1p-140f, 0x1p-35f, 0x1.7p40f, -0x1p-149f, INFINITY, NAN,
      -INFINITY, 0x1p100f,  0x1p-31f, 0x1p31f,   -0x1.1p-9f, -NAN};
  // Use another period than for the scales.
  size_t place = index % 29;
  if (place < std::size(special))
    return special[place];
  return float(random() % 2000) / 64 - 15;
}

/// Returns a threshold at which the result changes: the midpoint of two values,
/// one of the values, or a neighbor of these in f16, to which OpenVINO rounds
/// first.
static float makeThreshold(Type destination, Random &random) {
  uint64_t encoding = random() & 0xFF;
  float value = decode(destination, encoding);
  if (random() % 2)
    value = (value + decode(destination, (encoding + 1) & 0xFF)) / 2;
  int exponent = std::max(std::isnormal(value) ? std::ilogb(value) : 0, -14);
  switch (random() % 3) {
  case 0:
    return value;
  case 1:
    return value + std::ldexp(float(int(random() % 5) - 2), exponent - 11);
  default:
    // Just below a power of two, in and above the subnormal range of f16.
    return std::ldexp(1.0f - float(random() % 8) * 0x1p-24f,
                      -int(random() % 14) - 12);
  }
}

static float makeInput(const FakeConvertCase &one, float scale, float shift,
                       Random &random) {
  static const float special[] = {
      0.0f, -0.0f,           INFINITY,         -INFINITY, NAN,
      -NAN, 0x1.fffffep127f, 0x1p-149f,        0x1p-126f, -0x1p-149f,
      1.0f, 464.0f,          -0x1.fffffep127f, 0x1.fp15f, 448.0f};
  switch (random() % 8) {
  case 0:
    return special[random() % std::size(special)];
  case 1: // A NaN may have any payload.
    return llvm::bit_cast<float>(uint32_t(random()));
  default:
    float value = (makeThreshold(one.destination, random) + shift) / scale;
    return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(value) +
                                 uint32_t(random() % 5) - 2);
  }
}

FakeConvertRun test::makeFakeConvertRun(const FakeConvertCase &one,
                                        size_t number) {
  Random random(number * 7919 + 1);
  Type type = one.type;
  FakeConvertRun run;
  std::tie(run.sizes, run.scaleSizes) = one.layout->runs[number];
  auto getCount = [](ArrayRef<int64_t> sizes) {
    size_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return count;
  };
  size_t count = getCount(run.sizes), scaleCount = getCount(run.scaleSizes);
  // The first special scale depends on the case. Tests of all encodings use
  // ordinary scales.
  size_t first = count == 65536 ? 0 : llvm::xxh3_64bits(one.getName()) % 24;
  for (size_t i = 0; i < scaleCount; ++i) {
    size_t index = first + (scaleCount == 1 ? number : i);
    append(run.scales, type, encode(type, makeScale(index, random)));
    append(run.shifts, type, encode(type, makeShift(index + 1, random)));
  }
  reference::ParameterElements elements(reference::Granularity::getBroadcast(),
                                        run.scaleSizes, run.sizes);
  for (size_t i = 0; i < count; ++i) {
    size_t index = elements[i];
    float shift =
        one.hasShift ? decode(type, read(run.shifts, type, index)) : 0.0f;
    bool hasAll = count == 65536 && type.getIntOrFloatBitWidth() == 16;
    append(run.input, type,
           hasAll ? i
                  : encode(type,
                           makeInput(
                               one, decode(type, read(run.scales, type, index)),
                               shift, random)));
  }
  run.expected.resize(count * getSlotSize(type));
  std::optional<ArrayRef<char>> shifts;
  if (one.hasShift)
    shifts = run.shifts;
  if (failed(reference::fakeConvertBuffer(type, one.destination, run.sizes,
                                          run.scaleSizes, run.input, run.scales,
                                          shifts, run.expected, one.options)))
    run.expected.clear();
  for (size_t i = 0; i * getSlotSize(type) < run.expected.size(); ++i)
    run.freedom.push_back(
        std::isnan(decode(type, read(run.expected, type, i))));
  return run;
}
