//===- Rearrangement.cpp - Layers that rearrange elements -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

namespace {
/// Splits, permutes and joins axes.
struct Rearrangement {
  /// The shapes after splitting and joining. Each size is a tensor of one
  /// element.
  SmallVector<Value> divided, joined;
  SmallVector<int64_t> order;
};
} // namespace

static Value rearrange(LayerContext &context, Value value,
                       const Rearrangement &how) {
  Value divided =
      context.apply("Reshape", {value, context.concatenate(how.divided)});
  Value ordered = context.transpose(divided, how.order);
  return context.apply("Reshape", {ordered, context.concatenate(how.joined)});
}

static Value divide(LayerContext &context, Value size, int64_t divisor) {
  return context.apply("Div", {size, context.makeInts(divisor)});
}

static Value multiply(LayerContext &context, Value size, int64_t factor) {
  return context.apply("Mul", {size, context.makeInts(factor)});
}

//===----------------------------------------------------------------------===//
// Space and depth
//===----------------------------------------------------------------------===//

static FailureOr<int64_t> getSpatialRank(LayerContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  if (failed(rank))
    return failure();
  if (*rank < 3)
    return context.unsupported("the input must have rank 3 or more, but got " +
                               Twine(*rank));
  if (int64_t block = context.getInt("block_size"); block < 1 || block > 1024)
    return context.unsupported("block_size must be 1 to 1024, but got " +
                               Twine(block));
  return *rank - 2;
}

static int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  // No tensor has such a size, and the division gives 0.
  while (exponent-- > 0)
    if (llvm::MulOverflow(result, base, result))
      return std::numeric_limits<int64_t>::max();
  return result;
}

/// The channels consist of blocks of channels, or, with depth_first, of
/// channels of blocks.
LayerResults openvino_layers::convertDepthToSpace(LayerContext &context) {
  FailureOr<int64_t> spatial = getSpatialRank(context);
  if (failed(spatial))
    return failure();
  int64_t n = *spatial, block = context.getInt("block_size");
  bool isDepthFirst = context.getString("mode") == "depth_first";
  Value channels = divide(context, context.getSize(0, 1), power(block, n));
  Rearrangement how;
  how.divided = {context.getSize(0, 0)};
  SmallVector<Value> blocks(n, context.makeInts(block));
  if (isDepthFirst)
    how.divided.push_back(channels);
  llvm::append_range(how.divided, blocks);
  if (!isDepthFirst)
    how.divided.push_back(channels);
  int64_t firstBlock = isDepthFirst ? 2 : 1;
  how.order = {0, isDepthFirst ? 1 : n + 1};
  how.joined = {context.getSize(0, 0), channels};
  for (int64_t axis : llvm::seq(n)) {
    Value size = context.getSize(0, axis + 2);
    how.divided.push_back(size);
    how.order.append({n + 2 + axis, firstBlock + axis});
    how.joined.push_back(multiply(context, size, block));
  }
  return rearrange(context, context.inputs[0], how);
}

LayerResults openvino_layers::convertSpaceToDepth(LayerContext &context) {
  FailureOr<int64_t> spatial = getSpatialRank(context);
  if (failed(spatial))
    return failure();
  int64_t n = *spatial, block = context.getInt("block_size");
  bool isDepthFirst = context.getString("mode") == "depth_first";
  Value channels = context.getSize(0, 1);
  Rearrangement how;
  how.divided = {context.getSize(0, 0), channels};
  how.joined = {context.getSize(0, 0),
                multiply(context, channels, power(block, n))};
  SmallVector<int64_t> blocks, sizes;
  for (int64_t axis : llvm::seq(n)) {
    Value size = divide(context, context.getSize(0, axis + 2), block);
    how.divided.append({size, context.makeInts(block)});
    how.joined.push_back(size);
    sizes.push_back(2 + 2 * axis);
    blocks.push_back(3 + 2 * axis);
  }
  how.order = {0};
  if (isDepthFirst)
    how.order.push_back(1);
  llvm::append_range(how.order, blocks);
  if (!isDepthFirst)
    how.order.push_back(1);
  llvm::append_range(how.order, sizes);
  return rearrange(context, context.inputs[0], how);
}

//===----------------------------------------------------------------------===//
// Space and batch
//===----------------------------------------------------------------------===//

namespace {
/// The constant inputs of the layer, which have a value for each axis.
struct Blocks {
  int64_t rank;
  SmallVector<int64_t> sizes, begin, end;
};
} // namespace

static FailureOr<Blocks> getBlocks(LayerContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  FailureOr<SmallVector<int64_t>> sizes = context.requireConstantInts(1);
  FailureOr<SmallVector<int64_t>> begin = context.requireConstantInts(2);
  FailureOr<SmallVector<int64_t>> end = context.requireConstantInts(3);
  if (failed(rank) || failed(sizes) || failed(begin) || failed(end))
    return failure();
  if (failed(context.requireRange("input 2", *begin, 0)) ||
      failed(context.requireRange("input 3", *end, 0)))
    return failure();
  for (auto list : {*sizes, *begin, *end})
    if (static_cast<int64_t>(list.size()) != *rank)
      return context.unsupported("expected " + Twine(*rank) +
                                 " values for the axes, but got " +
                                 Twine(list.size()));
  for (int64_t size : *sizes)
    if (size < 1 || size > 1024)
      return context.unsupported("a block size must be 1 to 1024, but got " +
                                 Twine(size));
  return Blocks{*rank, *sizes, *begin, *end};
}

