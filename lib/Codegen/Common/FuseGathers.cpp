//===- FuseGathers.cpp - Fuse producers into gathers ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fuses an elementwise op into the op that extracts elements of its result:
//
//   %table = linalg.generic /* dequantize */ ins(%quantized, %scales) ...
//   %y = linalg.generic ins(%indices) ... {
//     %e = tensor.extract %table[%index, %j]
//   }
//
// becomes
//
//   %y = linalg.generic ins(%indices) ... {
//     %q = tensor.extract %quantized[%index, %j]
//     %scale = tensor.extract %scales[%index]
//     %e = ... dequantize %q, %scale
//   }
//
// The computation of each element does not change.
//
//===----------------------------------------------------------------------===//

#include "FuseGathers.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Returns the op that defines `value` if it is an elementwise op with one
/// result that depends on its inputs alone, else null.
static GenericOp getElementwise(Value value) {
  auto op = value.getDefiningOp<GenericOp>();
  return op && op.hasPureTensorSemantics() && op.getNumLoops() > 0 &&
                 op.getNumParallelLoops() == op.getNumLoops() &&
                 op->getNumResults() == 1 &&
                 !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) &&
                 op.getMatchingIndexingMap(op.getDpsInitOperand(0))
                     .isPermutation()
             ? op
             : GenericOp();
}

/// Returns the number of iterations of all loops, or nullopt if it is dynamic.
static std::optional<uint64_t> countIterations(GenericOp op) {
  uint64_t count = 1;
  for (int64_t range : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(range))
      return std::nullopt;
    count = llvm::SaturatingMultiply(count, static_cast<uint64_t>(range));
  }
  return count;
}

/// Whether the value is a constant, or a slice or reshape of one.
static bool isConstant(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return true;
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Whether computing an element takes about as long as loading it: casts and
/// dequantization are cheap, divisions and math functions are not.
static bool isCheap(GenericOp op) {
  constexpr size_t kMaxOps = 24;
  Block *body = op.getBody();
  return body->getOperations().size() <= kMaxOps &&
         llvm::none_of(body->without_terminator(), [](Operation &nested) {
           return nested.getNumRegions() != 0 || !isPure(&nested) ||
                  isa<math::MathDialect>(nested.getDialect()) ||
                  isa<arith::DivFOp, arith::RemFOp, QuantizeElementsOp>(nested);
         });
}

/// Whether computing the elements that the consumer reads is less work than
/// computing all elements.
static bool isProfitableToFuse(GenericOp producer, bool isCopied,
                               tensor::ExtractOp extract, GenericOp consumer) {
  isCopied |= !producer->hasOneUse();
  bool areConstant = llvm::all_of(producer.getDpsInputs(), isConstant);
  // The other users need all elements anyway.
  if (isCopied && !areConstant)
    return false;
  std::optional<uint64_t> reads = countIterations(consumer);
  std::optional<uint64_t> elements = countIterations(producer);
  if (!isCheap(producer))
    return !isCopied && reads && elements && *reads <= *elements / 2;
  if (!reads || !elements)
    return areConstant;
  // Adjacent elements are vectorized; others are computed one by one.
  bool isAlongRows =
      extract.getIndices().empty() ||
      extract.getIndices().back().getDefiningOp<linalg::IndexOp>();
  constexpr uint64_t kScalarLoadCost = 8;
  return *reads <= *elements / (isAlongRows ? 1 : kScalarLoadCost);
}

/// Builds the value of an indexing expression, given the producer's loop
/// indices.
static Value buildIndex(ImplicitLocOpBuilder &b, AffineExpr expression,
                        ValueRange loops) {
  if (std::optional<unsigned> loop = getLoop(expression))
    return loops[*loop];
  if (std::optional<BlockIndex> block = getBlockIndex(expression))
    if (std::optional<unsigned> loop = getLoop(block->position))
      return arith::DivUIOp::create(
          b, loops[*loop], arith::ConstantIndexOp::create(b, block->size));
  return affine::expandAffineExpr(b, b.getLoc(), expression, loops, {});
}

/// Replaces `extract` with a computation of the producer's element.
static void inlineElement(RewriterBase &rewriter, tensor::ExtractOp extract,
                          GenericOp producer, ValueRange indices) {
  ImplicitLocOpBuilder b(extract.getLoc(), extract);
  SmallVector<Value> loops(producer.getNumLoops());
  AffineMap result =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  for (auto [expression, index] : llvm::zip_equal(result.getResults(), indices))
    loops[*getLoop(expression)] = index;
  IRMapping mapping;
  for (OpOperand *input : producer.getDpsInputOperands()) {
    BlockArgument argument = producer.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    Value element = input->get();
    if (isa<RankedTensorType>(element.getType())) {
      SmallVector<Value> at;
      for (AffineExpr expression :
           producer.getMatchingIndexingMap(input).getResults())
        at.push_back(buildIndex(b, expression, loops));
      element = tensor::ExtractOp::create(b, element, at);
    }
    mapping.map(argument, element);
  }
  for (Operation &nested : producer.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested))
      mapping.map(index.getResult(), loops[index.getDim()]);
    else
      b.clone(nested, mapping);
  }
  Value yielded = producer.getBody()->getTerminator()->getOperand(0);
  rewriter.replaceOp(extract, mapping.lookupOrDefault(yielded));
}

