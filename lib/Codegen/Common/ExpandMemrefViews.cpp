//===- ExpandMemrefViews.cpp - Expand memref views ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatternsTo.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATEXPANDMEMREFVIEWSPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the base and the indices of an access. The base is null if `op` is
/// not an access of one element, or of adjacent elements within bounds.
static std::pair<OpOperand *, MutableOperandRange> getAccess(Operation *op) {
  using Access = std::pair<OpOperand *, MutableOperandRange>;
  auto none = [&] { return Access(nullptr, MutableOperandRange(op, 0, 0)); };
  return llvm::TypeSwitch<Operation *, Access>(op)
      .Case<vector::TransferReadOp, vector::TransferWriteOp>(
          [&](auto access) -> Access {
            if (access.hasOutOfBoundsDim())
              return none();
            return {&access.getBaseMutable(), access.getIndicesMutable()};
          })
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp>([](auto access) -> Access {
        return {&access.getBaseMutable(), access.getIndicesMutable()};
      })
      .Case<memref::LoadOp, memref::StoreOp>([](auto access) -> Access {
        return {&access.getMemrefMutable(), access.getIndicesMutable()};
      })
      .Default([&](Operation *) { return none(); });
}

/// Redirects accesses from a subview to its source, so that the sizes and
/// strides of the subview need not be computed only to derive an address from
/// them.
///
///   %v = memref.subview %b[%i] [64] [1]
///   vector.load %v[%c0]
/// ->
///   vector.load %b[%i]
static void accessSource(memref::SubViewOp view) {
  MemRefType source = view.getSourceType();
  if (source.getRank() != view.getType().getRank() || !view.hasUnitStride())
    return;
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  for (Operation *user : llvm::make_early_inc_range(view->getUsers())) {
    auto [base, indices] = getAccess(user);
    if (!base || base->get() != view.getResult())
      continue;
    OpBuilder builder(user);
    for (auto [index, offset] : llvm::zip_equal(indices, offsets)) {
      Value at = index.get();
      if (isZeroInteger(offset))
        continue;
      Value start =
          getValueOrCreateConstantIndexOp(builder, user->getLoc(), offset);
      index.set(isZeroInteger(OpFoldResult(at))
                    ? start
                    : arith::AddIOp::create(builder, user->getLoc(), start, at)
                          .getResult());
    }
    base->set(view.getSource());
  }
  if (view.use_empty())
    view.erase();
}

static void restoreType(OpOperand &operand, Type type) {
  if (operand.get().getType() == type)
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(memref::CastOp::create(builder, operand.getOwner()->getLoc(),
                                     type, operand.get()));
}

namespace {
struct ExpandMemrefViews final
    : quant_float::impl::QuantFloatExpandMemrefViewsPassBase<
          ExpandMemrefViews> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    memref::populateExpandStridedMetadataPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    // Process a subview before the subview that it is based on.
    SmallVector<memref::SubViewOp> views;
    getOperation()->walk(
        [&](memref::SubViewOp view) { views.push_back(view); });
    for (memref::SubViewOp view : llvm::reverse(views))
      accessSource(view);
    // Since LLVM 24, the expansion of an operand may have a strided layout. The
    // elements of an operand without one are contiguous.
    SmallVector<std::pair<memref::CopyOp, std::pair<Type, Type>>> copies;
    getOperation()->walk([&](memref::CopyOp copy) {
      copies.push_back(
          {copy, {copy.getSource().getType(), copy.getTarget().getType()}});
    });
    applyPatternsTo(getOperation(), patterns, [](Operation *op) {
      return isa_and_present<memref::MemRefDialect>(op->getDialect()) &&
             !isa<memref::CopyOp>(op);
    });
    for (auto &[copy, types] : copies) {
      restoreType(copy.getSourceMutable(), types.first);
      restoreType(copy.getTargetMutable(), types.second);
    }
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
