//===- QuantFloatOps.h - Operations of the quant_float dialect --*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_QUANTFLOATOPS_H
#define QUANT_FLOAT_IR_QUANTFLOATOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "quant-float/IR/CastSemantics.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/QuantFloatAttributes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/IR/QuantFloatInterfaces.h"
#include "quant-float/IR/QuantFloatTypes.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Reference/FakeConvert.h"

namespace mlir::quant_float {
class CastOp;
} // namespace mlir::quant_float

/// V8: upstream's verifier of elementwise ops wants all tensors with a rank or
/// none; a cast may also go from one without to one with. All else is as there,
/// and what looks for the trait, as the vectorizer, finds it.
template <>
struct mlir::OpTrait::Elementwise<mlir::quant_float::CastOp>
    : public TraitBase<mlir::quant_float::CastOp, Elementwise> {
  static LogicalResult verifyTrait(Operation *op);
};

#define GET_OP_CLASSES
#include "quant-float/IR/QuantFloatOps.h.inc"

namespace mlir::quant_float {

/// Whose rules a cast that is not OpenVINO's follows.
OpKind getOpKind(CastOp op);

/// Whether every value of `from`, infinities, NaN and the sign of zero
/// included, survives in `to`, a float of IEEE's kind or an integer.
bool isExactCast(Type from, Type to);

/// The attributes of a cast as the Reference takes them.
reference::CastOptions getReferenceOptions(CastOp op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_QUANTFLOATOPS_H
