//===- Conversions.h - Conversion instructions ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_NVVM_CONVERSIONS_H
#define QUANT_FLOAT_LIB_EMULATION_NVVM_CONVERSIONS_H

#include "../CastExpander.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/NvidiaChip.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::quant_float {

/// A row of Conversions.def from a wide to a narrow float.
struct EncodeRow {
  TypeID from, to;
  NvidiaFeature feature;
  StringLiteral instruction;
  /// The codes of a vector of two elements, each in a byte of an i16, the first
  /// in the low one.
  Value (*build)(OpBuilder &builder, Location loc, Value pair, FloatType to,
                 RoundMode mode);
  /// The codes of the law, by one or more conversions of vectors by the
  /// instruction. `nanMatters` is false where every NaN will do (D8).
  Value (*finish)(Lanes &lanes, function_ref<Value(Value)> convert,
                  const Carrier &carrier, FloatType to,
                  const CastSemantics &semantics, bool nanMatters);
};

/// A row of Conversions.def from a narrow to a wide float.
struct DecodeRow {
  TypeID from, to;
  NvidiaFeature feature;
  StringLiteral instruction;
  /// A vector of the two elements whose codes are the bytes of an i16.
  Value (*build)(OpBuilder &builder, Location loc, Value codes, FloatType from);
};

/// How a cast is converted. At most one of the rows is given.
struct CastPlan {
  const EncodeRow *encode = nullptr;
  const DecodeRow *decode = nullptr;
  /// Made of a cast to f32 and one from there, each with a plan of its own.
  bool isSplit = false;
  /// For a remark: the instruction, or why there is none.
  std::string reason;
};
CastPlan planCast(CastOp op, const NvidiaChip &chip);
/// The same of the quotient's cast.
CastPlan planQuantize(QuantizeElementsOp op, const NvidiaChip &chip);

//===- Corrections.cpp ----------------------------------------------------===//

/// C3, C5
Value finishFloat8(Lanes &lanes, function_ref<Value(Value)> convert,
                   const Carrier &carrier, FloatType to,
                   const CastSemantics &semantics, bool nanMatters);
/// C3 to C6, by the instructions for the types that are no FNUZ ones.
Value finishFNUZ(Lanes &lanes, function_ref<Value(Value)> convert,
                 const Carrier &carrier, FloatType to,
                 const CastSemantics &semantics, bool nanMatters);
/// C8
Value finishGrid(Lanes &lanes, function_ref<Value(Value)> convert,
                 const Carrier &carrier, FloatType to,
                 const CastSemantics &semantics, bool nanMatters);
/// C9
Value finishScale(Lanes &lanes, function_ref<Value(Value)> convert,
                  const Carrier &carrier, FloatType to,
                  const CastSemantics &semantics, bool nanMatters);

//===- CastsToNVVM.cpp ----------------------------------------------------===//

/// A carrier, a vector of one dimension, as codes.
Value encodeByInstruction(Lanes &lanes, const EncodeRow &row,
                          const Carrier &carrier, FloatType to,
                          const CastSemantics &semantics, bool nanMatters);

//===- Requests.cpp -------------------------------------------------------===//

/// The chip to convert for: that of the options, or of the module's target. An
/// error if there is none, or if what the module is compiled for has less.
FailureOr<NvidiaChip> resolveChip(Operation *op, StringRef chip, StringRef ptx);
/// An error for ops inside `root` on what no kernel computes with.
LogicalResult verifyShapes(Operation *root);

//===- QuantizeToNVVM.cpp -------------------------------------------------===//

/// Vectors of other than one dimension become such ones. Apply first.
void populateFlatteningPatterns(RewritePatternSet &patterns);
/// quantize_elements to floats that this GPU has instructions for.
void populateQuantizeToNVVMPatterns(const NvidiaChip &chip,
                                    RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_NVVM_CONVERSIONS_H
