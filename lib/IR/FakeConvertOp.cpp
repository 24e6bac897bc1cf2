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

using namespace mlir;
using namespace mlir::quant_float;

/// The shape of a value, that of a scalar being empty; none without a rank.
static std::optional<ArrayRef<int64_t>> getShape(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type)
    return ArrayRef<int64_t>();
  return type.hasRank() ? std::optional(type.getShape()) : std::nullopt;
}

/// Whether dimension `i` from the end is scalable.
static bool isScalable(Value value, int64_t i) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type && type.getScalableDims()[type.getRank() - 1 - i];
}

/// Whether dimension `i` from the end can be the same in both.
static bool isSameDim(Value a, Value b, int64_t i) {
  return isCompatibleSize(getShape(a)->rbegin()[i], getShape(b)->rbegin()[i]) &&
         isScalable(a, i) == isScalable(b, i);
}

static std::string describeShapeOf(Value value) {
  return describeShape(dyn_cast<ShapedType>(value.getType()));
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

/// K2
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
             << name << " must be a tensor where the input is one, "
             << "and only there, but got " << value.getType() << " with "
             << op.getInput().getType();
    return success();
  };
  return success(succeeded(verify(op.getScale(), "scale")) &&
                 succeeded(verify(op.getShift(), "shift")) &&
                 succeeded(verify(op.getResult(), "result")));
}

/// K4
static LogicalResult verifyShift(FakeConvertOp op) {
  if (!op.getShift())
    return success();
  std::optional<ArrayRef<int64_t>> scale = getShape(op.getScale());
  std::optional<ArrayRef<int64_t>> shift = getShape(op.getShift());
  if (!scale || !shift)
    return success();
  if (scale->size() == shift->size() &&
      llvm::all_of(llvm::seq<int64_t>(scale->size()), [&](int64_t i) {
        return isSameDim(op.getScale(), op.getShift(), i);
      }))
    return success();
  return op.emitOpError()
         << "shift must have the same shape as the scale, but got "
         << describeShapeOf(op.getShift()) << " beside "
         << describeShapeOf(op.getScale());
}

/// K5. As in OpenVINO nothing is asked of the shift but to be like the scale.
static LogicalResult verifyBroadcast(FakeConvertOp op) {
  // The input may have no rank where the result has one.
  Value whole = getShape(op.getInput()) ? op.getInput() : op.getResult();
  std::optional<ArrayRef<int64_t>> input = getShape(whole);
  std::optional<ArrayRef<int64_t>> scale = getShape(op.getScale());
  if (!input || !scale)
    return success();
  bool broadcasts =
      scale->size() <= input->size() &&
      llvm::all_of(llvm::seq<int64_t>(scale->size()), [&](int64_t i) {
        bool isOne = scale->rbegin()[i] == 1 && !isScalable(op.getScale(), i);
        return isOne || isSameDim(op.getScale(), whole, i);
      });
  if (broadcasts)
    return success();
  return op.emitOpError() << "scale must broadcast to the input, which does "
                             "not grow, but got "
                          << describeShapeOf(op.getScale()) << " and "
                          << describeShapeOf(whole);
}

/// K6: the input's sizes, or else those of the scale.
static SmallVector<int64_t> inferSizes(ArrayRef<int64_t> input,
                                       std::optional<ArrayRef<int64_t>> scale) {
  SmallVector<int64_t> sizes(input);
  if (scale && scale->size() <= sizes.size())
    for (auto [size, other] :
         llvm::zip(llvm::reverse(sizes), llvm::reverse(*scale)))
      if (ShapedType::isDynamic(size) && other != 1)
        size = other;
  return sizes;
}

static LogicalResult verifyResult(FakeConvertOp op) {
  std::optional<ArrayRef<int64_t>> input = getShape(op.getInput());
  std::optional<ArrayRef<int64_t>> result = getShape(op.getResult());
  auto vector = dyn_cast<VectorType>(op.getInput().getType());
  if (isa<ShapedType>(op.getInput().getType()) ==
          isa<ShapedType>(op.getType()) &&
      (!input || !result ||
       succeeded(verifyCompatibleShape(
           inferSizes(*input, getShape(op.getScale())), *result))) &&
      (!vector || vector.getScalableDims() ==
                      cast<VectorType>(op.getType()).getScalableDims()))
    return success();
  return op.emitOpError() << "result must have the input's shape, but got "
                          << op.getInput().getType() << " and " << op.getType();
}

