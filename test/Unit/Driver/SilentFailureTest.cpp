//===- SilentFailureTest.cpp - Passes without an error --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/Driver/Driver.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct FailingPass final
    : PassWrapper<FailingPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailingPass)
  explicit FailingPass(bool saysWhy = false) : saysWhy(saysWhy) {}
  StringRef getArgument() const override { return "test-fail"; }
  StringRef getName() const override { return "FailingPass"; }
  void runOnOperation() override {
    if (saysWhy)
      getOperation().emitError("the reason");
    signalPassFailure();
  }
  bool saysWhy;
};

struct NamelessPass final : PassWrapper<NamelessPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NamelessPass)
  StringRef getName() const override { return "NamelessPass"; }
  void runOnOperation() override { signalPassFailure(); }
};

/// Fails because a nested pass fails.
struct OuterPass final : PassWrapper<OuterPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OuterPass)
  void runOnOperation() override {
    OpPassManager inner(ModuleOp::getOperationName());
    inner.addNestedPass<func::FuncOp>(std::make_unique<FailingPass>());
    if (failed(runPipeline(inner, getOperation())))
      signalPassFailure();
  }
};

/// Returns the errors of a pipeline on a module with two functions.
std::vector<std::string>
getErrors(llvm::function_ref<void(OpPassManager &)> build) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(
      "func.func private @f()  func.func @g() { return }", &context);
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors.push_back(diagnostic.str());
  });
  PassManager manager(&context);
  prepareToCompile(manager);
  build(manager);
  EXPECT_TRUE(failed(manager.run(*module)));
  return errors;
}

using Errors = std::vector<std::string>;

TEST(SilentFailureTest, NamesThePass) {
  EXPECT_EQ(getErrors([](OpPassManager &manager) {
              manager.addNestedPass<func::FuncOp>(
                  std::make_unique<FailingPass>());
            }),
            Errors{"pass 'test-fail' failed without an error"});
  EXPECT_EQ(getErrors([](OpPassManager &manager) {
              manager.addPass(std::make_unique<NamelessPass>());
            }),
            Errors{"pass 'NamelessPass' failed without an error"});
}

TEST(SilentFailureTest, NamesTheInnerPass) {
  EXPECT_EQ(getErrors([](OpPassManager &manager) {
              manager.addPass(std::make_unique<OuterPass>());
            }),
            Errors{"pass 'test-fail' failed without an error"});
}

TEST(SilentFailureTest, SaysNothingBesideAnError) {
  Errors errors = getErrors([](OpPassManager &manager) {
    manager.addNestedPass<func::FuncOp>(std::make_unique<FailingPass>(true));
  });
  ASSERT_FALSE(errors.empty());
  for (const std::string &error : errors)
    EXPECT_EQ(error, "the reason");
}
} // namespace
