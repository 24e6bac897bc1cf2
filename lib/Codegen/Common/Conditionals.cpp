//===- Conditionals.cpp - Code under optional conditions ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conditionals.h"

using namespace mlir;
using namespace mlir::quant_float;

void quant_float::emitIf(OpBuilder &builder, Location loc, Value condition,
                         llvm::function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(builder);
  if (condition) {
    auto ifOp = scf::IfOp::create(builder, loc, condition);
    builder.setInsertionPointToStart(ifOp.thenBlock());
  }
  body();
}

SmallVector<Value>
quant_float::emitIfElse(OpBuilder &builder, Location loc, TypeRange types,
                        Value condition,
                        llvm::function_ref<SmallVector<Value>()> thenBody,
                        llvm::function_ref<SmallVector<Value>()> elseBody) {
  if (!condition)
    return thenBody();
  auto ifOp = scf::IfOp::create(builder, loc, types, condition,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  scf::YieldOp::create(builder, loc, thenBody());
  builder.setInsertionPointToStart(ifOp.elseBlock());
  scf::YieldOp::create(builder, loc, elseBody());
  return ifOp.getResults();
}

Value quant_float::emitIfElse(OpBuilder &builder, Location loc, Type type,
                              Value condition,
                              llvm::function_ref<Value()> thenBody,
                              llvm::function_ref<Value()> elseBody) {
  return emitIfElse(
      builder, loc, TypeRange(type), condition,
      [&] { return SmallVector<Value>{thenBody()}; },
      [&] { return SmallVector<Value>{elseBody()}; })[0];
}