/// K1 to K7.
LogicalResult FakeConvertOp::verify() {
  // K1
  int64_t opset = getOpset();
  if (opset < kFirstFakeConvertOpset || opset > kNewestFakeConvertOpset)
    return emitOpError() << "opset of FakeConvert must be between "
                         << kFirstFakeConvertOpset << " and "
                         << kNewestFakeConvertOpset << ", but got " << opset;
  if (failed(verifyTypes(*this)))
    return failure();
  // K3
  if (!isa<Float8E4M3FNType, Float8E5M2Type>(getDestination()))
    return emitOpError() << "destination must be f8E4M3FN or f8E5M2, but got "
                         << getDestination();
  if (failed(verifyShift(*this)) || failed(verifyBroadcast(*this)) ||
      failed(verifyResult(*this)))
    return failure();
  // K7
  bool isOpenVino = getMode() == FakeConvertMode::OpenVINO;
  for (StringRef name : {getReciprocalAttrName(), getPositiveZeroAttrName(),
                         getNeutralShiftAttrName()})
    if (!isOpenVino && (*this)->hasAttr(name))
      return emitOpError() << "'" << name
                           << "' needs mode 'openvino', but got '"
                           << stringifyFakeConvertMode(
                                  getMode().value_or(FakeConvertMode::Exact))
                           << "'";
  if (getNeutralShift() && !getShift())
    return emitOpError() << "'neutral_shift' needs a shift";
  Type type = getElementTypeOrSelf(getInput());
  if (getReciprocal() == FakeConvertReciprocal::OpenVINO && !type.isBF16())
    return emitOpError()
           << "reciprocal 'openvino' needs elements of bf16, but got " << type;
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
  // K6: the result may say more than the input.
  for (auto [size, known] : llvm::zip_equal(reified.back(), type.getShape()))
    if (!ShapedType::isDynamic(known))
      size = builder.getIndexAttr(known);
  return success();
}

LogicalResult FakeConvertOp::inferReturnTypeComponents(
    MLIRContext *, std::optional<Location>, ValueShapeRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<ShapedTypeComponents> &components) {
  std::optional<ArrayRef<int64_t>> input = getShape(operands[0]);
  if (input && isa<ShapedType>(operands[0].getType()))
    components.emplace_back(inferSizes(*input, getShape(operands[1])));
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
  auto type = dyn_cast<ShapedType>(getType());
  if (type && !type.hasStaticShape())
    return {};
  std::optional<SmallVector<APInt>> input = getElementBits(adaptor.getInput());
  std::optional<SmallVector<APInt>> scale = getElementBits(adaptor.getScale());
  std::optional<SmallVector<APInt>> shift;
  if (getShift())
    shift = getElementBits(adaptor.getShift());
  if (!input || !scale || (getShift() && !shift))
    return {};
  bool isSplat = input->size() == 1 && scale->size() == 1 &&
                 (!shift || shift->size() == 1);
  std::optional<int64_t> count = 1;
  if (!isSplat && type)
    count = countFolded(type.getShape(), kFoldLimit);
  auto vector = dyn_cast_or_null<VectorType>(type);
  if (!count || (!isSplat && vector && vector.isScalable()))
    return {};

  reference::FakeConvertOptions options = getReferenceOptions();
  ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
  auto getElement = [&](const SmallVector<APInt> &bits, Value value,
                        int64_t index) {
    std::optional<ArrayRef<int64_t>> operand = getShape(value);
    return bits.size() == 1 || !operand
               ? bits.front()
               : bits[reference::getBroadcastIndex(index, shape, *operand)];
  };
  SmallVector<APInt> folded;
  for (int64_t i = 0; i < *count; ++i) {
    std::optional<APInt> offset;
    if (shift)
      offset = getElement(*shift, getShift(), i);
    folded.push_back(reference::fakeConvertElement(
        getElementTypeOrSelf(getType()), getDestination(),
        getElement(*input, getInput(), i), getElement(*scale, getScale(), i),
        offset, options));
  }
  return getConstantOfBits(getType(), folded);
}
