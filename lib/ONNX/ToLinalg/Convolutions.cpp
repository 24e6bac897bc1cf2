//===- Convolutions.cpp - Convolutions ------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// A convolution as loops over batch, group, result channel, output positions,
/// input channel and kernel elements.
///
/// With several groups, the channel axis is split into group and channel in the
/// group. If each group has one channel on both sides (depthwise), the channel
/// loops and axes are omitted. Spatial axes along which the window has one
/// element and one position are also omitted, for example in a 1-D convolution
/// that is written as a 2-D one. If spatial sizes are dynamic, a pointwise
/// convolution becomes a matmul: the elements that strided windows read are
/// gathered, and all spatial axes are collapsed into one.
class Convolution {
public:
  /// `weight` is the position of the weight among the node's inputs.
  explicit Convolution(NodeContext &context, size_t weight = 1)
      : context(context), b(context.b), weight(weight) {}

  /// Analyzes the shapes. The windows are those of the node's attributes unless
  /// `specified` has some.
  LogicalResult analyze(ArrayRef<WindowAxis> specified = {});
  /// Requires that an input, unless it is absent, is a vector with one element
  /// for each result channel.
  LogicalResult requirePerChannel(size_t index);
  /// Builds the convolution. `pad` is the padding value and `type` the
  /// accumulator type. `extras` are further inputs of `body`, each with one
  /// element or one for each result channel.
  NodeResults build(Value pad, Type type, Value bias, ArrayRef<Value> extras,
                    ReductionBody body);

private:
  /// Reshapes the tensor: removes the dropped axes, or collapses all spatial
  /// axes if the convolution is flat.
  Value dropAxes(Value tensor);
  /// Whether all windows have one element and no padding.
  bool isPointwise() const;
  /// Gathers the elements that strided windows of one element read.
  Value gatherElements(Value input);
  /// Splits the channel axis into groups of `channels` channels.
  Value split(Value tensor, int64_t axis, OpFoldResult channels);
  AffineMap getMap(ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(numLoops, 0, exprs, b.getContext());
  }
  AffineExpr addLoop() { return b.getAffineDimExpr(numLoops++); }
  Value buildInit(Type type, Value bias);

  NodeContext &context;
  ImplicitLocOpBuilder &b;
  size_t weight;
  int64_t groups = 1;
  bool isGrouped = false, isDepthwise = false;
  SmallVector<OpFoldResult> inputSizes, weightSizes;
  /// The number of result channels in a group.
  OpFoldResult groupChannels;
  /// The windows along the axes that are not dropped.
  SmallVector<WindowAxis> windows;
  /// The dropped axes, as positions among the spatial axes.
  SmallVector<size_t> droppedAxes;
  /// Whether all spatial axes are collapsed into one.
  bool isFlat = false;
  /// The strides of all spatial axes if elements are gathered; otherwise empty.
  SmallVector<int64_t> strides;
  SmallVector<OpFoldResult> resultSizes;
  /// The sizes of the accumulators: batch, group, channel and output positions.
  /// Omitted axes are absent.
  SmallVector<OpFoldResult> accumulatorSizes;
  unsigned numLoops = 0;
};
} // namespace

/// Requires that the attribute kernel_shape, if present, matches the weight.
static LogicalResult requireKernelShape(NodeContext &context,
                                        ArrayRef<OpFoldResult> kernel) {
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
  return success();
}

