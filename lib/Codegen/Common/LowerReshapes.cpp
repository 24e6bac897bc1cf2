//===- LowerReshapes.cpp - Lower reshapes with dynamic sizes --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERRESHAPESPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Replaces `op` with a reinterpret cast of the contiguous elements at
/// `source`.
static void replaceBySizes(RewriterBase &rewriter, Operation *op, Value source,
                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size());
  OpFoldResult stride = rewriter.getIndexAttr(1);
  AffineExpr product =
      rewriter.getAffineSymbolExpr(0) * rewriter.getAffineSymbolExpr(1);
  for (int64_t i = sizes.size() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride = affine::makeComposedFoldedAffineApply(rewriter, op->getLoc(),
                                                   product, {stride, sizes[i]});
  }
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, cast<MemRefType>(op->getResult(0).getType()), source,
      rewriter.getIndexAttr(0), sizes, strides);
}

/// Returns the sizes of the result. Loads dynamic sizes from the shape operand.
static SmallVector<OpFoldResult> readSizes(OpBuilder &builder,
                                           memref::ReshapeOp op) {
  SmallVector<OpFoldResult> sizes;
  auto type = cast<MemRefType>(op.getType());
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(builder.getIndexAttr(size));
      continue;
    }
    Location loc = op.getLoc();
    Value at = arith::ConstantIndexOp::create(builder, loc, index);
    Value read = memref::LoadOp::create(builder, loc, op.getShape(), at);
    sizes.push_back(builder.createOrFold<arith::IndexCastOp>(
        loc, builder.getIndexType(), read));
  }
  return sizes;
}

namespace {
struct LowerReshapes final
    : quant_float::impl::QuantFloatLowerReshapesPassBase<LowerReshapes> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      auto expand = dyn_cast<memref::ExpandShapeOp>(op);
      auto reshape = dyn_cast<memref::ReshapeOp>(op);
      if ((expand && expand.getSrcType().getLayout().isIdentity()) ||
          (reshape && isa<UnrankedMemRefType>(reshape.getSource().getType()) &&
           isa<MemRefType>(reshape.getType())))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
        replaceBySizes(rewriter, op, expand.getSrc(),
                       expand.getMixedOutputShape());
        continue;
      }
      auto reshape = cast<memref::ReshapeOp>(op);
      replaceBySizes(rewriter, op, reshape.getSource(),
                     readSizes(rewriter, reshape));
    }
  }
};
} // namespace
