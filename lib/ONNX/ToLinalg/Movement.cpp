//===- Movement.cpp - Transpose, Concat, Split and Slice ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "ConstantParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

Value onnx_nodes::buildTranspose(NodeContext &context, Value tensor,
                                 ArrayRef<int64_t> order) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> from = context.getSizes(tensor), to;
  SmallVector<AffineExpr> exprs(from.size());
  for (auto [index, axis] : llvm::enumerate(order)) {
    to.push_back(from[axis]);
    exprs[axis] = b.getAffineDimExpr(index);
  }
  return buildParallel(
      b, to, cast<RankedTensorType>(tensor.getType()).getElementType(), tensor,
      AffineMap::get(from.size(), 0, exprs, b.getContext()),
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
}

NodeResults onnx_nodes::convertTranspose(NodeContext &context) {
  int64_t rank = context.type(0).getRank();
  SmallVector<int64_t> order = context.getInts(
      "perm", llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(rank))));
  FailureOr<SmallVector<int64_t>> axes = context.normalizeAxes(order, rank);
  if (failed(axes))
    return failure();
  if (static_cast<int64_t>(axes->size()) != rank)
    return context.unsupported("perm must have " + Twine(rank) +
                               " axes, but got " + Twine(axes->size()));
  return SmallVector<Value>{buildTranspose(context, context.input(0), *axes)};
}

//===----------------------------------------------------------------------===//
// Concat, Split
//===----------------------------------------------------------------------===//

/// Concatenates `parts` along `axis`. `sizes` are their sizes along all other
/// axes. The caller has checked that the sizes add up without overflow. If
/// `isSeparate`, the result has a separate buffer, so that bufferization does
/// not make it a slice of a larger result.
static Value joinParts(NodeContext &context, ArrayRef<Value> parts,
                       SmallVector<OpFoldResult> sizes, int64_t axis,
                       bool isSeparate) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> ends;
  for (Value part : parts) {
    OpFoldResult end = ends.empty() ? b.getIndexAttr(0) : ends.back();
    OpFoldResult size = context.getSizes(part)[axis];
    // Add the sizes one by one. A sum of all sizes before would be a different
    // expression for each part.
    ends.push_back(
        getConstantIntValue(end) && getConstantIntValue(size)
            ? context.computeSum({end, size})
            : OpFoldResult(b.createOrFold<arith::AddIOp>(
                  getValueOrCreateConstantIndexOp(b, b.getLoc(), end),
                  getValueOrCreateConstantIndexOp(b, b.getLoc(), size))));
  }
  Type elementType = getElementTypeOrSelf(parts.front());
  sizes[axis] = ends.back();
  Value result = isSeparate
                     ? makeBuffer(b, sizes, elementType)
                     : Value(tensor::EmptyOp::create(b, sizes, elementType));
  for (auto [part, end] : llvm::zip_equal(parts, ends)) {
    sizes[axis] = context.getSizes(part)[axis];
    // The offset of an empty part after the last element is out of bounds.
    if (isConstantIntValue(sizes[axis], 0))
      continue;
    auto type = RankedTensorType::get(getShape(sizes), elementType);
    Value source = part;
    if (type != source.getType())
      source = tensor::CastOp::create(b, type, source);
    result = tensor::InsertSliceOp::create(b, source, result, offsets, sizes,
                                           strides);
    offsets[axis] = end;
  }
  return result;
}

