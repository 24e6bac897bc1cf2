//===- QuantFloatOps.cpp - Verifiers and shape inference ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/QuantFloatOps.h"

#include "Shapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/DialectVersion.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/IR/OpsetVerifier.h"
#include "quant-float/Reference/Stochastic.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/LlvmCompat.h"

using namespace mlir;
using namespace mlir::quant_float;

#include "quant-float/IR/QuantFloatInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "quant-float/IR/QuantFloatOps.cpp.inc"

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

void CastOp::build(OpBuilder &builder, OperationState &state, Value input,
                   Type elementType, int64_t opset) {
  // Types that ONNX lacks require mode quant_float (F1).
  CastModeAttr mode;
  if (!getOnnxDataType(elementType) ||
      !getOnnxDataType(getElementTypeOrSelf(input))) {
    mode = CastModeAttr::get(builder.getContext(), CastMode::QuantFloat);
    opset = kOwnOpset;
  }
  build(builder, state, withElementType(input.getType(), elementType), input,
        /*random=*/Value(), builder.getI64IntegerAttr(opset), UnitAttr(),
        BoolAttr(), RoundModeAttr(), mode, ProjectionAttr());
}

LogicalResult CastOp::readProperties(DialectBytecodeReader &reader,
                                     OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.like)) ||
      failed(reader.readAttribute(properties.opset)) ||
      failed(reader.readOptionalAttribute(properties.round_mode)) ||
      failed(reader.readOptionalAttribute(properties.saturate)))
    return failure();
  FailureOr<const DialectVersion *> version =
      reader.getDialectVersion<QuantFloatDialect>();
  if (failed(version) || static_cast<const QuantFloatDialectVersion &>(
                             **version) < QuantFloatDialectVersion(0, 2))
    return success();
  if (failed(reader.readOptionalAttribute(properties.mode)))
    return failure();
  // Older versions do not have this mode.
  if (!properties.mode || properties.mode.getValue() != CastMode::P3109)
    return success();
  return reader.readOptionalAttribute(properties.projection);
}

void CastOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeOptionalAttribute(properties.like);
  writer.writeAttribute(properties.opset);
  writer.writeOptionalAttribute(properties.round_mode);
  writer.writeOptionalAttribute(properties.saturate);
  writer.writeOptionalAttribute(properties.mode);
  if (properties.mode && properties.mode.getValue() == CastMode::P3109)
    writer.writeOptionalAttribute(properties.projection);
}

/// Verifies that OpenVINO converts the pair of types and that attributes of
/// ONNX's Cast are absent.
static LogicalResult verifyOpenVinoCast(CastOp op) {
  for (StringRef name : {op.getLikeAttrName(), op.getSaturateAttrName(),
                         op.getRoundModeAttrName()})
    if (op->getAttr(name))
      return op.emitOpError() << "with mode openvino must not have the "
                                 "attribute '"
                              << name << "'";
  int64_t opset = op.getOpset();
  if (opset < 1 || opset > kNewestFakeConvertOpset)
    return op.emitOpError()
           << "opset must be between 1 and " << kNewestFakeConvertOpset
           << " with mode openvino, but got " << opset;
  Type from = getElementTypeOrSelf(op.getInput());
  Type to = getElementTypeOrSelf(op.getResult());
  if (getOpenVinoConversion(from, to) != OpenVinoConversion::None)
    return success();
  return op.emitOpError() << "is not a conversion that OpenVINO supports: from "
                          << from << " to " << to;
}

/// Verifies that random bits have the shape of the result.
static LogicalResult verifyRandomShape(CastOp op) {
  // The trait below does not compare the shapes if the input is unranked.
  if (haveCompatibleShapes(op.getRandom().getType(), op.getType()))
    return success();
  return op.emitOpError() << "random bits must have the result's shape, but "
                             "got "
                          << op.getRandom().getType() << " and "
                          << op.getType();
}

LogicalResult quant_float::verifyProjectionRandom(Operation *op,
                                                  ProjectionAttr projection,
                                                  Value random) {
  bool isStochastic = projection.isStochastic();
  StringRef rounding = stringifyP3109Rounding(projection.getRounding());
  if (!random)
    return isStochastic
               ? op->emitOpError() << rounding << " requires random bits"
               : success();
  if (!isStochastic)
    return op->emitOpError() << rounding << " has no random bits";
  Type type = getElementTypeOrSelf(random);
  if (reference::isRandomBits(type))
    return success();
  return op->emitOpError() << "random bits must have elements of ui2, ui4, "
                              "ui8 or ui16, but got "
                           << type;
}

