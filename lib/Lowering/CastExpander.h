//===- CastExpander.h - Expansion of casts ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_CASTEXPANDER_H
#define QUANT_FLOAT_LIB_LOWERING_CASTEXPANDER_H

#include "VectorBuilder.h"
#include "quant-float/IR/CastSemantics.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float {

/// Casts `storage`, elements of type `from` in their storage type, to elements
/// of type `to` in their storage type. Returns null for types without a cast.
///
/// Every cast between floats and from integers to floats uses an intermediate
/// f32. It represents all narrower floats and integers of up to 24 bits
/// exactly. Wider sources are rounded to odd, so that rounding the intermediate
/// is equivalent to rounding the source once (C1).
Value expandCast(VectorBuilder &lanes, Value storage, Type from, Type to,
                 const CastSemantics &semantics);

/// The NaNs that a value may be.
enum class NaNs {
  None,
  /// Quiet and without payload. The target's conversions preserve these bits.
  Canonical,
  Any,
};

/// An f32 (or f64) between the source and the destination of a cast.
struct Intermediate {
  Value value;
  NaNs nans = NaNs::Any;
  /// The maximum number of significant bits of finite values.
  unsigned significantBits = 24;
  /// For destinations that are narrow floats. If present, the top bits of these
  /// integers are the signs, and `value` is a magnitude. Nonzero values may
  /// also have this sign themselves.
  Value signBits = {};
  /// Whether no magnitude exceeds getOverflowValue of the destination.
  bool isCapped = false;
  /// Whether the sign bits of `value` are clear. On x86, `value` may then be a
  /// number where the source is NaN, but the bits of `signBits` are those of
  /// the NaN.
  bool isMagnitude = false;
};

/// Converts `storage`, elements of type `from`, to an f32 that rounds to the
/// same value of `to` as the elements (C1). If `to` has at least 32 bits, the
/// result may be an f64.
Intermediate convertToIntermediate(VectorBuilder &lanes, Value storage,
                                   Type from, Type to);

//===- DecodeFloat.cpp ----------------------------------------------------===//

/// Shifts encodings of `width` bits to the top bits of i32. The bits below are
/// unspecified.
Value moveToTop(VectorBuilder &lanes, Value encodings, unsigned width);
/// Converts any float to f32 exactly. f64 remains unchanged.
Intermediate decodeFloat(VectorBuilder &lanes, Value storage, Type from);

//===- EncodeFloat.cpp ----------------------------------------------------===//

/// Rounds an f32 or f64 to f32 with rounding to odd: inexact results have the
/// lowest bit set.
Value roundToOdd(VectorBuilder &lanes, Value value);
/// Rounds to f16, bf16, f32 or f64 (C2).
Value encodeStandardFloat(VectorBuilder &lanes, Intermediate intermediate,
                          FloatType to);
/// Rounds f32 to float8 (C3 to C6, F3), float6 or float4 (C8).
Value encodeNarrowFloat(VectorBuilder &lanes, Intermediate intermediate,
                        Type to, const CastSemantics &semantics);
/// Returns the smallest magnitude from which all numbers have the same
/// encoding: that of the maximum if overflow saturates, or else that of
/// infinity or NaN.
APFloat getOverflowValue(Type to, const CastSemantics &semantics);
/// Rounds f32 to f8E8M0FNU (C9).
Value encodeScale(VectorBuilder &lanes, Intermediate intermediate,
                  const CastSemantics &semantics);

//===- EncodeStochastic.cpp -----------------------------------------------===//

/// Random bits: `width` bits in the low bits of i32.
struct RandomBits {
  Value bits;
  unsigned width;
};
/// Returns the random bits of an op's operand.
RandomBits getRandomBits(VectorBuilder &lanes, Value random);

/// Rounds an f32 stochastically (S2) to a float of at most 16 bits other than
/// f8E8M0FNU. Returns the encoding as an integer.
Value encodeStochastic(VectorBuilder &lanes, Value value, RandomBits random,
                       Type to, const CastSemantics &semantics);
/// Rounds an f32 or f64 of magnitude less than 2^31 stochastically to an
/// adjacent integer in i32 (S5).
Value roundStochastic(VectorBuilder &lanes, Value value, RandomBits random);

//===- ExpandProjection.cpp -----------------------------------------------===//

/// Converts as IEEE P3109/D1 does (I2 to I6). The stochastic roundings require
/// random bits.
Value expandProjection(VectorBuilder &lanes, Value storage, Type from, Type to,
                       ProjectionAttr projection,
                       std::optional<RandomBits> random);

//===- ExpandIntegers.cpp -------------------------------------------------===//

/// Converts integers to floats (C12). `from` may be i1.
Intermediate convertInteger(VectorBuilder &lanes, Value storage,
                            IntegerType from, Type to);
/// Rounds floats toward zero to integers (C11).
Value truncateToInteger(VectorBuilder &lanes, Intermediate intermediate,
                        IntegerType to);
/// Returns the low bits of `value` as elements of type `to` in their storage
/// type.
Value wrapInteger(VectorBuilder &lanes, Value value, IntegerType to);
/// Converts any element to bool (C13).
Value testNonZero(VectorBuilder &lanes, Value storage, Type from);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_CASTEXPANDER_H
