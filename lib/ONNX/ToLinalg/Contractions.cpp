//===- Contractions.cpp - MatMul, Gemm and quantized matmuls --------------===//
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
#include "quant-float/IR/OpsetRules.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

namespace {
/// The loops of a matmul: the batch axes, M, N, and K, which is the last.
struct WeightContractionLoops {
  /// The sizes of the result.
  SmallVector<OpFoldResult> sizes;
  AffineMap lhs, rhs, result;
  int64_t numLoops = 0;
};
} // namespace

static LogicalResult checkReductionSizes(NodeContext &context, OpFoldResult lhs,
                                         OpFoldResult rhs) {
  return context.requireEqual(lhs, rhs, "the size of the reduction axis");
}

/// Follows numpy.matmul: a lhs of rank 1 is a row, a rhs of rank 1 is a column,
/// and the result does not have that axis. Axes before the last two are
/// broadcast.
static FailureOr<WeightContractionLoops> getMatmulLoops(NodeContext &context,
                                                        Value lhs, Value rhs) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> lhsSizes = context.getSizes(lhs);
  SmallVector<OpFoldResult> rhsSizes = context.getSizes(rhs);
  if (lhsSizes.empty() || rhsSizes.empty())
    return context.unsupported(
        "an operand must have rank 1 or more, but got a scalar");
  bool hasRows = lhsSizes.size() > 1, hasColumns = rhsSizes.size() > 1;
  if (failed(checkReductionSizes(context, lhsSizes.back(),
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

  WeightContractionLoops loops;
  loops.sizes = *batch;
  int64_t row = batch->size(), column = row + hasRows;
  int64_t k = column + hasColumns;
  loops.numLoops = k + 1;
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
  lhsInner.push_back(k);
  rhsInner.push_back(k);
  if (hasColumns) {
    rhsInner.push_back(column);
    loops.sizes.push_back(rhsSizes.back());
  }
  loops.lhs = getMap(lhsBatch, lhsInner);
  loops.rhs = getMap(rhsBatch, rhsInner);
  loops.result = AffineMap::getMultiDimIdentityMap(k, b.getContext());
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
  FailureOr<WeightContractionLoops> loops =
      getMatmulLoops(context, context.input(0), context.input(1));
  if (failed(loops))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = context.elementType(0);
  Value zero = makeNumber(b, getComputeType(elementType), 0);
  Value matmul = buildReduction(b, {context.input(0), context.input(1)},
                                {loops->lhs, loops->rhs},
                                buildFilled(b, loops->sizes, zero),
                                loops->result, multiplyElements)
                     .front();
  return SmallVector<Value>{convertFromCompute(context, matmul, elementType)};
}

/// Returns the indexing map of the input `parameter`, a zero point or scale of
/// `operand`. The input has one element, one element for each row
/// (lhs) or column (rhs), or one for each row or column of each matrix. `map`
/// is the indexing map of the operand; its last loop is K.
static FailureOr<AffineMap> getParameterMap(NodeContext &context, Value operand,
                                            size_t parameter, AffineMap map) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> operandSizes = context.getSizes(operand);
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(parameter));
  SmallVector<AffineExpr> exprs;
  // Of the last two axes of the operand, the one that is not K.
  AffineExpr k = b.getAffineDimExpr(map.getNumDims() - 1);
  size_t vectorAxis =
      operandSizes.size() - (map.getResults().back() == k ? 2 : 1);
  bool isVector = sizes.size() == 1 && operandSizes.size() > 1;
  if (sizes.size() > 1 && sizes.size() != operandSizes.size())
    return context.unsupported(
        "input " + Twine(parameter) + " has rank " + Twine(sizes.size()) +
        ", but its operand has rank " + Twine(operandSizes.size()));
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    if (isConstantIntValue(size, 1)) {
      exprs.push_back(b.getAffineConstantExpr(0));
      continue;
    }
    size_t operandAxis = isVector ? vectorAxis : axis;
    if (failed(context.requireEqual(operandSizes[operandAxis], size,
                                    "the number of elements of input " +
                                        Twine(parameter))))
      return failure();
    exprs.push_back(map.getResult(operandAxis));
  }
  return AffineMap::get(map.getNumDims(), 0, exprs, b.getContext());
}

