//===- ConversionRow.h - Conversion instruction table -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_CONVERSIONROW_H
#define QUANT_FLOAT_LIB_LOWERING_CONVERSIONROW_H

#include "CastExpander.h"
#include "quant-float/Lowering/ConversionPlan.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::quant_float {

/// The conversion that a row has to implement. Narrow floats are encodings in
/// vectors of i8.
struct Conversion {
  /// The element types of the source and the result.
  Type from, to;
  CastSemantics semantics;
  /// The properties of the source. See Intermediate.
  NaNs nans = NaNs::Any;
  unsigned significantBits = 24;
  /// False if any NaN is a correct result for a NaN (D8).
  bool nanMatters = true;
  /// If present, the top bits are the signs.
  Value signBits = {};
  /// See Intermediate.
  bool isMagnitude = false;
  /// In its storage type, a scalar or a vector; null if there is none.
  Value zeroPoint = {};
  /// For quotients that are rounded to integers: elements for which this is NaN
  /// are zero.
  Value dividend = {};
};

/// The uses for which a row is applicable, from the fewest restrictions to the
/// most; findRow compares them.
enum class RowUse {
  /// Casts and quantizations, including those whose result is only cast back.
  Everything,
  /// Casts and quantizations whose encodings are used.
  Encodings,
  /// Only quantizations.
  Quotients,
};

/// A row of Conversions.def: the source and result types that it accepts, and
/// how to build the conversion.
struct ConversionRow {
  bool (*acceptsSource)(Type from);
  bool (*acceptsResult)(Type to);
  ConversionFeature feature;
  /// The number of elements that one instruction converts; 0 for conversions of
  /// arith on any number of elements.
  int64_t elements;
  StringLiteral instruction;
  /// Creates one instruction, or a sequence of them, for a vector of `elements`
  /// elements. If `elements` is 2, values are vectors, and encodings are an
  /// integer with the first one in the low half.
  Value (*build)(VectorBuilder &lanes, Value part,
                 const Conversion &conversion);
  /// Converts a vector of rank 1 and any size as the rules specify, by one or
  /// more calls of `convert`. Null if a single call is sufficient. If the
  /// instruction decodes a narrow float to another type than the requested one,
  /// also converts to the latter.
  Value (*finish)(VectorBuilder &lanes, function_ref<Value(Value)> convert,
                  Value value, const Conversion &conversion);
  RowUse use;
};

ArrayRef<ConversionRow> getConversionRows();
/// Returns the architecture that has these instructions.
Machine getMachine(ConversionFeature feature);

/// Returns the plan of rounding f32 to `to` for a scalar or vector of type
/// `shape`.
ConversionPlan planEncoding(Type shape, Type to, const CastSemantics &semantics,
                            const LoweringTarget &target, RowUse use);

/// Encodes or decodes a vector of rank 1 by a row.
Value convertByRow(VectorBuilder &lanes, const ConversionRow &row, Value value,
                   const Conversion &conversion);

/// Returns the conversion that encodes an intermediate. See Conversion for
/// `nanMatters`.
Conversion getEncoding(const Intermediate &intermediate, Type to,
                       const CastSemantics &semantics, bool nanMatters);

/// Returns `usual`, or the values that `build` creates if `condition` is true.
/// The branch is marked as unlikely.
SmallVector<Value> replaceRarely(VectorBuilder &lanes, Value condition,
                                 ArrayRef<Value> usual,
                                 function_ref<SmallVector<Value>()> build);

/// Emits a remark with the plan of an op.
void emitPlanRemark(Operation *op, StringRef name, const ConversionPlan &plan,
                    const LoweringTarget &target);

/// Converts f16 or bf16 to f32 or f64, or f16 to bf16. The latter requires
/// values that bf16 represents exactly.
Value widenHalf(VectorBuilder &lanes, Value value, Type to);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_CONVERSIONROW_H
