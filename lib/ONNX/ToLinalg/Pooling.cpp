//===- Pooling.cpp - Lowering of MaxPool, AveragePool and LpPool ----------===//
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

namespace {
/// Pooling as a loop nest: batch, channel, windows, elements of a window.
struct Pooling {
  explicit Pooling(NodeContext &context)
      : context(context), b(context.b),
        sizes(context.getSizes(context.input(0))),
        elementType(context.elementType(0)), type(getComputeType(elementType)) {
  }

  LogicalResult analyze();
  /// Whether a single window covers the entire input.
  bool isGlobal() const;
  /// Reduces the elements of each window by `body`. The input is padded with
  /// `pad`.
  SmallVector<Value> fold(Value pad, ValueRange inits, ReductionBody body);
  /// Returns the sum over each window of `term` of its elements. The input is
  /// padded with 0.
  Value
  sum(llvm::function_ref<Value(ImplicitLocOpBuilder &b, Value element)> term);

  NodeContext &context;
  ImplicitLocOpBuilder &b;
  SmallVector<OpFoldResult> sizes, resultSizes;
  Type elementType, type;
  SmallVector<WindowAxis> windows;
};
} // namespace

LogicalResult Pooling::analyze() {
  if (sizes.size() < 3)
    return context.unsupported("the input must have rank 3 or more, but got " +
                               Twine(sizes.size()));
  FailureOr<SmallVector<OpFoldResult>> kernel =
      getKernelShape(context, sizes.size() - 2);
  if (failed(kernel))
    return failure();
  FailureOr<SmallVector<WindowAxis>> found =
      getWindows(context, ArrayRef(sizes).drop_front(2), *kernel);
  if (failed(found))
    return failure();
  windows = *found;
  resultSizes = {sizes[0], sizes[1]};
  resultSizes.append(getOutputSizes(windows));
  return success();
}

bool Pooling::isGlobal() const {
  return llvm::all_of(windows, [](const WindowAxis &window) {
    std::optional<int64_t> size = getConstantIntValue(window.input);
    return size && *size > 0 && isConstantIntValue(window.kernel, *size) &&
           window.dilation == 1 && isConstantIntValue(window.padLow, 0) &&
           isConstantIntValue(window.output, 1);
  });
}

SmallVector<Value> Pooling::fold(Value pad, ValueRange inits,
                                 ReductionBody body) {
  size_t rank = sizes.size(), numLoops = rank + windows.size();
  SmallVector<AffineExpr> inputExprs = {b.getAffineDimExpr(0),
                                        b.getAffineDimExpr(1)};
  SmallVector<AffineExpr> windowExprs;
  SmallVector<OpFoldResult> kernel;
  for (auto [index, window] : llvm::enumerate(windows)) {
    AffineExpr output = b.getAffineDimExpr(2 + index);
    AffineExpr element = b.getAffineDimExpr(rank + index);
    inputExprs.push_back(window.getPosition(output, element));
    windowExprs.push_back(element);
    kernel.push_back(window.kernel);
  }
  // The window tensor is never read. It defines the trip counts of the loops
  // over the window.
  Value window = tensor::EmptyOp::create(b, kernel, type);
  Value input = padForWindows(context, context.input(0), pad, windows);
  MLIRContext *mlirContext = b.getContext();
  SmallVector<AffineExpr> resultExprs(
      b.getMultiDimIdentityMap(rank).getResults());
  return buildReduction(
      b, {input, window},
      {AffineMap::get(numLoops, 0, inputExprs, mlirContext),
       AffineMap::get(numLoops, 0, windowExprs, mlirContext)},
      inits, AffineMap::get(numLoops, 0, resultExprs, mlirContext), body);
}

Value Pooling::sum(
    llvm::function_ref<Value(ImplicitLocOpBuilder &b, Value element)> term) {
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) -> SmallVector<Value> {
    return {buildCombine(b, Combine::Sum, accumulators[0], term(b, elements[0]),
                         /*isUnsigned=*/false)};
  };
  return fold(makeNumber(b, elementType, 0),
              buildFilled(b, resultSizes, makeNumber(b, type, 0)), body)
      .front();
}

//===----------------------------------------------------------------------===//
// MaxPool
//===----------------------------------------------------------------------===//

