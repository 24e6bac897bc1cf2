//===- OutlineDuplicateCasts.cpp - Outline equal casts --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/LlvmCompat.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATOUTLINEDUPLICATECASTSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-outline-duplicate-casts"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the cast converts a loaded value for a store only. The expansion of
/// such a cast could not be combined with the ops around it anyway.
static bool isSingleCast(CastOp op) {
  auto loads = [](Operation *source) {
    return isa_and_nonnull<memref::LoadOp, vector::LoadOp, vector::MaskedLoadOp,
                           vector::TransferReadOp>(source);
  };
  auto stores = [](Operation *user) {
    return isa<memref::StoreOp, vector::StoreOp, vector::MaskedStoreOp,
               vector::TransferWriteOp>(user);
  };
  return !op.getRandom() && loads(op.getInput().getDefiningOp()) &&
         llvm::all_of(op->getUsers(), stores);
}

/// Whether the expansion has many ops: conversions between other types have
/// few.
static bool hasLongExpansion(CastOp op) {
  return isNarrowFloat(getElementTypeOrSelf(op.getInput())) ||
         isNarrowFloat(getElementTypeOrSelf(op.getType()));
}

/// Returns the attribute of the enclosing function that allows flushing of
/// subnormals, or null.
static Attribute getFlushing(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function ? function->getAttr(kFlushesSubnormalsAttrName) : Attribute();
}

/// Creates a function that computes `op` and that LLVM inlines.
static func::FuncOp makeFunction(SymbolTable &symbols, CastOp op) {
  OpBuilder builder(op.getContext());
  // No entry point's name contains a dot.
  std::string name;
  llvm::raw_string_ostream(name)
      << "cast." << getElementTypeOrSelf(op.getInput()) << "."
      << getElementTypeOrSelf(op.getType());
  auto function = func::FuncOp::create(
      op.getLoc(), name,
      builder.getFunctionType(op.getInput().getType(), op.getType()));
  function.setPrivate();
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(op.getContext(), LLVM::Linkage::Internal));
  function->setAttr(kAlwaysInlineAttrName, builder.getUnitAttr());
  if (Attribute flushing = getFlushing(op))
    function->setAttr(kFlushesSubnormalsAttrName, flushing);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(op.getInput(), body->getArgument(0));
  Operation *copy = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op.getLoc(), copy->getResults());
  symbols.insert(function);
  return function;
}

namespace {
struct OutlineDuplicateCasts final
    : quant_float::impl::QuantFloatOutlineDuplicateCastsPassBase<
          OutlineDuplicateCasts> {
  void runOnOperation() override {
    // The types, the attributes, and whether subnormals are flushed.
    using Kind =
        std::pair<std::pair<Type, Type>, std::pair<DictionaryAttr, Attribute>>;
    llvm::MapVector<Kind, SmallVector<CastOp>> kinds;
    getOperation().walk([&](CastOp op) {
      if (isSingleCast(op) && hasLongExpansion(op))
        kinds[{{op.getInput().getType(), op.getType()},
               {op->getAttrDictionary(), getFlushing(op)}}]
            .push_back(op);
    });
    SymbolTable symbols(getOperation());
    for (auto &[kind, ops] : kinds) {
      if (ops.size() < 2)
        continue;
      func::FuncOp function = makeFunction(symbols, ops.front());
      LDBG() << function.getName() << " replaces " << ops.size() << " casts";
      ++numFunctions;
      numOutlined += ops.size();
      for (CastOp op : ops) {
        OpBuilder builder(op);
        auto call =
            func::CallOp::create(builder, op.getLoc(), function, op.getInput());
        op->replaceAllUsesWith(call);
        op.erase();
      }
    }
  }
};
} // namespace
