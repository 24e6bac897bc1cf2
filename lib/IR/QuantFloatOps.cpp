//===- QuantFloatOps.cpp - Verifiers and inference ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/QuantFloatOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;

#define GET_OP_CLASSES
#include "quant-float/IR/QuantFloatOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Opset rules
//===----------------------------------------------------------------------===//

/// "Cast-13 (opset 18)".
static std::string describe(const OpVersion &version, int64_t opset) {
  return (getOpName(version.op) + "-" + Twine(version.since) + " (opset " +
          Twine(opset) + ")")
      .str();
}

static void noteFirstOpset(InFlightDiagnostic &diagnostic, Location loc,
                           OpKind op, std::optional<int64_t> first) {
  if (first)
    diagnostic.attachNote(loc)
        << getOpName(op) << " accepts it from opset " << *first << " on";
  else
    diagnostic.attachNote(loc)
        << "no version of " << getOpName(op) << " accepts it";
}

/// V1, V2.
static LogicalResult verifyElementType(Operation *op, const OpVersion &version,
                                       int64_t opset, OpRole role,
                                       Type elementType) {
  if (version.accepts(role, elementType))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << getRoleName(version.op, role) << " element type "
                        << elementType << " is not accepted by "
                        << describe(version, opset);
  noteFirstOpset(diagnostic, op->getLoc(), version.op,
                 getFirstOpset(version.op, role, elementType));
  return diagnostic;
}

/// V3.
static LogicalResult verifyAttribute(Operation *op, const OpVersion &version,
                                     int64_t opset, OpAttribute attribute,
                                     Attribute value) {
  if (!value || version.has(attribute))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << "attribute '" << getAttributeName(attribute)
                        << "' does not exist in " << describe(version, opset);
  noteFirstOpset(diagnostic, op->getLoc(), version.op,
                 getFirstOpset(version.op, attribute));
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

void CastOp::build(OpBuilder &builder, OperationState &state, Value input,
                   Type elementType, int64_t opset) {
  build(builder, state, withElementType(input.getType(), elementType), input,
        builder.getI64IntegerAttr(opset), UnitAttr(), BoolAttr(),
        RoundModeAttr());
}

/// - V4 the op has a version at `opset`;
/// - V1, V2 that version accepts the element types;
/// - V3 it has the attributes that are given.
/// V8 (shapes) is verified by the Elementwise trait.
LogicalResult CastOp::verify() {
  OpKind kind = getLike() ? OpKind::CastLike : OpKind::Cast;
  int64_t opset = getOpset();
  const OpVersion *version = getOpVersion(kind, opset);
  if (!version)
    return emitOpError() << "opset of " << getOpName(kind)
                         << " must be between "
                         << getOpVersions(kind).front().since << " and "
                         << kNewestOpset << ", but got " << opset;
  if (failed(verifyElementType(*this, *version, opset, OpRole::First,
                               getElementTypeOrSelf(getInput()))) ||
      failed(verifyElementType(*this, *version, opset, OpRole::Second,
                               getElementTypeOrSelf(getResult()))) ||
      failed(verifyAttribute(*this, *version, opset, OpAttribute::Saturate,
                             getSaturateAttr())) ||
      failed(verifyAttribute(*this, *version, opset, OpAttribute::RoundMode,
                             getRoundModeAttr())))
    return failure();
  return success();
}

CastSemantics CastOp::getSemantics() {
  CastSemantics semantics;
  semantics.saturate = getSaturate().value_or(true);
  semantics.roundMode = getRoundMode().value_or(RoundMode::Up);
  // C4: the tables of the versions before 24 turn infinities into NaN.
  semantics.infinityIsNaN = getOpset() < 24;
  return semantics;
}

LogicalResult CastOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &reified) {
  auto type = dyn_cast<RankedTensorType>(getInput().getType());
  if (!type)
    return failure();
  reified.push_back(tensor::getMixedSizes(builder, getLoc(), getInput()));
  return success();
}

LogicalResult CastOp::inferReturnTypeComponents(
    MLIRContext *context, std::optional<Location> location,
    ValueShapeRange operands, DictionaryAttr attributes,
    OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<ShapedTypeComponents> &components) {
  // The element type is the op's own choice: only the shape follows.
  auto shaped = dyn_cast<ShapedType>(operands.front().getType());
  if (shaped && shaped.hasRank())
    components.emplace_back(shaped.getShape());
  else
    components.emplace_back();
  return success();
}

//===----------------------------------------------------------------------===//
// StorageCastOp
//===----------------------------------------------------------------------===//

LogicalResult StorageCastOp::verify() {
  Type from = getElementTypeOrSelf(getInput());
  Type to = getElementTypeOrSelf(getResult());
  if (getStorageElementType(from) == to || from == getStorageElementType(to))
    return success();
  return emitOpError()
         << "expected an element type and its storage type, but got " << from
         << " and " << to;
}

//===----------------------------------------------------------------------===//
// NodeOp
//===----------------------------------------------------------------------===//

LogicalResult NodeOp::verify() {
  // N1
  if (getOpType().empty())
    return emitOpError() << "op_type must not be empty";
  if (getBodyNames().size() != getBodies().size())
    return emitOpError() << "expected a name for each of the "
                         << getBodies().size() << " bodies, but got "
                         << getBodyNames().size();
  // N2
  int64_t count = getInputs().size() + getAbsentInputs().size();
  int64_t previous = -1;
  for (int64_t position : getAbsentInputs()) {
    if (position <= previous || position >= count)
      return emitOpError() << "absent_inputs must increase and be below "
                           << count << ", but got " << position;
    previous = position;
  }
  // N3
  for (Region &body : getBodies())
    if (body.front().empty() || !isa<YieldOp>(body.front().back()))
      return emitOpError() << "every body must end with 'quant_float.yield'";
  return success();
}