NodeResults onnx_nodes::convertConcat(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t rank = context.type(0).getRank();
  if (rank == 0)
    return context.unsupported("scalars cannot be concatenated");
  FailureOr<int64_t> axis = context.normalizeAxis(context.getInt("axis"), rank);
  if (failed(axis))
    return failure();
  Type elementType = context.elementType(0);

  SmallVector<OpFoldResult> sizes;
  OpFoldResult end = b.getIndexAttr(0);
  SmallVector<Value> scalars;
  bool isScalars = true;
  for (auto [index, input] : llvm::enumerate(context.inputs)) {
    if (context.type(index).getRank() != rank ||
        context.elementType(index) != elementType)
      return context.unsupported("the inputs must have the same rank and type "
                                 "of elements");
    SmallVector<OpFoldResult> inputSizes = context.getSizes(input);
    if (index == 0)
      sizes = inputSizes;
    for (auto [common, size] : llvm::zip_equal(sizes, inputSizes)) {
      if (&common == &sizes[*axis])
        continue;
      if (failed(context.requireEqual(common, size,
                                      "the sizes of the other axes")))
        return failure();
      if (getConstantIntValue(size))
        common = size;
    }
    // Overflow can be detected here for constant sizes only.
    if (getConstantIntValue(inputSizes[*axis]))
      end = context.computeSum({end, inputSizes[*axis]});
    std::optional<SmallVector<Value>> elements = context.getScalars(input);
    isScalars &= elements.has_value();
    if (isScalars)
      scalars.append(*elements);
  }
  if (!context.getProblem().empty())
    return failure();
  if (isScalars && rank == 1) {
    int64_t count = scalars.size();
    return SmallVector<Value>{context.makeTensor(
        scalars, RankedTensorType::get({count}, elementType))};
  }

  if (Value joined = joinConstants(b, context.inputs, *axis))
    return SmallVector<Value>{joined};

  // Bufferization compares every two slices of a tensor and analyzes the ops
  // between them. Concatenating many parts in groups limits this quadratic time
  // and costs another copy of each element for every level of groups.
  constexpr size_t kMaxParts = 16;
  SmallVector<Value> parts(context.inputs);
  while (parts.size() > kMaxParts) {
    SmallVector<Value> joined;
    for (ArrayRef<Value> rest = parts; !rest.empty();) {
      size_t count = std::min(kMaxParts, rest.size());
      joined.push_back(joinParts(context, rest.take_front(count), sizes, *axis,
                                 /*isSeparate=*/true));
      rest = rest.drop_front(count);
    }
    parts = std::move(joined);
  }
  return SmallVector<Value>{
      joinParts(context, parts, sizes, *axis, /*isSeparate=*/false)};
}

/// Returns the sizes of the parts. They are specified by an attribute (versions
/// 1, 2 and 11) or by an input (versions 1 and 13), or are equal. From opset 18
/// on, the last of equal parts may be smaller.
static FailureOr<SmallVector<OpFoldResult>> getParts(NodeContext &context,
                                                     OpFoldResult size) {
  constexpr int64_t kFirstUneven = 18;
  ImplicitLocOpBuilder &b = context.b;
  size_t count = context.node->getNumResults();
  AffineExpr s0, s1;
  bindSymbols(b.getContext(), s0, s1);
  SmallVector<OpFoldResult> parts;
  if (context.input(1)) {
    auto indices = context.getIndices(1);
    if (!indices)
      return context.unsupported("the number of parts is not known");
    parts = std::move(*indices);
  } else if (context.has("split")) {
    parts = getAsIndexOpFoldResult(b.getContext(), context.getInts("split"));
  } else {
    int64_t divisor = context.getInt("num_outputs", count);
    if (divisor <= 0)
      return context.unsupported("num_outputs must be positive, but got " +
                                 Twine(divisor));
    if (static_cast<size_t>(divisor) != count)
      return context.unsupported("expected as many splits as outputs (" +
                                 Twine(count) + "), but got " + Twine(divisor));
    bool isUneven = context.opset >= kFirstUneven;
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (!isUneven && constant && *constant % divisor != 0)
      return context.unsupported("the size " + Twine(*constant) +
                                 " is not divisible into " + Twine(divisor) +
                                 " equal parts");
    OpFoldResult part = computeIndex(
        b, isUneven ? s0.ceilDiv(divisor) : s0.floorDiv(divisor), size);
    parts.assign(divisor, part);
    if (isUneven)
      parts.back() = computeIndex(b, s0 - s1 * (divisor - 1), {size, part});
  }
  if (parts.size() != count)
    return context.unsupported("expected as many splits as outputs (" +
                               Twine(count) + "), but got " +
                               Twine(parts.size()));
  return parts;
}

