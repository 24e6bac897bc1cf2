//===- ReferenceEvaluator.cpp - Run without compiling ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ExecutionEngine/ReferenceEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/Cast.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether values of the type can be held in a Tensor.
static bool isSupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && reference::isSupported(tensor.getElementType());
}

LogicalResult mlir::quant_float::checkReferenceSupports(func::FuncOp function) {
  auto check = [](Operation *op, StringRef what, Type type) -> LogicalResult {
    if (isSupported(type))
      return success();
    return op->emitError("target 'reference': expected ranked tensors of "
                         "numbers, but the ")
           << what << " has type " << type;
  };
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError("target 'reference': expected function '")
           << function.getSymName() << "' to have one block";
  for (BlockArgument argument : function.getArguments())
    if (failed(check(function,
                     "argument " + std::to_string(argument.getArgNumber()),
                     argument.getType())))
      return failure();
  for (Operation &op : function.getBody().front()) {
    if (!isa<CastOp, arith::ConstantOp, func::ReturnOp>(op))
      return op.emitError("target 'reference': expected only casts and "
                          "constants, but got '")
             << op.getName() << "'";
    for (Type type : op.getResultTypes())
      if (failed(check(&op, "result", type)))
        return failure();
  }
  return success();
}

static llvm::Expected<Tensor> evaluate(CastOp op, const Tensor &input) {
  Type to = cast<RankedTensorType>(op.getResult().getType()).getElementType();
  llvm::Expected<Tensor> result = Tensor::allocate(to, input.getSizes());
  if (!result)
    return result;
  reference::CastOptions options;
  options.opset = op.getOpset();
  options.saturate = op.getSaturate().value_or(true);
  switch (op.getRoundMode().value_or(RoundMode::Up)) {
  case RoundMode::Up:
    options.scaleRounding = reference::ScaleRounding::Up;
    break;
  case RoundMode::Down:
    options.scaleRounding = reference::ScaleRounding::Down;
    break;
  case RoundMode::Nearest:
    options.scaleRounding = reference::ScaleRounding::Nearest;
    break;
  }
  if (failed(reference::castBuffer(input.getElementType(), to, input.getBytes(),
                                   result->getMutableBytes(), options)))
    return llvm::createStringError("the Reference has no cast from " +
                                   spellTensor(input.getElementType(), {}) +
                                   " to " + spellTensor(to, {}));
  return result;
}

llvm::Expected<std::vector<Tensor>>
mlir::quant_float::evaluateWithReference(func::FuncOp function,
                                         ArrayRef<Tensor> inputs) {
  llvm::DenseMap<Value, Tensor> values;
  // Tensors are dropped after their last use.
  llvm::DenseMap<Value, int64_t> usesLeft;
  auto define = [&](Value value, const Tensor &tensor) {
    values.try_emplace(value, tensor);
    usesLeft[value] = llvm::range_size(value.getUses());
  };
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    define(argument, input);
  for (Operation &op : function.getBody().front()) {
    if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      std::vector<Tensor> results;
      for (Value value : returnOp.getOperands())
        results.push_back(values.at(value));
      return results;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto type = cast<RankedTensorType>(constant.getType());
      llvm::Expected<Tensor> tensor = Tensor::fromAttribute(
          cast<ElementsAttr>(constant.getValue()), type.getElementType());
      if (!tensor)
        return tensor.takeError();
      define(constant.getResult(), *tensor);
      continue;
    }
    auto castOp = cast<CastOp>(op);
    llvm::Expected<Tensor> result =
        evaluate(castOp, values.at(castOp.getInput()));
    if (!result)
      return result.takeError();
    define(castOp.getResult(), *result);
    if (--usesLeft[castOp.getInput()] == 0)
      values.erase(castOp.getInput());
  }
  return llvm::createStringError("the function does not return");
}
