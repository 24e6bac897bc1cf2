//===- Oracle.h - Exact oracle ----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes casts, quantizations, fakeconverts, and scales and elements of
// blocks with integer arithmetic only. It uses no floating-point arithmetic of
// the machine and nothing of LLVM, the lowerings or the Reference. It
// implements the rules (docs/rules.md), is written to be read from end to end,
// and decides for certificates which encoding is correct.
//
// A number is +-significand x 2^exponent. A number with more bits than a
// significand is rounded to odd: the lowest bit is set if any bit was
// discarded. A significand has ten more bits than any format, so a final
// rounding to the format yields the same result as rounding the exact number.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_ORACLE_H
#define QUANT_FLOAT_CERTIFY_ORACLE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::quant_float::certify {

/// The non-numeric values that a floating-point format has.
enum class Specials {
  /// If all exponent bits are set: infinity if the mantissa is zero, else NaN.
  Ieee,
  /// NaN has all bits set except the sign. There is no infinity.
  AllOnes,
  /// NaN has the encoding of negative zero. There is no infinity.
  NegativeZero,
  /// Every encoding is a number.
  None,
  /// Formats of IEEE P3109: as NegativeZero and AllOnes, and the largest
  /// magnitude that remains is infinity.
  NegativeZeroAndInfinity,
  AllOnesAndInfinity,
};

/// The result of numbers that are too large for a floating-point format: always
/// infinity, as the attribute `saturate` specifies, or always saturated.
enum class Overflow { Infinity, BySaturateAttribute, Saturates };

/// An element type.
struct Format {
  enum class Kind { Float, Scale, Signed, Unsigned, Bool, String };

  /// The spelling in MLIR.
  std::string_view name;
  Kind kind;
  unsigned bits;
  /// For floats. A Scale has neither sign nor mantissa: encoding k is 2^(k -
  /// bias), and the last encoding is NaN.
  unsigned mantissaBits = 0;
  int bias = 0;
  Specials specials = Specials::None;
  Overflow overflow = Overflow::Infinity;
  /// For floats. Without a sign, the top bit belongs to the exponent.
  bool isSigned = true;
  /// Whether ONNX has the type. Otherwise only quant_float does (F1).
  bool isOnnx = true;

  bool isFloat() const { return kind == Kind::Float; }
  bool isInteger() const {
    return kind == Kind::Signed || kind == Kind::Unsigned;
  }
  uint64_t getMask() const { return ~uint64_t(0) >> (64 - bits); }
  uint64_t getSignBit() const {
    return isSigned ? uint64_t(1) << (bits - 1) : 0;
  }
  /// The size in bytes of an element in memory.
  size_t getSlotSize() const { return (bits + 7) / 8; }
};

/// Returns the array of all formats and sets `count` to its size.
const Format *getFormats(size_t &count);
/// Returns the formats of IEEE P3109 of 3 to 8 bits, except those that are
/// f8E4M3FNUZ and f8E5M2FNUZ.
const std::vector<Format> &getBinaryFormats();
/// Returns the type of strings, which is none of these formats.
const Format &getStringFormat();
/// Returns the format of this name, or null.
const Format *findFormat(std::string_view name);

struct Value {
  enum class Kind : uint8_t { Number, Infinity, NaN };

  Kind kind = Kind::Number;
  bool negative = false;
  uint64_t significand = 0;
  int exponent = 0;

  bool isNaN() const { return kind == Kind::NaN; }
  bool isInfinity() const { return kind == Kind::Infinity; }
  bool isZero() const { return kind == Kind::Number && !significand; }
};

/// Returns the value of an encoding. Ignores bits above those of the format.
Value decode(const Format &format, uint64_t encoding);

/// How a number between two powers of two is rounded to one of them (C9).
enum class ScaleRounding { Up, Down, Nearest };