FailureOr<AffineMap> onnx_nodes::getBiasMap(NodeContext &context, size_t index,
                                            ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> own = context.getSizes(context.input(index));
  if (own.size() != 1 || sizes.empty())
    return context.unsupported("input " + Twine(index) +
                               " must have rank 1, but got " +
                               Twine(own.size()));
  if (failed(context.requireEqual(sizes.back(), own.front(),
                                  "the size of input " + Twine(index))))
    return failure();
  return AffineMap::get(sizes.size(), 0,
                        context.b.getAffineDimExpr(sizes.size() - 1),
                        context.b.getContext());
}

/// Subtracts the zero points from the operands and multiplies them, with
/// accumulators of `type`.
static NodeResults multiplyQuantized(NodeContext &context,
                                     const WeightContractionLoops &loops,
                                     const QuantizedOperands &operands,
                                     Type type) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<Value> inputs;
  for (size_t value : operands.values)
    inputs.push_back(context.input(value));
  SmallVector<AffineMap> maps = {loops.lhs, loops.rhs};
  // The positions of the zero points in `inputs`.
  std::optional<size_t> zeroPoints[2];
  for (size_t i : {0, 1}) {
    Value zeroPoint = context.input(operands.zeroPoints[i]);
    if (!zeroPoint)
      continue;
    FailureOr<AffineMap> map =
        getParameterMap(context, inputs[i], operands.zeroPoints[i], maps[i]);
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
  QuantizedOperands operands;
  operands.acceptsOtherWidths = true;
  FailureOr<Type> type = requireOperands(context, operands);
  if (failed(type))
    return failure();
  FailureOr<WeightContractionLoops> loops =
      getMatmulLoops(context, context.input(0), context.input(1));
  if (failed(loops))
    return failure();
  return multiplyQuantized(context, *loops, operands, *type);
}

/// Accumulates in 32 bits with wraparound.
NodeResults onnx_nodes::convertMatMulInteger16(NodeContext &context) {
  for (size_t i : {0, 1})
    if (!context.elementType(i).isInteger(16))
      return context.unsupported("input " + Twine(i) +
                                 " must have integers of 16 bits, but got " +
                                 show(context.elementType(i)));
  FailureOr<WeightContractionLoops> loops =
      getMatmulLoops(context, context.input(0), context.input(1));
  if (failed(loops))
    return failure();
  NodeResults accumulators = multiplyQuantized(
      context, *loops, {{0, 1}, {2, 3}}, context.b.getI32Type());
  Type declared = getElementTypeOrSelf(context.node->getResult(0).getType());
  if (failed(accumulators) || !declared.isUnsignedInteger(32))
    return accumulators;
  return SmallVector<Value>{
      convertFromCompute(context, accumulators->front(), declared)};
}

/// Returns the indexing maps of the operands' scales in the loops of the
/// result, which are all loops but K, the last one.
static FailureOr<SmallVector<AffineMap>>
getScaleMaps(NodeContext &context, const WeightContractionLoops &loops,
             const QuantizedOperands &operands, ArrayRef<size_t> scales) {
  unsigned k = loops.numLoops - 1;
  AffineMap operandMaps[] = {loops.lhs, loops.rhs};
  SmallVector<AffineMap> maps;
  for (size_t i : {0, 1}) {
    FailureOr<AffineMap> map = getParameterMap(
        context, context.input(operands.values[i]), scales[i], operandMaps[i]);
    if (failed(map))
      return failure();
    if (map->isFunctionOfDim(k))
      return context.unsupported(
          "input " + Twine(scales[i]) +
          " must have one element along the reduction axis");
    maps.push_back(
        AffineMap::get(k, 0, map->getResults(), context.b.getContext()));
  }
  return maps;
}

