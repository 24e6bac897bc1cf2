//===- Inputs.h - Inputs of certified conversions ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every run uses the same inputs: random inputs come from the generator below.
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

/// Converts between encodings and values. toDouble is exact for all formats
/// except 64-bit integers, and fromDouble returns the nearest encoding. They
/// only select inputs; no expected result depends on them.
double toDouble(const Format &format, uint64_t encoding);
uint64_t fromDouble(const Format &format, double value);

/// Elements that are converted by one call, with the same parameters.
struct Call : Parameters {
  /// Whether the encodings are consecutive from `first`; otherwise they are
  /// `encodings`.
  bool isRange = true;
  uint64_t first = 0;
  std::vector<uint64_t> encodings;
  size_t count = 0;

  uint64_t getEncoding(size_t index) const {
    return isRange ? first + index : encodings[index];
  }
};

/// All calls of a conversion.
///
/// - Casts from at most 32 bits: every encoding. With random bits, each of them
///   with every encoding of at most 16 bits; of 32 bits, those on either side
///   of the numbers at which the result may change, and random ones.
/// - Casts from 64 bits: two encodings on either side of every value of the
///   result type and of every midpoint between two values, where the result may
///   change (for f32 and f64 results, which have too many values, those next to
///   powers of two and 2^18 others); every exponent with mantissas of no, one
///   and all bits; 2^20 random encodings of random lengths.
/// - TensorScale, and BlockScale of rules with one level: every encoding. A
///   sample of 32 bits consists of three encodings on either side of the values
///   of the list below, and of random ones.
/// - BlockScale of rules with two levels: 24 levels of the tensor, which
///   include those for which a scale or a reciprocal overflows or is zero. For
///   each, every encoding of 16 bits; for 32 bits, three encodings on either
///   side of the values at which the result may change, and 2^16 random ones.
/// - BlockElements and BlockDequantize: every scale of 8 bits, or 24 scales,
///   each with 8 levels of the tensor if there are any. For each, every
///   encoding of at most 16 bits. For 32 bits, as in quantizations.
/// - All others: 24 scales, which include the limits of their type, or one
///   scale in the options, each with two zero points if the conversion has any.
///   For each, every encoding of at most 16 bits. For 32 bits, two encodings on
///   either side of every value at which the result may change, times the
///   scale, and special and random ones.
///
/// - Quantizations and elements of blocks with random bits have four random
///   numbers for each scale and zero point, among them the smallest and the
///   largest one; elements of blocks have every sixth scale and fourth level.
/// - ConvertToBlock and ConvertFromBlock: every scale of 8 bits, or 24 scales;
///   with random bits, one random number for each. Otherwise as quantizations.
/// - Philox: 65536 elements for each of 48 pairs of a seed and an offset, among
///   which the counter carries and wraps.
///
/// - Casts to strings: every encoding of at most 16 bits; wider ones next to
///   powers of two, and random ones.
/// - Casts from strings: decimal numbers at and next to every value of the
/// result
///   and every midpoint between two, for wide types a subset; with few and many
///   digits, with and without an exponent; special values.
///
/// A sample has at most 16 random numbers in casts, and otherwise consists of
/// one in 256 calls of casts from 32 bits, of every sixth
/// scale and the last two, and of every fourth level.
class Inputs {
public:
  Inputs(const Conversion &conversion, bool isSampled,
         std::optional<uint64_t> scale = std::nullopt);

  uint64_t getNumCalls() const { return numCalls; }
  /// Whether the inputs are all encodings of the type.
  bool isComplete() const { return complete; }
  /// Describes the inputs.
  std::string describe() const;
  Call getCall(uint64_t index) const;

  /// The inputs of casts to and from strings.
  static std::vector<uint64_t> makeStringEncodings(const Format &from);
  static std::vector<std::string> makeStrings(const Format &to);

private:
  void setBlockParameters();
  void setConversionParameters();
  void setPhiloxParameters();
  void setRandomCalls();
  /// Adds random numbers to the parameters.
  void addRandomBits(size_t count);
  /// The inputs of blocks that are not all encodings of a type.
  std::vector<uint64_t> makeBlockEncodings(uint64_t scale,
                                           uint64_t level) const;

  Conversion conversion;
  bool isSampled, complete;
  uint64_t numCalls = 1;
  /// The inputs of casts from 64 bits.
  std::vector<uint64_t> encodings;
  /// The parameters of other conversions, and the number of each.
  std::vector<Parameters> parameters;
  size_t numScales = 0, numZeroPoints = 0, numRandom = 1;
  /// The difference between the random numbers of a stochastic cast.
  uint64_t randomStep = 1;
};

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_INPUTS_H
