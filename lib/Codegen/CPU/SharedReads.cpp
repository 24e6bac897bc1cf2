//===- SharedReads.cpp - Reductions that share reads ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedReads.h"
#include "../Common/LinalgUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

//===----------------------------------------------------------------------===//
// Reductions of the same tensor
//===----------------------------------------------------------------------===//

/// Whether the ops read the same tensors in the same order, each element once,
/// and have results of the same shape.
static bool areSiblings(GenericOp lhs, GenericOp rhs) {
  unsigned numInputs = lhs.getNumDpsInputs();
  SmallVector<AffineMap> maps = lhs.getIndexingMapsArray();
  SmallVector<AffineMap> otherMaps = rhs.getIndexingMapsArray();
  auto isResult = [&](AffineMap map) { return map == maps.back(); };
  return numInputs == rhs.getNumDpsInputs() &&
         lhs.getDpsInputs() == rhs.getDpsInputs() &&
         lhs.getIteratorTypesArray() == rhs.getIteratorTypesArray() &&
         ArrayRef(maps).take_front(numInputs) ==
             ArrayRef(otherMaps).take_front(numInputs) &&
         llvm::all_of(ArrayRef(maps).drop_front(numInputs), isResult) &&
         llvm::all_of(ArrayRef(otherMaps).drop_front(numInputs), isResult) &&
         cast<RankedTensorType>(lhs.getResultTypes()[0]).getShape() ==
             cast<RankedTensorType>(rhs.getResultTypes()[0]).getShape();
}

/// Merges two reductions of the same tensors, which are then read once.
static void merge(RewriterBase &rewriter, GenericOp lhs, GenericOp rhs) {
  rewriter.setInsertionPoint(lhs);
  SmallVector<Value> inits(lhs.getDpsInits());
  llvm::append_range(inits, rhs.getDpsInits());
  SmallVector<AffineMap> maps = lhs.getIndexingMapsArray();
  maps.append(rhs.getNumDpsInits(), maps.back());
  unsigned numInputs = lhs.getNumDpsInputs(), numInits = lhs.getNumDpsInits();
  auto merged = GenericOp::create(
      rewriter, lhs.getLoc(), ValueRange(inits).getTypes(), lhs.getDpsInputs(),
      inits, maps, lhs.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        SmallVector<Value> results;
        auto copy = [&](GenericOp op, unsigned firstInit) {
          IRMapping mapping;
          mapping.map(op.getBody()->getArguments().take_front(numInputs),
                      arguments.take_front(numInputs));
          mapping.map(op.getBody()->getArguments().drop_front(numInputs),
                      arguments.slice(firstInit, op.getNumDpsInits()));
          for (Operation &nested : op.getBody()->without_terminator())
            builder.clone(nested, mapping);
          for (Value value : op.getBody()->getTerminator()->getOperands())
            results.push_back(mapping.lookupOrDefault(value));
        };
        copy(lhs, numInputs);
        copy(rhs, numInputs + numInits);
        linalg::YieldOp::create(builder, loc, results);
      });
  rewriter.replaceOp(lhs, merged->getResults().take_front(numInits));
  rewriter.replaceOp(rhs, merged->getResults().drop_front(numInits));
}

unsigned quant_float::mergeSiblings(RewriterBase &rewriter, Operation *root) {
  SmallVector<GenericOp> reductions;
  root->walk([&](GenericOp op) {
    if (op.hasPureTensorSemantics() && op.getNumReductionLoops() != 0 &&
        op.getNumDpsInputs() != 0 && !op.hasIndexSemantics() &&
        !op->hasAttr(kReductionScheduleAttrName) &&
        llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
          return op.getMatchingIndexingMap(input).isPermutation();
        }))
      reductions.push_back(op);
  });
  // Only reductions of the same first input are compared, because a network may
  // have very many.
  llvm::MapVector<Value, SmallVector<GenericOp>> byInput;
  for (GenericOp op : reductions)
    byInput[op.getDpsInputs()[0]].push_back(op);
  unsigned count = 0;
  for (auto &[input, ops] : byInput)
    for (size_t i = 0; i + 1 < ops.size(); ++i) {
      GenericOp &one = ops[i];
      for (size_t j = i + 1; one && j < ops.size(); ++j) {
        GenericOp other = ops[j];
        if (!other || one->getBlock() != other->getBlock() ||
            !areSiblings(one, other) ||
            failed(moveOperationDependencies(rewriter, other, one)))
          continue;
        merge(rewriter, one, other);
        ops[j] = nullptr;
        ++count;
        break;
      }
    }
  return count;
}

//===----------------------------------------------------------------------===//
// Reductions of the entire tensor
//===----------------------------------------------------------------------===//

