//===- SinkQuantizeThroughConcat.cpp - Sink quantize ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATSINKQUANTIZETHROUGHCONCATPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-sink-quantize-through-concat"

using namespace mlir;
using namespace mlir::quant_float;

/// The first opset in which Concat accepts 8-bit integers.
static constexpr int64_t kFirstOpset = 4;

/// Returns the tensor type with the quantized element type of `op`.
static RankedTensorType toQuantized(QuantizeOp op, Type type) {
  return cast<RankedTensorType>(type).clone(getElementTypeOrSelf(op.getType()));
}

/// Returns the Concat that produces the input of the quantize, if it has no
/// other uses and the parameters apply to each of its inputs.
static NodeOp findConcat(QuantizeOp op) {
  auto node = op.getInput().getDefiningOp<NodeOp>();
  if (!node || getNodeKind(node) != NodeKind::Concat ||
      int64_t(node.getOpset()) < kFirstOpset || node->getNumResults() != 1 ||
      !node->hasOneUse() || op.getRandom() || op.getGranularity().axis ||
      !op.getQuantizedElementType().isInteger(8) ||
      !isa<RankedTensorType>(op.getInput().getType()) ||
      toQuantized(op, op.getInput().getType()) != op.getType())
    return {};
  Type element = getElementTypeOrSelf(op.getInput());
  bool isPlain = llvm::all_of(node.getInputs(), [&](Value part) {
    return isa<RankedTensorType>(part.getType()) &&
           getElementTypeOrSelf(part) == element;
  });
  return isPlain ? node : NodeOp();
}

namespace {
struct SinkQuantizeThroughConcat final
    : quant_float::impl::QuantFloatSinkQuantizeThroughConcatPassBase<
          SinkQuantizeThroughConcat> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<QuantizeOp> ops;
    getOperation()->walk([&](QuantizeOp op) { ops.push_back(op); });
    // Process the last op first. New ops of the inputs are processed too, for
    // nested Concats.
    while (!ops.empty()) {
      QuantizeOp op = ops.pop_back_val();
      NodeOp concat = findConcat(op);
      if (!concat)
        continue;
      LDBG() << "sinking " << op << " through " << concat;
      ++numSunk;
      rewriter.setInsertionPoint(op);
      SmallVector<Value> parts;
      for (Value part : concat.getInputs()) {
        auto quantize = cast<QuantizeOp>(rewriter.clone(*op));
        quantize.getInputMutable().assign(part);
        quantize->getResult(0).setType(toQuantized(op, part.getType()));
        ops.push_back(quantize);
        parts.push_back(quantize->getResult(0));
      }
      auto joined = cast<NodeOp>(rewriter.clone(*concat));
      joined.getInputsMutable().assign(parts);
      joined->getResult(0).setType(op.getType());
      rewriter.replaceOp(op, joined->getResults());
      rewriter.eraseOp(concat);
    }
  }
};
} // namespace