/// The modes of IEEE P3109/D1 (I3 to I5).
enum class DraftRounding {
  NearestTiesToEven,
  NearestTiesToAway,
  TowardPositive,
  TowardNegative,
  TowardZero,
  ToOdd,
  StochasticA,
  StochasticB,
  StochasticC,
};
constexpr DraftRounding kLastDraftRounding = DraftRounding::StochasticC;
enum class DraftSaturation { SatFinite, SatPropagate, SatNone };
struct DraftProjection {
  DraftRounding rounding = DraftRounding::NearestTiesToEven;
  DraftSaturation saturation = DraftSaturation::SatNone;
  /// The number of random bits, and the bits.
  unsigned randomWidth = 0;
  uint64_t random = 0;

  bool isStochastic() const { return rounding >= DraftRounding::StochasticA; }
};

/// Rounds and saturates a value, and returns the encoding.
uint64_t project(const Format &format, const Value &value,
                 const DraftProjection &projection);

/// The number of random bits of a stochastic rounding, and the bits.
struct RandomBits {
  unsigned width;
  uint64_t bits;
};

/// The attributes of a cast.
struct CastRules {
  int opset = 28;
  bool saturate = true;
  ScaleRounding scaleRounding = ScaleRounding::Up;
  /// Rounds stochastically to a float other than a Scale (S2).
  std::optional<RandomBits> random;
  /// The operation Convert of IEEE P3109. The other fields have no effect.
  std::optional<DraftProjection> projection;
};

/// Casts a value and returns the encoding in the low bits (C1 to C13).
uint64_t encode(const Format &format, const Value &value,
                const CastRules &rules = {});

/// Casts an encoding (C1 to C13, V7).
uint64_t cast(const Format &from, const Format &to, uint64_t encoding,
              const CastRules &rules);

/// Converts a number to a string (C14).
std::string toString(const Format &format, uint64_t encoding);
/// Returns the number of a valid string, rounded to odd, or toward zero if
/// `isTruncated`.
Value parseNumber(std::string_view string, bool isTruncated = false);

/// Casts the `count` consecutive encodings from `first` on and stores the
/// results in storage units. Equivalent to `count` calls of cast, but faster.
void castRange(const Format &from, const Format &to, uint64_t first,
               size_t count, void *slots, const CastRules &rules);

/// Divides the value of an encoding by a scale, in `precision` (D1).
Value getQuotient(const Format &from, const Format &scale,
                  const Format &precision, uint64_t encoding,
                  uint64_t scaleEncoding);

/// Quantizes that quotient (D2 to D4), stochastically with random bits (S5).
uint64_t quantize(const Value &quotient, const Format &to,
                  const Format &precision, std::optional<uint64_t> zeroPoint,
                  bool saturate,
                  std::optional<RandomBits> random = std::nullopt);

/// Divides and quantizes an encoding.
uint64_t quantize(const Format &from, const Format &scale, const Format &to,
                  const Format &precision, uint64_t encoding,
                  uint64_t scaleEncoding, std::optional<uint64_t> zeroPoint,
                  bool saturate,
                  std::optional<RandomBits> random = std::nullopt);

/// Dequantizes an encoding (D5).
uint64_t dequantize(const Format &from, const Format &scale, const Format &to,
                    uint64_t encoding, uint64_t scaleEncoding,
                    std::optional<uint64_t> zeroPoint);

/// Quantizes and dequantizes an encoding (D6). The result has the same format.
uint64_t quantizeAndBack(const Format &format, const Format &scale,
                         const Format &storage, const Format &precision,
                         uint64_t encoding, uint64_t scaleEncoding,
                         std::optional<uint64_t> zeroPoint, bool saturate,
                         std::optional<RandomBits> random = std::nullopt);

/// Returns the k random bits of an element (S3).
uint64_t philox(unsigned k, uint64_t seed, uint64_t offset, uint64_t element);

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// A rule that derives the scale of a block from its largest magnitude (B3 to
/// B6).
enum class BlockRule {
  Floor,
  Ceil,
  Even,
  RCeil,
  CeilExact,
  Nearest,
  Tosa,
  AbsMax,
  DeepGemm,
  Ggml,
  TransformerEngine,
  TorchAO,
  ModelOptimizer,
  CompressedTensors
};
constexpr BlockRule kLastBlockRule = BlockRule::CompressedTensors;

