//===- FakeConvertOp.cpp - Verifier and folder of fakeconvert -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBits.h"
#include "Shapes.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/LlvmCompat.h"

using namespace mlir;
using namespace mlir::quant_float;

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

/// Verifies the element types, and that either all values are tensors or none
/// is (K2).
static LogicalResult verifyTypes(FakeConvertOp op) {
  Type type = getElementTypeOrSelf(op.getInput());
  if (!isa<Float32Type, Float16Type, BFloat16Type>(type))
    return op.emitOpError()
           << "input must have elements of f32, f16 or bf16, but got " << type;
  bool isTensor = isa<TensorType>(op.getInput().getType());
  auto verify = [&](Value value, StringRef name) -> LogicalResult {
    if (!value)
      return success();
    if (getElementTypeOrSelf(value) != type)
      return op.emitOpError()
             << name << " must have the input's element type " << type
             << ", but got " << getElementTypeOrSelf(value);
    if (isa<TensorType>(value.getType()) != isTensor)
      return op.emitOpError()
             << name
             << " must be a tensor if and only if the input is one, but got "
             << value.getType() << " with " << op.getInput().getType();
    return success();
  };
  return success(succeeded(verify(op.getScale(), "scale")) &&
                 succeeded(verify(op.getShift(), "shift")) &&
                 succeeded(verify(op.getResult(), "result")));
}

/// Verifies that the shift has the scale's shape (K4).
static LogicalResult verifyShift(FakeConvertOp op) {
  if (!op.getShift() ||
      haveCompatibleShapes(op.getScale().getType(), op.getShift().getType()))
    return success();
  return op.emitOpError()
         << "shift must have the same shape as the scale, but got "
         << describeShape(op.getShift().getType()) << " and "
         << describeShape(op.getScale().getType());
}

/// Verifies that the scale broadcasts to the input (K5). Like OpenVINO, this
/// does not check the shift, which only has to match the scale.
static LogicalResult verifyBroadcast(FakeConvertOp op) {
  // If the input is unranked, check against the result, which may be ranked.
  Type shapedType = op.getInput().getType();
  if (!getSizes(shapedType))
    shapedType = op.getType();
  std::optional<SmallVector<int64_t>> input = getSizes(shapedType);
  std::optional<SmallVector<int64_t>> scale = getSizes(op.getScale().getType());
  if (!input || !scale ||
      reference::Granularity::getBroadcast().fits(*scale, *input))
    return success();
  return op.emitOpError() << "scale must broadcast to the input without "
                             "changing its shape, but got "
                          << describeShape(op.getScale().getType()) << " and "
                          << describeShape(shapedType);
}

/// Returns the input's sizes, with unknown ones replaced by those of the scale
/// if they are not 1 (K6).
static SmallVector<int64_t> inferSizes(ArrayRef<int64_t> input,
                                       ArrayRef<int64_t> scale) {
  SmallVector<int64_t> sizes(input);
  if (scale.size() <= sizes.size())
    for (auto [size, other] :
         llvm::zip(llvm::reverse(sizes), llvm::reverse(scale)))
      if (ShapedType::isDynamic(size) && other != 1)
        size = other;
  return sizes;
}

static LogicalResult verifyResult(FakeConvertOp op) {
  Type inputType = op.getInput().getType(), type = op.getType();
  std::optional<SmallVector<int64_t>> input = getSizes(inputType);
  std::optional<SmallVector<int64_t>> result = getSizes(type);
  std::optional<SmallVector<int64_t>> scale = getSizes(op.getScale().getType());
  if (isa<ShapedType>(inputType) == isa<ShapedType>(type) &&
      (!input || !result ||
       succeeded(verifyCompatibleShape(
           inferSizes(*input, scale.value_or(SmallVector<int64_t>())),
           *result))))
    return success();
  return op.emitOpError() << "result must have the input's shape, but got "
                          << inputType << " and " << type;
}

