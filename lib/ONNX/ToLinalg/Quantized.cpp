//===- Quantized.cpp - Floating-point ops on quantized tensors ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpsetRules.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Dequantize, compute, quantize
//===----------------------------------------------------------------------===//

static Value buildDequantized(NodeContext &context, Value quantized,
                              const Quantization &from) {
  Type type =
      cast<RankedTensorType>(quantized.getType()).clone(context.b.getF32Type());
  return DequantizeOp::create(context.b, type, quantized, from.scale,
                              from.zeroPoint, kNewestOpset,
                              /*domain=*/StringAttr(), /*axis=*/IntegerAttr(),
                              /*block_size=*/IntegerAttr(),
                              /*ignored_attributes=*/ArrayAttr());
}

static Value buildQuantized(NodeContext &context, Value values,
                            const Quantization &to, Type elementType) {
  Type type = cast<RankedTensorType>(values.getType()).clone(elementType);
  return QuantizeOp::create(context.b, type, values, to.scale, to.zeroPoint,
                            context.b.getI64IntegerAttr(kNewestOpset),
                            /*domain=*/StringAttr(), /*axis=*/IntegerAttr(),
                            /*blockSize=*/IntegerAttr(),
                            /*ignoredAttributes=*/ArrayAttr(),
                            /*saturate=*/BoolAttr(), /*precision=*/TypeAttr());
}

/// Returns the scale and zero point of a quantized input, which are the next
/// two inputs. Requires 8-bit integers, of `elementType` if that is not null.
static FailureOr<Quantization> getInput(NodeContext &context, size_t index,
                                        Type elementType = {}) {
  if (failed(context.requireInput(index)) ||
      failed(context.requireKind(index, kinds::Byte)) ||
      (elementType && failed(context.requireElementType(index, elementType))))
    return failure();
  return getQuantization(context, index + 1, context.elementType(index));
}

/// Dequantizes inputs, converts ONNX's op `kind`, and quantizes its result to
/// `elementType`. The op's inputs are the `plain` inputs, then the dequantized
/// `quantized` inputs, each of which is followed by its scale and zero point.
/// `scale` is the index of the result's scale, which is followed by its zero
/// point.
static NodeResults convertBetween(NodeContext &context, NodeKind kind,
                                  NodeConversion conversion,
                                  ArrayRef<size_t> plain,
                                  ArrayRef<size_t> quantized, size_t scale,
                                  Type elementType) {
  FailureOr<Quantization> result = getQuantization(context, scale, elementType);
  if (failed(result))
    return failure();
  SmallVector<Value> inputs;
  for (size_t index : plain)
    inputs.push_back(context.input(index));
  for (size_t index : quantized) {
    FailureOr<Quantization> from = getInput(context, index);
    if (failed(from))
      return failure();
    inputs.push_back(buildDequantized(context, context.input(index), *from));
  }
  context.inputs = inputs;
  context.kind = kind;
  context.opset = kNewestOpset;
  NodeResults floats = conversion(context);
  if (failed(floats))
    return failure();
  return SmallVector<Value>{
      buildQuantized(context, floats->front(), *result, elementType)};
}

/// The same for an op with one input, whose scale and zero point are followed
/// by those of the result.
static NodeResults convertUnary(NodeContext &context, NodeKind kind,
                                NodeConversion conversion) {
  return convertBetween(context, kind, conversion, {}, 0, 3,
                        context.elementType(0));
}

NodeResults onnx_nodes::convertQLinearAdd(NodeContext &context) {
  Type elementType = context.elementType(0);
  if (failed(getInput(context, 3, elementType)))
    return failure();
  return convertBetween(context, NodeKind::Add, convertElementwise, {}, {0, 3},
                        6, elementType);
}

NodeResults onnx_nodes::convertQLinearWhere(NodeContext &context) {
  Type elementType = context.elementType(1);
  if (failed(getInput(context, 4, elementType)))
    return failure();
  return convertBetween(context, NodeKind::Where, convertWhere, 0, {1, 4}, 7,
                        elementType);
}