/// `elements` are the permitted kinds of the quantized tensors.
static NodeResults buildQLinearMatMul(NodeContext &context, unsigned elements) {
  constexpr size_t kScales[] = {1, 4, 6};
  QuantizedOperands operands{{0, 3}, {2, 5}, elements};
  for (size_t scale : kScales)
    if (failed(
            context.requireElementType(scale, context.elementType(kScales[0]))))
      return failure();
  FailureOr<Type> type = requireOperands(context, operands);
  if (failed(type) || failed(context.requireKind(7, elements)))
    return failure();
  Type elementType = context.elementType(7);
  FailureOr<Quantization> result =
      getQuantization(context, kScales[2], elementType);
  FailureOr<WeightContractionLoops> loops =
      getMatmulLoops(context, context.input(0), context.input(3));
  if (failed(result) || failed(loops))
    return failure();
  FailureOr<SmallVector<AffineMap>> maps =
      getScaleMaps(context, *loops, operands, kScales);
  if (failed(maps))
    return failure();
  NodeResults accumulators =
      multiplyQuantized(context, *loops, operands, *type);
  if (failed(accumulators))
    return failure();
  return SmallVector<Value>{
      buildRequantized(context, accumulators->front(),
                       {context.input(kScales[0]), context.input(kScales[1])},
                       *maps, *result, elementType)};
}

NodeResults onnx_nodes::convertByteQLinearMatMul(NodeContext &context) {
  if (failed(context.requireElementType(1, context.b.getF32Type())))
    return failure();
  return buildQLinearMatMul(context, kinds::Byte);
}

NodeResults onnx_nodes::convertQLinearMatMul(NodeContext &context) {
  return buildQLinearMatMul(context, kinds::Byte | kinds::Float8);
}

/// Computes f32(acc) * (scale * scale) + bias, without the bias if there is
/// none, and rounds the result to `elementType`. `maps` are the indexing maps
/// of the scales and of the bias.
static Value buildScaled(NodeContext &context, Value accumulators,
                         ValueRange others, ArrayRef<AffineMap> maps,
                         Type elementType) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(accumulators);
  SmallVector<Value> inputs = {accumulators};
  llvm::append_range(inputs, others);
  SmallVector<AffineMap> inputMaps = {b.getMultiDimIdentityMap(sizes.size())};
  llvm::append_range(inputMaps, maps);
  return buildParallel(
      b, sizes, elementType, inputs, inputMaps,
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value scale = b.createOrFold<arith::MulFOp>(toSingle(b, args[1]),
                                                    toSingle(b, args[2]));
        Value result =
            b.createOrFold<arith::MulFOp>(toSingle(b, args[0]), scale);
        if (args.size() > 3)
          result = b.createOrFold<arith::AddFOp>(result, toSingle(b, args[3]));
        return fromCompute(b, result, elementType);
      });
}

NodeResults onnx_nodes::convertMatMulIntegerToFloat(NodeContext &context) {
  constexpr size_t kScales[] = {2, 3}, kBias = 6;
  QuantizedOperands operands{{0, 1}, {4, 5}, kinds::Byte};
  Value bias = context.input(kBias);
  Type elementType = context.elementType(kScales[0]);
  FailureOr<Type> type = requireOperands(context, operands);
  if (failed(type) || failed(context.requireKind(kScales[0], kinds::Single)) ||
      failed(context.requireElementType(kScales[1], elementType)) ||
      (bias && failed(context.requireElementType(kBias, elementType))))
    return failure();
  FailureOr<WeightContractionLoops> loops =
      getMatmulLoops(context, context.input(0), context.input(1));
  if (failed(loops))
    return failure();
  FailureOr<SmallVector<AffineMap>> maps =
      getScaleMaps(context, *loops, operands, kScales);
  NodeResults accumulators =
      multiplyQuantized(context, *loops, operands, *type);
  if (failed(maps) || failed(accumulators))
    return failure();
  SmallVector<Value> others = {context.input(kScales[0]),
                               context.input(kScales[1])};
  if (bias) {
    FailureOr<AffineMap> map = getBiasMap(context, kBias, loops->sizes);
    if (failed(map))
      return failure();
    others.push_back(bias);
    maps->push_back(*map);
  }
  return SmallVector<Value>{
      buildScaled(context, accumulators->front(), others, *maps, elementType)};
}

