//===- PadInPlace.cpp - Results between their pads -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization copies what is padded to a buffer of its own. What an
// elementwise op computes for that alone can be written there at once:
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

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPADINPLACEPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The op that computes what is padded, element by element, for nobody else.
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

static void padInPlace(RewriterBase &rewriter, tensor::PadOp pad) {
  GenericOp op = getProducer(pad);
  Value padding = pad.getConstantPaddingValue();
  auto type = pad.getResultType();
  auto isPad = [](int64_t size) { return size >= 0; };
  // Packed elements are written byte by byte, of which pads may have a part.
  if (!op || !padding || !matchPattern(padding, m_Constant()) ||
      isPackedElementType(type.getElementType()) || !type.hasStaticShape() ||
      !pad.getSourceType().hasStaticShape() ||
      llvm::is_contained(pad.getSourceType().getShape(), 0) ||
      !llvm::all_of(pad.getStaticLow(), isPad) ||
      !llvm::all_of(pad.getStaticHigh(), isPad))
    return;
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
}

namespace {
struct PadInPlace final
    : quant_float::impl::QuantFloatPadInPlacePassBase<PadInPlace> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](tensor::PadOp pad) { padInPlace(rewriter, pad); });
  }
};
} // namespace
