//===- FunctionType.cpp - Function types after node resolution ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Casts the operands of a return to the declared types, on which callers or
/// other returns rely.
static LogicalResult castToDeclared(func::FuncOp function, func::ReturnOp op) {
  OpBuilder builder(op);
  for (auto [index, declared] : llvm::enumerate(function.getResultTypes())) {
    Value value = op.getOperand(index);
    if (value.getType() == declared)
      continue;
    if (!tensor::CastOp::areCastCompatible(value.getType(), declared))
      return op.emitError()
             << "function '" << function.getSymName() << "': expected result "
             << index << " of type " << declared
             << ", which callers use, but got " << value.getType();
    op.setOperand(
        index, tensor::CastOp::create(builder, op.getLoc(), declared, value));
  }
  return success();
}

LogicalResult quant_float::updateFunctionType(func::FuncOp function) {
  if (function.isExternal())
    return success();
  auto only =
      dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
  // This is the common case. It avoids searching the module for uses.
  if (only && function.getBody().hasOneBlock() &&
      only.getOperandTypes() == function.getResultTypes() &&
      function.getBody().getArgumentTypes() == function.getArgumentTypes())
    return success();
  if (only && function.getBody().hasOneBlock() &&
      SymbolTable::symbolKnownUseEmpty(function, function->getParentOp())) {
    function.setType(FunctionType::get(function.getContext(),
                                       function.getArgumentTypes(),
                                       only.getOperandTypes()));
    return success();
  }
  WalkResult walked = function.walk([&](func::ReturnOp op) {
    return WalkResult(castToDeclared(function, op));
  });
  return failure(walked.wasInterrupted());
}