/// Whether to compute the op twice rather than to write its result and to read
/// it again: if it is cheap, or if memory for the result would be allocated
/// anew, which takes longer than to compute an activation.
static bool isRepeated(GenericOp op) {
  constexpr size_t kMaxCheapOps = 4, kMaxOps = 64;
  constexpr int64_t kLargeElements = int64_t(1) << 20;
  if (op->getNumResults() != 1 || op.getNumDpsInputs() > 2 ||
      op.hasIndexSemantics() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
        AffineMap map = op.getMatchingIndexingMap(input);
        return map.isIdentity() || map.getNumResults() == 0;
      }))
    return false;
  auto type = cast<RankedTensorType>(op.getResultTypes()[0]);
  size_t numOps = op.getBody()->getOperations().size() - 1;
  if (type.hasStaticShape() && type.getNumElements() >= kLargeElements)
    return numOps <= kMaxOps;
  return numOps <= kMaxCheapOps &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &op) {
           return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                      arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
                      arith::ConstantOp, arith::ExtFOp>(op);
         });
}

static LogicalResult fuseProducer(RewriterBase &rewriter, OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<GenericOp>();
  Operation *user = operand.getOwner();
  rewriter.setInsertionPoint(user);
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, &operand);
  if (failed(fused))
    return failure();
  for (auto [value, replacement] : fused->replacements)
    if (value.getDefiningOp() != producer)
      rewriter.replaceAllUsesWith(value, replacement);
  rewriter.eraseOp(user);
  return success();
}

LogicalResult quant_float::repeatProducer(RewriterBase &rewriter,
                                          GenericOp op) {
  auto *operand = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
    auto producer = operand.get().getDefiningOp<GenericOp>();
    return producer && isElementwiseOnTensors(producer) &&
           isRepeated(producer) &&
           op.getMatchingIndexingMap(&operand).isIdentity();
  });
  if (operand == op->getOpOperands().end())
    return success();
  auto producer = operand->get().getDefiningOp<GenericOp>();
  SmallVector<OpOperand *> reads;
  SmallVector<tensor::CollapseShapeOp> reshapes;
  for (OpOperand &use : producer->getUses()) {
    if (&use == operand)
      continue;
    auto reshape = dyn_cast<tensor::CollapseShapeOp>(use.getOwner());
    if (!reshape || reshape.getResultType().getRank() != 1)
      return success();
    for (OpOperand &read : reshape->getUses()) {
      auto reduction = dyn_cast<GenericOp>(read.getOwner());
      if (!reduction || !reduction.hasPureTensorSemantics() ||
          reduction.getNumReductionLoops() != 1 ||
          reduction.getNumLoops() != 1 || getCombiners(reduction).empty())
        return success();
      reads.push_back(&read);
    }
    reshapes.push_back(reshape);
  }
  if (reads.empty())
    return success();
  for (OpOperand *read : reads) {
    // The producer on tensors of rank 1.
    auto reshape = read->get().getDefiningOp<tensor::CollapseShapeOp>();
    rewriter.setInsertionPoint(reshape);
    auto flatten = [&](Value value) -> Value {
      if (cast<RankedTensorType>(value.getType()).getRank() == 0)
        return value;
      return tensor::CollapseShapeOp::create(rewriter, reshape.getLoc(), value,
                                             reshape.getReassociationIndices());
    };
    SmallVector<Value> inputs = llvm::map_to_vector(
        producer.getDpsInputs(), [&](Value input) { return flatten(input); });
    Value init = flatten(producer.getDpsInits()[0]);
    SmallVector<AffineMap> maps;
    for (AffineMap map : producer.getIndexingMapsArray())
      maps.push_back(map.getNumResults() == 0
                         ? AffineMap::get(1, 0, op.getContext())
                         : rewriter.getMultiDimIdentityMap(1));
    auto flat = GenericOp::create(
        rewriter, producer.getLoc(), init.getType(), inputs, init, maps,
        SmallVector<utils::IteratorType>(1, utils::IteratorType::parallel));
    IRMapping mapping;
    producer.getRegion().cloneInto(&flat.getRegion(), mapping);
    rewriter.modifyOpInPlace(read->getOwner(),
                             [&] { read->set(flat.getResult(0)); });
    if (failed(fuseProducer(rewriter, *read)))
      return failure();
    rewriter.eraseOp(flat);
  }
  for (tensor::CollapseShapeOp reshape : reshapes)
    rewriter.eraseOp(reshape);
  if (failed(fuseProducer(rewriter, *operand)))
    return failure();
  if (producer->use_empty())
    rewriter.eraseOp(producer);
  return success();
}
