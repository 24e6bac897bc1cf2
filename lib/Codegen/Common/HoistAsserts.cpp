//===- HoistAsserts.cpp - Move asserts out of linalg ops ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATHOISTASSERTSPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Returns the ops of the body that compute the condition, in order; fails if
/// one of them has side effects or regions.
static FailureOr<SetVector<Operation *>> getSlice(GenericOp op,
                                                  Value condition) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *source) {
    return source->getBlock() == op.getBody();
  };
  if (condition.getParentBlock() == op.getBody() && condition.getDefiningOp() &&
      failed(getBackwardSlice(condition, &slice, options)))
    return failure();
  for (Operation *source : slice)
    if (source->getNumRegions() != 0 || !isMemoryEffectFree(source))
      return failure();
  return slice;
}

/// Computes whether the condition holds in all iterations of the op, and
/// asserts it before the op. Fails if the condition depends on partial results
/// of a reduction.
static LogicalResult hoist(GenericOp op, cf::AssertOp assertion) {
  FailureOr<SetVector<Operation *>> slice = getSlice(op, assertion.getArg());
  if (failed(slice))
    return failure();
  auto isPartial = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return op.getNumReductionLoops() != 0 && argument &&
           argument.getOwner() == op.getBody() &&
           argument.getArgNumber() >= op.getNumDpsInputs();
  };
  if (isPartial(assertion.getArg()) ||
      llvm::any_of(*slice, [&](Operation *source) {
        return llvm::any_of(source->getOperands(), isPartial);
      }))
    return failure();

  ImplicitLocOpBuilder b(assertion.getLoc(), op);
  auto type = RankedTensorType::get({}, b.getI1Type());
  Value holds = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, /*value=*/true));
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned dims = op.getNumLoops();
  maps.push_back(AffineMap::get(dims, 0, b.getContext()));
  // The inits determine the number of iterations, too.
  auto check = GenericOp::create(
      b, type, op->getOperands(), holds, maps,
      SmallVector<utils::IteratorType>(dims, utils::IteratorType::reduction),
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments(), arguments.drop_back());
        for (Operation *source : *slice)
          nested.clone(*source, mapping);
        Value all = arith::AndIOp::create(
            nested, loc, mapping.lookupOrDefault(assertion.getArg()),
            arguments.back());
        linalg::YieldOp::create(nested, loc, all);
      });
  Value all = tensor::ExtractOp::create(b, check.getResult(0), ValueRange());
  cf::AssertOp::create(b, all, assertion.getMsg());
  assertion.erase();
  return success();
}

namespace {
struct HoistAsserts final
    : quant_float::impl::QuantFloatHoistAssertsPassBase<HoistAsserts> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> assertions;
    getOperation()->walk(
        [&](cf::AssertOp assertion) { assertions.push_back(assertion); });
    for (cf::AssertOp assertion : assertions)
      if (auto op = dyn_cast<GenericOp>(assertion->getParentOp()))
        if (op.hasPureTensorSemantics())
          (void)hoist(op, assertion);
  }
};
} // namespace
