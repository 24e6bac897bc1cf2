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
#include "quant-float/Reference/BlockScale.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Reference/FakeConvert.h"
#include "quant-float/Reference/ScaleLayout.h"
#include "quant-float/Support/NodeKind.h"

namespace mlir::quant_float {
class CastOp;
} // namespace mlir::quant_float

namespace mlir::quant_float {
/// Emits an error for the first attribute of `filled` that the op lacks.
LogicalResult verifyDefaultAttributes(Operation *op, Attribute filled);

/// Verifies that no attribute with a default value is null. Creating an op sets
/// the default values, but MLIR replaces an attribute of another type by null
/// when it sets a property, for example for malformed bytecode.
template <typename ConcreteOp>
class HasDefaultAttributes
    : public OpTrait::TraitBase<ConcreteOp, HasDefaultAttributes> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    auto properties = cast<ConcreteOp>(op).getProperties();
    ConcreteOp::populateDefaultProperties(op->getName(), properties);
    if (properties == cast<ConcreteOp>(op).getProperties())
      return success();
    return verifyDefaultAttributes(
        op, ConcreteOp::getPropertiesAsAttr(op->getContext(), properties));
  }
};
} // namespace mlir::quant_float

/// Specialization of the trait for casts (V8). Upstream's verifier of
/// elementwise ops requires that either all tensors are ranked or none is; a
/// cast may also convert an unranked tensor to a ranked one. Otherwise the
/// trait is the same, so users of the trait, such as the vectorizer, accept
/// casts.
template <>
struct mlir::OpTrait::Elementwise<mlir::quant_float::CastOp>
    : public TraitBase<mlir::quant_float::CastOp, Elementwise> {
  static LogicalResult verifyTrait(Operation *op);
};

#define GET_OP_CLASSES
#include "quant-float/IR/QuantFloatOps.h.inc"

namespace mlir::quant_float {

/// Returns the op whose opset rules a cast follows, unless it is OpenVINO's.
OpKind getOpKind(CastOp op);

/// Returns the operator of the node, or nullopt if NodeKinds.def lacks it.
std::optional<NodeKind> getNodeKind(NodeOp op);

/// Returns whether every value of `from`, including infinities, NaN and the
/// sign of zero, is representable in `to`, an IEEE-like float or an integer.
bool isExactCast(Type from, Type to);

/// Returns the rule as one of the Reference.
reference::BlockScaleRule getReferenceRule(BlockScaleRule rule);

/// Returns the layout as one of the Reference.
reference::ScaleLayout getReferenceLayout(ScaleLayout layout);

/// Returns the attributes of a cast as options of the Reference.
reference::CastOptions getReferenceOptions(CastOp op);
/// Returns the projection of IEEE P3109 of the Reference.
reference::Projection getReferenceProjection(ProjectionAttr projection);
/// Verifies that random bits are present if and only if the rounding is
/// stochastic, and their element type (I4).
LogicalResult verifyProjectionRandom(Operation *op, ProjectionAttr projection,
                                     Value random);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_QUANTFLOATOPS_H
