//===- PropagateTransposes.cpp - Fold transposes into indexing maps -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/Support/Indices.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPROPAGATETRANSPOSESPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-propagate-transposes"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Returns the only non-scalar input of an elementwise op, if the op transposes
/// it. Returns null otherwise.
static OpOperand *getTransposed(GenericOp op) {
  if (!op || op->getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops() || op.hasIndexSemantics() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return nullptr;
  OpOperand *transposed = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.isConstant())
      continue;
    if (transposed || !map.isPermutation() || map.isIdentity())
      return nullptr;
    transposed = input;
  }
  return transposed;
}

/// Whether the innermost loop is a reduction along which the operand is
/// contiguous.
static bool reducesAlongRows(GenericOp op, AffineMap map) {
  unsigned last = op.getNumLoops() - 1;
  return op.getIteratorTypesArray()[last] == utils::IteratorType::reduction &&
         getLoop(map.getResults().back()) == last;
}

/// Recreates the elementwise op with the layout of its input.
static Value computeInOrder(RewriterBase &rewriter, GenericOp op,
                            OpOperand *input) {
  // The op only transposes.
  if (op.getBody()->getOperations().size() == 1 &&
      op.getBody()->getTerminator()->getOperand(0) ==
          op.getMatchingBlockArgument(input))
    return input->get();
  rewriter.setInsertionPoint(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[input->getOperandNumber()] =
      rewriter.getMultiDimIdentityMap(op.getNumLoops());
  Value init = tensor::EmptyOp::create(
      rewriter, op.getLoc(),
      tensor::getMixedSizes(rewriter, op.getLoc(), input->get()),
      cast<RankedTensorType>(op->getResultTypes().front()).getElementType());
  auto replacement =
      GenericOp::create(rewriter, op.getLoc(), init.getType(), op.getInputs(),
                        init, maps, op.getIteratorTypesArray());
  IRMapping mapping;
  op.getRegion().cloneInto(&replacement.getRegion(), mapping);
  return replacement->getResult(0);
}

/// Lets the contraction read operands of its producers without their
/// transposition. Returns the number of these operands.
static unsigned foldTransposes(RewriterBase &rewriter, GenericOp op) {
  unsigned folded = 0;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<GenericOp>();
    OpOperand *input = getTransposed(producer);
    if (!input || !producer->hasOneUse())
      continue;
    AffineMap map = producer.getMatchingIndexingMap(input).compose(
        op.getMatchingIndexingMap(operand));
    if (!reducesAlongRows(op, map)) {
      LDBG() << "K would not be contiguous at " << op.getLoc();
      continue;
    }
    LDBG() << "folding the transposition at " << producer.getLoc()
           << " into the contraction at " << op.getLoc();
    ++folded;
    Value value = computeInOrder(rewriter, producer, input);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps[operand->getOperandNumber()] = map;
    rewriter.modifyOpInPlace(op, [&] {
      operand->set(value);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    rewriter.eraseOp(producer);
  }
  return folded;
}

namespace {
struct PropagateTransposes final
    : quant_float::impl::QuantFloatPropagateTransposesPassBase<
          PropagateTransposes> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](GenericOp op) {
      if (op.hasPureTensorSemantics() && op.getNumReductionLoops() > 0)
        numFolded += foldTransposes(rewriter, op);
    });
  }
};
} // namespace
