//===- QuantizeToLinalg.cpp - quantize, dequantize, qdq to linalg ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseGeneric.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/Conversion/ElementBodies.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

void quant_float::replaceByGeneric(
    ConversionPatternRewriter &rewriter, const TypeConverter &converter,
    Operation *op, ArrayRef<ElementwiseInput> inputs,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Type storageType = getStorageElementType(type.getElementType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc,
      tensor::getMixedSizes(rewriter, loc, inputs.front().storage),
      storageType);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (const ElementwiseInput &input : inputs) {
    operands.push_back(input.storage);
    maps.push_back(input.map);
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), operands, empty, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        SmallVector<Value> elements;
        for (auto [input, arg] :
             llvm::zip_equal(inputs, args.take_front(inputs.size())))
          elements.push_back(
              builder.createOrFold<StorageCastOp>(loc, input.elementType, arg));
        Value value = body(builder, loc, elements);
        value = builder.createOrFold<StorageCastOp>(loc, storageType, value);
        linalg::YieldOp::create(builder, loc, value);
      });
  // V8: sizes known on one side only.
  Value result = generic.getResult(0);
  Type converted = converter.convertType(type);
  if (result.getType() != converted)
    result = tensor::CastOp::create(rewriter, loc, converted, result);
  rewriter.replaceOp(op, result);
}

/// Which element of a scale or zero point of this type belongs to an element of
/// the input (Q1).
static AffineMap getParameterMap(QuantizationOpInterface op,
                                 RankedTensorType type, int64_t rank) {
  MLIRContext *context = op->getContext();
  // One element: per tensor, or a scalar zero point beside a scale of one (Q2).
  if (op.getGranularity() == Granularity::PerTensor || type.getRank() == 0) {
    SmallVector<AffineExpr> zeros(type.getRank(),
                                  getAffineConstantExpr(0, context));
    return AffineMap::get(rank, 0, zeros, context);
  }
  int64_t axis = *op.getAxisIndex();
  if (op.getGranularity() == Granularity::PerAxis)
    return AffineMap::get(rank, 0, getAffineDimExpr(axis, context));
  int64_t blockSize = *op.getBlockSizeAttribute();
  SmallVector<AffineExpr> indices;
  for (int64_t i = 0; i < rank; ++i)
    indices.push_back(getAffineDimExpr(i, context));
  indices[axis] = type.getDimSize(axis) == 1
                      ? getAffineConstantExpr(0, context)
                      : indices[axis].floorDiv(blockSize);
  return AffineMap::get(rank, 0, indices, context);
}

namespace {
/// %y = quantize %x, %s axis 0 : tensor<?x?xf32>, tensor<?xf32> to ...
/// ->
/// %y = linalg.generic ins(%x, %s) outs(%empty)
///        maps (d0, d1) -> (d0, d1), (d0); blocked (d0 floordiv B, d1) {
///   ^bb0(%a: f32, %b: f32, %out: i8):
///     %0 = quantize_elements %a, %b : f32, f32 to i8
///     linalg.yield %0
/// }
struct QuantizationOpConversion final
    : OpInterfaceConversionPattern<QuantizationOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult
  matchAndRewrite(QuantizationOpInterface op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<ElementwiseInput> inputs;
    for (auto [operand, value] : llvm::zip_equal(op->getOperands(), operands)) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.getElementType().isIntOrFloat())
        return failure();
      AffineMap map =
          inputs.empty()
              ? rewriter.getMultiDimIdentityMap(type.getRank())
              : getParameterMap(op, type, inputs.front().map.getNumDims());
      inputs.push_back(
          {value, map, cast<TensorType>(operand.getType()).getElementType()});
    }
    if (!isa<RankedTensorType>(op->getResult(0).getType()))
      return failure();
    replaceByGeneric(rewriter, *getTypeConverter(), op, inputs,
                     [&](OpBuilder &builder, Location loc, ValueRange args) {
                       return buildElementBody(
                           builder, loc, op, args[0], args[1],
                           args.size() > 2 ? args[2] : Value());
                     });
    return success();
  }
};
} // namespace

void quant_float::populateQuantizeToLinalgPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<QuantizationOpConversion>(converter, patterns.getContext());
}
