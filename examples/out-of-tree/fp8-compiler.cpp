//===- fp8-compiler.cpp - A compiler that embeds quant-float --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a function that multiplies two tensors, rounds the products to float8
// by a pass of its own, lowers that with quant-float's patterns, and lets its
// driver compile the rest and run it in this process.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "quant-float/Compiler/Driver.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/ExecutionEngine/JitModule.h"
#include "quant-float/ExecutionEngine/Tensor.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/InitAll.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace {
/// Every product goes through float8 and back.
struct RoundProductsPass final
    : PassWrapper<RoundProductsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RoundProductsPass)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<quant_float::QuantFloatDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([this](arith::MulFOp product) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(product);
      auto narrow =
          quant_float::CastOp::create(builder, product.getLoc(), product,
                                      Float8E4M3FNType::get(&getContext()));
      auto wide =
          quant_float::CastOp::create(builder, product.getLoc(), narrow,
                                      getElementTypeOrSelf(product.getType()));
      product.getResult().replaceAllUsesExcept(wide, narrow);
    });
  }
};

/// Casts of tensors become linalg.generic, between whatever else there is. A
/// compiler with patterns of its own adds them to the set.
struct LowerCastsPass final
    : PassWrapper<LowerCastsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerCastsPass)

  void runOnOperation() override {
    TypeConverter converter;
    quant_float::populateStorageTypeConversions(converter);
    RewritePatternSet patterns(&getContext());
    quant_float::populateQuantFloatToLinalgConversionPatterns(converter,
                                                              patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addDynamicallyLegalOp<quant_float::CastOp>(
        [](quant_float::CastOp op) { return !isa<TensorType>(op.getType()); });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

/// func.func @product(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>
static OwningOpRef<ModuleOp> buildModule(MLIRContext &context) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(builder, loc));
  builder.setInsertionPointToEnd(module->getBody());
  Type type = RankedTensorType::get(ShapedType::kDynamic, builder.getF32Type());
  auto function = func::FuncOp::create(
      builder, loc, "product", builder.getFunctionType({type, type}, type));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  Value product = arith::MulFOp::create(builder, loc, function.getArgument(0),
                                        function.getArgument(1));
  func::ReturnOp::create(builder, loc, product);
  return module;
}

/// Compiles the module into this process and multiplies.
static llvm::Error run(ModuleOp module, ArrayRef<float> x, ArrayRef<float> y,
                       MutableArrayRef<float> result) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto compiled = quant_float::compileToLLVM(module, {}, *context);
  if (failed(compiled))
    return llvm::createStringError("the module does not compile");
  auto jit =
      quant_float::JitModule::create(std::move(*compiled), std::move(context));
  if (!jit)
    return jit.takeError();
  auto entry = (*jit)->getEntry("product");
  if (!entry)
    return entry.takeError();

  auto describe = [](const float *data, const int64_t &size) {
    return qf_tensor{const_cast<float *>(data), &size, /*rank=*/1, QF_FLOAT32};
  };
  int64_t sizes[] = {int64_t(x.size()), int64_t(y.size()),
                     int64_t(result.size())};
  qf_tensor inputs[] = {describe(x.data(), sizes[0]),
                        describe(y.data(), sizes[1])};
  qf_tensor output = describe(result.data(), sizes[2]);
  char message[256];
  if ((*entry)(inputs, &output, message, sizeof(message)) != 0)
    return llvm::createStringError(message);
  return llvm::Error::success();
}

int main() {
  DialectRegistry registry;
  quant_float::registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();

  OwningOpRef<ModuleOp> module = buildModule(context);
  PassManager manager(&context);
  manager.addNestedPass<func::FuncOp>(std::make_unique<RoundProductsPass>());
  manager.addNestedPass<func::FuncOp>(std::make_unique<LowerCastsPass>());
  manager.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  if (failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());

  const float x[] = {1.0f, 1.1f, -300.0f, 0.001f};
  const float y[] = {1.0f, 1.1f, 2.0f, 1.0f};
  float result[4];
  if (llvm::Error error = run(*module, x, y, result)) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  for (auto [left, right, rounded] : llvm::zip_equal(x, y, result))
    llvm::outs() << left << " * " << right << " = " << rounded << "\n";
}