/// Applies DynamicQuantizeLinear (D9) to the lhs before MatMulIntegerToFloat.
NodeResults onnx_nodes::convertDynamicQuantizeMatMul(NodeContext &context) {
  context.opset = kNewestOpset;
  NodeResults quantized = convertDynamicQuantizeLinear(context);
  if (failed(quantized))
    return failure();
  context.inputs = {(*quantized)[0],  context.input(1), (*quantized)[1],
                    context.input(2), (*quantized)[2],  context.input(3),
                    context.input(4)};
  return convertMatMulIntegerToFloat(context);
}

/// Returns the loops of a matmul of two matrices with the flags transA and
/// transB.
static FailureOr<WeightContractionLoops> getGemmLoops(NodeContext &context,
                                                      Value lhs, Value rhs) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> lhsSizes = context.getSizes(lhs);
  SmallVector<OpFoldResult> rhsSizes = context.getSizes(rhs);
  if (lhsSizes.size() != 2 || rhsSizes.size() != 2)
    return context.unsupported("the operands must have rank 2");
  bool transposed[] = {context.getFlag("transA"), context.getFlag("transB")};
  if (failed(checkReductionSizes(context, lhsSizes[!transposed[0]],
                                 rhsSizes[transposed[1]])))
    return failure();
  AffineExpr row, column, k;
  bindDims(b.getContext(), row, column, k);
  auto getMap = [&](AffineExpr first, AffineExpr second, bool swap) {
    if (swap)
      std::swap(first, second);
    return AffineMap::get(3, 0, {first, second}, b.getContext());
  };
  WeightContractionLoops loops;
  loops.sizes = {lhsSizes[transposed[0]], rhsSizes[!transposed[1]]};
  loops.lhs = getMap(row, k, transposed[0]);
  loops.rhs = getMap(k, column, transposed[1]);
  loops.result = getMap(row, column, false);
  loops.numLoops = 3;
  return loops;
}

/// Returns the indexing map of an input that is broadcast to a result of these
/// sizes.
static FailureOr<AffineMap> getAddendMap(NodeContext &context, size_t index,
                                         ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> addendSizes =
      context.getSizes(context.input(index));
  // The list is indexed by the node's inputs, for diagnostics. Dynamic sizes of
  // the result are assumed to equal those of the addend.
  SmallVector<SmallVector<OpFoldResult>> all(index + 1);
  llvm::append_range(all.front(), sizes);
  all.back() = addendSizes;
  FailureOr<SmallVector<OpFoldResult>> broadcast = broadcastSizes(context, all);
  if (failed(broadcast))
    return failure();
  auto isLarger = [](auto pair) {
    auto [size, common] = pair;
    return isConstantIntValue(size, 1) && !isConstantIntValue(common, 1);
  };
  if (broadcast->size() != sizes.size() ||
      llvm::any_of(llvm::zip_equal(sizes, *broadcast), isLarger))
    return context.unsupported("input " + Twine(index) +
                               " is larger than the result of the matmul");
  return getBroadcastMap(context.b.getContext(), addendSizes, sizes);
}

