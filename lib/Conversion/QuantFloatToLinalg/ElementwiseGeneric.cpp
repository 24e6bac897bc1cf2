//===- ElementwiseGeneric.cpp - Elementwise linalg.generic ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseGeneric.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
  // The op's type may have more or fewer static sizes (V8).
  Value result = generic.getResult(0);
  Type converted = converter.convertType(type);
  if (result.getType() != converted)
    result = tensor::CastOp::create(rewriter, loc, converted, result);
  rewriter.replaceOp(op, result);
}
