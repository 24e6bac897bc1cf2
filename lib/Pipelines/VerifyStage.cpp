//===- VerifyStage.cpp - Invariants of the stages -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Pipelines/Passes.h"
#include "quant-float/Pipelines/Stages.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATVERIFYSTAGEPASS
#include "quant-float/Pipelines/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Returns a description of an op that a stage does not allow; empty if it is
/// allowed.
using FindViolation = StringRef (*)(Operation *op);

static StringRef findImportViolation(Operation *op) {
  if (auto node = dyn_cast<NodeOp>(op))
    return node.getDomain() == kOpenVinoDomain ? "an OpenVINO layer" : "";
  auto call = dyn_cast<func::CallOp>(op);
  if (!call || call.getNoInline())
    return "";
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && callee.getNoInline() ? "" : "a call";
}

static bool hasTensor(TypeRange types) {
  return llvm::any_of(types, llvm::IsaPred<TensorType>);
}

static StringRef findLinalgViolation(Operation *op) {
  if (isa<NodeOp>(op))
    return "a node";
  // Shape functions take and return indices only, and are not entry points.
  if (auto function = dyn_cast<func::FuncOp>(op))
    return function.isPublic() && !function.isExternal() &&
                   !function->hasAttr(kEntryPointAttrName) &&
                   hasTensor(function.getArgumentTypes())
               ? "a public function without an entry point"
               : "";
  bool isOnTensors =
      hasTensor(op->getOperandTypes()) || hasTensor(op->getResultTypes());
  if (isOnTensors && isa_and_present<QuantFloatDialect>(op->getDialect()) &&
      !isa<CastStringsOp, LoadStringsOp>(op))
    return "a quant_float op on tensors";
  return "";
}

static StringRef findMemrefViolation(Operation *op) {
  if (isa<NodeOp>(op))
    return "a node";
  bool hasTensors =
      hasTensor(op->getOperandTypes()) || hasTensor(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      hasTensors |= hasTensor(block.getArgumentTypes());
  return hasTensors ? "a tensor" : "";
}

static StringRef findLLVMViolation(Operation *op) {
  if (isa<ModuleOp, gpu::BinaryOp, gpu::LaunchFuncOp>(op) ||
      isa_and_present<LLVM::LLVMDialect, omp::OpenMPDialect>(op->getDialect()))
    return "";
  return "an op of another dialect than LLVM's";
}

/// In the order of Stage.
static constexpr FindViolation kInvariants[] = {
    findImportViolation, findImportViolation, findLinalgViolation,
    findLinalgViolation, findMemrefViolation, findLLVMViolation,
    findLLVMViolation,   findLLVMViolation};

namespace {
struct VerifyStage final
    : quant_float::impl::QuantFloatVerifyStagePassBase<VerifyStage> {
  using QuantFloatVerifyStagePassBase::QuantFloatVerifyStagePassBase;

  void runOnOperation() override {
    std::optional<Stage> ran = findStage(stage);
    if (!ran) {
      getOperation()->emitError("expected the name of a stage, but got '")
          << stage << "'";
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
    // Nodes without a lowering stay until the subgraphs around them are
    // outlined.
    if (partition && *ran <= Stage::RewriteQuantization)
      return;
    FindViolation findViolation = kInvariants[static_cast<unsigned>(*ran)];
    getOperation()->walk([&](Operation *op) {
      // The device code of kernels is compiled separately from the host's.
      if (isa<gpu::GPUModuleOp>(op) && *ran < Stage::GenerateGPUCode)
        return WalkResult::skip();
      StringRef violation = findViolation(op);
      if (violation.empty())
        return WalkResult::advance();
      op->emitError("expected no such op after the stage ")
          << stage << ", but found " << violation;
      signalPassFailure();
      return WalkResult::advance();
    });
  }
};
} // namespace
