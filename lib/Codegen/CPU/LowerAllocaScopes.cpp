//===- LowerAllocaScopes.cpp - Inline memref.alloca_scope -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERALLOCASCOPESPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct LowerAllocaScopes final
    : quant_float::impl::QuantFloatLowerAllocaScopesPassBase<
          LowerAllocaScopes> {
  void runOnOperation() override {
    // The walk visits inner scopes first.
    SmallVector<memref::AllocaScopeOp> scopes;
    getOperation()->walk(
        [&](memref::AllocaScopeOp scope) { scopes.push_back(scope); });
    IRRewriter rewriter(&getContext());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    for (memref::AllocaScopeOp scope : scopes) {
      Location loc = scope.getLoc();
      rewriter.setInsertionPoint(scope);
      Value stack = LLVM::StackSaveOp::create(rewriter, loc, pointer);
      Operation *end = scope.getBody()->getTerminator();
      rewriter.inlineBlockBefore(scope.getBody(), scope);
      LLVM::StackRestoreOp::create(rewriter, loc, stack);
      rewriter.replaceOp(scope, end->getOperands());
      rewriter.eraseOp(end);
    }
  }
};
} // namespace
