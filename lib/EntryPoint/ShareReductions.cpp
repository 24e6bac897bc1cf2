//===- ShareReductions.cpp - Equal sums are compiled once -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks repeat their layers. A convolution becomes thousands of
// instructions, so that those that differ in nothing but their buffers are
// calls of one function.
//
//===----------------------------------------------------------------------===//

#include "EqualFunctions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/IR/ElementTypes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATSHAREREDUCTIONSPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

/// What a function takes for the value: parts of buffers begin anywhere. Null
/// for what no function takes.
static Type getArgumentType(Value operand) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type || isPackedElementType(type.getElementType()))
    return {};
  auto layout = dyn_cast<StridedLayoutAttr>(type.getLayout());
  if (!layout)
    return type.getLayout().isIdentity() ? type : Type();
  return MemRefType::get(type.getShape(), type.getElementType(),
                         StridedLayoutAttr::get(type.getContext(),
                                                ShapedType::kDynamic,
                                                layout.getStrides()),
                         type.getMemorySpace());
}

/// Values from around the op that are no operands.
static llvm::SetVector<Value> getCaptured(LinalgOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured;
}

/// Whether the op reduces, of buffers and constants alone. Calls in loops would
/// take their time again and again.
static bool canShare(LinalgOp op) {
  return op.getNumReductionLoops() > 0 && op.hasPureBufferSemantics() &&
         isa<func::FuncOp>(op->getParentOp()) &&
         llvm::all_of(op->getOperands(), getArgumentType) &&
         llvm::all_of(getCaptured(op), [](Value value) {
           return matchPattern(value, m_Constant());
         });
}

/// A function that does with its arguments what the op does.
static func::FuncOp makeFunction(LinalgOp op) {
  OpBuilder builder(op.getContext());
  auto types = llvm::map_to_vector(op->getOperands(), getArgumentType);
  // No entry point's has a dot in it.
  auto function = func::FuncOp::create(op.getLoc(), "shared.sum",
                                       builder.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(op.getContext(), LLVM::Linkage::Internal));
  function->setAttr("no_inline", builder.getUnitAttr());
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  for (Value constant : getCaptured(op))
    builder.clone(*constant.getDefiningOp(), mapping);
  builder.clone(*op, mapping)->setOperands(function.getArguments());
  func::ReturnOp::create(builder, op.getLoc());
  return function;
}

static void replaceByCall(LinalgOp op, func::FuncOp function) {
  OpBuilder builder(op);
  auto arguments = llvm::map_to_vector(
      llvm::zip(op->getOperands(), function.getArgumentTypes()),
      [&](auto pair) -> Value {
        auto [operand, type] = pair;
        return operand.getType() == type
                   ? operand
                   : memref::CastOp::create(builder, op.getLoc(), type, operand)
                         .getResult();
      });
  func::CallOp::create(builder, op.getLoc(), function, arguments);
  op->erase();
}

namespace {
struct ShareReductions final
    : quant_float::impl::QuantFloatShareReductionsPassBase<ShareReductions> {
  void runOnOperation() override {
    SmallVector<LinalgOp> ops;
    getOperation().walk([&](LinalgOp op) {
      if (canShare(op))
        ops.push_back(op);
    });
    auto functions = llvm::map_to_vector(ops, makeFunction);
    SymbolTable symbols(getOperation());
    for (ArrayRef<size_t> group : groupEqualFunctions(functions)) {
      if (group.size() < 2)
        continue;
      func::FuncOp function = std::exchange(functions[group.front()], nullptr);
      symbols.insert(function);
      for (size_t place : group)
        replaceByCall(ops[place], function);
    }
    for (func::FuncOp function : functions)
      if (function)
        function.erase();
  }
};
} // namespace
