//===- PropagateFloatControl.cpp - Floating-point control of threads ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/RegionUtils.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/Support/RuntimeFunction.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPROPAGATEFLOATCONTROLPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct PropagateFloatControl final
    : quant_float::impl::QuantFloatPropagateFloatControlPassBase<
          PropagateFloatControl> {
  void runOnOperation() override;
};
} // namespace

/// Checks that the region can become the body of a function.
static LogicalResult verifyRegion(omp::ParallelOp parallel) {
  if (!parallel->getParentOfType<LLVM::LLVMFuncOp>())
    return parallel.emitOpError("expected to be in an 'llvm.func'");
  auto isOfLLVM = [](Value value) {
    return LLVM::isCompatibleType(value.getType());
  };
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(parallel.getRegion(), used);
  if (!llvm::all_of(used, isOfLLVM) ||
      !llvm::all_of(parallel.getRegion().getArguments(), isOfLLVM))
    return parallel.emitOpError("expected values of LLVM dialect types");
  WalkResult result = parallel.walk([&](Operation *op) {
    if (!isa<omp::CancelOp, omp::CancellationPointOp>(op) ||
        op->getParentOp() != parallel)
      return WalkResult::advance();
    op->emitOpError("expected no cancellation of threads");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Moves the region to `function`, which is not inlined: LLVM may move
/// arithmetic across the calls that set the control register, but not out of a
/// function. Returns the values defined above the region that the function
/// takes as its first arguments.
static llvm::SetVector<Value> outline(omp::ParallelOp parallel,
                                      LLVM::LLVMFuncOp function) {
  Region &region = parallel.getRegion();
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(region, used);
  OpBuilder builder(&region);
  // Clone constants instead of passing them as arguments.
  used.remove_if([&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 0 ||
        !(op->hasTrait<OpTrait::ConstantLike>() ||
          isa<LLVM::AddressOfOp, LLVM::UndefOp, LLVM::PoisonOp>(op)))
      return false;
    replaceAllUsesInRegionWith(value, builder.clone(*op)->getResult(0), region);
    return true;
  });
  for (Block &block : region) {
    auto end = dyn_cast<omp::TerminatorOp>(block.getTerminator());
    if (!end)
      continue;
    builder.setInsertionPoint(end);
    LLVM::ReturnOp::create(builder, end.getLoc(), ValueRange());
    end.erase();
  }
  function.getBody().takeBody(region);
  for (auto [index, value] : llvm::enumerate(used)) {
    BlockArgument argument = function.getBody().insertArgument(
        index, value.getType(), value.getLoc());
    replaceAllUsesInRegionWith(value, argument, function.getBody());
  }
  return used;
}

void PropagateFloatControl::runOnOperation() {
  ModuleOp module = getOperation();
  // The post-order walk visits inner regions first.
  SmallVector<omp::ParallelOp> regions;
  module.walk([&](omp::ParallelOp op) { regions.push_back(op); });
  if (regions.empty())
    return;
  ImplicitLocOpBuilder b(module.getLoc(), &getContext());
  Type i64 = b.getI64Type();
  FailureOr<LLVM::LLVMFuncOp> reset =
      declareFunction(b, module, "__qf_reset_float_control", {}, i64);
  FailureOr<LLVM::LLVMFuncOp> set =
      declareFunction(b, module, "__qf_set_float_control", i64, i64);
  if (failed(reset) || failed(set))
    return signalPassFailure();
  SymbolTable symbols(module);
  for (omp::ParallelOp parallel : regions) {
    if (failed(verifyRegion(parallel)))
      return signalPassFailure();
    auto parent = parallel->getParentOfType<LLVM::LLVMFuncOp>();
    b.setLoc(parallel.getLoc());
    Region &region = parallel.getRegion();
    SmallVector<Type> argumentTypes(region.getArgumentTypes());
    SmallVector<Location> locations(argumentTypes.size(), b.getLoc());

    // The type is set once the values that the region uses are known.
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()), {});
    b.setInsertionPointAfter(parent);
    auto function =
        LLVM::LLVMFuncOp::create(b, (parent.getSymName() + ".threads").str(),
                                 type, LLVM::Linkage::Internal);
    function.setNoInline(true);
    symbols.insert(function);
    llvm::SetVector<Value> used = outline(parallel, function);
    function.setFunctionType(LLVM::LLVMFunctionType::get(
        type.getReturnType(),
        llvm::to_vector(function.getBody().getArgumentTypes())));

    b.setInsertionPoint(parallel);
    Value control = LLVM::CallOp::create(b, *reset, ValueRange()).getResult();
    Block *body =
        b.createBlock(&region, region.end(), argumentTypes, locations);
    Value own = LLVM::CallOp::create(b, *set, control).getResult();
    SmallVector<Value> arguments(used.begin(), used.end());
    llvm::append_range(arguments, body->getArguments());
    LLVM::CallOp::create(b, function, arguments);
    LLVM::CallOp::create(b, *set, own);
    omp::TerminatorOp::create(b);
    b.setInsertionPointAfter(parallel);
    LLVM::CallOp::create(b, *set, control);
  }
}
