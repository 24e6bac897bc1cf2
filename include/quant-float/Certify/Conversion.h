//===- Conversion.h - Certified conversions ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists of conversions follow the tables of the standards instead of the
// dialect's verifier, so that a conversion that the dialect lacks is detected.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_CONVERSION_H
#define QUANT_FLOAT_CERTIFY_CONVERSION_H

#include "quant-float/Certify/Oracle.h"
#include <string>
#include <vector>

namespace mlir::quant_float::certify {

/// The operands that all elements of a call share: a scale, a zero point or the
/// operand in its place, and random bits. For Philox, the first two are the
/// seed and the offset.
struct Parameters {
  uint64_t scale = 0, zeroPoint = 0, random = 0;
};

/// One operation on element types, with all attributes that affect its result.
struct Conversion {
  enum class Kind {
    Cast,
    Quantize,
    Dequantize,
    Qdq,
    FakeConvert,
    TensorScale,
    BlockScale,
    BlockElements,
    BlockDequantize,
    ConvertToBlock,
    ConvertFromBlock,
    Philox
  };

  Conversion() = default;
  explicit Conversion(Kind kind, const Format *from = nullptr,
                      const Format *to = nullptr, const Format *scale = nullptr)
      : kind(kind), from(from), to(to), scale(scale) {}

  Kind kind = Kind::Cast;
  const Format *from, *to;
  /// For casts. Quantizations also use `saturate`.
  CastRules rules;
  /// For fakeconverts. Ignores negativeNaN.
  FakeConvertRules fakeConvertRules;
  /// The type of the scale. Null for casts and for ops that derive scales.
  const Format *scale = nullptr;
  /// The type in which Quantize and Qdq divide. Null for the other kinds.
  const Format *precision = nullptr;
  /// The storage type of Qdq and FakeConvert, and the element type of
  /// BlockScale. Null for the other kinds.
  const Format *destination = nullptr;
  /// The type of the random bits of a stochastic rounding, or null.
  const Format *random = nullptr;
  /// Whether there is a zero point, a shift for FakeConvert, or for blocks the
  /// f32 of the tensor: its scale, or with `isTensorAmax` its largest
  /// magnitude.
  bool hasZeroPoint = false;
  bool isTensorAmax = false;
  /// Whether BlockDequantize multiplies the two scales first (B8).
  bool isTensorFirst = false;
  /// For BlockScale and BlockElements.
  BlockRule blockRule = BlockRule::Floor;

  /// Returns the name of the operation in the dialect.
  const char *getOperation() const;
  /// Whether the operation is a cast from or to strings.
  bool hasStrings() const {
    return from->kind == Format::Kind::String ||
           to->kind == Format::Kind::String;
  }
  /// Whether the operation has scales of blocks.
  bool isBlock() const {
    return kind >= Kind::BlockScale && kind != Kind::Philox;
  }
  /// For stochastic roundings, returns the random bits.
  std::optional<RandomBits> getRandomBits(uint64_t bits) const;
  /// For blocks, returns the operand of the tensor.
  std::optional<TensorLevel> getTensorLevel(uint64_t zeroPoint) const;
  /// Returns a C identifier that contains all of the above.
  std::string getName() const;
  /// Returns an MLIR function of that name on one-dimensional tensors of
  /// dynamic size. The zero point is a scalar tensor, and so is the scale,
  /// except that of a block, which is a tensor of one element.
  std::string print() const;
  /// Whether the attributes `saturate` and `round_mode` affect the result.
  bool hasSaturate() const;
  bool hasRoundMode() const;
  /// Returns the type of the zero point, or of the operand in its place.
  const Format &getZeroPointFormat() const;
  /// Returns the encoding that the oracle computes.
  uint64_t getExpected(uint64_t encoding, const Parameters &parameters) const;
  /// Whether an encoding is as correct as the expected one. The sign and
  /// payload of a NaN that arithmetic produces are unspecified, and such a NaN
  /// becomes a zero of either sign in formats without NaN (D8).
  bool agrees(uint64_t encoding, const Parameters &parameters,
              uint64_t expected, uint64_t actual) const;
};

/// Returns the spelling in the dialect's assembly format.
const char *spell(ScaleRounding rounding);
const char *spell(FakeConvertMode mode);
const char *spell(Reciprocal reciprocal);
const char *spell(BlockRule rule);
const char *spell(DraftRounding rounding);
const char *spell(DraftSaturation saturation);

/// Returns the casts between all pairs of element types, with every `saturate`
/// and `round_mode` that affects the result. Casts to FNUZ types also have the
/// variant of opsets 19 to 23 (C4).
std::vector<Conversion> listCasts();
/// Returns all quantizations, dequantizations and QDQs of opset 28's types,
/// with every precision. Earlier opsets are equivalent to one of these (D2).
std::vector<Conversion> listQuantizations();
/// Returns all fakeconverts in every mode and with all attributes.
std::vector<Conversion> listFakeConverts();
/// Returns the derivation of the scale of a tensor and of blocks, and the
/// quantization of elements, for every rule and every type that it permits;
/// dequantization for every type of elements and scales, without a scale of the
/// tensor and with one in both orders.
std::vector<Conversion> listBlocks();

/// Returns casts of IEEE P3109/D1. Between Binary8p4se, Binary8p3se,
/// Binary4p2sf, Binary8p1uf, f32, f16 and bf16, which the draft requires: every
/// pair, rounding and saturation, and the stochastic roundings with 2, 4 and 8
/// random bits from types of at most 16 bits. For every other format of at most
/// 8 bits: from f16 and bf16 with every deterministic rounding and saturation,
/// from f32 to nearest, ties to even, with SatNone, and to f32 and bf16 with
/// every saturation. From and to f64: with the four formats, and every rounding
/// and saturation.
std::vector<Conversion> listProjections();
/// Returns the block conversions of IEEE P3109/D1 with scales of Binary8p1uf,
/// Binary8p4se and f32: from f32, f16, bf16 and Binary8p4se to the four formats
/// above, and back, with every rounding and saturation; the stochastic ones
/// have 4 random bits.
std::vector<Conversion> listBlockConversions();

/// Returns the stochastic casts with 2, 4 and 8 random bits, and with 4 the
/// stochastic quantizations and qdqs of all storage types, and elements of
/// blocks of f32 and bf16 by every rule.
std::vector<Conversion> listStochastic();
/// Returns the casts from and to strings, with every `saturate` and
/// `round_mode` that affects the result.
std::vector<Conversion> listStrings();
/// Returns the generator of random bits of each width.
std::vector<Conversion> listPhilox();

/// What a set of certificates is about.
enum class Standard { OnnxAndBlocks, P3109, All };

/// Returns all conversions in groups that are compiled together. The groups do
/// not depend on the selection of conversions, so that the code and its hash do
/// not either.
std::vector<std::vector<Conversion>>
listGroups(Standard standard = Standard::OnnxAndBlocks);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_CONVERSION_H
