//===- BlockValues.cpp - Values that a block shares -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "quant-float/Support/Indices.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Whether a dimension of the map is the index of a block.
static bool hasBlocks(AffineMap map) {
  return llvm::any_of(map.getResults(), [](AffineExpr index) {
    return getBlockIndex(index).has_value();
  });
}

static bool isByteSized(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0;
}

bool BlockValues::find() {
  // Scales that are given stay scalars: an op for them would write and read a
  // buffer of its own.
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap own = op.getMatchingIndexingMap(input);
    if (!blocks && hasBlocks(own) && input->get().getDefiningOp<GenericOp>()) {
      blocks = input;
      map = own;
    }
  }
  if (!blocks)
    return false;
  auto shape = cast<RankedTensorType>(blocks->get().getType()).getShape();
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap own = op.getMatchingIndexingMap(input);
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (own.isConstant())
      invariant.insert(argument);
    else if (own == map &&
             cast<RankedTensorType>(input->get().getType()).getShape() == shape)
      shared.insert(argument);
  }
  for (Operation &nested : *op.getBody()) {
    bool isPlain = nested.getNumRegions() == 0 && isPure(&nested) &&
                   !nested.hasTrait<OpTrait::IsTerminator>() &&
                   !isa<linalg::IndexOp>(nested);
    bool isShared = false, isKnown = isPlain;
    for (Value operand : nested.getOperands()) {
      isShared |= shared.contains(operand);
      isKnown &= shared.contains(operand) || isInvariant(operand);
    }
    if (isKnown)
      for (Value result : nested.getResults())
        (isShared ? shared : invariant).insert(result);
  }
  // An op on blocks stores its results, which has to cost less than to compute
  // them for each block.
  constexpr size_t kMaxResults = 2;
  for (Operation &nested : llvm::reverse(*op.getBody())) {
    if (nested.getNumResults() == 1 && shared.contains(nested.getResult(0)) &&
        !results.contains(nested.getResult(0)))
      continue;
    // Buffers have no elements of one bit.
    bool isStored = nested.getNumResults() == 1 &&
                    results.contains(nested.getResult(0)) &&
                    isByteSized(nested.getResult(0).getType());
    if (isStored)
      continue;
    for (Value result : nested.getResults())
      results.remove(result);
    for (Value operand : nested.getOperands())
      if (shared.contains(operand) && !isa<BlockArgument>(operand))
        results.insert(operand);
  }
  return !results.empty() && results.size() <= kMaxResults;
}

void BlockValues::hoist(RewriterBase &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  int64_t rank = cast<RankedTensorType>(blocks->get().getType()).getRank();
  // Not those of the result, of which they would be a use.
  auto result = cast<OpResult>(blocks->get());
  auto producer = cast<GenericOp>(result.getOwner());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(
      rewriter, loc,
      producer.getDpsInitOperand(result.getResultNumber())->get());
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  SmallVector<Value> arguments;
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    bool isShared = shared.contains(argument);
    if (!isShared && !invariant.contains(argument))
      continue;
    inputs.push_back(input->get());
    arguments.push_back(argument);
    AffineMap own = op.getMatchingIndexingMap(input);
    maps.push_back(
        isShared ? identity
                 : AffineMap::get(rank, 0, own.getResults(), op.getContext()));
  }
  for (Value result : results) {
    inits.push_back(
        tensor::EmptyOp::create(rewriter, loc, sizes, result.getType()));
    maps.push_back(identity);
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto values = GenericOp::create(
      rewriter, loc, ValueRange(inits).getTypes(), inputs, inits, maps,
      iterators, [&](OpBuilder &builder, Location loc, ValueRange copies) {
        IRMapping mapping;
        mapping.map(arguments, copies.take_front(arguments.size()));
        for (Operation &nested : op.getBody()->without_terminator())
          if (llvm::any_of(nested.getResults(), [&](Value result) {
                return shared.contains(result) || invariant.contains(result);
              }))
            builder.clone(nested, mapping);
        linalg::YieldOp::create(builder, loc,
                                llvm::map_to_vector(results, [&](Value result) {
                                  return mapping.lookup(result);
                                }));
      });

  rewriter.modifyOpInPlace(op, [&] {
    Block *body = op.getBody();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned numInputs = op.getNumDpsInputs();
    op.getInputsMutable().append(values.getResults());
    maps.insert(maps.begin() + numInputs, results.size(), map);
    for (auto [index, result] : llvm::enumerate(results)) {
      Value argument = body->insertArgument(numInputs + index, result.getType(),
                                            result.getLoc());
      rewriter.replaceAllUsesWith(result, argument);
    }
    for (Operation &nested : llvm::make_early_inc_range(llvm::reverse(*body)))
      if (isOpTriviallyDead(&nested))
        rewriter.eraseOp(&nested);
    // Inputs that the body does not read would be fused as well.
    for (unsigned index = numInputs; index-- > 0;) {
      if (!body->getArgument(index).use_empty())
        continue;
      body->eraseArgument(index);
      op.getInputsMutable().erase(index);
      maps.erase(maps.begin() + index);
    }
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}