LogicalResult Convolution::analyze(ArrayRef<WindowAxis> specified) {
  inputSizes = context.getSizes(context.input(0));
  weightSizes = context.getSizes(context.input(weight));
  if (inputSizes.size() < 3 || weightSizes.size() != inputSizes.size())
    return context.unsupported("input and weight must have the same rank of 3 "
                               "or more, but got " +
                               Twine(inputSizes.size()) + " and " +
                               Twine(weightSizes.size()));
  groups = context.getInt("group");
  std::optional<int64_t> weightChannels = getConstantIntValue(weightSizes[1]);
  std::optional<int64_t> filters = getConstantIntValue(weightSizes[0]);
  if (failed(context.requireRange("group", groups, 1)))
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
          weightSizes[0], "the number of output channels in whole groups")))
    return failure();
  isGrouped = groups != 1;
  groupChannels = computeIndex(b, s0.floorDiv(groups), weightSizes[0]);
  isDepthwise = isGrouped && weightChannels == 1 && filters == groups;

  ArrayRef<OpFoldResult> kernel = ArrayRef(weightSizes).drop_front(2);
  SmallVector<WindowAxis> found(specified);
  if (specified.empty()) {
    FailureOr<SmallVector<WindowAxis>> own =
        getWindows(context, ArrayRef(inputSizes).drop_front(2), kernel);
    if (failed(requireKernelShape(context, kernel)) || failed(own))
      return failure();
    found = *own;
  }
  resultSizes = {inputSizes[0], weightSizes[0]};
  resultSizes.append(getOutputSizes(found));
  for (auto [index, window] : llvm::enumerate(found)) {
    if (areAllConstantIntValue({window.input, window.kernel, window.output},
                               1) &&
        isConstantIntValue(window.padLow, 0))
      droppedAxes.push_back(index);
    else
      windows.push_back(window);
  }
  bool isDynamic = llvm::any_of(windows, [](const WindowAxis &window) {
    return !getConstantIntValue(window.input);
  });
  auto isStrided = [](const WindowAxis &window) { return window.stride != 1; };
  if (isDynamic && windows.size() > 1 && isPointwise()) {
    isFlat = true;
    if (llvm::any_of(windows, isStrided))
      for (const WindowAxis &window : found)
        strides.push_back(window.stride);
    WindowAxis all = windows.front();
    all.input = all.output = context.computeProduct(getOutputSizes(windows));
    all.stride = 1;
    windows = {all};
  }
  accumulatorSizes = {inputSizes[0]};
  if (isGrouped)
    accumulatorSizes.push_back(b.getIndexAttr(groups));
  if (!isDepthwise)
    accumulatorSizes.push_back(groupChannels);
  accumulatorSizes.append(getOutputSizes(windows));
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

bool Convolution::isPointwise() const {
  return llvm::all_of(windows, [](const WindowAxis &window) {
    bool isEntire = window.stride != 1 || window.input == window.output;
    return isEntire && isConstantIntValue(window.kernel, 1) &&
           isConstantIntValue(window.padLow, 0) &&
           isConstantIntValue(window.padHigh, 0);
  });
}

Value Convolution::gatherElements(Value input) {
  if (strides.empty())
    return input;
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  llvm::copy(ArrayRef(resultSizes).drop_front(2), sizes.begin() + 2);
  SmallVector<AffineExpr> from = {b.getAffineDimExpr(0), b.getAffineDimExpr(1)};
  for (int64_t stride : strides)
    from.push_back(b.getAffineDimExpr(from.size()) * stride);
  return buildParallel(
      b, sizes, getElementTypeOrSelf(input), input,
      AffineMap::get(from.size(), 0, from, b.getContext()),
      [](ImplicitLocOpBuilder &, ValueRange args) { return args.front(); });
}

