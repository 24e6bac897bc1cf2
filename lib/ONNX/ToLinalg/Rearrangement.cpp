//===- Rearrangement.cpp - Padding, tiling and other rearrangements -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Trilu, EyeLike
//===----------------------------------------------------------------------===//

/// Clamps the number of a diagonal, so that adding a row index does not
/// overflow. Matrices are smaller than the limits.
static Value clampDiagonal(ImplicitLocOpBuilder &b, OpFoldResult diagonal) {
  constexpr int64_t kMaxSize = int64_t(1) << 62;
  Value low = arith::ConstantIndexOp::create(b, -kMaxSize);
  Value high = arith::ConstantIndexOp::create(b, kMaxSize);
  Value value = b.createOrFold<arith::MaxSIOp>(makeIndex(b, diagonal), low);
  return b.createOrFold<arith::MinSIOp>(value, high);
}

/// Compares, in a body, the column with the diagonal's column in the current
/// row.
static Value compareWithDiagonal(ImplicitLocOpBuilder &b,
                                 arith::CmpIPredicate predicate, int64_t rank,
                                 Value diagonal) {
  Value row = linalg::IndexOp::create(b, rank - 2);
  Value column = linalg::IndexOp::create(b, rank - 1);
  return arith::CmpIOp::create(b, predicate, column,
                               arith::AddIOp::create(b, row, diagonal));
}

NodeResults onnx_nodes::convertTrilu(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t rank = context.type(0).getRank();
  if (rank < 2)
    return context.unsupported("the input must have rank 2 or more, but got " +
                               Twine(rank));
  OpFoldResult diagonal = b.getIndexAttr(0);
  if (context.input(1)) {
    FailureOr<OpFoldResult> specified = context.getIndex(1);
    if (failed(specified))
      return failure();
    diagonal = *specified;
  }
  FailureOr<Value> zero = makeZero(context, context.elementType(0));
  if (failed(zero))
    return failure();
  Value number = clampDiagonal(b, diagonal);
  auto predicate = context.getFlag("upper") ? arith::CmpIPredicate::sge
                                            : arith::CmpIPredicate::sle;
  return SmallVector<Value>{buildParallel(
      b, context.getSizes(context.input(0)), context.elementType(0),
      context.input(0), b.getMultiDimIdentityMap(rank),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value isInTriangle = compareWithDiagonal(b, predicate, rank, number);
        return buildSelect(b, isInTriangle, args[0], *zero);
      })};
}

NodeResults onnx_nodes::convertEyeLike(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t rank = context.type(0).getRank();
  if (rank != 2)
    return context.unsupported("the input must have rank 2, but got " +
                               Twine(rank));
  Type elementType = context.getType("dtype");
  if (!elementType)
    elementType = context.elementType(0);
  Value diagonal = clampDiagonal(b, b.getIndexAttr(context.getInt("k")));
  Type type = getComputeType(elementType);
  return SmallVector<Value>{buildParallel(
      b, context.getSizes(context.input(0)), elementType, {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) {
        Value isOne =
            compareWithDiagonal(b, arith::CmpIPredicate::eq, rank, diagonal);
        Value element = arith::SelectOp::create(
            b, isOne, makeNumber(b, type, 1), makeNumber(b, type, 0));
        return fromCompute(b, element, elementType);
      })};
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
/// In the order of the choices in OnnxNodes.def.
enum class PadMode { Constant, Reflect, Edge, Wrap };
} // namespace

