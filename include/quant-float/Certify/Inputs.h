//===- Inputs.h - Inputs of certified conversions ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same in every run: what is random comes from a generator that is written
// down here.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_INPUTS_H
#define QUANT_FLOAT_CERTIFY_INPUTS_H

#include "quant-float/Certify/Conversion.h"

namespace mlir::quant_float::certify {

/// SplitMix64 (Steele, Lea and Flood 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t operator()() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};

/// The value of a code, exact for every format but 64-bit integers, and the
/// nearest code. Of use to find inputs; no result is made of these.
double toDouble(const Format &format, uint64_t code);
uint64_t fromDouble(const Format &format, double value);

/// Elements that are converted at once, with one scale and zero point.
struct Call {
  /// Either every code from the first one, or these.
  bool isRange = true;
  uint64_t first = 0;
  std::vector<uint64_t> codes;
  size_t count = 0;
  uint64_t scale = 0, zeroPoint = 0;

  uint64_t getCode(size_t index) const {
    return isRange ? first + index : codes[index];
  }
};

/// All calls of a conversion.
///
/// - Casts from types of up to 32 bits: every code there is.
/// - Casts from 64 bits: around every value where the result may change, being
///   the destination's values and the midpoints between them, ±2 codes (of f32
///   and f64 as destinations, whose values are too many, all those beside a
///   power of two and 2^18 others); every exponent with mantissas of no, one,
///   all bits; 2^20 random codes of random lengths.
/// - All others: 24 scales, among them the ends of their type, or one that is
///   given, with two zero points each where there are any, times every code of
///   up to 16 bits, or around every value where the result may change, times
///   the scale, ±2 codes, special and random ones.
///
/// Sampled, every 256th call of casts from 32 bits, and every sixth scale.
class Inputs {
public:
  Inputs(const Conversion &conversion, bool isSampled,
         std::optional<uint64_t> scale = std::nullopt);

  uint64_t getNumCalls() const { return numCalls; }
  /// Whether all codes that the type has are among them.
  bool isComplete() const { return complete; }
  Call getCall(uint64_t index) const;

private:
  Conversion conversion;
  bool isSampled, complete;
  uint64_t numCalls = 1;
  /// Of casts from 64 bits.
  std::vector<uint64_t> codes;
  /// The scales and zero points of others.
  std::vector<std::pair<uint64_t, uint64_t>> parameters;
};

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_INPUTS_H
