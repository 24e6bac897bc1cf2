//===- Convolutions.cpp - Convolutions -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "Conversions.h"
#include "Reduction.h"
#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

namespace {
/// A convolution as loops: batch, group, channel of the result, windows,
/// channel of the input, elements of the window.
///
/// With several groups the channels are split in two axes, group and channel in
/// it; where all groups have one channel on each side, the channel's loops and
/// axes fall away. So do the axes that a window of one element does not move
/// along (a convolution of rows written as one of images).
class Convolution {
public:
  explicit Convolution(NodeContext &context) : context(context), b(context.b) {}

  LogicalResult analyze();
  /// Whether an input, if it is there, is a vector with an element for each
  /// channel of the result.
  LogicalResult requirePerChannel(size_t index);
  /// `pad` is the element around the input; `type` that of the sums; `extras`
  /// are tensors of one element or one for each channel of the result.
  NodeResults build(Value pad, Type type, Value bias, ArrayRef<Value> extras,
                    ReductionBody body);

private:
  /// The tensor without the axes of one element that fall away.
  Value dropAxes(Value tensor);
  /// The tensor with the axis of channels split in groups.
  Value split(Value tensor, int64_t axis, OpFoldResult channels);
  AffineMap getMap(ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(numLoops, 0, exprs, b.getContext());
  }
  AffineExpr addLoop() { return b.getAffineDimExpr(numLoops++); }
  Value buildInit(Type type, Value bias);

  NodeContext &context;
  ImplicitLocOpBuilder &b;
  int64_t groups = 1;
  bool isGrouped = false, isDepthwise = false;
  SmallVector<OpFoldResult> inputSizes, weightSizes;
  /// Channels of the result in a group.
  OpFoldResult groupChannels;
  /// Those that move.
  SmallVector<WindowAxis> windows;
  /// Positions among the spatial axes.
  SmallVector<size_t> droppedAxes;
  SmallVector<OpFoldResult> resultSizes;
  /// The sizes of the sums: batch, group, channel, windows, as far as split.
  SmallVector<OpFoldResult> sumSizes;
  unsigned numLoops = 0;
};
} // namespace

LogicalResult Convolution::analyze() {
  inputSizes = context.getSizes(context.input(0));
  weightSizes = context.getSizes(context.input(1));
  if (inputSizes.size() < 3 || weightSizes.size() != inputSizes.size())
    return context.unsupported("input and weight must have the same rank of 3 "
                               "or more, but got " +
                               Twine(inputSizes.size()) + " and " +
                               Twine(weightSizes.size()));
  groups = context.getInt("group", 1);
  std::optional<int64_t> weightChannels = getConstantIntValue(weightSizes[1]);
  std::optional<int64_t> filters = getConstantIntValue(weightSizes[0]);
  if (failed(checkRange(context, "group", groups, 1)))
    return failure();
  if (filters && *filters % groups != 0)
    return context.unsupported("attribute 'group' must divide the channels of "
                               "the result, but got " +
                               Twine(groups));
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  if (failed(context.requireEqual(
          context.computeProduct({weightSizes[1], b.getIndexAttr(groups)}),
          inputSizes[1], "the number of channels")) ||
      failed(context.requireEqual(
          computeIndex(b, s0.floorDiv(groups) * groups, weightSizes[0]),
          weightSizes[0], "the number of channels of the result in groups")))
    return failure();
  isGrouped = groups != 1;
  groupChannels = computeIndex(b, s0.floorDiv(groups), weightSizes[0]);
  isDepthwise = isGrouped && weightChannels == 1 && filters == groups;

  ArrayRef<OpFoldResult> kernel = ArrayRef(weightSizes).drop_front(2);
  SmallVector<int64_t> shape = context.getInts("kernel_shape");
  if (!shape.empty()) {
    if (shape.size() != kernel.size())
      return context.unsupported("attribute 'kernel_shape' must have " +
                                 Twine(kernel.size()) + " values, but got " +
                                 Twine(shape.size()));
    for (auto [size, named] : llvm::zip_equal(kernel, shape))
      if (getConstantIntValue(size).value_or(named) != named)
        return context.unsupported("attribute 'kernel_shape' has " +
                                   Twine(named) + " where the weight has " +
                                   Twine(*getConstantIntValue(size)));
  }
  FailureOr<SmallVector<WindowAxis>> found =
      getWindows(context, ArrayRef(inputSizes).drop_front(2), kernel);
  if (failed(found))
    return failure();
  resultSizes = {inputSizes[0], weightSizes[0]};
  resultSizes.append(getOutputSizes(*found));
  for (auto [index, window] : llvm::enumerate(*found)) {
    if (areAllConstantIntValue({window.input, window.kernel, window.output},
                               1) &&
        isConstantIntValue(window.padLow, 0))
      droppedAxes.push_back(index);
    else
      windows.push_back(window);
  }
  sumSizes = {inputSizes[0]};
  if (isGrouped)
    sumSizes.push_back(b.getIndexAttr(groups));
  if (!isDepthwise)
    sumSizes.push_back(groupChannels);
  sumSizes.append(getOutputSizes(windows));
  return success();
}