/// Returns the index in the input of an element of the padded axis. `position`
/// is relative to the start of the input, which has `size` elements.
static Value getPaddedFrom(ImplicitLocOpBuilder &b, PadMode mode,
                           Value position, Value size) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value last = arith::SubIOp::create(b, size, one);
  // The remainder has the sign of the position.
  auto moveInto = [&](Value period) -> Value {
    Value rest = arith::RemSIOp::create(b, position, period);
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rest, zero);
    return arith::SelectOp::create(
        b, isNegative, arith::AddIOp::create(b, rest, period), rest);
  };
  switch (mode) {
  case PadMode::Reflect: {
    // The period goes to the last element and back, without repeating the last
    // and the first element.
    Value period =
        arith::MaxSIOp::create(b, arith::AddIOp::create(b, last, last), one);
    Value remainder = moveInto(period);
    Value reflected = arith::SubIOp::create(b, period, remainder);
    return arith::MinSIOp::create(
        b, last, arith::MinSIOp::create(b, remainder, reflected));
  }
  case PadMode::Wrap:
    return moveInto(size);
  case PadMode::Constant:
  case PadMode::Edge:
    return arith::MinSIOp::create(b, arith::MaxSIOp::create(b, position, zero),
                                  last);
  }
  return position;
}

/// Returns the index of the element of an axis of `size` elements that the
/// padding at `position` repeats.
static int64_t getPaddedFrom(PadMode mode, int64_t position, int64_t size) {
  auto moveInto = [&](int64_t period) {
    return (position % period + period) % period;
  };
  switch (mode) {
  case PadMode::Reflect: {
    int64_t period = std::max<int64_t>(2 * (size - 1), 1);
    int64_t there = moveInto(period);
    return std::min({size - 1, there, period - there});
  }
  case PadMode::Wrap:
    return moveInto(size);
  case PadMode::Constant:
  case PadMode::Edge:
    return std::clamp<int64_t>(position, 0, size - 1);
  }
  return position;
}

/// Pads axis by axis, with one copy of the tensor and one of each padded slice.
/// Returns null if sizes are dynamic, or if there are many slices.
static Value buildPadSlices(NodeContext &context, PadMode mode,
                            const CroppedTensor &cropped) {
  constexpr int64_t kMaxSlices = 32;
  ImplicitLocOpBuilder &b = context.b;
  Value tensor = cropped.tensor;
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)),
      ones(sizes.size(), b.getIndexAttr(1));
  struct Padding {
    size_t axis;
    int64_t size, low, high;
  };
  SmallVector<Padding> paddings;
  int64_t slices = 0;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    std::optional<int64_t> size = getConstantIntValue(sizes[axis]),
                           low = getConstantIntValue(cropped.low[axis]),
                           high = getConstantIntValue(cropped.high[axis]);
    if (low == 0 && high == 0)
      continue;
    if (!size || *size == 0 || !low || !high ||
        (slices += std::min(*low, kMaxSlices) + std::min(*high, kMaxSlices)) >
            kMaxSlices)
      return {};
    paddings.push_back({axis, *size, *low, *high});
  }
  for (auto [axis, size, low, high] : paddings) {
    SmallVector<OpFoldResult> padded = sizes, slice = sizes, to = zeros;
    padded[axis] = b.getIndexAttr(low + size + high);
    slice[axis] = b.getIndexAttr(1);
    to[axis] = b.getIndexAttr(low);
    Value result = tensor::EmptyOp::create(b, padded, context.elementType(0));
    result = tensor::InsertSliceOp::create(b, tensor, result, to, sizes, ones);
    auto addSlice = [&, axis = axis, size = size, low = low](int64_t position) {
      SmallVector<OpFoldResult> from = zeros;
      from[axis] = b.getIndexAttr(getPaddedFrom(mode, position, size));
      to[axis] = b.getIndexAttr(low + position);
      Value source =
          tensor::ExtractSliceOp::create(b, tensor, from, slice, ones);
      result =
          tensor::InsertSliceOp::create(b, source, result, to, slice, ones);
    };
    for (int64_t position : llvm::seq<int64_t>(-low, 0))
      addSlice(position);
    for (int64_t position : llvm::seq<int64_t>(size, size + high))
      addSlice(position);
    tensor = result;
    sizes = padded;
  }
  return tensor;
}