/// Whether the scales of blocks depend on a scale of the tensor (B6).
bool isTwoLevel(BlockRule rule);
/// Whether the rule defines scales of this type for elements of this type.
bool definesScales(BlockRule rule, const Format &element, const Format &scale);

/// The f32 from which rules with two levels derive scales: the largest
/// magnitude of the tensor, or its scale.
struct TensorLevel {
  bool isAmax;
  uint64_t encoding;
};

/// Derives the scale of a tensor from its largest magnitude; both are f32 (B6).
uint64_t getTensorScale(uint64_t amaxEncoding);

/// Derives the scale of a block of elements from its largest magnitude, an
/// encoding of `from` (B3 to B6).
uint64_t getBlockScale(BlockRule rule, const Format &from,
                       const Format &element, const Format &scale,
                       uint64_t amaxEncoding, std::optional<TensorLevel> level);

/// Quantizes the elements of a block with a given scale (B7).
class BlockQuantizer {
public:
  BlockQuantizer(BlockRule rule, const Format &from, const Format &scale,
                 const Format &to, uint64_t scaleEncoding,
                 std::optional<TensorLevel> level);
  uint64_t quantize(uint64_t encoding,
                    std::optional<RandomBits> random = std::nullopt) const;
  /// Whether the element has no specified sign, because it results from a NaN
  /// but its format has none (D8).
  bool mayHaveEitherSign(uint64_t encoding, bool isStochastic = false) const;

private:
  Value getQuotient(uint64_t encoding) const;
  uint64_t findNearest(uint64_t encoding) const;

  BlockRule rule;
  const Format &from, &to;
  Value scale;
  /// For rules that multiply by a rounded reciprocal, the factor; otherwise the
  /// divisor.
  bool multiplies = false;
  Value operand;
  /// MXINT8 elements are multiples of 2^-6.
  int fraction = 0;
  /// For ggml, the products of the scale and the magnitudes of elements.
  Value products[8];
};

/// Convert an element to and from a block of IEEE P3109 (I7).
uint64_t convertToBlock(const Format &from, const Format &scale,
                        const Format &to, uint64_t encoding,
                        uint64_t scaleEncoding,
                        const DraftProjection &projection);
uint64_t convertFromBlock(const Format &from, const Format &scale,
                          const Format &to, uint64_t encoding,
                          uint64_t scaleEncoding,
                          const DraftProjection &projection);

/// Dequantizes an element of a block (B8). `tensorScale` is an f32.
uint64_t dequantizeBlock(const Format &from, const Format &scale,
                         const Format &to, uint64_t encoding,
                         uint64_t scaleEncoding,
                         std::optional<uint64_t> tensorScale,
                         bool isTensorFirst);

//===----------------------------------------------------------------------===//
// fakeconvert
//===----------------------------------------------------------------------===//

/// Selects the implementation whose bits a fakeconvert has: the formula,
/// OpenVINO's CPU plugin, or OpenVINO's reference.
enum class FakeConvertMode { Exact, Plugin, Reference };

/// How the plugin rounds 1 / scale: not at all beyond f32, to the nearest value
/// of the format, or to bf16 by OpenVINO's own rule.
enum class Reciprocal { Single, Nearest, OpenVino };

struct FakeConvertRules {
  FakeConvertMode mode = FakeConvertMode::Exact;
  /// For the plugin.
  Reciprocal reciprocal = Reciprocal::Single;
  /// Whether every zero result is +0.
  bool positiveZero = false;
  /// Whether a shift of zero is not added after the conversion back.
  bool neutralShift = false;
  /// The sign of NaN, which D8 leaves unspecified. The reference converts NaN
  /// to the largest number with that sign.
  bool negativeNaN = false;
};

/// Computes FakeConvert-13 (K).
uint64_t fakeConvert(const Format &format, const Format &destination,
                     uint64_t encoding, uint64_t scaleEncoding,
                     std::optional<uint64_t> shiftEncoding,
                     const FakeConvertRules &rules = {});

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_ORACLE_H
