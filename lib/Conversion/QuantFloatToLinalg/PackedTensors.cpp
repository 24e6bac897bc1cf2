//===- PackedTensors.cpp - Packed arguments and constants -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors that the caller or the model has packed have the element types i2, i4
// and i6, which have no other use below the ops of the dialect. All
// computations use one byte per element:
//
// %0 = linalg.generic ins(%packed : tensor<?xi4>) outs(... : tensor<?xi8>) {
//   linalg.yield (arith.extui %in : i4 to i8)
// }
//
// and results are packed with arith.trunci. Ops that move elements, such as
// tensor.extract_slice, read from the packed tensor, so that a tensor is not
// unpacked entirely to read a part of it. The remaining ops that unpack are
// fused with their consumers.
//
//===----------------------------------------------------------------------===//

#include "StorageTypesOfLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Creates an op that converts every element to `elementType` by `OpTy`.
template <typename OpTy>
static GenericOp convertElements(OpBuilder &builder, Location loc, Value tensor,
                                 Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, tensor), elementType);
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return GenericOp::create(
      builder, loc, type.clone(elementType), tensor, empty, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        Value element =
            OpTy::create(builder, loc, elementType, arguments.front());
        linalg::YieldOp::create(builder, loc, element);
      });
}

static GenericOp unpack(OpBuilder &builder, Location loc, Value packed) {
  return convertElements<arith::ExtUIOp>(builder, loc, packed,
                                         builder.getI8Type());
}

/// Returns the packed tensor that the value is unpacked from, or null.
static Value getPacked(Value value) {
  auto generic = value.getDefiningOp<GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic->getNumResults() != 1 ||
      !isPackedElementType(getElementTypeOrSelf(generic.getInputs()[0])) ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  Value element = generic.getBody()->getTerminator()->getOperand(0);
  auto extension = element.getDefiningOp<arith::ExtUIOp>();
  return extension && extension.getIn() == generic.getBody()->getArgument(0)
             ? generic.getInputs()[0]
             : Value();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void quant_float::separatePackedConstants(func::FuncOp function) {
  SmallVector<Operation *> constants;
  function.walk([&](Operation *op) {
    auto resource = op->hasTrait<OpTrait::ConstantLike>()
                        ? op->getAttrOfType<DenseResourceElementsAttr>("value")
                        : DenseResourceElementsAttr();
    if (resource && isa<RankedTensorType>(op->getResult(0).getType()) &&
        isPacked(resource))
      constants.push_back(op);
  });
  for (Operation *op : constants) {
    OpBuilder builder(op);
    auto resource = op->getAttrOfType<DenseResourceElementsAttr>("value");
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto packedType = type.clone(getPackedElementType(type.getElementType()));
    Value constant = arith::ConstantOp::create(
        builder, op->getLoc(), packedType,
        DenseResourceElementsAttr::get(packedType, resource.getRawHandle()));
    GenericOp generic = unpack(builder, op->getLoc(), constant);
    for (Operation *made : {constant.getDefiningOp(), generic.getOperation()})
      made->setAttr(kPackedAttrName, builder.getUnitAttr());
    Value elements = StorageCastOp::create(builder, op->getLoc(), type,
                                           generic->getResult(0));
    op->getResult(0).replaceAllUsesWith(elements);
    op->erase();
  }
}

bool quant_float::isOfPackedConstant(Operation *op) {
  return op->hasAttr(kPackedAttrName) &&
         isa<arith::ConstantOp, linalg::GenericOp>(op);
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

namespace {
/// Moves unpacking behind ops that move elements:
///
/// %u = unpack %p : tensor<8x4xi4> to tensor<8x4xi8>
/// %y = tensor.extract_slice %u[...] : tensor<8x4xi8> to tensor<2x4xi8>
/// ->
/// %s = tensor.extract_slice %p[...] : tensor<8x4xi4> to tensor<2x4xi4>
/// %y = unpack %s : tensor<2x4xi4> to tensor<2x4xi8>
template <typename OpTy> struct MovePacked final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    Value packed = getPacked(op->getOperand(0));
    if (!packed || !type)
      return failure();
    IRMapping mapping;
    mapping.map(op->getOperand(0), packed);
    Operation *moved = rewriter.clone(*op.getOperation(), mapping);
    moved->getResult(0).setType(type.clone(getElementTypeOrSelf(packed)));
    rewriter.replaceOp(op, unpack(rewriter, op.getLoc(), moved->getResult(0)));
    return success();
  }
};

/// Folds an unpacked tensor into tensor.extract, for example in the body of a
/// gather.
struct ExtractPacked final : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    Value packed = getPacked(op.getTensor());
    if (!packed)
      return failure();
    Value element = tensor::ExtractOp::create(rewriter, op.getLoc(), packed,
                                              op.getIndices());
    rewriter.replaceOpWithNewOp<arith::ExtUIOp>(op, op.getType(), element);
    return success();
  }
};
} // namespace