/// Pads by the numbers in `low` and `high`, one per axis. Negative numbers crop
/// the input, which happens first. A null `value` is zero.
static NodeResults buildPad(NodeContext &context, ArrayRef<OpFoldResult> low,
                            ArrayRef<OpFoldResult> high, Value value) {
  ImplicitLocOpBuilder &b = context.b;
  auto mode = context.getChoice<PadMode>("mode");
  FailureOr<CroppedTensor> cropped =
      buildCropped(context, context.input(0), low, high);
  if (failed(cropped))
    return failure();
  Type elementType = context.elementType(0);
  if (mode == PadMode::Constant) {
    if (!value) {
      FailureOr<Value> zero = makeZero(context, elementType);
      if (failed(zero))
        return failure();
      value = *zero;
    }
    return SmallVector<Value>{buildPadded(context, cropped->tensor, value,
                                          cropped->low, cropped->high)};
  }
  SmallVector<OpFoldResult> from = context.getSizes(cropped->tensor), to;
  for (auto [axis, size] : llvm::enumerate(from)) {
    to.push_back(
        context.computeSum({size, cropped->low[axis], cropped->high[axis]}));
    if (failed(context.requireElements(axis, size, to.back())))
      return failure();
  }
  if (Value padded = buildPadSlices(context, mode, *cropped))
    return SmallVector<Value>{padded};
  return SmallVector<Value>{buildParallel(
      b, to, elementType, {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
        SmallVector<Value> position;
        for (auto [axis, size] : llvm::enumerate(from)) {
          Value index = linalg::IndexOp::create(b, axis);
          bool isUncropped = isConstantIntValue(cropped->low[axis], 0) &&
                             isConstantIntValue(cropped->high[axis], 0);
          if (!isUncropped)
            index =
                getPaddedFrom(b, mode,
                              arith::SubIOp::create(
                                  b, index, makeIndex(b, cropped->low[axis])),
                              makeIndex(b, size));
          position.push_back(index);
        }
        return tensor::ExtractOp::create(b, cropped->tensor, position);
      })};
}

/// Requires two pads per axis: the pads before all axes, followed by the pads
/// after all axes.
static LogicalResult requirePads(NodeContext &context, size_t specified,
                                 size_t axes) {
  if (specified == 2 * axes)
    return success();
  return context.unsupported("expected " + Twine(2 * axes) + " pads, but got " +
                             Twine(specified));
}

NodeResults onnx_nodes::convertFixedPad(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  StringRef name = context.has("paddings") ? "paddings" : "pads";
  SmallVector<int64_t> pads = context.getInts(name);
  size_t rank = context.type(0).getRank();
  if (failed(requirePads(context, pads.size(), rank)))
    return failure();
  SmallVector<OpFoldResult> all = getAsIndexOpFoldResult(b.getContext(), pads);
  Value value = createConstant(
      b, b.getFloatAttr(context.elementType(0), context.getFloat("value")));
  return buildPad(context, ArrayRef(all).take_front(rank),
                  ArrayRef(all).drop_front(rank), value);
}

NodeResults onnx_nodes::convertPad(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t rank = context.type(0).getRank();
  FailureOr<SmallVector<OpFoldResult>> pads = context.getShapeInput(1);
  if (failed(pads))
    return failure();
  SmallVector<OpFoldResult> axes = getAsIndexOpFoldResult(
      b.getContext(), llvm::to_vector(llvm::seq<int64_t>(rank)));
  if (context.input(3)) {
    FailureOr<SmallVector<OpFoldResult>> specified = context.getShapeInput(3);
    if (succeeded(specified))
      specified = context.normalizeAxes(*specified, rank);
    if (failed(specified))
      return failure();
    axes = std::move(*specified);
  }
  if (failed(requirePads(context, pads->size(), axes.size())))
    return failure();
  // Constant pads must have 32 bits, too (see buildCropped). The sizes that
  // they result in could overflow.
  for (OpFoldResult pad : *pads)
    if (!getConstantIntValue(pad) &&
        (failed(context.requireAtLeast(std::numeric_limits<int32_t>::min(), pad,
                                       "a pad")) ||
         failed(context.requireAtMost(
             b.getIndexAttr(std::numeric_limits<int32_t>::max()), pad,
             "a pad"))))
      return failure();
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high = low;
  for (auto [index, axis] : llvm::enumerate(axes)) {
    setAxis(b, low, axis, (*pads)[index]);
    setAxis(b, high, axis, (*pads)[axes.size() + index]);
  }
  Value value;
  if (context.input(2)) {
    if (failed(context.requireElementType(2, context.elementType(0))))
      return failure();
    FailureOr<Value> only = context.getOnlyElement(2);
    if (failed(only))
      return failure();
    std::optional<SmallVector<Value>> known = context.getScalars(*only);
    value = known ? known->front() : *only;
  }
  return buildPad(context, low, high, value);
}