Value Convolution::dropAxes(Value tensor) {
  SmallVector<OpFoldResult> from = context.getSizes(tensor), to = from;
  if (isFlat) {
    to.truncate(2);
    to.push_back(context.computeProduct(ArrayRef(from).drop_front(2)));
    return buildReshape(b, tensor, from, to);
  }
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

/// Initializes the accumulators with the bias, or with zero.
Value Convolution::buildInit(Type type, Value bias) {
  if (!bias)
    return buildFilled(b, accumulatorSizes, makeNumber(b, type, 0));
  SmallVector<int64_t> axes = {1};
  if (isGrouped && !isDepthwise)
    axes.push_back(2);
  return buildAlongAxes(context, accumulatorSizes, type,
                        split(bias, 0, groupChannels), axes,
                        [&](ImplicitLocOpBuilder &b, ValueRange args) {
                          return toCompute(b, args[0]);
                        });
}

NodeResults Convolution::build(Value pad, Type type, Value bias,
                               ArrayRef<Value> extras, ReductionBody body) {
  Value init = buildInit(type, bias);
  Value input = padForWindows(
      context, dropAxes(gatherElements(context.input(0))), pad, windows);
  Value filters = dropAxes(context.input(weight));

  // Create all loops first, because indexing maps need their number.
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

  SmallVector<AffineExpr> inputExprs = {batch}, weightExprs,
                          accumulatorExprs = {batch};
  SmallVector<AffineExpr> filterExprs;
  if (isGrouped)
    for (auto *exprs :
         {&inputExprs, &weightExprs, &accumulatorExprs, &filterExprs})
      exprs->push_back(group);
  if (!isDepthwise) {
    inputExprs.push_back(channel);
    for (auto *exprs : {&weightExprs, &accumulatorExprs, &filterExprs})
      exprs->push_back(filter);
  }
  // A depthwise weight keeps its channel axis, which has size 1.
  weightExprs.push_back(channel);
  inputExprs.append(positions);
  weightExprs.append(elements);
  accumulatorExprs.append(outputs);

  OpFoldResult inGroup = weightSizes[1];
  SmallVector<Value> operands = {split(input, 1, inGroup),
                                 split(filters, 0, groupChannels)};
  SmallVector<AffineMap> maps = {getMap(inputExprs), getMap(weightExprs)};
  for (Value extra : extras) {
    auto extraType = cast<RankedTensorType>(extra.getType());
    bool isOne = extraType.getRank() == 0 || extraType.getDimSize(0) == 1;
    operands.push_back(isOne ? extra : split(extra, 0, groupChannels));
    maps.push_back(
        getMap(isOne ? SmallVector<AffineExpr>(extraType.getRank(), zero)
                     : filterExprs));
  }
  Value accumulators =
      buildReduction(b, operands, maps, init, getMap(accumulatorExprs), body)
          .front();
  if ((isGrouped && !isDepthwise) || !droppedAxes.empty() || isFlat)
    accumulators = buildReshape(b, accumulators, accumulatorSizes, resultSizes);
  return SmallVector<Value>{accumulators};
}

/// Builds a convolution of input, weight and optional bias. For `specified` see
/// Convolution::analyze.
static NodeResults buildConv(NodeContext &context,
                             ArrayRef<WindowAxis> specified = {}) {
  Convolution convolution(context);
  if (failed(convolution.analyze(specified)) ||
      failed(convolution.requirePerChannel(2)))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = context.elementType(0);
  Value pad = makeNumber(b, elementType, 0);
  auto body = [](ImplicitLocOpBuilder &b, ValueRange elements,
                 ValueRange accumulators) {
    return multiplyAndAdd(b, elements, accumulators);
  };
  NodeResults accumulators = convolution.build(pad, getComputeType(elementType),
                                               context.input(2), {}, body);
  if (failed(accumulators))
    return failure();
  return SmallVector<Value>{
      convertFromCompute(context, accumulators->front(), elementType)};
}

NodeResults onnx_nodes::convertConv(NodeContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  return buildConv(context);
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

namespace {
/// One axis of a transposed convolution, which is computed as a convolution
/// with stride 1. The input of this convolution has zeros between and around
/// its elements.
struct TransposedAxis {
  WindowAxis window;
  int64_t stride;
  /// The size of the input with zeros between its elements.
  OpFoldResult spread;
  /// The padding around that. Negative padding removes elements.
  OpFoldResult low, high;
  /// The number of results before the first one that the node keeps.
  OpFoldResult before;
};

/// The results of a transposed convolution at the positions
/// `first + stride * i` of each axis. They depend on the elements of the kernel
/// from `offset` on, every `stride`-th one, which form a convolution of the
/// input without zeros between its elements.
struct ResultResidue {
  SmallVector<TransposedAxis> axes;
  /// The positions of the results and of the elements of the reversed kernel.
  SmallVector<OpFoldResult> first, offset;
};
} // namespace

/// Computes the sizes and pads of the result from the attributes strides,
/// dilations, pads, auto_pad, output_padding and output_shape.
static FailureOr<SmallVector<TransposedAxis>>
getTransposedAxes(NodeContext &context, ArrayRef<OpFoldResult> input,
                  ArrayRef<OpFoldResult> kernel) {
  ImplicitLocOpBuilder &b = context.b;
  size_t rank = input.size();
  FailureOr<WindowLists> lists = getWindowLists(context, rank);
  FailureOr<SmallVector<int64_t>> extra =
      getWindowList(context, "output_padding", rank, 0);
  if (failed(lists) || failed(extra))
    return failure();
  SmallVector<int64_t> shape = context.getInts("output_shape");
  // The attribute may include batch and channels.
  if (shape.size() == rank + 2)
    shape.erase(shape.begin(), shape.begin() + 2);
  if (!shape.empty() && shape.size() != rank)
    return context.unsupported("attribute 'output_shape' must have " +
                               Twine(rank) + " values, but got " +
                               Twine(shape.size()));
  StringRef autoPad = context.getString("auto_pad");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  AffineExpr s2 = b.getAffineSymbolExpr(2), zero = b.getAffineConstantExpr(0);
  SmallVector<TransposedAxis> axes;
  for (size_t i = 0; i < rank; ++i) {
    int64_t stride = lists->strides[i], dilation = lists->dilations[i];
    OpFoldResult covered = computeIndex(
        b, (s0 - 1) * stride + (*extra)[i] + getExtent(s1, dilation),
        {input[i], kernel[i]});
    OpFoldResult output, before;
    if (!shape.empty() || isSame) {
      if (!shape.empty() &&
          failed(context.requireRange("output_shape", shape[i], 0)))
        return failure();
      output = shape.empty() ? computeIndex(b, s0 * stride, input[i])
                             : OpFoldResult(b.getIndexAttr(shape[i]));
      OpFoldResult total = computeMax(b, s0 - s1, zero, {covered, output});
      before = computeIndex(
          b, autoPad == "SAME_UPPER" ? s0.floorDiv(2) : s0.ceilDiv(2), total);
    } else {
      bool isPadded = autoPad == "NOTSET";
      before = b.getIndexAttr(isPadded ? lists->pads[i] : 0);
      OpFoldResult after = b.getIndexAttr(isPadded ? lists->pads[rank + i] : 0);
      output = computeIndex(b, s0 - s1 - s2, {covered, before, after});
    }
    std::optional<int64_t> size = getConstantIntValue(output);
    if (size && *size < 0)
      return context.unsupported("negative pads exceed the size");
    TransposedAxis axis;
    axis.stride = stride;
    axis.spread = computeMax(b, (s0 - 1) * stride + 1, zero, input[i]);
    axis.low =
        computeIndex(b, getExtent(s0, dilation) - 1 - s1, {kernel[i], before});
    // The padded input has as many elements as `output` windows of stride 1
    // cover.
    AffineExpr padded = s0 + getExtent(s1, dilation) - 1;
    OpFoldResult room = computeIndex(b, padded, {output, kernel[i]});
    axis.high = computeIndex(b, s0 - s1 - s2, {room, axis.spread, axis.low});
    OpFoldResult none = b.getIndexAttr(0);
    axis.window = {room, kernel[i], output, none, none, 1, dilation, none};
    axis.before = before;
    axes.push_back(axis);
  }
  return axes;
}

/// Inserts zeros between and around the elements of the input (batch, channel,
/// spatial axes).
static FailureOr<Value> spreadElements(NodeContext &context,
                                       ArrayRef<TransposedAxis> axes) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  Value zero = makeNumber(b, context.elementType(0), 0);
  SmallVector<OpFoldResult> from = context.getSizes(input), to = from;
  SmallVector<OpFoldResult> none(from.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(from.size(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> low = none, high = none;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    to[2 + i] = axis.spread;
    strides[2 + i] = b.getIndexAttr(axis.stride);
    low[2 + i] = axis.low;
    high[2 + i] = axis.high;
  }
  bool isEmpty = llvm::any_of(
      from, [](OpFoldResult size) { return isConstantIntValue(size, 0); });
  if (!areAllConstantIntValue(strides, 1)) {
    Value filled = buildFilled(b, to, zero);
    input = isEmpty ? filled
                    : Value(tensor::InsertSliceOp::create(b, input, filled,
                                                          none, from, strides));
  }
  FailureOr<CroppedTensor> cropped = buildCropped(context, input, low, high);
  if (failed(cropped))
    return failure();
  return buildPadded(context, cropped->tensor, zero, cropped->low,
                     cropped->high);
}

/// Converts the weight (input channel, result channel in the group, kernel) to
/// that of the convolution: exchanges the channels and reverses the kernel.
static Value transposeWeight(NodeContext &context, int64_t groups) {
  ImplicitLocOpBuilder &b = context.b;
  Value weight = context.input(1);
  SmallVector<OpFoldResult> from = context.getSizes(weight), to = from;
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  AffineExpr s2 = b.getAffineSymbolExpr(2);
  to[0] = computeIndex(b, s0 * groups, from[1]);
  to[1] = computeIndex(b, s0.floorDiv(groups), from[0]);
  return buildParallel(
      b, to, context.elementType(1), {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
        SmallVector<OpFoldResult> loops;
        for (size_t i = 0; i < to.size(); ++i)
          loops.push_back(linalg::IndexOp::create(b, i).getResult());
        OpFoldResult group =
            computeIndex(b, s0.floorDiv(s1), {loops[0], from[1]});
        SmallVector<Value> position = {
            makeIndex(b,
                      computeIndex(b, s0 * s1 + s2, {group, to[1], loops[1]})),
            makeIndex(b, computeIndex(b, s0 % s1, {loops[0], from[1]}))};
        for (size_t i = 2; i < to.size(); ++i)
          position.push_back(
              makeIndex(b, computeIndex(b, s0 - s1 - 1, {from[i], loops[i]})));
        return tensor::ExtractOp::create(b, weight, position);
      });
}

/// Divides the results by their residues modulo the strides. Returns none if
/// sizes are dynamic, if a result has no element of the kernel, or if the code
/// of the convolutions would be too large.
static SmallVector<ResultResidue> getResidues(ImplicitLocOpBuilder &b,
                                              ArrayRef<OpFoldResult> input,
                                              ArrayRef<TransposedAxis> axes) {
  constexpr size_t kMaxResidues = 16;
  SmallVector<ResultResidue> residues(1);
  for (auto [axis, inputSize] : llvm::zip_equal(axes, input)) {
    std::optional<int64_t> size = getConstantIntValue(inputSize),
                           kernel = getConstantIntValue(axis.window.kernel),
                           output = getConstantIntValue(axis.window.output),
                           before = getConstantIntValue(axis.before);
    int64_t stride = axis.stride;
    if (!size || !kernel || !output || !before || *before < 0 || *size == 0 ||
        *kernel < stride || (stride > 1 && axis.window.dilation != 1) ||
        residues.size() * std::min(stride, *output) > kMaxResidues)
      return {};
    auto getAttr = [&](int64_t value) -> OpFoldResult {
      return b.getIndexAttr(value);
    };
    SmallVector<ResultResidue> next;
    for (const ResultResidue &outer : residues)
      for (int64_t first = 0; first < std::min(stride, *output); ++first) {
        ResultResidue &residue = next.emplace_back(outer);
        if (stride == 1) {
          residue.axes.push_back(axis);
          residue.first.push_back(getAttr(0));
          residue.offset.push_back(getAttr(0));
          continue;
        }
        int64_t count = llvm::divideCeil(*output - first, stride);
        int64_t element = (first + *before) % stride;
        int64_t elements = llvm::divideCeil(*kernel - element, stride);
        int64_t low = elements - 1 - (first + *before) / stride;
        int64_t room = count + elements - 1;
        TransposedAxis own;
        own.stride = 1;
        own.spread = inputSize;
        own.low = getAttr(low);
        own.high = getAttr(room - *size - low);
        own.window = {getAttr(room),
                      getAttr(elements),
                      getAttr(count),
                      getAttr(0),
                      getAttr(0),
                      1,
                      1,
                      getAttr(0)};
        residue.axes.push_back(own);
        residue.first.push_back(getAttr(first));
        residue.offset.push_back(
            getAttr(*kernel - 1 - element - stride * (elements - 1)));
      }
    residues = std::move(next);
  }
  return residues;
}

/// Convolves the input with the elements of the reversed kernel that belong to
/// each residue, and interleaves the results.
static NodeResults buildResidues(NodeContext &context,
                                 ArrayRef<OpFoldResult> sizes,
                                 ArrayRef<TransposedAxis> axes,
                                 ArrayRef<ResultResidue> residues) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0), kernel = context.input(1);
  SmallVector<OpFoldResult> none(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1)), resultSizes(sizes);
  resultSizes[1] = context.getSizes(kernel)[0];
  for (auto [i, axis] : llvm::enumerate(axes)) {
    strides[2 + i] = b.getIndexAttr(axis.stride);
    resultSizes[2 + i] = axis.window.output;
  }
  Value result =
      tensor::EmptyOp::create(b, resultSizes, context.elementType(0));
  for (const ResultResidue &residue : residues) {
    SmallVector<OpFoldResult> first = none, offset = none, count = resultSizes,
                              elements = context.getSizes(kernel);
    SmallVector<WindowAxis> windows;
    for (auto [i, axis] : llvm::enumerate(residue.axes)) {
      first[2 + i] = residue.first[i];
      offset[2 + i] = residue.offset[i];
      count[2 + i] = axis.window.output;
      elements[2 + i] = axis.window.kernel;
      windows.push_back(axis.window);
    }
    context.inputs[0] = input;
    FailureOr<Value> padded = spreadElements(context, residue.axes);
    if (failed(padded))
      return failure();
    context.inputs[0] = *padded;
    context.inputs[1] =
        tensor::ExtractSliceOp::create(b, kernel, offset, elements, strides);
    NodeResults part = buildConv(context, windows);
    if (failed(part))
      return failure();
    result = tensor::InsertSliceOp::create(b, part->front(), result, first,
                                           count, strides);
  }
  return SmallVector<Value>{result};
}

