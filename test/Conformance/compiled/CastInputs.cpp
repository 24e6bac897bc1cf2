//===- CastInputs.cpp - Inputs of casts -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastInputs.h"

#include "CastCases.h"
#include "quant-float/Reference/Cast.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

namespace {
/// Collects bit patterns of one source type.
class Encodings {
public:
  Encodings(Type from)
      : width(from.getIntOrFloatBitWidth()), isFloat(isa<FloatType>(from)) {}

  void add(uint64_t encoding) { encodings.push_back(encoding); }

  /// Adds a magnitude and its neighbors, with both signs.
  void addNear(uint64_t magnitude) {
    for (int step = -2; step <= 2; ++step) {
      uint64_t encoding = magnitude + step;
      if (isFloat) {
        encoding &= getSign() - 1;
        add(encoding);
        add(encoding | getSign());
      } else {
        add(encoding);
        add(-encoding);
      }
    }
  }

  /// Adds the bit pattern of the value, rounded to the source type.
  void addValue(double value) {
    if (!isFloat) {
      if (value < 0x1p64)
        addNear(uint64_t(value));
    } else if (width == 32) {
      addNear(llvm::bit_cast<uint32_t>(float(value)));
    } else {
      addNear(llvm::bit_cast<uint64_t>(value));
    }
  }

  uint64_t getSign() const { return uint64_t(1) << (width - 1); }
  unsigned getMantissaBits() const { return width == 32 ? 23 : 52; }

  std::vector<char> toBytes() const {
    size_t slot = (width + 7) / 8;
    std::vector<char> bytes(encodings.size() * slot);
    char *place = bytes.data();
    for (uint64_t encoding : encodings) {
      char wide[8];
      llvm::support::endian::write64le(wide, encoding);
      std::copy_n(wide, slot, place);
      place += slot;
    }
    return bytes;
  }

private:
  unsigned width;
  bool isFloat;
  std::vector<uint64_t> encodings;
};
} // namespace

using Random = std::mt19937_64;

/// Returns the non-negative finite values of a float of up to 16 bits, in
/// order.
static std::vector<double> getGrid(Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  auto f64 = Float64Type::get(to.getContext());
  std::vector<double> grid;
  for (uint64_t encoding = 0; encoding < uint64_t(1) << (width - 1);
       ++encoding) {
    double value = llvm::bit_cast<double>(
        reference::castElement(to, f64, llvm::APInt(width, encoding), {})
            .getZExtValue());
    if (std::isfinite(value))
      grid.push_back(value);
  }
  return grid;
}

/// Returns non-negative values at or near which the result of a cast to `to`
/// changes.
static std::vector<double> getEdges(Type to, Random &random) {
  std::vector<double> edges;
  if (isa<IntegerType>(to)) {
    for (double value = 0; value < 300; value += 0.5)
      edges.push_back(value);
    for (int exponent = 1; exponent < 66; ++exponent)
      for (double offset : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5})
        edges.push_back(std::fabs(std::ldexp(1.0, exponent) + offset));
  } else if (isa<Float8E8M0FNUType>(to)) {
    for (int exponent = -151; exponent < 131; ++exponent)
      for (double significand : {1.0, 1.5})
        edges.push_back(std::ldexp(significand, exponent));
  } else if (to.getIntOrFloatBitWidth() <= 16) {
    edges = getGrid(to);
    size_t count = edges.size();
    double last = edges.back(), step = last - edges[count - 2];
    for (size_t i = 0; i + 1 < count; ++i)
      edges.push_back((edges[i] + edges[i + 1]) / 2);
    edges.push_back(last + step / 2);
    edges.push_back(last + step);
  } else if (to.isF32()) {
    auto addMidpoint = [&](uint32_t encoding) {
      double below = llvm::bit_cast<float>(encoding);
      double above = llvm::bit_cast<float>(encoding + 1);
      if (encoding == 0x7F7FFFFF)
        above = 0x1p128;
      edges.push_back((below + above) / 2);
    };
    for (uint32_t i = 0; i < 1000; ++i) {
      addMidpoint(i);
      addMidpoint(0x007FFE00 + i);
      addMidpoint(0x7F7FFFFF - i);
    }
    for (int i = 0; i < 20000; ++i)
      addMidpoint(random() % 0x7F800000);
  }
  return edges;
}

