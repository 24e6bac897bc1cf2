//===- Contractions.cpp - Products of matrices ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

namespace {
/// The loops of a product of matrices: batch axes, rows, columns, summed axis.
struct ProductLoops {
  /// The sizes of the result.
  SmallVector<OpFoldResult> sizes;
  AffineMap lhs, rhs, result;
  int64_t numLoops = 0;
};
} // namespace

static LogicalResult checkSummedSizes(NodeContext &context, OpFoldResult lhs,
                                      OpFoldResult rhs) {
  return context.requireEqual(lhs, rhs, "the size of the summed axis");
}

/// numpy.matmul: an input of rank 1 is a row on the left and a column on the
/// right, without that axis in the result; axes before the last two broadcast.
static FailureOr<ProductLoops> getProductLoops(NodeContext &context, Value lhs,
                                               Value rhs) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> lhsSizes = context.getSizes(lhs);
  SmallVector<OpFoldResult> rhsSizes = context.getSizes(rhs);
  if (lhsSizes.empty() || rhsSizes.empty())
    return context.unsupported(
        "a factor must have rank 1 or more, but got a scalar");
  bool hasRows = lhsSizes.size() > 1, hasColumns = rhsSizes.size() > 1;
  if (failed(checkSummedSizes(context, lhsSizes.back(),
                              hasColumns ? rhsSizes[rhsSizes.size() - 2]
                                         : rhsSizes.back())))
    return failure();
  auto getBatch = [](ArrayRef<OpFoldResult> sizes) {
    return SmallVector<OpFoldResult>(
        sizes.drop_back(std::min<size_t>(sizes.size(), 2)));
  };
  SmallVector<OpFoldResult> lhsBatch = getBatch(lhsSizes);
  SmallVector<OpFoldResult> rhsBatch = getBatch(rhsSizes);
  FailureOr<SmallVector<OpFoldResult>> batch =
      broadcastSizes(context, {lhsBatch, rhsBatch});
  if (failed(batch))
    return failure();

  ProductLoops loops;
  loops.sizes = *batch;
  int64_t row = batch->size(), column = row + hasRows;
  int64_t summed = column + hasColumns;
  loops.numLoops = summed + 1;
  auto getMap = [&](ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> inner) {
    SmallVector<AffineExpr> exprs(
        getBroadcastMap(b.getContext(), sizes, *batch).getResults());
    for (int64_t loop : inner)
      exprs.push_back(b.getAffineDimExpr(loop));
    return AffineMap::get(loops.numLoops, 0, exprs, b.getContext());
  };
  SmallVector<int64_t> lhsInner, rhsInner;
  if (hasRows) {
    lhsInner.push_back(row);
    loops.sizes.push_back(lhsSizes[lhsSizes.size() - 2]);
  }
  lhsInner.push_back(summed);
  rhsInner.push_back(summed);
  if (hasColumns) {
    rhsInner.push_back(column);
    loops.sizes.push_back(rhsSizes.back());
  }
  loops.lhs = getMap(lhsBatch, lhsInner);
  loops.rhs = getMap(rhsBatch, rhsInner);
  loops.result = AffineMap::getMultiDimIdentityMap(summed, b.getContext());
  loops.result = AffineMap::get(loops.numLoops, 0, loops.result.getResults(),
                                b.getContext());
  return loops;
}

static SmallVector<Value> multiplyElements(ImplicitLocOpBuilder &b,
                                           ValueRange elements,
                                           ValueRange accumulators) {
  return multiplyAndAdd(b, elements, accumulators);
}

NodeResults onnx_nodes::convertMatMul(NodeContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  FailureOr<ProductLoops> loops =
      getProductLoops(context, context.input(0), context.input(1));
  if (failed(loops))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = context.elementType(0);
  Value zero = makeNumber(b, getComputeType(elementType), 0);
  Value sums = buildReduction(b, {context.input(0), context.input(1)},
                              {loops->lhs, loops->rhs},
                              buildFilled(b, loops->sizes, zero), loops->result,
                              multiplyElements)
                   .front();
  return SmallVector<Value>{convertFromCompute(context, sums, elementType)};
}