LogicalResult Convolution::requirePerChannel(size_t index) {
  if (!context.input(index))
    return success();
  int64_t rank = context.type(index).getRank();
  if (rank != 1)
    return context.unsupported("input " + Twine(index) +
                               " must have rank 1, but got " + Twine(rank));
  return context.requireEqual(weightSizes[0],
                              context.getSizes(context.input(index)).front(),
                              "the size of input " + Twine(index));
}

Value Convolution::dropAxes(Value tensor) {
  SmallVector<OpFoldResult> from = context.getSizes(tensor), to = from;
  for (size_t axis : llvm::reverse(droppedAxes))
    to.erase(to.begin() + 2 + axis);
  return droppedAxes.empty() ? tensor : buildReshape(b, tensor, from, to);
}

Value Convolution::split(Value tensor, int64_t axis, OpFoldResult channels) {
  if (!isGrouped || isDepthwise)
    return tensor;
  SmallVector<OpFoldResult> from = context.getSizes(tensor), to = from;
  from[axis] = computeIndex(b, b.getAffineSymbolExpr(0) * groups, channels);
  to[axis] = channels;
  to.insert(to.begin() + axis, b.getIndexAttr(groups));
  return buildReshape(b, tensor, from, to);
}

/// The sums start from the bias.
Value Convolution::buildInit(Type type, Value bias) {
  if (!bias)
    return buildFilled(b, sumSizes, makeNumber(b, type, 0));
  SmallVector<int64_t> axes = {1};
  if (isGrouped && !isDepthwise)
    axes.push_back(2);
  return buildAlongAxes(context, sumSizes, type, split(bias, 0, groupChannels),
                        axes, [&](ImplicitLocOpBuilder &b, ValueRange args) {
                          return toCompute(b, args[0]);
                        });
}

