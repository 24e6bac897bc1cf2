//===- IfPresent.cpp - Run a pipeline if ops are present ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATIFPRESENTPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct IfPresent final
    : quant_float::impl::QuantFloatIfPresentPassBase<IfPresent> {
  using QuantFloatIfPresentPassBase::QuantFloatIfPresentPassBase;
  IfPresent(ArrayRef<StringRef> names, OpPassManager passes)
      : pipeline(std::move(passes)) {
    for (StringRef name : names)
      ops.addValue(name.str());
    std::string printed;
    llvm::raw_string_ostream os(printed);
    pipeline.printAsTextualPipeline(os);
    pipelineText = printed;
  }

  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(Pass::initializeOptions(options, errorHandler)))
      return failure();
    std::string message;
    llvm::raw_string_ostream os(message);
    FailureOr<OpPassManager> parsed = parsePassPipeline(pipelineText, os);
    if (failed(parsed))
      return errorHandler(message);
    pipeline = std::move(*parsed);
    return success();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    pipeline.getDependentDialects(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    kinds.clear();
    for (const std::string &name : ops)
      kinds.insert(StringAttr::get(context, name));
    return success();
  }

  void runOnOperation() override {
    WalkResult found = getOperation()->walk([&](Operation *op) {
      OperationName name = op->getName();
      return kinds.contains(name.getIdentifier()) || isOfDialect(name)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (found.wasInterrupted() && failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }

private:
  bool isOfDialect(OperationName name) {
    Dialect *dialect = name.getDialect();
    if (!dialect)
      return false;
    auto [entry, isNew] = dialects.try_emplace(dialect, false);
    if (isNew)
      entry->second = kinds.contains(
          StringAttr::get(&getContext(), dialect->getNamespace()));
    return entry->second;
  }

  OpPassManager pipeline;
  llvm::DenseSet<StringAttr> kinds;
  llvm::DenseMap<Dialect *, bool> dialects;
};
} // namespace

std::unique_ptr<Pass>
quant_float::createQuantFloatIfPresentPass(ArrayRef<StringRef> ops,
                                           OpPassManager pipeline) {
  return std::make_unique<IfPresent>(ops, std::move(pipeline));
}