/// Moves unpacking behind the ops that move elements.
static void movePacked(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  patterns.add<ExtractPacked, MovePacked<tensor::CastOp>,
               MovePacked<tensor::CollapseShapeOp>,
               MovePacked<tensor::ExpandShapeOp>,
               MovePacked<tensor::ExtractSliceOp>>(function.getContext());
  // Storage casts of constants have already been folded if the elements are
  // stored in bytes.
  (void)applyPatternsGreedily(function, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

LogicalResult quant_float::checkPackedArguments(func::FuncOp function) {
  bool hasPacked = false;
  auto check = [&](Type type, DictionaryAttr attributes, StringRef kind,
                   unsigned index) -> LogicalResult {
    if (!attributes || !attributes.contains(kPackedAttrName))
      return success();
    hasPacked = true;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && getPackedElementType(tensor.getElementType()))
      return success();
    return function.emitError("function '")
           << function.getSymName() << "': " << kind << " " << index
           << ": expected a ranked tensor of elements of 2, 4 or 6 bits, which "
              "can be packed, but got "
           << type;
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (failed(check(function.getArgumentTypes()[i], function.getArgAttrDict(i),
                     "argument", i)))
      return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (failed(check(function.getResultTypes()[i],
                     function.getResultAttrDict(i), "result", i)))
      return failure();
  if (hasPacked && !SymbolTable::symbolKnownUseEmpty(
                       function, function->getParentOfType<ModuleOp>()))
    return function.emitError("function '")
           << function.getSymName()
           << "': a function with packed arguments must not be called";
  return success();
}

/// Returns the packed type for a tensor of bytes with elements of
/// `elementType`.
static RankedTensorType getPackedType(Type type, TypeAttr elementType) {
  return cast<RankedTensorType>(type).clone(
      getPackedElementType(elementType.getValue()));
}

void quant_float::usePackedTensors(func::FuncOp function) {
  bool isChanged = false;
  OpBuilder builder(function.getContext());
  Block &body = function.getBody().front();
  bool isPublic = function.isPublic();
  auto returnOp = dyn_cast<func::ReturnOp>(body.getTerminator());
  if (!returnOp)
    return;
  for (BlockArgument argument : body.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (!isPublic || !function.getArgAttr(index, kPackedAttrName))
      continue;
    argument.setType(getPackedType(
        argument.getType(),
        function.getArgAttrOfType<TypeAttr>(index, kElementTypeAttrName)));
    builder.setInsertionPointToStart(&body);
    // tensor.dim reads the sizes from the packed tensor.
    GenericOp generic = unpack(builder, argument.getLoc(), argument);
    argument.replaceUsesWithIf(generic->getResult(0), [&](OpOperand &use) {
      return use.getOwner() != generic && !isa<tensor::DimOp>(use.getOwner());
    });
    isChanged = true;
  }
  builder.setInsertionPoint(returnOp);
  for (OpOperand &use : returnOp->getOpOperands()) {
    unsigned index = use.getOperandNumber();
    if (!isPublic || !function.getResultAttr(index, kPackedAttrName))
      continue;
    auto type = getPackedType(
        use.get().getType(),
        function.getResultAttrOfType<TypeAttr>(index, kElementTypeAttrName));
    use.set(convertElements<arith::TruncIOp>(builder, returnOp.getLoc(),
                                             use.get(), type.getElementType())
                .getResult(0));
    isChanged = true;
  }
  function.walk([&](GenericOp generic) {
    if (!generic->removeAttr(kPackedAttrName))
      return;
    generic.getInputs()[0].getDefiningOp()->removeAttr(kPackedAttrName);
    isChanged = true;
  });
  if (!isChanged)
    return;
  function.setFunctionType(builder.getFunctionType(body.getArgumentTypes(),
                                                   returnOp.getOperandTypes()));
  movePacked(function);
}