NodeResults onnx_nodes::buildParts(NodeContext &context, Value tensor,
                                   int64_t axis, ArrayRef<OpFoldResult> parts) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  for (OpFoldResult part : parts)
    if (failed(context.requireAtLeast(0, part, "the size of a split")))
      return failure();
  OpFoldResult sum = context.computeSum(parts);
  // The sum of parts that are read at run time may overflow.
  for (OpFoldResult part : parts)
    if (!isEqualConstantIntOrValue(sizes[axis], sum) &&
        !getConstantIntValue(part) &&
        failed(context.requireAtMost(sizes[axis], part, "the size of a split")))
      return failure();
  if (failed(
          context.requireEqual(sizes[axis], sum, "the sum of all split sizes")))
    return failure();
  AffineExpr s0, s1;
  bindSymbols(b.getContext(), s0, s1);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  SmallVector<Value> results;
  for (OpFoldResult part : parts) {
    sizes[axis] = part;
    results.push_back(buildSlice(b, tensor, offsets, sizes, strides));
    offsets[axis] = computeIndex(b, s0 + s1, {offsets[axis], part});
  }
  return results;
}

NodeResults onnx_nodes::convertSplit(NodeContext &context) {
  Value input = context.inputs[0];
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), sizes.size());
  if (failed(axis))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> parts = getParts(context, sizes[*axis]);
  if (failed(parts))
    return failure();
  return buildParts(context, input, *axis, *parts);
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

namespace {
/// The selected range of an axis.
struct AxisRange {
  OpFoldResult start, size;
  int64_t step;
};
} // namespace

/// Negative starts and ends count from the end. With a positive step, both are
/// clamped to [0, n]. With a negative step, the start is clamped to [0, n-1]
/// and the end to [-1, n-1]. Folds constants.
static AxisRange computeRange(ImplicitLocOpBuilder &b, OpFoldResult axisSize,
                              OpFoldResult start, OpFoldResult end,
                              int64_t step) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value n = makeIndex(b, axisSize), zero = constant(0);
  Value last = b.createOrFold<arith::SubIOp>(n, constant(1));
  auto clamp = [&](OpFoldResult position, Value low, Value high) {
    Value value = makeIndex(b, position);
    Value isNegative =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, value, zero);
    value = b.createOrFold<arith::SelectOp>(
        isNegative, b.createOrFold<arith::AddIOp>(value, n), value);
    return b.createOrFold<arith::MinSIOp>(
        b.createOrFold<arith::MaxSIOp>(value, low), high);
  };
  bool isForward = step > 0;
  // Every axis includes 0, so that no clamp is needed.
  Value from = isForward && isConstantIntValue(start, 0)
                   ? zero
                   : clamp(start, zero, isForward ? n : last);
  // Models write these values for the end of an axis of unknown size. Returning
  // `n` itself shows that the size does not change.
  bool reachesEnd =
      isForward && !getConstantIntValue(axisSize) &&
      (isConstantIntValue(end, std::numeric_limits<int32_t>::max()) ||
       isConstantIntValue(end, std::numeric_limits<int64_t>::max()));
  Value to = reachesEnd ? n
                        : clamp(end, isForward ? zero : constant(-1),
                                isForward ? n : last);
  Value distance = isForward ? b.createOrFold<arith::SubIOp>(to, from)
                             : b.createOrFold<arith::SubIOp>(from, to);
  // A size is never negative.
  if (distance != n)
    distance = b.createOrFold<arith::MaxSIOp>(distance, zero);
  Value size = distance;
  if (step != 1 && step != -1)
    size =
        b.createOrFold<arith::CeilDivUIOp>(distance, constant(std::abs(step)));
  return {getAsOpFoldResult(from), getAsOpFoldResult(size), step};
}