static void addFloats(Encodings &encodings, const std::vector<double> &edges,
                      size_t randomCount, Random &random) {
  unsigned mantissa = encodings.getMantissaBits();
  uint64_t magnitude = encodings.getSign() - 1;
  uint64_t infinity = magnitude >> mantissa << mantissa;
  for (uint64_t mark : {uint64_t(0), infinity,
                        infinity | uint64_t(1) << (mantissa - 1), magnitude})
    encodings.addNear(mark);
  for (unsigned bit = 0; bit < mantissa; ++bit)
    encodings.addNear(uint64_t(1) << bit);
  for (uint64_t power = uint64_t(1) << mantissa; power < infinity;
       power += uint64_t(1) << mantissa)
    encodings.addNear(power);

  // Uniform random patterns are rarely in the range of a narrow destination, so
  // give every other one an exponent in or next to this range.
  int lowest = 1024, highest = -1100;
  for (double edge : edges)
    if (edge > 0) {
      lowest = std::min(lowest, std::ilogb(edge));
      highest = std::max(highest, std::ilogb(edge));
    }
  int bias = int(infinity >> mantissa) / 2;
  lowest = std::max(lowest - 3 + bias, 0);
  highest = std::min(highest + 3 + bias, 2 * bias);
  for (size_t i = 0; i < randomCount; ++i) {
    uint64_t encoding = random();
    if (i % 2 && lowest < highest) {
      uint64_t field = lowest + random() % uint64_t(highest - lowest + 1);
      encoding = (encoding & ~infinity) | field << mantissa;
    }
    encodings.add(encoding);
  }
}

static void addIntegers(Encodings &encodings, Type from, Type to,
                        size_t randomCount, Random &random) {
  unsigned width = from.getIntOrFloatBitWidth();
  encodings.addNear(0);
  for (unsigned bit = 0; bit < width; ++bit) {
    encodings.addNear(uint64_t(1) << bit);
    encodings.addNear(uint64_t(3) << bit);
  }
  if (auto type = dyn_cast<FloatType>(to)) {
    // Ties at all bit positions of the source: odd significands with one bit
    // more than the destination, shifted.
    unsigned bits = std::min(type.getFPMantissaWidth() + 1, width - 1);
    for (int i = 0; i < 20000; ++i) {
      uint64_t odd = (random() >> (64 - bits)) | uint64_t(1) << (bits - 1) | 1;
      encodings.addNear(odd << random() % (width - bits + 1));
    }
  }
  for (size_t i = 0; i < randomCount; ++i)
    encodings.add(i % 2 ? random() : random() >> random() % 64);
}

std::vector<char> test::makeCastInputs(Type from, Type to, size_t randomCount) {
  Encodings encodings(from);
  unsigned width = from.getIntOrFloatBitWidth();
  if (width <= 16) {
    // Copies (V7) preserve the bits above the encoding, so these must be clean.
    // For bool they always are.
    bool isClean = from == to || from.isInteger(1);
    uint64_t count = uint64_t(1) << (isClean ? width : std::max(width, 8u));
    // Shuffle the values so that lanes differ, and repeat them so that each
    // lane sees many.
    Random random(width);
    std::vector<uint64_t> all(count);
    for (uint64_t repeat = 0; repeat < std::max<uint64_t>(1, 8192 / count);
         ++repeat) {
      for (uint64_t encoding = 0; encoding < count; ++encoding)
        all[encoding] = isClean && from.isSignlessInteger() && width > 1
                            ? llvm::SignExtend64(encoding, width)
                            : encoding;
      std::shuffle(all.begin(), all.end(), random);
      for (uint64_t encoding : all)
        encodings.add(encoding);
    }
    return encodings.toBytes();
  }
  Random random(20240229);
  std::vector<double> edges = getEdges(to, random);
  for (double edge : edges)
    encodings.addValue(edge);
  if (isa<FloatType>(from))
    addFloats(encodings, edges, randomCount, random);
  else
    addIntegers(encodings, from, to, randomCount, random);
  return encodings.toBytes();
}