/// Returns the source of an op that casts, reshapes or slices a tensor. Returns
/// null for other ops, and if the position of an element depends on dynamic
/// sizes.
static Value getViewSource(Operation *op) {
  if (!op || op->getNumResults() != 1)
    return {};
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType()) ? cast.getSource()
                                                             : Value();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.hasUnitStride() &&
                   slice.getType().getRank() == slice.getSourceType().getRank()
               ? slice.getSource()
               : Value();
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return {};
  auto isStatic = [](Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape();
  };
  Value source = op->getOperand(0);
  return isStatic(source) && isStatic(op->getResult(0)) ? source : Value();
}

/// Returns the indices in the source of `op` of the element at `indices` of its
/// result.
static SmallVector<Value>
buildSourceIndices(ImplicitLocOpBuilder &b, Operation *op, ValueRange indices) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  SmallVector<Value> viewed;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    for (auto [index, offset] :
         llvm::zip_equal(indices, slice.getMixedOffsets()))
      viewed.push_back(b.createOrFold<arith::AddIOp>(
          getValueOrCreateConstantIndexOp(b, b.getLoc(), offset), index));
    return viewed;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      Value linear = indices[group.front()];
      for (int64_t dim : ArrayRef(group).drop_front()) {
        Value size = constant(expand.getResultType().getDimSize(dim));
        linear = b.createOrFold<arith::MulIOp>(linear, size);
        linear = b.createOrFold<arith::AddIOp>(linear, indices[dim]);
      }
      viewed.push_back(linear);
    }
    return viewed;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    for (auto [group, index] :
         llvm::zip_equal(collapse.getReassociationIndices(), indices)) {
      SmallVector<Value> delinearized(group.size());
      Value rest = index;
      for (size_t i = group.size() - 1; i > 0; --i) {
        Value size = constant(collapse.getSrcType().getDimSize(group[i]));
        delinearized[i] = b.createOrFold<arith::RemUIOp>(rest, size);
        rest = b.createOrFold<arith::DivUIOp>(rest, size);
      }
      delinearized[0] = rest;
      viewed.append(delinearized);
    }
    return viewed;
  }
  return SmallVector<Value>(indices);
}