/// Element i of the result is element start + i * step of the input, on each
/// axis.
static Value buildStrided(NodeContext &context, Value input,
                          ArrayRef<AxisRange> ranges) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> offsets, sizes, strides;
  bool isForward = true;
  for (const AxisRange &range : ranges) {
    offsets.push_back(range.start);
    sizes.push_back(range.size);
    strides.push_back(b.getIndexAttr(range.step));
    isForward &= range.step > 0;
  }
  Type elementType = context.elementType(0);
  // The offset of an empty slice may be the size of the axis, which is out of
  // bounds.
  if (llvm::any_of(
          sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); }))
    return tensor::EmptyOp::create(b, sizes, elementType);
  if (isForward)
    return buildSlice(b, input, offsets, sizes, strides);
  return buildParallel(
      b, sizes, elementType, {}, {},
      [&](ImplicitLocOpBuilder &inner, ValueRange) -> Value {
        AffineExpr d0 = inner.getAffineDimExpr(0);
        AffineExpr s0 = inner.getAffineSymbolExpr(0);
        SmallVector<Value> position;
        for (auto [axis, range] : llvm::enumerate(ranges)) {
          Value i = linalg::IndexOp::create(inner, axis);
          position.push_back(
              makeIndex(inner, computeIndex(inner, d0 * range.step + s0,
                                            {OpFoldResult(i), range.start})));
        }
        return tensor::ExtractOp::create(inner, input, position);
      });
}

/// `axes` defaults to the leading axes, and `steps` to 1.
static NodeResults sliceAxes(NodeContext &context,
                             ArrayRef<OpFoldResult> starts,
                             ArrayRef<OpFoldResult> ends,
                             std::optional<SmallVector<int64_t>> axes,
                             std::optional<SmallVector<int64_t>> steps) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> from = context.getSizes(context.inputs[0]);
  if (!axes)
    axes = llvm::to_vector(llvm::seq<int64_t>(starts.size()));
  if (!steps)
    steps.emplace(starts.size(), 1);
  if (ends.size() != starts.size() || axes->size() != starts.size() ||
      steps->size() != starts.size())
    return context.unsupported(
        "starts, ends, axes and steps must have the same number of elements");
  auto normalized = context.normalizeAxes(*axes, from.size());
  if (failed(normalized))
    return failure();

  SmallVector<AxisRange> ranges;
  for (OpFoldResult size : from)
    ranges.push_back({b.getIndexAttr(0), size, 1});
  for (auto [index, axis] : llvm::enumerate(*normalized)) {
    int64_t step = (*steps)[index];
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      return context.unsupported("a step must not be 0 or -2^63, but got " +
                                 Twine(step));
    ranges[axis] = computeRange(b, from[axis], starts[index], ends[index],
                                (*steps)[index]);
  }

  // Slice the scalars of shape arithmetic directly.
  Value input = context.inputs[0];
  std::optional<SmallVector<Value>> scalars = context.getScalars(input);
  if (scalars && ranges.size() == 1) {
    std::optional<int64_t> start = getConstantIntValue(ranges[0].start);
    std::optional<int64_t> size = getConstantIntValue(ranges[0].size);
    if (start && size) {
      SmallVector<Value> chosen;
      for (int64_t i = 0; i < *size; ++i)
        chosen.push_back((*scalars)[*start + i * ranges[0].step]);
      return SmallVector<Value>{context.makeTensor(
          chosen, RankedTensorType::get({*size}, context.elementType(0)))};
    }
  }
  return SmallVector<Value>{buildStrided(context, input, ranges)};
}