NodeResults onnx_nodes::convertConvTranspose(NodeContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  SmallVector<OpFoldResult> weight = context.getSizes(context.input(1));
  if (sizes.size() < 3 || weight.size() != sizes.size())
    return context.unsupported("input and weight must have the same rank of 3 "
                               "or more, but got " +
                               Twine(sizes.size()) + " and " +
                               Twine(weight.size()));
  int64_t groups = context.getInt("group");
  std::optional<int64_t> channels = getConstantIntValue(sizes[1]);
  if (failed(context.requireRange("group", groups, 1)) ||
      failed(
          context.requireEqual(weight[0], sizes[1], "the number of channels")))
    return failure();
  if (channels && *channels % groups != 0)
    return context.unsupported("attribute 'group' must divide the channels of "
                               "the input, but got " +
                               Twine(groups));
  ArrayRef<OpFoldResult> kernel = ArrayRef(weight).drop_front(2);
  FailureOr<SmallVector<TransposedAxis>> axes =
      getTransposedAxes(context, ArrayRef(sizes).drop_front(2), kernel);
  if (failed(axes) || failed(requireKernelShape(context, kernel)))
    return failure();
  if (llvm::any_of(
          *axes, [](const TransposedAxis &axis) { return axis.stride > 1; })) {
    SmallVector<ResultResidue> residues =
        getResidues(context.b, ArrayRef(sizes).drop_front(2), *axes);
    if (!residues.empty()) {
      context.inputs[1] = transposeWeight(context, groups);
      return buildResidues(context, sizes, *axes, residues);
    }
  }
  FailureOr<Value> spread = spreadElements(context, *axes);
  if (failed(spread))
    return failure();
  context.inputs[1] = transposeWeight(context, groups);
  context.inputs[0] = *spread;
  return buildConv(context,
                   llvm::map_to_vector(*axes, [](const TransposedAxis &axis) {
                     return axis.window;
                   }));
}

