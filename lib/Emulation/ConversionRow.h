//===- ConversionRow.h - Rows of conversion instructions --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_CONVERSIONROW_H
#define QUANT_FLOAT_LIB_EMULATION_CONVERSIONROW_H

#include "CastExpander.h"
#include "quant-float/Emulation/ConversionPlan.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::quant_float {

/// What a row is asked for. Narrow floats are codes, in vectors of i8.
struct Conversion {
  /// Of the values before and after.
  Type from, to;
  CastSemantics semantics;
  /// Of values before; see Carrier.
  NaNs nans = NaNs::Any;
  unsigned significantBits = 24;
  /// False where every NaN will do for a NaN (D8).
  bool nanMatters = true;
  /// Where given, the top bits of these have the signs.
  Value signBits = {};
  /// See Carrier.
  bool isMagnitude = false;
  /// As storage, a scalar or a vector; null where there is none.
  Value zeroPoint = {};
  /// Of quotients that become integers: where this is NaN, they are zero.
  Value dividend = {};
};

/// What a row serves.
enum class RowUse {
  /// Casts, quantizations, and both where codes become values again.
  Everything,
  /// Who wants codes.
  Codes,
  /// Quantizations alone.
  Quotients,
};

/// A row of Conversions.def.
struct ConversionRow {
  bool (*takes)(Type from);
  bool (*gives)(Type to);
  ConversionFeature feature;
  /// By one instruction; 0 for the expansion's own conversions, which take
  /// everything.
  int64_t elements;
  StringLiteral instruction;
  /// One instruction, or the few that go together, for a vector of `elements`.
  /// Where these are two, values are vectors and codes an integer with the
  /// first in the low half.
  Value (*build)(Lanes &lanes, Value part, const Conversion &conversion);
  /// What the rules ask for, of vectors of one dimension and any size, by one
  /// or more conversions of such; null where it is one. From a narrow float it
  /// makes elements of the type that is wanted, where the instruction gives
  /// another.
  Value (*finish)(Lanes &lanes, function_ref<Value(Value)> convert, Value value,
                  const Conversion &conversion);
  RowUse use;
};

ArrayRef<ConversionRow> getConversionRows();
/// The machine that has such instructions.
Machine getMachine(ConversionFeature feature);

/// The plan of rounding f32, of a vector such as `shape`.
ConversionPlan planEncoding(Type shape, Type to, const CastSemantics &semantics,
                            const EmulationTarget &target, RowUse use);

/// Vectors of one dimension: the codes of values, or the values of codes.
Value convertByRow(Lanes &lanes, const ConversionRow &row, Value value,
                   const Conversion &conversion);

/// How a row is asked for the codes of a carrier. `nanMatters`: see Conversion.
Conversion getEncoding(const Carrier &carrier, Type to,
                       const CastSemantics &semantics, bool nanMatters);

/// `usual`, or where `condition` is true what `build` makes, in a branch that
/// is expected not to be taken.
SmallVector<Value> replaceRarely(Lanes &lanes, Value condition,
                                 ArrayRef<Value> usual,
                                 function_ref<SmallVector<Value>()> build);

/// A remark about what becomes of an op.
void emitPlanRemark(Operation *op, StringRef name, const ConversionPlan &plan,
                    const EmulationTarget &target);

/// f16 and bf16, exactly in f32 or f64, and f16 in bf16 where it is exact.
Value widenHalf(Lanes &lanes, Value value, Type to);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_CONVERSIONROW_H
