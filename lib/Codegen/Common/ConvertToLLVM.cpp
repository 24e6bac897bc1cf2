//===- ConvertToLLVM.cpp - Convert to the LLVM dialect --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCONVERTTOLLVMPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// Converts memref.dim with a constant index. Upstream's pattern does not
/// recognize constants that have been converted already, and goes through
/// memory.
struct DimOpConversion final : ConvertOpToLLVMPattern<memref::DimOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::DimOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    APInt index;
    if (!type || !matchPattern(adaptor.getIndex(), m_ConstantInt(&index)) ||
        index.uge(type.getRank()) || !type.isDynamicDim(index.getZExtValue()))
      return failure();
    MemRefDescriptor descriptor(adaptor.getSource());
    rewriter.replaceOp(
        op, descriptor.size(rewriter, op.getLoc(), index.getZExtValue()));
    return success();
  }
};

/// Flattens a nested array with an initializer. LLVM stores an array of numbers
/// as its bytes, but each row of a nested array as a separate constant: the
/// weights of convolutions with a 1x1 window would become one constant per
/// number. Uses of the global have their own element type, and need no change.
void flatten(LLVM::GlobalOp global) {
  Type element = global.getGlobalType();
  while (auto array = dyn_cast<LLVM::LLVMArrayType>(element))
    element = array.getElementType();
  auto value = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
  if (!value || value.getShapedType().getRank() < 2)
    return;
  auto type = cast<ShapedType>(value.getShapedType().clone(value.size()));
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    global.setValueAttr(dense.reshape(type));
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    global.setValueAttr(
        DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  else
    return;
  global.setGlobalType(LLVM::LLVMArrayType::get(element, value.size()));
}

/// Patterns and targets, which copies of the pass share.
struct Conversions {
  explicit Conversions(MLIRContext *context);

  LLVMTypeConverter types;
  ConversionTarget functions, rest;
  FrozenRewritePatternSet patterns;
};

struct ConvertToLLVM final
    : quant_float::impl::QuantFloatConvertToLLVMPassBase<ConvertToLLVM> {
  void getDependentDialects(DialectRegistry &registry) const override {
    QuantFloatConvertToLLVMPassBase::getDependentDialects(registry);
    registerConvertToLLVMDependentDialectLoading(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    conversions = std::make_shared<const Conversions>(context);
    return success();
  }

  void runOnOperation() override {
    ConversionConfig config;
    config.allowPatternRollback = false;
    config.foldingMode = DialectConversionFoldingMode::Never;
    // Without a symbol table, each call searches all functions.
    SymbolTableCollection symbols;
    RewritePatternSet functions(&getContext());
    populateFuncToLLVMConversionPatterns(conversions->types, functions,
                                         &symbols);
    if (failed(applyPartialConversion(getOperation(), conversions->functions,
                                      std::move(functions), config)) ||
        failed(applyPartialConversion(getOperation(), conversions->rest,
                                      conversions->patterns, config)))
      return signalPassFailure();
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      flatten(global);
  }

private:
  std::shared_ptr<const Conversions> conversions;
};
} // namespace

Conversions::Conversions(MLIRContext *context)
    : types(context), functions(*context), rest(*context) {
  functions.addIllegalDialect<func::FuncDialect>();
  functions.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  RewritePatternSet set(context);
  rest.addLegalDialect<LLVM::LLVMDialect>();
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *interface = dyn_cast<ConvertToLLVMPatternInterface>(dialect))
      interface->populateConvertToLLVMConversionPatterns(rest, types, set);
  set.add<DimOpConversion>(types, /*benefit=*/2);
  patterns = std::move(set);
}