/// Fuses the producer of the extracted tensor into the body. Returns false if
/// it is not fused.
static bool fuseExtract(RewriterBase &rewriter, tensor::ExtractOp extract) {
  auto consumer = dyn_cast<GenericOp>(extract->getParentOp());
  if (!consumer || !consumer.hasPureTensorSemantics())
    return false;
  Value source = extract.getTensor();
  SmallVector<Operation *> views;
  bool isCopied = false;
  while (Value viewed = getViewSource(source.getDefiningOp())) {
    isCopied |= !source.hasOneUse();
    views.push_back(source.getDefiningOp());
    source = viewed;
  }
  GenericOp producer = getElementwise(source);
  if (!producer || producer == consumer ||
      !isProfitableToFuse(producer, isCopied, extract, consumer))
    return false;
  ImplicitLocOpBuilder b(extract.getLoc(), extract);
  SmallVector<Value> indices(extract.getIndices());
  for (Operation *view : views)
    indices = buildSourceIndices(b, view, indices);
  inlineElement(rewriter, extract, producer, indices);
  return true;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Returns the slice of an operand that the slice of the result depends on.
static Value sliceOperand(RewriterBase &rewriter, tensor::ExtractSliceOp slice,
                          GenericOp op, OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return operand.get();
  Location loc = slice.getLoc();
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<OpFoldResult> offsets, sizes,
      strides(type.getRank(), rewriter.getIndexAttr(1));
  for (auto [dim, expression] :
       llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    if (std::optional<unsigned> loop = getLoop(expression)) {
      unsigned position = *result.getResultPosition(expression);
      offsets.push_back(slice.getMixedOffsets()[position]);
      sizes.push_back(slice.getMixedSizes()[position]);
    } else {
      offsets.push_back(rewriter.getIndexAttr(0));
      sizes.push_back(tensor::getMixedSize(rewriter, loc, operand.get(), dim));
    }
  }
  return tensor::ExtractSliceOp::create(rewriter, loc, operand.get(), offsets,
                                        sizes, strides);
}

/// Whether every index of the op's operands is the index of a loop, or does not
/// depend on the loops that are sliced.
static bool canSlice(GenericOp op, tensor::ExtractSliceOp slice) {
  if (op.hasIndexSemantics() || !slice.hasUnitStride() ||
      slice.getType().getRank() != slice.getSourceType().getRank())
    return false;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  llvm::SmallBitVector cut(op.getNumLoops());
  for (auto [position, size] : llvm::enumerate(slice.getMixedSizes())) {
    int64_t extent = slice.getSourceType().getDimSize(position);
    if (ShapedType::isDynamic(extent) || !isConstantIntValue(size, extent))
      cut.set(*getLoop(result.getResult(position)));
  }
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr expression) {
      return getLoop(expression) ||
             llvm::none_of(cut.set_bits(), [&](unsigned loop) {
               return expression.isFunctionOfDim(loop);
             });
    });
  });
}

/// Whether `user` computes elements from those of the slice. Matmuls dequantize
/// their weights themselves, and loops would dequantize in every iteration.
static bool isElementwiseUse(Operation *user, Operation *producer) {
  auto op = dyn_cast<GenericOp>(user);
  return op && op->getBlock() == producer->getBlock() &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         !isa<BlockArgument>(op.getBody()->getTerminator()->getOperand(0));
}

static bool fuseSlice(RewriterBase &rewriter, tensor::ExtractSliceOp slice) {
  GenericOp op = getElementwise(slice.getSource());
  if (!op || !llvm::all_of(slice->getUsers(), [&](Operation *user) {
        return isElementwiseUse(user, op);
      }))
    return false;
  if (!llvm::all_of(op.getDpsInputs(), isConstant) || !isCheap(op) ||
      !canSlice(op, slice))
    return false;
  rewriter.setInsertionPoint(slice);
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(sliceOperand(rewriter, slice, op, *input));
  Value init =
      tensor::EmptyOp::create(rewriter, slice.getLoc(), slice.getMixedSizes(),
                              slice.getType().getElementType());
  auto part =
      GenericOp::create(rewriter, slice.getLoc(), init.getType(), inputs, init,
                        op.getIndexingMapsArray(), op.getIteratorTypesArray());
  IRMapping mapping;
  op.getRegion().cloneInto(&part.getRegion(), mapping);
  Value replacement = part->getResult(0);
  if (replacement.getType() != slice.getType())
    replacement = tensor::CastOp::create(rewriter, slice.getLoc(),
                                         slice.getType(), replacement);
  rewriter.replaceOp(slice, replacement);
  return true;
}

unsigned quant_float::fuseGathers(RewriterBase &rewriter, Operation *root) {
  SmallVector<Operation *> readers;
  root->walk([&](Operation *op) {
    if (isa<tensor::ExtractOp, tensor::ExtractSliceOp>(op))
      readers.push_back(op);
  });
  unsigned fused = 0;
  for (Operation *op : readers) {
    Value source = op->getOperand(0);
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    bool isFused = extract
                       ? fuseExtract(rewriter, extract)
                       : fuseSlice(rewriter, cast<tensor::ExtractSliceOp>(op));
    fused += isFused;
    // The producer and the views in between may be dead now.
    while (Operation *producer = isFused ? source.getDefiningOp() : nullptr) {
      if (!isOpTriviallyDead(producer))
        break;
      source = producer->getNumOperands() ? producer->getOperand(0) : Value();
      rewriter.eraseOp(producer);
      if (!source)
        break;
    }
  }
  return fused;
}