NodeResults onnx_nodes::convertQLinearSigmoid(NodeContext &context) {
  return convertUnary(context, NodeKind::Sigmoid, convertElementwise);
}

NodeResults onnx_nodes::convertQLinearLeakyRelu(NodeContext &context) {
  return convertUnary(context, NodeKind::LeakyRelu, convertElementwise);
}

NodeResults onnx_nodes::convertQLinearReduceMean(NodeContext &context) {
  return convertUnary(context, NodeKind::ReduceMean, convertReduce);
}

/// The attribute `opset` is the opset of Softmax.
NodeResults onnx_nodes::convertQLinearSoftmax(NodeContext &context) {
  constexpr int64_t kFirstOfOneAxis = 13;
  return convertUnary(context, NodeKind::Softmax,
                      context.getInt("opset") < kFirstOfOneAxis
                          ? convertMatrixSoftmax
                          : convertSoftmax);
}

NodeResults onnx_nodes::convertQLinearConcat(NodeContext &context) {
  size_t count = context.inputs.size();
  if (count < 5 || count % 3 != 2)
    return context.unsupported("expected two inputs and three for each tensor, "
                               "but got " +
                               Twine(count));
  if (failed(context.requireKind(1, kinds::Byte)))
    return failure();
  SmallVector<size_t> tensors;
  for (size_t index = 2; index < count; index += 3)
    tensors.push_back(index);
  return convertBetween(context, NodeKind::Concat, convertConcat, {}, tensors,
                        0, context.elementType(1));
}

//===----------------------------------------------------------------------===//
// Integer multiplication
//===----------------------------------------------------------------------===//

/// Computes f32((a - za) * (b - zb)) * (sa * sb / sc) (R1).
NodeResults onnx_nodes::convertQLinearMul(NodeContext &context) {
  Type elementType = context.elementType(0);
  FailureOr<Quantization> lhs = getInput(context, 0);
  FailureOr<Quantization> rhs = getInput(context, 3, elementType);
  FailureOr<Quantization> result = getQuantization(context, 6, elementType);
  if (failed(lhs) || failed(rhs) || failed(result))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes[] = {context.getSizes(context.input(0)),
                                       context.getSizes(context.input(3))};
  FailureOr<SmallVector<OpFoldResult>> all =
      broadcastSizes(context, {sizes[0], sizes[1]});
  if (failed(all))
    return failure();
  AffineMap scalarMap = AffineMap::get(all->size(), 0, b.getContext());
  SmallVector<Value> inputs = {context.input(0), context.input(3)};
  SmallVector<AffineMap> maps = {
      getBroadcastMap(b.getContext(), sizes[0], *all),
      getBroadcastMap(b.getContext(), sizes[1], *all)};
  std::optional<size_t> zeroPoints[2];
  Value points[] = {lhs->zeroPoint, rhs->zeroPoint};
  for (size_t i : {0, 1}) {
    if (!points[i])
      continue;
    zeroPoints[i] = inputs.size();
    inputs.push_back(points[i]);
    maps.push_back(scalarMap);
  }
  Value products =
      buildParallel(b, *all, b.getI32Type(), inputs, maps,
                    [&](ImplicitLocOpBuilder &b, ValueRange args) {
                      Value zero = makeNumber(b, b.getI32Type(), 0);
                      return multiplyAndAdd(b, args, zero, zeroPoints).front();
                    });
  return SmallVector<Value>{
      buildRequantized(context, products, {lhs->scale, rhs->scale},
                       {scalarMap, scalarMap}, *result, elementType)};
}

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

