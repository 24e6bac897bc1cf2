//===- StorageTypesOfLinalg.cpp - Storage types of linalg ops -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts ops with a region that computes elements to storage types. The
// computation in the region remains unchanged: storage casts convert its
// arguments and the operands of its terminator.
//
//===----------------------------------------------------------------------===//

#include "StorageTypesOfLinalg.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Casts the operands of the block's terminator to storage types.
static void yieldStorage(ConversionPatternRewriter &rewriter, Block *block) {
  Operation *terminator = block->getTerminator();
  rewriter.setInsertionPoint(terminator);
  SmallVector<Value> storage;
  for (Value value : terminator->getOperands())
    storage.push_back(rewriter.createOrFold<StorageCastOp>(
        terminator->getLoc(), getStorageType(value.getType()), value));
  rewriter.modifyOpInPlace(terminator,
                           [&] { terminator->setOperands(storage); });
}

namespace {
/// Converts linalg.generic:
///
/// linalg.generic ins(%x : tensor<?xA>) outs(%y : tensor<?xB>) {
///   ^bb0(%in: A, %out: B): ... linalg.yield %r
/// }
/// ->
/// linalg.generic ins(%x : tensor<?xSA>) outs(%y : tensor<?xSB>) {
///   ^bb0(%s: SA, %t: SB):
///     %in = storage_cast %s : SA to A
///     ... linalg.yield (storage_cast %r : B to SB)
/// }
struct GenericOpConversion final : OpConversionPattern<linalg::GenericOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::GenericOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return failure();
    // The converter does not change the types of scalar inputs.
    SmallVector<Value> inputs;
    for (Value input : adaptor.getInputs())
      inputs.push_back(rewriter.createOrFold<StorageCastOp>(
          loc, getStorageType(input.getType()), input));
    auto converted = linalg::GenericOp::create(
        rewriter, loc, types, inputs, adaptor.getOutputs(),
        op.getIndexingMapsArray(), op.getIteratorTypesArray());
    converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());

    Block *body = op.getBody();
    SmallVector<Type> storageTypes =
        llvm::map_to_vector(body->getArgumentTypes(), getStorageType);
    SmallVector<Location> locs(storageTypes.size(), loc);
    Block *block =
        rewriter.createBlock(&converted.getRegion(), {}, storageTypes, locs);
    SmallVector<Value> arguments;
    for (auto [argument, old] :
         llvm::zip_equal(block->getArguments(), body->getArguments()))
      arguments.push_back(
          rewriter.createOrFold<StorageCastOp>(loc, old.getType(), argument));
    rewriter.mergeBlocks(body, block, arguments);
    yieldStorage(rewriter, block);
    rewriter.replaceOp(op, converted);
    return success();
  }
};

/// Converts tensor.pad and tensor.generate, whose region yields elements.
template <typename OpTy>
struct YieldingOpConversion final : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    OperationState state(op.getLoc(), op->getName());
    state.addOperands(adaptor.getOperands());
    state.addTypes(this->getTypeConverter()->convertType(op.getType()));
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Region *region = state.addRegion();
    rewriter.inlineRegionBefore(op->getRegion(0), *region, region->end());
    yieldStorage(rewriter, &region->front());
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};
} // namespace

static bool hasDifferentStorage(Type type) {
  return getStorageType(type) != type;
}

bool quant_float::isOfStorageTypes(Operation *op) {
  return llvm::none_of(op->getOperandTypes(), hasDifferentStorage) &&
         llvm::none_of(op->getResultTypes(), hasDifferentStorage);
}

void quant_float::generalizeLinalgOps(Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op) && !isOfStorageTypes(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    // The conversion reports named ops that remain.
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

void quant_float::populateStorageTypesOfLinalgPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<GenericOpConversion, YieldingOpConversion<tensor::PadOp>,
               YieldingOpConversion<tensor::GenerateOp>>(
      converter, patterns.getContext(), /*benefit=*/2);
}