//===----------------------------------------------------------------------===//
// Tile
//===----------------------------------------------------------------------===//

/// Expands each repeated axis to two, the copy and the element, and reshapes
/// the result.
static NodeResults buildTile(NodeContext &context,
                             ArrayRef<OpFoldResult> repeats) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> from = context.getSizes(context.input(0));
  if (repeats.size() != from.size())
    return context.unsupported("expected " + Twine(from.size()) +
                               " repeats, but got " + Twine(repeats.size()));
  SmallVector<OpFoldResult> loops, to;
  SmallVector<unsigned> positions;
  for (auto [size, count] : llvm::zip_equal(from, repeats)) {
    if (failed(context.requireAtLeast(0, count, "a number of repeats")))
      return failure();
    if (!isConstantIntValue(count, 1))
      loops.push_back(count);
    positions.push_back(loops.size());
    loops.push_back(size);
    to.push_back(context.computeProduct({count, size}));
  }
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(
      positions, [&](unsigned loop) { return b.getAffineDimExpr(loop); });
  Value tiled = buildParallel(
      b, loops, context.elementType(0), context.input(0),
      AffineMap::get(loops.size(), 0, exprs, b.getContext()),
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
  return SmallVector<Value>{buildReshape(b, tiled, loops, to)};
}

NodeResults onnx_nodes::convertTile(NodeContext &context) {
  FailureOr<SmallVector<OpFoldResult>> repeats = context.getShapeInput(1);
  if (failed(repeats))
    return failure();
  return buildTile(context, *repeats);
}

/// Version 1 tiles one axis. The number of copies and the axis are tensors.
NodeResults onnx_nodes::convertTileOfAxis(NodeContext &context) {
  int64_t rank = context.type(0).getRank();
  FailureOr<OpFoldResult> count = context.getIndex(1);
  FailureOr<OpFoldResult> axis = context.getIndex(2);
  if (failed(count) || failed(axis))
    return failure();
  axis = context.normalizeAxis(*axis, rank);
  if (failed(axis))
    return failure();
  SmallVector<OpFoldResult> repeats(rank, context.b.getIndexAttr(1));
  setAxis(context.b, repeats, *axis, *count);
  return buildTile(context, repeats);
}

//===----------------------------------------------------------------------===//
// DepthToSpace, SpaceToDepth
//===----------------------------------------------------------------------===//

namespace {
/// In the order of the choices in OnnxNodes.def. The channels of the depth
/// layout are (position in block, channel) for DepthFirst, and (channel,
/// position in block) for ChannelFirst.
enum class DepthMode { DepthFirst, ChannelFirst };

/// An image that consists of square blocks.
struct BlockedImage {
  SmallVector<OpFoldResult> sizes;
  OpFoldResult block;
  DepthMode mode;
};
} // namespace

static FailureOr<BlockedImage> getBlockedImage(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t rank = context.type(0).getRank(), size = context.getInt("blocksize");
  if (rank != 4)
    return context.unsupported("the input must have rank 4, but got " +
                               Twine(rank));
  if (failed(context.requireRange("blocksize", size, 1)))
    return failure();
  return BlockedImage{context.getSizes(context.input(0)), b.getIndexAttr(size),
                      context.getChoice<DepthMode>("mode")};
}

