//===- CastExpander.h - The steps of a cast ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_CASTEXPANDER_H
#define QUANT_FLOAT_LIB_EMULATION_CASTEXPANDER_H

#include "Lanes.h"
#include "quant-float/IR/CastSemantics.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float {

/// Casts `storage`, elements of type `from` as their storage type holds them,
/// to the storage of `to`. Null for types that no cast takes.
///
/// Every cast goes by a carrier: f32 holds each narrower float and integers up
/// to 24 bits exactly; wider sources are brought to f32 by rounding to odd,
/// after which a second rounding gives what a single one would (C1).
Value expandCast(Lanes &lanes, Value storage, Type from, Type to,
                 const CastSemantics &semantics);

/// Which NaN a value can be.
enum class NaNs {
  None,
  /// Quiet, with no payload: a conversion by the target keeps it so.
  Canonical,
  Any,
};

/// An f32 (or f64) on its way from source to destination.
struct Carrier {
  Value value;
  NaNs nans = NaNs::Any;
  /// Of finite values: f32's, or those of a source that has fewer.
  unsigned significantBits = 24;
  /// For narrow floats: if given, the sign is the top one of these bits, and
  /// `value` a magnitude, or of this sign where it is not zero.
  Value signBits = {};
  /// No magnitude is above getOverflowValue of the destination.
  bool isCapped = false;
  /// No sign bit of `value` is set, and where a NaN should be, which it need
  /// not be on x86, the sign bits are those of one.
  bool isMagnitude = false;
};

/// Brings `storage`, elements of type `from`, to an f32 (an f64 for f64) that
/// rounding to `to` makes the same of as of the elements themselves (C1).
Carrier convertToCarrier(Lanes &lanes, Value storage, Type from, Type to);

//===- DecodeFloat.cpp ----------------------------------------------------===//

/// Codes of `width` bits in the top bits of words; below may be anything.
Value moveToTop(Lanes &lanes, Value codes, unsigned width);
/// Any float as f32, exactly; f64 stays as it is.
Carrier decodeFloat(Lanes &lanes, Value storage, Type from);

//===- EncodeFloat.cpp ----------------------------------------------------===//

/// An f32 or f64 as f32, rounded to odd: inexact results end in a one bit.
Value roundToOdd(Lanes &lanes, Value value);
/// To f16, bf16, f32 or f64 (C2).
Value encodeStandardFloat(Lanes &lanes, Carrier carrier, FloatType to);
/// To float8 (C3 to C6, F3), float6 or float4 (C8), from f32.
Value encodeNarrowFloat(Lanes &lanes, Carrier carrier, Type to,
                        const CastSemantics &semantics);
/// The magnitude from which on all that is no NaN has one code: that of the
/// largest value where overflow saturates, or what stands for overflow.
APFloat getOverflowValue(Type to, const CastSemantics &semantics);
/// To f8E8M0FNU (C9), from f32.
Value encodeScale(Lanes &lanes, Carrier carrier,
                  const CastSemantics &semantics);

//===- EncodeStochastic.cpp -----------------------------------------------===//

/// Random bits, as many as `width` in the low bits of i32.
struct RandomBits {
  Value bits;
  unsigned width;
};
/// The operand of an op that rounds by it.
RandomBits getRandomBits(Lanes &lanes, Value random);

/// An f32 rounded by random bits (S2). To any float of 16 bits and less but
/// f8E8M0FNU, as an integer.
Value encodeStochastic(Lanes &lanes, Value value, RandomBits random, Type to,
                       const CastSemantics &semantics);
/// An f32 or f64 of less than 2^31 in magnitude to one of the integers next to
/// it, an i32, by random bits (S5).
Value roundStochastic(Lanes &lanes, Value value, RandomBits random);

//===- ExpandIntegers.cpp -------------------------------------------------===//

/// Integers to floats (C12). `from` may be i1.
Carrier convertInteger(Lanes &lanes, Value storage, IntegerType from, Type to);
/// Floats toward zero to integers (C11).
Value truncateToInteger(Lanes &lanes, Carrier carrier, IntegerType to);
/// Storage that holds the low bits of `value` as elements of type `to`.
Value wrapInteger(Lanes &lanes, Value value, IntegerType to);
/// Anything to bool (C13).
Value testNonZero(Lanes &lanes, Value storage, Type from);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_CASTEXPANDER_H