/// Where the zero point or scale `parameter` (an input) of an element of one of
/// the factors is: one for all, one for each row (column), or one for each row
/// (column) of each matrix. `map` is the factor's own.
static FailureOr<AffineMap> getParameterMap(NodeContext &context, Value factor,
                                            size_t parameter, bool isLeft,
                                            AffineMap map) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> factorSizes = context.getSizes(factor);
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(parameter));
  SmallVector<AffineExpr> exprs;
  // Rows are the last axis but one on the left, columns the last on the right.
  size_t vectorAxis = factorSizes.size() - (isLeft ? 2 : 1);
  bool isVector = sizes.size() == 1 && factorSizes.size() > 1;
  if (sizes.size() > 1 && sizes.size() != factorSizes.size())
    return context.unsupported("input " + Twine(parameter) + " has rank " +
                               Twine(sizes.size()) + ", but its factor " +
                               Twine(factorSizes.size()));
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    if (isConstantIntValue(size, 1)) {
      exprs.push_back(b.getAffineConstantExpr(0));
      continue;
    }
    size_t factorAxis = isVector ? vectorAxis : axis;
    if (failed(context.requireEqual(factorSizes[factorAxis], size,
                                    "the number of elements of input " +
                                        Twine(parameter))))
      return failure();
    exprs.push_back(map.getResult(factorAxis));
  }
  return AffineMap::get(map.getNumDims(), 0, exprs, b.getContext());
}

/// The sums of products, less zero points.
static NodeResults multiplyQuantized(NodeContext &context,
                                     const ProductLoops &loops,
                                     const QuantizedFactors &factors,
                                     Type type) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<Value> inputs;
  for (size_t value : factors.values)
    inputs.push_back(context.input(value));
  SmallVector<AffineMap> maps = {loops.lhs, loops.rhs};
  // The positions among the operands.
  std::optional<size_t> zeroPoints[2];
  for (size_t i : {0, 1}) {
    Value zeroPoint = context.input(factors.zeroPoints[i]);
    if (!zeroPoint)
      continue;
    FailureOr<AffineMap> map = getParameterMap(
        context, inputs[i], factors.zeroPoints[i], i == 0, maps[i]);
    if (failed(map))
      return failure();
    zeroPoints[i] = inputs.size();
    inputs.push_back(zeroPoint);
    maps.push_back(*map);
  }
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) {
    return multiplyAndAdd(b, elements, accumulators, zeroPoints);
  };
  Value init = buildFilled(b, loops.sizes, makeNumber(b, type, 0));
  return buildReduction(b, inputs, maps, init, loops.result, body);
}

NodeResults onnx_nodes::convertMatMulInteger(NodeContext &context) {
  QuantizedFactors factors;
  FailureOr<Type> type = requireFactors(context, factors);
  if (failed(type))
    return failure();
  FailureOr<ProductLoops> loops =
      getProductLoops(context, context.input(0), context.input(1));
  if (failed(loops))
    return failure();
  return multiplyQuantized(context, *loops, factors, *type);
}

/// `elements` are the kinds of the quantized tensors.
static NodeResults buildQLinearMatMul(NodeContext &context, unsigned elements) {
  constexpr size_t kScales[] = {1, 4, 6};
  constexpr size_t kResultPoint = 7;
  QuantizedFactors factors{{0, 3}, {2, 5}, elements};
  FailureOr<Type> type = requireFactors(context, factors);
  if (failed(type) || failed(context.requireKind(kResultPoint, elements)) ||
      failed(context.requireKind(kScales[0], kinds::Single)))
    return failure();
  for (size_t scale : kScales)
    if (failed(
            context.requireElementType(scale, context.elementType(kScales[0]))))
      return failure();
  Value inputs[] = {context.input(0), context.input(3)};
  FailureOr<ProductLoops> loops =
      getProductLoops(context, inputs[0], inputs[1]);
  if (failed(loops))
    return failure();
  // The result has all loops but the summed one, the last.
  AffineMap factorMaps[] = {loops->lhs, loops->rhs};
  unsigned summed = loops->numLoops - 1;
  SmallVector<AffineMap> maps;
  for (size_t i : {0, 1}) {
    FailureOr<AffineMap> map =
        getParameterMap(context, inputs[i], kScales[i], i == 0, factorMaps[i]);
    if (failed(map))
      return failure();
    if (map->isFunctionOfDim(summed))
      return context.unsupported("input " + Twine(kScales[i]) +
                                 " must have one element along the summed "
                                 "axis");
    maps.push_back(
        AffineMap::get(summed, 0, map->getResults(), context.b.getContext()));
  }
  NodeResults sums = multiplyQuantized(context, *loops, factors, *type);
  if (failed(sums))
    return failure();
  return buildRequantized(context, sums->front(), kScales, maps, kResultPoint);
}