/// Verifies a cast of IEEE P3109 (I1).
static LogicalResult verifyProjection(CastOp op) {
  for (StringRef name : {op.getLikeAttrName(), op.getSaturateAttrName(),
                         op.getRoundModeAttrName()})
    if (op->getAttr(name))
      return op.emitOpError()
             << "with mode p3109 must not have the attribute '" << name << "'";
  ProjectionAttr projection = op.getProjectionAttr();
  if (!projection)
    return op.emitOpError()
           << "with mode p3109 requires a projection, such as <D1, "
              "NearestTiesToEven, SatNone>";
  if (op.getOpset() != kOwnOpset)
    return op.emitOpError() << "opset must be " << kOwnOpset
                            << " with mode p3109, but got " << op.getOpset();
  for (Value value : {op.getInput(), op.getResult()})
    if (Type type = getElementTypeOrSelf(value);
        !reference::isProjectable(type))
      return op.emitOpError()
             << "with mode p3109 supports f64, f32, f16, bf16 and the "
                "formats of IEEE P3109, but got "
             << type;
  if (failed(verifyProjectionRandom(op, projection, op.getRandom())))
    return failure();
  return op.getRandom() ? verifyRandomShape(op) : success();
}

/// Verifies that attributes and types of IEEE P3109 are absent (I1).
static LogicalResult verifyNoProjection(CastOp op) {
  if (op.getProjectionAttr())
    return op.emitOpError() << "projection requires mode p3109";
  for (Value value : {op.getInput(), op.getResult()})
    if (Type type = getElementTypeOrSelf(value); isa<BinaryType>(type))
      return op.emitOpError() << type << " requires mode p3109";
  return success();
}

/// Verifies the random bits of stochastic rounding (S1).
static LogicalResult verifyRandomBits(CastOp op) {
  bool isStochastic = op.getRoundMode() == RoundMode::Stochastic;
  if (op.getRandom() && !isStochastic)
    return op.emitOpError() << "random bits require round_mode stochastic";
  if (isStochastic && !op.getRandom())
    return op.emitOpError() << "round_mode stochastic requires random bits";
  if (!isStochastic)
    return success();
  if (op.getMode() != CastMode::QuantFloat)
    return op.emitOpError()
           << "round_mode stochastic requires mode quant_float";
  Type from = getElementTypeOrSelf(op.getInput());
  Type random = getElementTypeOrSelf(op.getRandom());
  Type to = getElementTypeOrSelf(op.getResult());
  if (!reference::canCastByRandomBits(from, random, to))
    return op.emitOpError()
           << "round_mode stochastic supports casts from f32, f16 or bf16 by "
              "ui2, ui4, ui8 or ui16 to f16, bf16, float8 with a mantissa, "
              "float6 or float4, but got "
           << from << " by " << random << " to " << to;
  return verifyRandomShape(op);
}

OpKind quant_float::getOpKind(CastOp op) {
  if (op.getMode() == CastMode::QuantFloat)
    return OpKind::OwnCast;
  return op.getLike() ? OpKind::CastLike : OpKind::Cast;
}

/// Verifies the opset rules: a version of the op exists at `opset` (V4), it
/// accepts the element types (V1, V2) and has the attributes (V3). The
/// trait below verifies the shapes (V8).
LogicalResult CastOp::verify() {
  if (getMode() == CastMode::P3109)
    return verifyProjection(*this);
  if (failed(verifyNoProjection(*this)) || failed(verifyRandomBits(*this)))
    return failure();
  if (getMode() == CastMode::OpenVINO)
    return verifyOpenVinoCast(*this);
  if (getMode() && getLike())
    return emitOpError() << "with mode quant_float must not have the "
                            "attribute 'like'";
  OpKind kind = getOpKind(*this);
  FailureOr<OpsetVerifier> rules =
      OpsetVerifier::get([this] { return emitOpError(); }, kind, getOpset());
  if (failed(rules) ||
      failed(
          rules->verifyType(OpRole::First, getElementTypeOrSelf(getInput()))) ||
      failed(rules->verifyType(OpRole::Second,
                               getElementTypeOrSelf(getResult()))) ||
      failed(rules->verifyAttribute(OpAttribute::Saturate,
                                    bool(getSaturateAttr()))) ||
      failed(rules->verifyAttribute(OpAttribute::RoundMode,
                                    bool(getRoundModeAttr()))))
    return failure();
  return success();
}

LogicalResult OpTrait::Elementwise<CastOp>::verifyTrait(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (isa<UnrankedTensorType>(from) && isa<RankedTensorType>(to))
    return success();
  // convert-elementwise-to-linalg only requires ranked operands, and then reads
  // the rank from the result's type.
  if (isa<RankedTensorType>(from) && isa<UnrankedTensorType>(to))
    return op->emitOpError()
           << "result must be ranked if the input is ranked, but got " << from
           << " and " << to;
  return impl::verifyElementwise(op);
}

CastSemantics CastOp::getSemantics() {
  CastSemantics semantics;
  semantics.saturate = getSaturate().value_or(true);
  semantics.roundMode = getRoundMode().value_or(RoundMode::Up);
  // Of the saturation modes, only SatNone has a result beyond the finite range.
  if (ProjectionAttr projection = getProjectionAttr())
    semantics.saturate = projection.getSaturation() != P3109Saturation::SatNone;
  // Before opset 24, ONNX's tables map infinities to NaN (C4).
  semantics.infinityIsNaN = !getMode() && getOpset() < 24;
  return semantics;
}