/// Computes alpha * matmul + beta * C and omits coefficients that are 1.
static NodeResults finishGemm(NodeContext &context, Value matmul,
                              ArrayRef<OpFoldResult> sizes) {
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = context.elementType(0);
  float alpha = context.getFloat("alpha"), beta = context.getFloat("beta");
  Value addend = beta == 0 ? Value() : context.input(2);
  auto isInteger = [](float value) { return value == std::round(value); };
  if (isa<IntegerType>(elementType) && (!isInteger(alpha) || !isInteger(beta)))
    return context.unsupported("alpha and beta must have integer values for " +
                               Twine("integers"));
  SmallVector<Value> inputs = {matmul};
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(2)};
  if (addend) {
    FailureOr<AffineMap> map = getAddendMap(context, 2, sizes);
    if (failed(map))
      return failure();
    inputs.push_back(addend);
    maps.push_back(*map);
  } else if (alpha == 1) {
    return SmallVector<Value>{convertFromCompute(context, matmul, elementType)};
  }
  auto scale = [](ImplicitLocOpBuilder &b, Value value, float coefficient) {
    if (coefficient == 1)
      return value;
    return buildCombine(b, Combine::Product, value,
                        makeNumber(b, value.getType(), coefficient),
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
  FailureOr<WeightContractionLoops> loops =
      getGemmLoops(context, context.input(0), context.input(1));
  if (failed(loops))
    return failure();
  Value zero = makeNumber(b, getComputeType(context.elementType(0)), 0);
  Value matmul = buildReduction(b, {context.input(0), context.input(1)},
                                {loops->lhs, loops->rhs},
                                buildFilled(b, loops->sizes, zero),
                                loops->result, multiplyElements)
                     .front();
  return finishGemm(context, matmul, loops->sizes);
}

/// Adds C, of type i32, to the accumulators. The scale of the result is alpha
/// times both scales. The result is dequantized to f32, or requantized if
/// inputs 7 and 8 are present (R1).
NodeResults onnx_nodes::convertQGemm(NodeContext &context) {
  constexpr size_t kScales[] = {1, 4}, kAddend = 6, kScale = 7, kPoint = 8;
  QuantizedOperands operands{{0, 3}, {2, 5}, kinds::Byte};
  ImplicitLocOpBuilder &b = context.b;
  Type single = b.getF32Type();
  for (size_t scale : kScales)
    if (failed(context.requireInput(scale)) ||
        failed(context.requireElementType(scale, single)))
      return failure();
  Value addend = context.input(kAddend);
  if ((addend && failed(context.requireElementType(kAddend, b.getI32Type()))) ||
      failed(context.requireInput(operands.values[1])))
    return failure();
  if (!context.input(kScale) != !context.input(kPoint))
    return context.unsupported("expected inputs 7 and 8 together");
  FailureOr<Type> type = requireOperands(context, operands);
  FailureOr<WeightContractionLoops> loops =
      getGemmLoops(context, context.input(0), context.input(3));
  FailureOr<Value> scale = context.getOnlyElement(kScales[0]);
  if (failed(type) || failed(loops) || failed(scale))
    return failure();
  FailureOr<SmallVector<AffineMap>> maps =
      getScaleMaps(context, *loops, operands, kScales);
  NodeResults accumulators =
      multiplyQuantized(context, *loops, operands, *type);
  if (failed(maps) || failed(accumulators))
    return failure();
  Value accumulator = accumulators->front();
  if (addend) {
    FailureOr<AffineMap> map = getAddendMap(context, kAddend, loops->sizes);
    if (failed(map))
      return failure();
    accumulator =
        buildParallel(b, loops->sizes, b.getI32Type(), {accumulator, addend},
                      {b.getMultiDimIdentityMap(2), *map},
                      [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                        return b.createOrFold<arith::AddIOp>(args[0], args[1]);
                      });
  }
  if (double alpha = context.getFloat("alpha"); alpha != 1)
    scale = buildParallel(b, {}, single, *scale, AffineMap::get(b.getContext()),
                          [&](ImplicitLocOpBuilder &b, ValueRange args) {
                            return b.createOrFold<arith::MulFOp>(
                                makeNumber(b, single, alpha), args[0]);
                          });
  maps->front() = AffineMap::get(2, 0, b.getContext());
  Value weightScale = context.input(kScales[1]);
  if (!context.input(kScale))
    return SmallVector<Value>{buildScaled(
        context, accumulator, {*scale, weightScale}, *maps, single)};
  if (failed(context.requireElementType(kScale, single)) ||
      failed(context.requireKind(kPoint, kinds::Byte)))
    return failure();
  Type elementType = context.elementType(kPoint);
  FailureOr<Quantization> result =
      getQuantization(context, kScale, elementType);
  if (failed(result))
    return failure();
  return SmallVector<Value>{buildRequantized(context, accumulator,
                                             {*scale, weightScale}, *maps,
                                             *result, elementType)};
}