/// Whether a zero point or scale is per tensor.
static bool isOneElement(Value parameter) {
  auto type = cast<RankedTensorType>(parameter.getType());
  return type.getRank() == 0 ||
         (type.getRank() == 1 && type.getDimSize(0) == 1);
}

/// Subtracts the zero points from the operands and convolves them. The
/// accumulators start from the input `bias`.
static NodeResults convolveQuantized(NodeContext &context,
                                     Convolution &convolution,
                                     QuantizedOperands operands, size_t bias) {
  FailureOr<Type> type = requireOperands(context, operands);
  if (failed(type) || failed(convolution.analyze()) ||
      failed(convolution.requirePerChannel(bias)))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  auto [inputPoint, weightPoint] = operands.zeroPoints;
  FailureOr<Value> point = context.getOnlyElement(inputPoint);
  if (failed(point))
    return failure();
  SmallVector<Value> extras;
  std::optional<size_t> zeroPoints[2];
  // Pad the input with its zero point, which represents 0.
  Value pad;
  if (*point) {
    zeroPoints[0] = 2;
    extras.push_back(*point);
    std::optional<SmallVector<Value>> known = context.getScalars(*point);
    pad = known ? known->front() : *point;
  } else {
    pad = createConstant(
        b, b.getIntegerAttr(context.elementType(operands.values[0]), 0));
  }
  if (Value weights = context.input(weightPoint)) {
    if (!isOneElement(weights) &&
        failed(convolution.requirePerChannel(weightPoint)))
      return failure();
    zeroPoints[1] = 2 + extras.size();
    extras.push_back(weights);
  }
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) {
    return multiplyAndAdd(b, elements, accumulators, zeroPoints);
  };
  return convolution.build(pad, *type, context.input(bias), extras, body);
}

