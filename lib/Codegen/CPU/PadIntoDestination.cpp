//===- PadIntoDestination.cpp - Compute into the padded tensor ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization would copy the source of a tensor.pad to the padded buffer. An
// elementwise op that computes only this source can write to the padded tensor
// directly:
//
//   %y = linalg.generic ... outs(%empty)
//   %z = tensor.pad %y ...
//   // becomes
//   %pads = linalg.fill ... outs(%larger)
//   %slice = tensor.extract_slice %pads ...
//   %y = linalg.generic ... outs(%slice)
//   %z = tensor.insert_slice %y into %pads ...
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPADINTODESTINATIONPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-pad-into-destination"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Returns the elementwise op that computes the source of the pad and has no
/// other users, or null.
static GenericOp getProducer(tensor::PadOp pad) {
  auto op = pad.getSource().getDefiningOp<GenericOp>();
  if (!op || !pad.getSource().hasOneUse() || op->getNumResults() != 1 ||
      op->getBlock() != pad->getBlock() ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      !op.getIndexingMapsArray().back().isIdentity())
    return {};
  return op;
}

/// Returns whether the pad is replaced.
static bool padIntoDestination(RewriterBase &rewriter, tensor::PadOp pad) {
  GenericOp op = getProducer(pad);
  Value padding = pad.getConstantPaddingValue();
  auto type = pad.getResultType();
  auto isPad = [](int64_t size) { return size >= 0; };
  // Packed elements are written byte by byte, and a byte may contain elements
  // of both the padding and the interior.
  if (!op || !padding || !matchPattern(padding, m_Constant()) ||
      isPackedElementType(type.getElementType()) || !type.hasStaticShape() ||
      !pad.getSourceType().hasStaticShape() ||
      llvm::is_contained(pad.getSourceType().getShape(), 0) ||
      !llvm::all_of(pad.getStaticLow(), isPad) ||
      !llvm::all_of(pad.getStaticHigh(), isPad)) {
    LDBG() << "copying the source of the pad at " << pad.getLoc();
    return false;
  }
  LDBG() << "the op at " << op.getLoc() << " writes into a padded tensor";
  Location loc = pad.getLoc();
  rewriter.setInsertionPoint(op);
  Value value = rewriter.clone(*padding.getDefiningOp())->getResult(0);
  Value larger = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                         type.getElementType());
  Value pads =
      linalg::FillOp::create(rewriter, loc, value, larger).getResult(0);
  SmallVector<OpFoldResult> offsets = pad.getMixedLowPad();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, pad.getSource());
  SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
  Value slice = tensor::ExtractSliceOp::create(
      rewriter, loc, pad.getSourceType(), pads, offsets, sizes, strides);
  rewriter.modifyOpInPlace(op, [&] { op.getDpsInitsMutable()[0].set(slice); });
  rewriter.setInsertionPoint(pad);
  rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
      pad, op->getResult(0), pads, offsets, sizes, strides);
  return true;
}

/// Replaces the empty tensor that slices are inserted into by the buffer that
/// the result is materialized in. Upstream's elimination of empty tensors
/// starts at the slices, whose producers then write to another empty tensor.
static void
insertIntoDestination(RewriterBase &rewriter,
                      bufferization::MaterializeInDestinationOp op) {
  auto buffer = dyn_cast<BlockArgument>(op.getDest());
  if (!buffer || !isa<MemRefType>(buffer.getType()) || !op.getRestrict() ||
      !op.getWritable())
    return;
  Value source = op.getSource();
  tensor::InsertSliceOp first;
  while (auto insert = source.getDefiningOp<tensor::InsertSliceOp>()) {
    if (!source.hasOneUse())
      return;
    first = insert;
    source = insert.getDest();
  }
  if (!first || !source.getDefiningOp<tensor::EmptyOp>() ||
      memref::getTensorTypeFromMemRefType(buffer.getType()) != source.getType())
    return;
  LDBG() << "slices at " << first.getLoc() << " are inserted into the result";
  rewriter.setInsertionPointToStart(buffer.getOwner());
  Value destination = bufferization::ToTensorOp::create(
      rewriter, op.getLoc(), source.getType(), buffer, /*restrict=*/true,
      /*writable=*/true);
  rewriter.modifyOpInPlace(first,
                           [&] { first.getDestMutable().assign(destination); });
  // The tensor has the promise now.
  rewriter.modifyOpInPlace(op, [&] { op.setRestrict(false); });
}

namespace {
struct PadIntoDestination final
    : quant_float::impl::QuantFloatPadIntoDestinationPassBase<
          PadIntoDestination> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](tensor::PadOp pad) {
      if (padIntoDestination(rewriter, pad))
        ++numPads;
    });
    getOperation()->walk([&](bufferization::MaterializeInDestinationOp op) {
      insertIntoDestination(rewriter, op);
    });
  }
};
} // namespace