/// Builds, in the body, the index of the element in the flattened input, or -1
/// in the padding. If `columnMajor`, the first of the spatial axes varies
/// fastest.
static Value buildFlatIndex(ImplicitLocOpBuilder &b, const Pooling &pooling,
                            bool columnMajor) {
  size_t rank = pooling.sizes.size(), count = pooling.windows.size();
  Value isInside;
  SmallVector<Value> positions;
  auto toValue = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
  };
  for (auto [index, window] : llvm::enumerate(pooling.windows)) {
    OpFoldResult output = linalg::IndexOp::create(b, 2 + index).getResult();
    OpFoldResult element = linalg::IndexOp::create(b, rank + index).getResult();
    Value position = toValue(computeIndex(
        b,
        window.getPosition(b.getAffineSymbolExpr(0), b.getAffineSymbolExpr(1)) -
            b.getAffineSymbolExpr(2),
        {output, element, window.padLow}));
    // One unsigned comparison checks both bounds.
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position,
                                       toValue(window.input));
    isInside =
        isInside ? arith::AndIOp::create(b, isInside, fits).getResult() : fits;
    positions.push_back(position);
  }
  auto append = [&](Value flat, OpFoldResult size, Value position) -> Value {
    Value scaled = arith::MulIOp::create(b, flat, toValue(size));
    return arith::AddIOp::create(b, scaled, position);
  };
  Value flat = append(linalg::IndexOp::create(b, 0), pooling.sizes[1],
                      linalg::IndexOp::create(b, 1));
  for (size_t i = 0; i < count; ++i) {
    size_t axis = columnMajor ? count - 1 - i : i;
    flat = append(flat, pooling.windows[axis].input, positions[axis]);
  }
  flat = arith::IndexCastOp::create(b, b.getI64Type(), flat);
  return arith::SelectOp::create(b, isInside, flat,
                                 makeNumber(b, b.getI64Type(), -1));
}

NodeResults onnx_nodes::convertMaxPool(NodeContext &context) {
  Pooling pooling(context);
  if (failed(pooling.analyze()))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = pooling.elementType;
  bool isUnsigned = isUnsignedElement(elementType);
  Value min = makeNeutral(b, Combine::Max, pooling.type, isUnsigned);
  Value pad = fromCompute(b, min, elementType);
  SmallVector<Value> inits = {buildFilled(b, pooling.resultSizes, min)};
  bool hasIndices = context.node.getNumResults() > 1 &&
                    !context.node.getResult(1).use_empty();
  bool columnMajor = context.getFlag("storage_order");
  if (!hasIndices && pooling.isGlobal()) {
    auto axes = llvm::to_vector(llvm::seq<int64_t>(2, pooling.sizes.size()));
    Value max =
        buildReductionOfAxes(context, context.input(0), axes, Combine::Max);
    max = convertFromCompute(context, max, elementType);
    return SmallVector<Value>{context.reshape(max, pooling.resultSizes)};
  }
  if (hasIndices)
    inits.push_back(
        buildFilled(b, pooling.resultSizes, makeNumber(b, b.getI64Type(), -1)));
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) -> SmallVector<Value> {
    Value element = toCompute(b, elements[0]);
    Value max =
        buildCombine(b, Combine::Max, accumulators[0], element, isUnsigned);
    if (!hasIndices)
      return {max};
    // Take the first of equal elements, and any element of the input rather
    // than padding.
    Value index = buildFlatIndex(b, pooling, columnMajor);
    Value none = makeNumber(b, b.getI64Type(), -1);
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          accumulators[1], none);
    Value isMore =
        isa<FloatType>(element.getType())
            ? arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, element,
                                    accumulators[0])
                  .getResult()
            : arith::CmpIOp::create(b,
                                    isUnsigned ? arith::CmpIPredicate::ugt
                                               : arith::CmpIPredicate::sgt,
                                    element, accumulators[0])
                  .getResult();
    Value takes = arith::OrIOp::create(b, isFirst, isMore);
    return {max, arith::SelectOp::create(b, takes, index, accumulators[1])};
  };
  SmallVector<Value> results = pooling.fold(pad, inits, body);
  results[0] = convertFromCompute(context, results[0], elementType);
  return results;
}

//===----------------------------------------------------------------------===//
// AveragePool
//===----------------------------------------------------------------------===//