/// Returns the size divided by a number. Requires the division to be exact.
static FailureOr<OpFoldResult> divide(NodeContext &context, OpFoldResult size,
                                      int64_t divisor, const Twine &what) {
  ImplicitLocOpBuilder &b = context.b;
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  OpFoldResult quotient = computeIndex(b, s0.floorDiv(divisor), size);
  if (failed(context.requireEqual(computeIndex(b, s0 * divisor, quotient), size,
                                  what)))
    return failure();
  return quotient;
}

NodeResults onnx_nodes::convertDepthToSpace(NodeContext &context) {
  FailureOr<BlockedImage> image = getBlockedImage(context);
  if (failed(image))
    return failure();
  int64_t block = *getConstantIntValue(image->block);
  FailureOr<OpFoldResult> channels =
      divide(context, image->sizes[1], block * block,
             "the number of channels in blocks");
  if (failed(channels))
    return failure();
  OpFoldResult batch = image->sizes[0], height = image->sizes[2],
               width = image->sizes[3], size = image->block;
  bool isDepthFirst = image->mode == DepthMode::DepthFirst;
  SmallVector<OpFoldResult> split = {batch,     size,   size,
                                     *channels, height, width};
  SmallVector<int64_t> order = {0, 3, 4, 1, 5, 2};
  if (!isDepthFirst) {
    split = {batch, *channels, size, size, height, width};
    order = {0, 1, 4, 2, 5, 3};
  }
  Value parts = context.reshape(context.input(0), split);
  Value moved = buildTranspose(context, parts, order);
  return SmallVector<Value>{context.reshape(
      moved, {batch, *channels, context.computeProduct({height, size}),
              context.computeProduct({width, size})})};
}

NodeResults onnx_nodes::convertSpaceToDepth(NodeContext &context) {
  FailureOr<BlockedImage> image = getBlockedImage(context);
  if (failed(image))
    return failure();
  int64_t block = *getConstantIntValue(image->block);
  FailureOr<OpFoldResult> height =
      divide(context, image->sizes[2], block, "the height in blocks");
  FailureOr<OpFoldResult> width =
      divide(context, image->sizes[3], block, "the width in blocks");
  if (failed(height) || failed(width))
    return failure();
  OpFoldResult batch = image->sizes[0], channels = image->sizes[1],
               size = image->block;
  bool isDepthFirst = image->mode == DepthMode::DepthFirst;
  Value parts = context.reshape(context.input(0),
                                {batch, channels, *height, size, *width, size});
  SmallVector<int64_t> order = {0, 3, 5, 1, 2, 4};
  if (!isDepthFirst)
    order = {0, 1, 3, 5, 2, 4};
  Value moved = buildTranspose(context, parts, order);
  return SmallVector<Value>{context.reshape(
      moved, {batch, context.computeProduct({channels, size, size}), *height,
              *width})};
}

//===----------------------------------------------------------------------===//
// ReverseSequence
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertReverseSequence(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  int64_t rank = sizes.size();
  FailureOr<int64_t> batch =
      context.normalizeAxis(context.getInt("batch_axis"), rank);
  FailureOr<int64_t> time =
      context.normalizeAxis(context.getInt("time_axis"), rank);
  if (failed(batch) || failed(time) ||
      failed(requireSequenceLengths(context, 1, sizes[*batch])))
    return failure();
  if (*batch == *time)
    return context.unsupported("batch_axis and time_axis must differ");
  return SmallVector<Value>{buildParallel(
      b, sizes, context.elementType(0), context.input(1),
      AffineMap::get(rank, 0, b.getAffineDimExpr(*batch), b.getContext()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        SmallVector<Value> position;
        for (int64_t axis = 0; axis < rank; ++axis)
          position.push_back(linalg::IndexOp::create(b, axis));
        Value step = position[*time];
        Value last =
            arith::SubIOp::create(b, clampLength(b, args[0], sizes[*time]),
                                  arith::ConstantIndexOp::create(b, 1));
        Value isInside =
            arith::CmpIOp::create(b, arith::CmpIPredicate::sle, step, last);
        position[*time] = arith::SelectOp::create(
            b, isInside, arith::SubIOp::create(b, last, step), step);
        return tensor::ExtractOp::create(b, input, position);
      })};
}