/// If `channels_last` is set, transposes the input so that the channels precede
/// the spatial axes, and transposes the result back.
static NodeResults convertChannels(NodeContext &context,
                                   NodeConversion conversion) {
  int64_t rank = context.type(0).getRank();
  if (!context.getFlag("channels_last") || rank < 3)
    return conversion(context);
  SmallVector<int64_t> toFront = llvm::to_vector(llvm::seq<int64_t>(rank));
  SmallVector<int64_t> toBack = toFront;
  std::rotate(toFront.begin() + 1, toFront.end() - 1, toFront.end());
  std::rotate(toBack.begin() + 1, toBack.begin() + 2, toBack.end());
  context.inputs[0] = buildTranspose(context, context.input(0), toFront);
  NodeResults result = conversion(context);
  if (succeeded(result))
    result->front() = buildTranspose(context, result->front(), toBack);
  return result;
}

NodeResults onnx_nodes::convertMicrosoftQLinearConv(NodeContext &context) {
  return convertChannels(context, convertQLinearConv);
}

NodeResults onnx_nodes::convertQLinearAveragePool(NodeContext &context) {
  return convertChannels(context, [](NodeContext &inner) {
    return convertUnary(inner, NodeKind::AveragePool, convertAveragePool);
  });
}

/// Sums the differences from the zero point in i32. Dividing by the element
/// count is part of the requantization: it multiplies the result's scale (R1).
NodeResults onnx_nodes::convertQLinearGlobalAveragePool(NodeContext &context) {
  Type elementType = context.elementType(0);
  FailureOr<Quantization> from = getInput(context, 0);
  FailureOr<Quantization> to = getQuantization(context, 3, elementType);
  if (failed(from) || failed(to))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  int64_t rank = context.type(0).getRank();
  if (rank < 3)
    return context.unsupported("the input must have rank 3 or more, but got " +
                               Twine(rank));
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  int64_t channels = context.getFlag("channels_last") ? rank - 1 : 1;
  SmallVector<OpFoldResult> resultSizes(rank, b.getIndexAttr(1)), reduced;
  SmallVector<AffineExpr> exprs;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (axis != 0 && axis != channels) {
      reduced.push_back(sizes[axis]);
      continue;
    }
    resultSizes[axis] = sizes[axis];
    exprs.push_back(b.getAffineDimExpr(axis));
  }
  SmallVector<OpFoldResult> outerSizes = {sizes[0], sizes[channels]};
  AffineMap scalarMap = AffineMap::get(rank, 0, b.getContext());
  Value init = buildFilled(b, outerSizes, makeNumber(b, b.getI32Type(), 0));
  Value sums =
      buildReduction(
          b, {context.input(0), from->zeroPoint},
          {b.getMultiDimIdentityMap(rank), scalarMap}, init,
          AffineMap::get(rank, 0, exprs, b.getContext()),
          [](ImplicitLocOpBuilder &b, ValueRange elements,
             ValueRange accumulators) -> SmallVector<Value> {
            Type type = accumulators[0].getType();
            Value quantized = b.createOrFold<CastOp>(elements[0], type);
            Value zeroPoint = b.createOrFold<CastOp>(elements[1], type);
            return {b.createOrFold<arith::AddIOp>(
                accumulators[0], buildDifference(b, quantized, zeroPoint))};
          })
          .front();
  Value count = buildElementCount(b, reduced);
  AffineMap scalar = AffineMap::get(b.getContext());
  to->scale = buildParallel(b, {}, b.getF32Type(), to->scale, scalar,
                            [&](ImplicitLocOpBuilder &b, ValueRange args) {
                              return b.createOrFold<arith::MulFOp>(
                                  toSingle(b, args[0]), toSingle(b, count));
                            });
  Value one = buildFilled(b, {}, makeNumber(b, b.getF32Type(), 1));
  AffineMap none = AffineMap::get(2, 0, b.getContext());
  Value means = buildRequantized(context, sums, {from->scale, one},
                                 {none, none}, *to, elementType);
  return SmallVector<Value>{buildReshape(b, means, outerSizes, resultSizes)};
}