NodeResults onnx_nodes::convertByteQLinearMatMul(NodeContext &context) {
  if (failed(context.requireElementType(1, context.b.getF32Type())))
    return failure();
  return buildQLinearMatMul(context, kinds::Byte);
}

NodeResults onnx_nodes::convertQLinearMatMul(NodeContext &context) {
  return buildQLinearMatMul(context, kinds::Byte | kinds::Float8);
}

/// alpha * product + beta * C, as far as they are not 1.
static NodeResults finishGemm(NodeContext &context, Value product,
                              ArrayRef<OpFoldResult> sizes) {
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = context.elementType(0);
  float alpha = context.getFloat("alpha"), beta = context.getFloat("beta");
  Value addend = beta == 0 ? Value() : context.input(2);
  auto isWhole = [](float value) { return value == std::round(value); };
  if (isa<IntegerType>(elementType) && (!isWhole(alpha) || !isWhole(beta)))
    return context.unsupported("alpha and beta must be whole numbers for " +
                               Twine("integers"));
  SmallVector<Value> inputs = {product};
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(2)};
  if (addend) {
    SmallVector<OpFoldResult> addendSizes = context.getSizes(addend);
    FailureOr<SmallVector<OpFoldResult>> broadcast = broadcastSizes(
        context, {SmallVector<OpFoldResult>(sizes), addendSizes});
    if (failed(broadcast))
      return failure();
    if (getShape(*broadcast) != getShape(sizes))
      return context.unsupported("input 2 is larger than the product");
    inputs.push_back(addend);
    maps.push_back(getBroadcastMap(b.getContext(), addendSizes, sizes));
  } else if (alpha == 1) {
    return SmallVector<Value>{
        convertFromCompute(context, product, elementType)};
  }
  auto scale = [](ImplicitLocOpBuilder &b, Value value, float factor) {
    if (factor == 1)
      return value;
    return buildCombine(b, Combine::Product, value,
                        makeNumber(b, value.getType(), factor),
                        /*isUnsigned=*/false);
  };
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange args) {
    Value value = scale(b, args[0], alpha);
    if (addend)
      value = buildCombine(b, Combine::Sum, value,
                           scale(b, toCompute(b, args[1]), beta),
                           /*isUnsigned=*/false);
    return fromCompute(b, value, elementType);
  };
  return SmallVector<Value>{
      buildParallel(b, sizes, elementType, inputs, maps, body)};
}

NodeResults onnx_nodes::convertGemm(NodeContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  if (context.type(0).getRank() != 2 || context.type(1).getRank() != 2)
    return context.unsupported("the factors must have rank 2");
  bool transposed[] = {context.getFlag("transA"), context.getFlag("transB")};
  SmallVector<OpFoldResult> lhs = context.getSizes(context.input(0));
  SmallVector<OpFoldResult> rhs = context.getSizes(context.input(1));
  if (failed(
          checkSummedSizes(context, lhs[!transposed[0]], rhs[transposed[1]])))
    return failure();
  SmallVector<OpFoldResult> sizes = {lhs[transposed[0]], rhs[!transposed[1]]};
  AffineExpr row, column, summed;
  bindDims(b.getContext(), row, column, summed);
  auto getMap = [&](AffineExpr first, AffineExpr second, bool swap) {
    if (swap)
      std::swap(first, second);
    return AffineMap::get(3, 0, {first, second}, b.getContext());
  };
  Value zero = makeNumber(b, getComputeType(context.elementType(0)), 0);
  Value product = buildReduction(b, {context.input(0), context.input(1)},
                                 {getMap(row, summed, transposed[0]),
                                  getMap(summed, column, transposed[1])},
                                 buildFilled(b, sizes, zero),
                                 getMap(row, column, false), multiplyElements)
                      .front();
  return finishGemm(context, product, sizes);
}