/// Returns, as floats, the number of elements that each window along an axis
/// has in the input. With `countPads` it also counts the padding, except for
/// the padding that ceil_mode adds.
static Value buildCounts(ImplicitLocOpBuilder &b, const WindowAxis &window,
                         bool countPads, Type type) {
  // Element k of window o is at o * stride + k * dilation in the padded input.
  // Count the elements in [low, high).
  OpFoldResult low =
      countPads ? OpFoldResult(b.getIndexAttr(0)) : window.padLow;
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  OpFoldResult high = computeIndex(b, s0 + s1, {window.input, window.padLow});
  if (countPads)
    high = computeIndex(b, s0 + s1, {high, window.specifiedHigh});
  return buildParallel(
      b, window.output, type, {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
        OpFoldResult output = linalg::IndexOp::create(b, 0).getResult();
        // The number of the window's elements before `end`.
        auto countBefore = [&](OpFoldResult end) {
          AffineExpr count = (s0 - s1 * window.stride).ceilDiv(window.dilation);
          OpFoldResult before = computeIndex(b, count, {end, output});
          AffineMap atLeast = AffineMap::get(
              0, 1, {s0, b.getAffineConstantExpr(0)}, b.getContext());
          before = affine::makeComposedFoldedAffineMax(b, b.getLoc(), atLeast,
                                                       before);
          AffineMap atMost = AffineMap::get(0, 2, {s0, s1}, b.getContext());
          return affine::makeComposedFoldedAffineMin(b, b.getLoc(), atMost,
                                                     {before, window.kernel});
        };
        OpFoldResult count =
            computeIndex(b, s0 - s1, {countBefore(high), countBefore(low)});
        Value integer = arith::IndexCastOp::create(
            b, b.getI64Type(),
            getValueOrCreateConstantIndexOp(b, b.getLoc(), count));
        return arith::SIToFPOp::create(b, type, integer);
      });
}

NodeResults onnx_nodes::convertAveragePool(NodeContext &context) {
  Pooling pooling(context);
  if (failed(pooling.analyze()))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = pooling.elementType, type = pooling.type;
  Value sums = pooling.sum([](ImplicitLocOpBuilder &b, Value element) {
    return toCompute(b, element);
  });

  // The number of elements of a window is the product of the numbers along each
  // axis.
  bool countPads = context.getFlag("count_include_pad");
  size_t rank = pooling.sizes.size();
  SmallVector<Value> inputs = {sums};
  SmallVector<SmallVector<int64_t>> axes = {
      llvm::to_vector(llvm::seq<int64_t>(rank))};
  for (auto [index, window] : llvm::enumerate(pooling.windows)) {
    inputs.push_back(buildCounts(b, window, countPads, type));
    axes.push_back({static_cast<int64_t>(2 + index)});
  }
  return SmallVector<Value>{buildAlongAxes(
      context, pooling.resultSizes, elementType, inputs, axes,
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value count = args[1];
        for (Value extent : args.drop_front(2))
          count = b.createOrFold<arith::MulFOp>(count, extent);
        return fromCompute(b, b.createOrFold<arith::DivFOp>(args[0], count),
                           elementType);
      })};
}

//===----------------------------------------------------------------------===//
// LpPool
//===----------------------------------------------------------------------===//

static NodeResults buildLpPool(NodeContext &context, double p) {
  Pooling pooling(context);
  if (failed(pooling.analyze()))
    return failure();
  if (!(p > 0))
    return context.unsupported("attribute 'p' must be above 0");
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = pooling.elementType;
  Value sums = pooling.sum([&](ImplicitLocOpBuilder &b, Value element) {
    return buildPower(b, toCompute(b, element), p);
  });
  return SmallVector<Value>{buildParallel(
      b, pooling.resultSizes, elementType, sums,
      b.getMultiDimIdentityMap(pooling.resultSizes.size()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        return fromCompute(b, buildRoot(b, args[0], p), elementType);
      })};
}

NodeResults onnx_nodes::convertLpPool(NodeContext &context) {
  return buildLpPool(context, context.getInt("p"));
}

NodeResults onnx_nodes::convertLpPoolV1(NodeContext &context) {
  return buildLpPool(context, context.getFloat("p"));
}