LayerResults openvino_layers::convertBatchToSpace(LayerContext &context) {
  FailureOr<Blocks> blocks = getBlocks(context);
  if (failed(blocks))
    return failure();
  int64_t inner = blocks->rank - 1;
  Value batch = context.getSize(0, 0);
  Rearrangement how;
  for (int64_t axis : llvm::seq<int64_t>(1, blocks->rank)) {
    how.divided.push_back(context.makeInts(blocks->sizes[axis]));
    batch = divide(context, batch, blocks->sizes[axis]);
  }
  how.divided.push_back(batch);
  how.order = {inner};
  how.joined = {batch};
  for (int64_t axis : llvm::seq<int64_t>(1, blocks->rank)) {
    Value size = context.getSize(0, axis);
    how.divided.push_back(size);
    how.order.append({inner + axis, axis - 1});
    how.joined.push_back(multiply(context, size, blocks->sizes[axis]));
  }
  Value result = rearrange(context, context.inputs[0], how);
  // Crops are negative padding.
  SmallVector<int64_t> pads;
  for (int64_t crop : llvm::concat<int64_t>(blocks->begin, blocks->end))
    pads.push_back(-crop);
  return context.apply("Pad", {result, context.makeInts(pads)});
}

LayerResults openvino_layers::convertSpaceToBatch(LayerContext &context) {
  FailureOr<Blocks> blocks = getBlocks(context);
  if (failed(blocks))
    return failure();
  auto pads =
      llvm::to_vector(llvm::concat<int64_t>(blocks->begin, blocks->end));
  Value padded =
      context.apply("Pad", {context.inputs[0], context.makeInts(pads)});
  Value batch = context.getSize(0, 0), batches = batch;
  Rearrangement how;
  how.divided = {batch};
  SmallVector<int64_t> blockAxes, sizeAxes;
  SmallVector<Value> sizes;
  for (int64_t axis : llvm::seq<int64_t>(1, blocks->rank)) {
    int64_t block = blocks->sizes[axis];
    Value added = context.makeInts(blocks->begin[axis] + blocks->end[axis]);
    Value size = context.apply("Add", {context.getSize(0, axis), added});
    sizes.push_back(divide(context, size, block));
    how.divided.append({sizes.back(), context.makeInts(block)});
    batches = multiply(context, batches, block);
    sizeAxes.push_back(2 * axis - 1);
    blockAxes.push_back(2 * axis);
  }
  how.order = blockAxes;
  how.order.push_back(0);
  llvm::append_range(how.order, sizeAxes);
  how.joined = {batches};
  llvm::append_range(how.joined, sizes);
  return rearrange(context, padded, how);
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

LayerResults openvino_layers::convertShuffleChannels(LayerContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  if (failed(rank))
    return failure();
  int64_t axisValue = context.getInt("axis"), groups = context.getInt("group");
  int64_t axis = axisValue + (axisValue < 0 ? *rank : 0);
  if (axis < 0 || axis >= *rank || groups < 1)
    return context.unsupported("axis " + Twine(axisValue) + " of rank " +
                               Twine(*rank) + " in " + Twine(groups) +
                               " groups");
  Rearrangement how;
  for (int64_t i : llvm::seq(*rank)) {
    Value size = context.getSize(0, i);
    how.joined.push_back(size);
    if (i == axis)
      how.divided.append(
          {context.makeInts(groups), divide(context, size, groups)});
    else
      how.divided.push_back(size);
  }
  how.order = llvm::to_vector(llvm::seq(*rank + 1));
  std::swap(how.order[axis], how.order[axis + 1]);
  return rearrange(context, context.inputs[0], how);
}

/// The axes are a list of indices, or a mask.
LayerResults openvino_layers::convertReverse(LayerContext &context) {
  SmallVector<int64_t> axes;
  if (context.getString("mode") == "index") {
    FailureOr<SmallVector<int64_t>> listed = context.requireConstantInts(1);
    if (failed(listed))
      return failure();
    axes = *listed;
  } else {
    FailureOr<SmallVector<int64_t>> marks = context.requireConstantInts(1);
    if (failed(marks))
      return failure();
    for (auto [axis, mark] : llvm::enumerate(*marks))
      if (mark != 0)
        axes.push_back(axis);
  }
  if (axes.empty())
    return context.apply("Identity", context.inputs[0]);
  auto repeat = [&](int64_t value) {
    return context.makeInts(SmallVector<int64_t>(axes.size(), value));
  };
  return context.apply("Slice", {context.inputs[0], repeat(-1),
                                 repeat(std::numeric_limits<int64_t>::min()),
                                 context.makeInts(axes), repeat(-1)});
}

LayerResults openvino_layers::convertReverseSequence(LayerContext &context) {
  FailureOr<Value> lengths = context.getAsInt64(1);
  FailureOr<int64_t> rank = context.requireRank(0);
  if (failed(lengths) || failed(rank))
    return failure();
  auto axis = [&](StringRef name, StringRef onnxName) {
    int64_t value = context.getInt(name);
    return context.intAttr(onnxName, value + (value < 0 ? *rank : 0));
  };
  NamedAttribute attributes[] = {axis("batch_axis", "batch_axis"),
                                 axis("seq_axis", "time_axis")};
  return context.apply("ReverseSequence", {context.inputs[0], *lengths},
                       attributes);
}

LayerResults openvino_layers::convertCumSum(LayerContext &context) {
  FailureOr<Value> axis = context.getAsInt64(1);
  if (failed(axis))
    return failure();
  NamedAttribute attributes[] = {
      context.intAttr("exclusive", context.getFlag("exclusive")),
      context.intAttr("reverse", context.getFlag("reverse"))};
  return context.apply("CumSum", {context.inputs[0], *axis}, attributes);
}