reference::Projection
quant_float::getReferenceProjection(ProjectionAttr projection) {
  return {
      static_cast<reference::ProjectionRounding>(projection.getRounding()),
      static_cast<reference::ProjectionSaturation>(projection.getSaturation())};
}

reference::CastOptions quant_float::getReferenceOptions(CastOp op) {
  reference::CastOptions options;
  options.isOpenVino = op.getMode() == CastMode::OpenVINO;
  if (ProjectionAttr projection = op.getProjectionAttr())
    options.projection = getReferenceProjection(projection);
  options.opset = op.getMode() ? kNewestOpset : op.getOpset();
  options.saturate = op.getSaturate().value_or(true);
  switch (op.getRoundMode().value_or(RoundMode::Up)) {
  case RoundMode::Up:
    options.scaleRounding = reference::ScaleRounding::Up;
    break;
  case RoundMode::Down:
    options.scaleRounding = reference::ScaleRounding::Down;
    break;
  case RoundMode::Nearest:
    options.scaleRounding = reference::ScaleRounding::Nearest;
    break;
  case RoundMode::Stochastic:
    break;
  }
  return options;
}

LogicalResult CastOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &reified) {
  return reifyShapeOf(getInput(), builder, getLoc(), reified);
}

LogicalResult CastOp::inferReturnTypeComponents(
    MLIRContext *context, std::optional<Location> location,
    ValueShapeRange operands, DictionaryAttr attributes, PropertyRef properties,
    RegionRange regions, SmallVectorImpl<ShapedTypeComponents> &components) {
  inferShapeOf(operands.front(), components);
  return success();
}

//===----------------------------------------------------------------------===//
// PhiloxOp
//===----------------------------------------------------------------------===//

/// Verifies the types of the operands and of the result (S3, V8).
LogicalResult PhiloxOp::verify() {
  for (auto [value, name] :
       {std::pair(getSeed(), "seed"), std::pair(getOffset(), "offset")}) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() != 0 ||
        !type.getElementType().isSignlessInteger(64))
      return emitOpError() << name << " must be a tensor<i64>, but got "
                           << value.getType();
  }
  Type type = getElementTypeOrSelf(getResult());
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || !integer.isUnsigned() || integer.getWidth() > 32)
    return emitOpError() << "result must have elements of ui2, ui4, ui8, ui16 "
                            "or ui32, but got "
                         << type;
  Type like = getLike().getType();
  if (!isa<TensorType>(like) || !isa<TensorType>(getType()) ||
      !haveCompatibleShapes(like, getType()))
    return emitOpError() << "result must be a tensor with the shape of " << like
                         << ", but got " << getType();
  return success();
}

LogicalResult
PhiloxOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &reified) {
  return reifyShapeOf(getLike(), builder, getLoc(), reified);
}

LogicalResult PhiloxOp::inferReturnTypeComponents(
    MLIRContext *context, std::optional<Location> location,
    ValueShapeRange operands, DictionaryAttr attributes, PropertyRef properties,
    RegionRange regions, SmallVectorImpl<ShapedTypeComponents> &components) {
  inferShapeOf(operands.back(), components);
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
// Attributes with a default value
//===----------------------------------------------------------------------===//

LogicalResult quant_float::verifyDefaultAttributes(Operation *op,
                                                   Attribute filled) {
  auto present =
      dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  for (NamedAttribute attribute : cast<DictionaryAttr>(filled))
    if (!present || !present.contains(attribute.getName()))
      return op->emitOpError()
             << "has no attribute '" << attribute.getName().getValue()
             << "' of its type";
  return success();
}

//===----------------------------------------------------------------------===//
// NodeOp
//===----------------------------------------------------------------------===//

std::optional<NodeKind> quant_float::getNodeKind(NodeOp op) {
  return findNodeKind(op.getDomain(), op.getOpType());
}

LogicalResult NodeOp::verify() {
  // The node has a type, and each body has a name (N1).
  if (getOpType().empty())
    return emitOpError() << "op_type must not be empty";
  if (getBodyNames().size() != getBodies().size())
    return emitOpError() << "expected a name for each of the "
                         << getBodies().size() << " bodies, but got "
                         << getBodyNames().size();
  // Indices of absent inputs are sorted, unique and in bounds (N2).
  int64_t count = getInputs().size() + getAbsentInputs().size();
  int64_t previous = -1;
  for (int64_t position : getAbsentInputs()) {
    if (position <= previous || position >= count)
      return emitOpError()
             << "absent_inputs must be strictly increasing and less than "
             << count << ", but got " << position;
    previous = position;
  }
  // Bodies have a terminator (N3).
  for (Region &body : getBodies())
    if (body.front().empty() || !isa<YieldOp>(body.front().back()))
      return emitOpError() << "every body must end with 'quant_float.yield'";
  return success();
}
