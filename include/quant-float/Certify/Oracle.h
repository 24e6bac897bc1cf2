//===- Oracle.h - Exact oracle ----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What casts, quantizations and fakeconverts give, computed on integers alone:
// no float of the machine, nothing of LLVM, of the lowerings or of the
// Reference. It is written from the rules (docs/rules.md) to be read from end
// to end, and certificates take its word for every code.
//
// A number is ±significand x 2^exponent. What has more bits than a significand
// is rounded to odd: its lowest bit is set if anything was cut off. Since a
// significand has ten bits more than any format, one rounding to the format
// afterwards is that of the exact number.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_ORACLE_H
#define QUANT_FLOAT_CERTIFY_ORACLE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mlir::quant_float::certify {

/// What codes of a float stand for that are no number.
enum class Specials {
  /// All exponent bits set: infinity without mantissa bits, else NaN.
  Ieee,
  /// NaN is all bits but the sign; no infinity.
  AllOnes,
  /// NaN is the code that would be the negative zero; no infinity.
  NegativeZero,
  /// Every code is a number.
  None,
};

/// What becomes of numbers that are too large for a float.
enum class Overflow { Infinity, AsAsked, Saturates };

/// An element type.
struct Format {
  enum class Kind { Float, Scale, Signed, Unsigned, Bool };

  /// In MLIR.
  std::string_view name;
  Kind kind;
  unsigned bits;
  /// Of floats. A Scale has neither sign nor mantissa: code k is 2^(k - bias),
  /// the last one is NaN.
  unsigned mantissaBits = 0;
  int bias = 0;
  Specials specials = Specials::None;
  Overflow overflow = Overflow::Infinity;
  /// Of floats; without a sign the top bit belongs to the exponent.
  bool isSigned = true;
  /// Whether ONNX has it, and not quant_float alone (F1).
  bool isOnnx = true;

  bool isFloat() const { return kind == Kind::Float; }
  bool isInteger() const {
    return kind == Kind::Signed || kind == Kind::Unsigned;
  }
  uint64_t getMask() const { return ~uint64_t(0) >> (64 - bits); }
  uint64_t getSignBit() const {
    return isSigned ? uint64_t(1) << (bits - 1) : 0;
  }
  /// Of an element in memory: whole bytes.
  size_t getSlotSize() const { return (bits + 7) / 8; }
};

/// All formats; the first `count` of them.
const Format *getFormats(size_t &count);
/// Null where there is none of that name.
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

/// The value of a code; bits above the format's do not count.
Value decode(const Format &format, uint64_t code);

/// How a number between two powers of two becomes one of them (C9).
enum class ScaleRounding { Up, Down, Nearest };

/// What the attributes of a cast say.
struct CastRules {
  int opset = 28;
  bool saturate = true;
  ScaleRounding scaleRounding = ScaleRounding::Up;
};

/// The code that a value is cast to (C1 to C13), in the low bits.
uint64_t encode(const Format &format, const Value &value,
                const CastRules &rules = {});

/// Casts a code (C1 to C13, V7).
uint64_t cast(const Format &from, const Format &to, uint64_t code,
              const CastRules &rules);

/// Casts `count` codes in slots, `first` and its successors, to slots. As many
/// calls of cast, made faster.
void castRange(const Format &from, const Format &to, uint64_t first,
               size_t count, void *slots, const CastRules &rules);

/// A code divided by a scale, in `precision` (D1).
Value getQuotient(const Format &from, const Format &scale,
                  const Format &precision, uint64_t code, uint64_t scaleCode);

/// What becomes of that quotient (D2 to D4).
uint64_t quantize(const Value &quotient, const Format &to,
                  const Format &precision, std::optional<uint64_t> zeroPoint,
                  bool saturate);

/// Both: quantizes a code.
uint64_t quantize(const Format &from, const Format &scale, const Format &to,
                  const Format &precision, uint64_t code, uint64_t scaleCode,
                  std::optional<uint64_t> zeroPoint, bool saturate);

/// Dequantizes a code (D5).
uint64_t dequantize(const Format &from, const Format &scale, const Format &to,
                    uint64_t code, uint64_t scaleCode,
                    std::optional<uint64_t> zeroPoint);

/// Quantizes a code and dequantizes it (D6); the result has the code's format.
uint64_t quantizeAndBack(const Format &format, const Format &scale,
                         const Format &storage, const Format &precision,
                         uint64_t code, uint64_t scaleCode,
                         std::optional<uint64_t> zeroPoint, bool saturate);

/// Whose bits a fakeconvert has: the formula's, those of OpenVINO's CPU plugin,
/// or of its reference.
enum class FakeConvertMode { Exact, Plugin, Reference };

/// How the plugin rounds 1 / scale: not again, to the nearest number of the
/// format, or to bf16 by OpenVINO's own rule.
enum class Reciprocal { Single, Nearest, OpenVino };

struct FakeConvertRules {
  FakeConvertMode mode = FakeConvertMode::Exact;
  /// Of the plugin.
  Reciprocal reciprocal = Reciprocal::Single;
  /// Every zero is +0.
  bool positiveZero = false;
  /// A shift of zero is not added on the way back.
  bool neutralShift = false;
  /// The sign of NaN, which D8 leaves open: the reference makes the largest
  /// number of it, with that sign.
  bool negativeNaN = false;
};

/// FakeConvert-13 (K).
uint64_t fakeConvert(const Format &format, const Format &destination,
                     uint64_t code, uint64_t scaleCode,
                     std::optional<uint64_t> shiftCode,
                     const FakeConvertRules &rules = {});

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_ORACLE_H
