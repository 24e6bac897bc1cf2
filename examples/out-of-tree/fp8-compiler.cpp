//===- fp8-compiler.cpp - A compiler that embeds quant-float --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a function that multiplies two tensors, rounds the products to float8
// with a pass of this program, lowers these casts with quant-float's patterns,
// compiles the rest with its model class, and runs it in this process.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/InitAll.h"
#include "quant-float/Model/Model.h"

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

/// Casts of tensors become linalg.generic, next to any other ops. A compiler
/// with patterns of its own adds them to the set.
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
static llvm::Expected<std::vector<quant_float::Tensor>>
run(OwningOpRef<ModuleOp> module, ArrayRef<float> x, ArrayRef<float> y) {
  quant_float::Session session(*module->getContext());
  quant_float::Model model(session, std::move(module));
  auto compiled = model.compile();
  if (!compiled)
    return compiled.takeError();
  auto entry = compiled->findEntry("product");
  if (!entry)
    return entry.takeError();

  std::vector<quant_float::Tensor> inputs;
  for (ArrayRef<float> values : {x, y}) {
    int64_t size = values.size();
    auto input = quant_float::Tensor::view(qf_tensor{
        const_cast<float *>(values.data()), &size, /*rank=*/1, QF_FLOAT32});
    if (!input)
      return input.takeError();
    inputs.push_back(std::move(*input));
  }
  return compiled->run(*entry, inputs);
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
  auto results = run(std::move(module), x, y);
  if (!results) {
    llvm::errs() << "error: " << llvm::toString(results.takeError()) << "\n";
    return 1;
  }
  auto *products = static_cast<float *>((*results)[0].getDescriptor().data);
  for (auto [left, right, rounded] :
       llvm::zip_equal(x, y, ArrayRef(products, std::size(x))))
    llvm::outs() << left << " * " << right << " = " << rounded << "\n";
}