/// Like sliceAxes, but axes or steps are elements that are read at run time.
/// Every axis may be any of the named ones and have a step of either sign.
static NodeResults sliceReadAxes(NodeContext &context,
                                 ArrayRef<OpFoldResult> starts,
                                 ArrayRef<OpFoldResult> ends,
                                 ArrayRef<OpFoldResult> axes,
                                 ArrayRef<OpFoldResult> steps) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.inputs[0];
  SmallVector<OpFoldResult> from = context.getSizes(input);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size())
    return context.unsupported(
        "starts, ends, axes and steps must have the same number of elements");
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value one, Value other) {
    return b.createOrFold<arith::CmpIOp>(predicate, one, other);
  };
  auto select = [&](Value condition, Value one, Value other) {
    return b.createOrFold<arith::SelectOp>(condition, one, other);
  };
  auto subtract = [&](Value one, Value other) {
    return b.createOrFold<arith::SubIOp>(one, other);
  };
  Value zero = constant(0);
  auto isNegative = [&](Value value) {
    return compare(arith::CmpIPredicate::slt, value, zero);
  };
  auto normalized = context.normalizeAxes(axes, from.size());
  if (failed(normalized))
    return failure();
  for (OpFoldResult step : steps) {
    Value stepValue = makeIndex(b, step);
    Value length =
        select(isNegative(stepValue), subtract(zero, stepValue), stepValue);
    if (failed(context.requireAtLeast(1, getAsOpFoldResult(length), "a step")))
      return failure();
  }
  SmallVector<OpFoldResult> sizes;
  SmallVector<std::pair<Value, Value>> slices;
  for (auto [index, size] : llvm::enumerate(from)) {
    Value n = makeIndex(b, size), start = zero, step = constant(1);
    Value end = constant(std::numeric_limits<int64_t>::max());
    for (auto [i, axis] : llvm::enumerate(*normalized)) {
      Value isNamed = isIndex(b, makeIndex(b, axis), index);
      start = select(isNamed, makeIndex(b, starts[i]), start);
      end = select(isNamed, makeIndex(b, ends[i]), end);
      step = select(isNamed, makeIndex(b, steps[i]), step);
    }
    // See computeRange.
    Value isBack = isNegative(step);
    Value max = select(isBack, subtract(n, constant(1)), n);
    auto clamp = [&](Value value, Value min) {
      value = select(isNegative(value), b.createOrFold<arith::AddIOp>(value, n),
                     value);
      return b.createOrFold<arith::MinSIOp>(
          b.createOrFold<arith::MaxSIOp>(value, min), max);
    };
    Value first = clamp(start, zero);
    Value last = clamp(end, select(isBack, constant(-1), zero));
    Value distance =
        select(isBack, subtract(first, last), subtract(last, first));
    distance = b.createOrFold<arith::MaxSIOp>(distance, zero);
    Value length = select(isBack, subtract(zero, step), step);
    // The assertions reject a step of 0, but shape functions may evaluate the
    // sizes before.
    length = b.createOrFold<arith::MaxUIOp>(length, constant(1));
    sizes.push_back(getAsOpFoldResult(
        b.createOrFold<arith::CeilDivUIOp>(distance, length)));
    slices.push_back({first, step});
  }
  return SmallVector<Value>{buildParallel(
      b, sizes, context.elementType(0), {}, {},
      [&](ImplicitLocOpBuilder &inner, ValueRange) -> Value {
        SmallVector<Value> position;
        for (auto [axis, slice] : llvm::enumerate(slices)) {
          Value i = linalg::IndexOp::create(inner, axis);
          Value offset = arith::MulIOp::create(inner, i, slice.second);
          position.push_back(arith::AddIOp::create(inner, slice.first, offset));
        }
        return tensor::ExtractOp::create(inner, input, position);
      })};
}

NodeResults onnx_nodes::convertFixedSlice(NodeContext &context) {
  MLIRContext *mlirContext = context.b.getContext();
  std::optional<SmallVector<int64_t>> axes;
  if (context.has("axes"))
    axes = context.getInts("axes");
  return sliceAxes(
      context, getAsIndexOpFoldResult(mlirContext, context.getInts("starts")),
      getAsIndexOpFoldResult(mlirContext, context.getInts("ends")), axes,
      std::nullopt);
}

NodeResults onnx_nodes::convertSlice(NodeContext &context) {
  auto starts = context.getIndices(1), ends = context.getIndices(2);
  if (!starts || !ends)
    return context.unsupported(
        "the number of elements of starts and ends must be known");
  auto axes = context.getConstantInts(3), steps = context.getConstantInts(4);
  if ((context.input(3) && !axes) || (context.input(4) && !steps)) {
    ImplicitLocOpBuilder &b = context.b;
    auto read = [&](size_t index, llvm::function_ref<int64_t(int64_t)> other) {
      if (context.input(index))
        return context.getIndices(index);
      SmallVector<OpFoldResult> all;
      for (int64_t i = 0, n = starts->size(); i < n; ++i)
        all.push_back(b.getIndexAttr(other(i)));
      return std::optional(std::move(all));
    };
    auto someAxes = read(3, [](int64_t i) { return i; });
    auto someSteps = read(4, [](int64_t) { return 1; });
    if (!someAxes || !someSteps)
      return context.unsupported(
          "the number of elements of axes and steps must be known");
    return sliceReadAxes(context, *starts, *ends, *someAxes, *someSteps);
  }
  return sliceAxes(context, *starts, *ends, axes, steps);
}