/// Verifies K1 to K7.
LogicalResult FakeConvertOp::verify() {
  // The opset has FakeConvert (K1).
  int64_t opset = getOpset();
  if (opset < kFirstFakeConvertOpset || opset > kNewestFakeConvertOpset)
    return emitOpError() << "opset of FakeConvert must be between "
                         << kFirstFakeConvertOpset << " and "
                         << kNewestFakeConvertOpset << ", but got " << opset;
  if (failed(verifyTypes(*this)))
    return failure();
  // The destination is one of the two supported formats (K3).
  if (!isa<Float8E4M3FNType, Float8E5M2Type>(getDestination()))
    return emitOpError() << "destination must be f8E4M3FN or f8E5M2, but got "
                         << getDestination();
  if (failed(verifyShift(*this)) || failed(verifyBroadcast(*this)) ||
      failed(verifyResult(*this)))
    return failure();
  // The attributes that select variants require mode openvino (K7).
  bool isOpenVino = getMode() == FakeConvertMode::OpenVINO;
  for (StringRef name : {getReciprocalAttrName(), getPositiveZeroAttrName(),
                         getNeutralShiftAttrName()})
    if (!isOpenVino && (*this)->hasAttr(name))
      return emitOpError() << "'" << name
                           << "' requires mode 'openvino', but got '"
                           << stringifyFakeConvertMode(
                                  getMode().value_or(FakeConvertMode::Exact))
                           << "'";
  if (getNeutralShift() && !getShift())
    return emitOpError() << "'neutral_shift' requires a shift";
  Type type = getElementTypeOrSelf(getInput());
  if (getReciprocal() == FakeConvertReciprocal::OpenVINO && !type.isBF16())
    return emitOpError()
           << "reciprocal 'openvino' requires elements of bf16, but got "
           << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

LogicalResult
FakeConvertOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &reified) {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || failed(reifyShapeOf(getInput(), builder, getLoc(), reified)))
    return failure();
  // The result type may have static sizes that the input's type lacks (K6).
  for (auto [size, known] : llvm::zip_equal(reified.back(), type.getShape()))
    if (!ShapedType::isDynamic(known))
      size = builder.getIndexAttr(known);
  return success();
}

LogicalResult FakeConvertOp::inferReturnTypeComponents(
    MLIRContext *, std::optional<Location>, ValueShapeRange operands,
    DictionaryAttr, PropertyRef, RegionRange,
    SmallVectorImpl<ShapedTypeComponents> &components) {
  auto getShape = [](Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    return type && type.hasRank() ? type.getShape() : ArrayRef<int64_t>();
  };
  auto input = dyn_cast<ShapedType>(operands[0].getType());
  if (input && input.hasRank())
    components.emplace_back(
        inferSizes(input.getShape(), getShape(operands[1])));
  else
    components.emplace_back();
  return success();
}

//===----------------------------------------------------------------------===//
// Folder
//===----------------------------------------------------------------------===//

reference::FakeConvertOptions FakeConvertOp::getReferenceOptions() {
  reference::FakeConvertOptions options;
  switch (getMode().value_or(FakeConvertMode::Exact)) {
  case FakeConvertMode::Exact:
    options.mode = reference::FakeConvertMode::Exact;
    break;
  case FakeConvertMode::OpenVINO:
    options.mode = reference::FakeConvertMode::OpenVINO;
    break;
  case FakeConvertMode::OpenVINOReference:
    options.mode = reference::FakeConvertMode::OpenVINOReference;
    break;
  }
  switch (getReciprocal().value_or(FakeConvertReciprocal::Single)) {
  case FakeConvertReciprocal::Single:
    options.reciprocal = reference::FakeConvertReciprocal::Single;
    break;
  case FakeConvertReciprocal::Nearest:
    options.reciprocal = reference::FakeConvertReciprocal::Nearest;
    break;
  case FakeConvertReciprocal::OpenVINO:
    options.reciprocal = reference::FakeConvertReciprocal::OpenVINO;
    break;
  }
  options.positiveZero = getPositiveZero();
  options.neutralShift = getNeutralShift();
  return options;
}

OpFoldResult FakeConvertOp::fold(FoldAdaptor adaptor) {
  Type type = getElementTypeOrSelf(getType());
  reference::FakeConvertOptions options = getReferenceOptions();
  return foldWithParameters(*this, adaptor.getOperands(),
                            reference::Granularity::getBroadcast(), kFoldLimit,
                            [&](const FoldedElement &element) {
                              return reference::fakeConvertElement(
                                  type, getDestination(), element.input,
                                  element.scale, element.other, options);
                            });
}