NodeResults Convolution::build(Value pad, Type type, Value bias,
                               ArrayRef<Value> extras, ReductionBody body) {
  Value init = buildInit(type, bias);
  Value input = padForWindows(b, dropAxes(context.input(0)), pad, windows);
  Value weight = dropAxes(context.input(1));

  // All loops first: maps need their number.
  AffineExpr zero = b.getAffineConstantExpr(0);
  AffineExpr batch = addLoop();
  AffineExpr group = isGrouped ? addLoop() : zero;
  AffineExpr filter = isDepthwise ? zero : addLoop();
  SmallVector<AffineExpr> outputs, elements, positions;
  for (size_t i = 0; i < windows.size(); ++i)
    outputs.push_back(addLoop());
  AffineExpr channel = isDepthwise ? zero : addLoop();
  for (const WindowAxis &window : windows) {
    elements.push_back(addLoop());
    positions.push_back(
        window.getPosition(outputs[elements.size() - 1], elements.back()));
  }

  SmallVector<AffineExpr> inputExprs = {batch}, weightExprs, sumExprs = {batch};
  SmallVector<AffineExpr> filterExprs;
  if (isGrouped)
    for (auto *exprs : {&inputExprs, &weightExprs, &sumExprs, &filterExprs})
      exprs->push_back(group);
  if (!isDepthwise) {
    inputExprs.push_back(channel);
    for (auto *exprs : {&weightExprs, &sumExprs, &filterExprs})
      exprs->push_back(filter);
  }
  // A depthwise weight keeps its axis of one channel.
  weightExprs.push_back(channel);
  inputExprs.append(positions);
  weightExprs.append(elements);
  sumExprs.append(outputs);

  OpFoldResult inGroup = weightSizes[1];
  SmallVector<Value> operands = {split(input, 1, inGroup),
                                 split(weight, 0, groupChannels)};
  SmallVector<AffineMap> maps = {getMap(inputExprs), getMap(weightExprs)};
  for (Value extra : extras) {
    auto extraType = cast<RankedTensorType>(extra.getType());
    bool isOne = extraType.getRank() == 0 || extraType.getDimSize(0) == 1;
    operands.push_back(isOne ? extra : split(extra, 0, groupChannels));
    maps.push_back(
        getMap(isOne ? SmallVector<AffineExpr>(extraType.getRank(), zero)
                     : filterExprs));
  }
  Value sums =
      buildReduction(b, operands, maps, init, getMap(sumExprs), body).front();
  if ((isGrouped && !isDepthwise) || !droppedAxes.empty())
    sums = buildReshape(b, sums, sumSizes, resultSizes);
  return SmallVector<Value>{sums};
}

NodeResults onnx_nodes::convertConv(NodeContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  Convolution convolution(context);
  if (failed(convolution.analyze()) || failed(convolution.requirePerChannel(2)))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = context.elementType(0);
  Value pad = makeNumber(b, elementType, 0);
  auto body = [](ImplicitLocOpBuilder &b, ValueRange elements,
                 ValueRange accumulators) {
    return multiplyAndAdd(b, elements, accumulators);
  };
  NodeResults sums = convolution.build(pad, getComputeType(elementType),
                                       context.input(2), {}, body);
  if (failed(sums))
    return failure();
  return SmallVector<Value>{
      convertFromCompute(context, sums->front(), elementType)};
}

NodeResults onnx_nodes::convertConvInteger(NodeContext &context) {
  Convolution convolution(context);
  if (failed(requireIntegerFactors(context)) || failed(convolution.analyze()))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  Type type = b.getI32Type();
  // What surrounds the input is the zero point, which counts as 0.
  Value pad;
  SmallVector<Value> extras;
  std::optional<size_t> zeroPoints[2];
  for (size_t i : {0, 1}) {
    Value zeroPoint = context.input(2 + i);
    if (!zeroPoint)
      continue;
    zeroPoints[i] = 2 + extras.size();
    extras.push_back(zeroPoint);
    auto zeroPointType = cast<RankedTensorType>(zeroPoint.getType());
    bool isOne =
        zeroPointType.getRank() == 0 ||
        (zeroPointType.getRank() == 1 && zeroPointType.getDimSize(0) == 1);
    if (i != 0) {
      if (!isOne && failed(convolution.requirePerChannel(3)))
        return failure();
      continue;
    }
    if (!isOne)
      return context.unsupported("input 2 must be one zero point");
    SmallVector<Value> position(zeroPointType.getRank());
    if (!position.empty())
      position.front() = arith::ConstantIndexOp::create(b, 0);
    pad = b.createOrFold<tensor::ExtractOp>(zeroPoint, position);
  }
  if (!pad)
    pad = makeConstant(b, b.getIntegerAttr(context.elementType(0), 0));
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) {
    return multiplyAndAdd(b, elements, accumulators, zeroPoints);
  };
  return convolution.build(pad, type, Value(), extras, body);
}
