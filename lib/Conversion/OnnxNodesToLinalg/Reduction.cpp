//===- Reduction.cpp - Reductions of any loops ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

bool onnx_nodes::isUnsignedElement(Type elementType) {
  return elementType.isUnsignedInteger() || elementType.isInteger(1);
}

static arith::AtomicRMWKind getKind(Combine combine, Type type,
                                    bool isUnsigned) {
  using Kind = arith::AtomicRMWKind;
  static const Kind kinds[][3] = {
      {Kind::addf, Kind::addi, Kind::addi},
      {Kind::mulf, Kind::muli, Kind::muli},
      {Kind::maximumf, Kind::maxs, Kind::maxu},
      {Kind::minimumf, Kind::mins, Kind::minu},
  };
  return kinds[static_cast<size_t>(combine)]
              [isa<FloatType>(type) ? 0 : 1 + isUnsigned];
}

Value onnx_nodes::makeNeutral(ImplicitLocOpBuilder &b, Combine combine,
                              Type type, bool isUnsigned) {
  return arith::getIdentityValue(getKind(combine, type, isUnsigned), type, b,
                                 b.getLoc());
}

Value onnx_nodes::buildCombine(ImplicitLocOpBuilder &b, Combine combine,
                               Value lhs, Value rhs, bool isUnsigned) {
  return arith::getReductionOp(getKind(combine, lhs.getType(), isUnsigned), b,
                               b.getLoc(), lhs, rhs);
}

SmallVector<Value>
onnx_nodes::buildReduction(ImplicitLocOpBuilder &b, ValueRange inputs,
                           ArrayRef<AffineMap> maps, ValueRange inits,
                           AffineMap resultMap, ReductionBody body) {
  SmallVector<AffineMap> allMaps(maps);
  allMaps.append(inits.size(), resultMap);
  SmallVector<utils::IteratorType> iterators(resultMap.getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : resultMap.getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(
      b, inits.getTypes(), inputs, inits, allMaps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder inner(loc, builder);
        linalg::YieldOp::create(inner, body(inner, args.take_front(maps.size()),
                                            args.drop_front(maps.size())));
      });
  return llvm::to_vector(ValueRange(generic.getResults()));
}

LogicalResult onnx_nodes::requireIntegerFactors(NodeContext &context) {
  for (size_t i : {0, 1}) {
    Type type = context.elementType(i);
    if (!type.isInteger(8))
      return context.unsupported("input " + Twine(i) +
                                 " must have integers of 8 bits, but got " +
                                 show(type));
    if (context.input(2 + i) && context.elementType(2 + i) != type)
      return context.unsupported(
          "input " + Twine(2 + i) + " must have elements of type " +
          show(type) + ", but got " + show(context.elementType(2 + i)));
  }
  return success();
}

SmallVector<Value>
onnx_nodes::multiplyAndAdd(ImplicitLocOpBuilder &b, ValueRange elements,
                           ValueRange accumulators,
                           ArrayRef<std::optional<size_t>> zeroPoints) {
  Type type = accumulators[0].getType();
  auto convert = [&](Value value) {
    return getComputeType(value.getType()) == type
               ? toCompute(b, value)
               : b.createOrFold<CastOp>(value, type);
  };
  Value factors[] = {convert(elements[0]), convert(elements[1])};
  for (auto [factor, zeroPoint] : llvm::zip(factors, zeroPoints))
    if (zeroPoint)
      factor =
          b.createOrFold<arith::SubIOp>(factor, convert(elements[*zeroPoint]));
  Value product = buildCombine(b, Combine::Product, factors[0], factors[1],
                               /*isUnsigned=*/false);
  return {buildCombine(b, Combine::Sum, accumulators[0], product,
                       /*isUnsigned=*/false)};
}

Value onnx_nodes::buildReductionOfAxes(NodeContext &context, Value tensor,
                                       ArrayRef<int64_t> axes, Combine combine,
                                       ElementMap before) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  Type elementType = getElementTypeOrSelf(tensor);
  Type type = getComputeType(elementType);
  bool isUnsigned = isUnsignedElement(elementType);
  SmallVector<OpFoldResult> resultSizes;
  SmallVector<AffineExpr> exprs;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    if (llvm::is_contained(axes, static_cast<int64_t>(axis)))
      continue;
    resultSizes.push_back(size);
    exprs.push_back(b.getAffineDimExpr(axis));
  }
  Value init =
      buildFilled(b, resultSizes, makeNeutral(b, combine, type, isUnsigned));
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) -> SmallVector<Value> {
    Value element = toCompute(b, elements[0]);
    if (before)
      element = before(b, element);
    return {buildCombine(b, combine, accumulators[0], element, isUnsigned)};
  };
  return buildReduction(b, tensor, b.getMultiDimIdentityMap(sizes.size()), init,
                        AffineMap::get(sizes.size(), 0, exprs, b.getContext()),
                        body)
      .front();
}

Value onnx_nodes::buildElementCount(ImplicitLocOpBuilder &b,
                                    ArrayRef<OpFoldResult> sizes) {
  AffineExpr product = b.getAffineConstantExpr(1);
  for (size_t i = 0; i < sizes.size(); ++i)
    product = product * b.getAffineSymbolExpr(i);
  OpFoldResult count = computeIndex(b, product, sizes);
  return b.createOrFold<arith::IndexCastOp>(
      b.getI64Type(), getValueOrCreateConstantIndexOp(b, b.getLoc(), count));
}

Value onnx_nodes::convertFromCompute(NodeContext &context, Value tensor,
                                     Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == elementType)
    return tensor;
  ImplicitLocOpBuilder &b = context.b;
  return buildParallel(b, context.getSizes(tensor), elementType, tensor,
                       b.getMultiDimIdentityMap(type.getRank()),
                       [&](ImplicitLocOpBuilder &b, ValueRange args) {
                         return fromCompute(b, args[0], elementType);
                       });
}

Value onnx_nodes::buildAlongAxes(
    NodeContext &context, ArrayRef<OpFoldResult> sizes, Type elementType,
    ValueRange inputs, ArrayRef<SmallVector<int64_t>> axes,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<AffineMap> maps;
  for (const SmallVector<int64_t> &list : axes) {
    SmallVector<AffineExpr> exprs = llvm::map_to_vector(
        list, [&](int64_t axis) { return b.getAffineDimExpr(axis); });
    maps.push_back(AffineMap::get(sizes.size(), 0, exprs, b.getContext()));
  }
  return buildParallel(b, sizes, elementType, inputs, maps, body);
}
