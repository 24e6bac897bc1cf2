//===- BroadcastFromMemory.cpp - Broadcast f32 with integer loads ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/Support/InlineAsm.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATBROADCASTFROMMEMORYPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-broadcast-from-memory"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the load whose result `splat` broadcasts to all lanes, if the load
/// and the insertion have no other use; null otherwise.
static LLVM::LoadOp findLoad(LLVM::ShuffleVectorOp splat) {
  auto insert = splat.getV1().getDefiningOp<LLVM::InsertElementOp>();
  if (!insert || !insert->hasOneUse() ||
      !matchPattern(insert.getPosition(), m_Zero()) ||
      !llvm::all_of(splat.getMask(), [](int32_t lane) { return lane == 0; }))
    return {};
  auto load = insert.getValue().getDefiningOp<LLVM::LoadOp>();
  return load && load->hasOneUse() && !load.getVolatile_() &&
                 load.getOrdering() == LLVM::AtomicOrdering::not_atomic
             ? load
             : LLVM::LoadOp();
}

namespace {
struct BroadcastFromMemory final
    : quant_float::impl::QuantFloatBroadcastFromMemoryPassBase<
          BroadcastFromMemory> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](LLVM::ShuffleVectorOp splat) {
      auto type = cast<VectorType>(splat.getType());
      // A broadcast with one use is folded into the instruction that uses it.
      if (!type.getElementType().isF32() || type.getNumElements() != 16 ||
          splat->hasOneUse())
        return;
      LLVM::LoadOp load = findLoad(splat);
      if (!load)
        return;
      LDBG() << "broadcasting " << load;
      ++numBroadcasts;
      rewriter.setInsertionPoint(load);
      auto attributes = rewriter.getDictionaryAttr(
          rewriter.getNamedAttr(LLVM::InlineAsmOp::getElementTypeAttrName(),
                                TypeAttr::get(type.getElementType())));
      LLVM::InlineAsmOp asmOp = createInlineAsm(
          rewriter, load.getLoc(), type, load.getAddr(), "vpbroadcastd $1, $0",
          "=v,*m", /*hasSideEffects=*/false, rewriter.getArrayAttr(attributes));
      Operation *insert = splat.getV1().getDefiningOp();
      rewriter.replaceOp(splat, asmOp);
      rewriter.eraseOp(insert);
      rewriter.eraseOp(load);
    });
  }
};
} // namespace