NodeResults onnx_nodes::convertConvInteger(NodeContext &context) {
  Convolution convolution(context);
  QuantizedOperands operands;
  operands.acceptsOtherWidths = true;
  return convolveQuantized(context, convolution, operands, /*bias=*/4);
}

NodeResults onnx_nodes::convertQLinearConv(NodeContext &context) {
  constexpr size_t kScales[] = {1, 4, 6};
  constexpr size_t kWeight = 3, kResultPoint = 7, kBias = 8;
  ImplicitLocOpBuilder &b = context.b;
  for (size_t scale : kScales)
    if (failed(context.requireElementType(scale, b.getF32Type())))
      return failure();
  if (failed(context.requireKind(kResultPoint, kinds::Byte)) ||
      (context.input(kBias) &&
       failed(context.requireElementType(kBias, b.getI32Type()))))
    return failure();
  Type elementType = context.elementType(kResultPoint);
  FailureOr<Quantization> result =
      getQuantization(context, kScales[2], elementType);
  FailureOr<Value> inputScale = context.getOnlyElement(kScales[0]);
  Convolution convolution(context, kWeight);
  NodeResults accumulators =
      convolveQuantized(context, convolution, {{0, kWeight}, {2, 5}}, kBias);
  Value weightScale = context.input(kScales[1]);
  bool isPerTensor = isOneElement(weightScale);
  if (failed(result) || failed(inputScale) || failed(accumulators) ||
      (!isPerTensor && failed(convolution.requirePerChannel(kScales[1]))))
    return failure();
  int64_t rank = context.type(0).getRank();
  SmallVector<AffineExpr> perChannel(context.type(kScales[1]).getRank(),
                                     isPerTensor ? b.getAffineConstantExpr(0)
                                                 : b.getAffineDimExpr(1));
  AffineMap maps[] = {AffineMap::get(rank, 0, b.getContext()),
                      AffineMap::get(rank, 0, perChannel, b.getContext())};
  return SmallVector<Value>{buildRequantized(context, accumulators->front(),
                                             {*inputScale, weightScale}, maps,
                                             *result, elementType)};
}
