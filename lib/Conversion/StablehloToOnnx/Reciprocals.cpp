//===- Reciprocals.cpp - Divisions as XLA compiles them -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reciprocals.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A value and the ops that broadcast and reshape it, from the value on.
struct BroadcastValue {
  Value value;
  SmallVector<Operation *> ops;

  Operation *getConstant() const {
    Operation *op = value.getDefiningOp();
    bool isConstant =
        op && op->getName().getStringRef() == "stablehlo.constant";
    return isConstant ? op : nullptr;
  }
};
} // namespace

static BroadcastValue findValue(Value value) {
  BroadcastValue result;
  while (Operation *op = value.getDefiningOp()) {
    StringRef name = op->getName().getStringRef();
    bool isShape = name == "stablehlo.broadcast_in_dim" ||
                   name == "stablehlo.broadcast" || name == "stablehlo.reshape";
    if (!isShape || op->getNumOperands() != 1 || op->getNumResults() != 1 ||
        getElementTypeOrSelf(op->getOperand(0)) !=
            getElementTypeOrSelf(op->getResult(0)))
      break;
    result.ops.push_back(op);
    value = op->getOperand(0);
  }
  std::reverse(result.ops.begin(), result.ops.end());
  result.value = value;
  return result;
}

/// Whether a type has fewer elements than another.
static bool isSmaller(Type type, Type other) {
  auto small = dyn_cast<RankedTensorType>(type);
  auto large = dyn_cast<RankedTensorType>(other);
  if (!small || !large || !small.hasStaticShape() || !large.hasStaticShape())
    return false;
  std::optional<int64_t> min = countElements(small.getShape());
  std::optional<int64_t> max = countElements(large.getShape());
  return min && max && *min < *max;
}

static void multiplyByReciprocal(Operation *division) {
  Value dividend = division->getOperand(0), divisor = division->getOperand(1);
  if (!isa<Float16Type, Float32Type, Float64Type>(
          getElementTypeOrSelf(divisor)) ||
      findValue(dividend).getConstant())
    return;
  BroadcastValue found = findValue(divisor);
  if (!found.getConstant() &&
      !isSmaller(found.value.getType(), divisor.getType()))
    return;
  OpBuilder builder(division);
  auto create = [&](StringRef name, Type type, ValueRange operands) {
    OperationState state(division->getLoc(), name);
    state.addTypes(type);
    state.addOperands(operands);
    return builder.create(state);
  };
  auto type = dyn_cast<RankedTensorType>(found.value.getType());
  if (!type || !type.hasStaticShape())
    return;
  OperationState one(division->getLoc(), "stablehlo.constant");
  one.addTypes(type);
  one.addAttribute("value",
                   DenseElementsAttr::get(
                       type, builder.getFloatAttr(type.getElementType(), 1)));
  Value ones = builder.create(one)->getResult(0);
  Value reciprocal =
      create("stablehlo.divide", type, {ones, found.value})->getResult(0);
  for (Operation *op : found.ops) {
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, reciprocal);
    reciprocal = copy->getResult(0);
  }
  division->replaceAllUsesWith(create("stablehlo.multiply",
                                      division->getResult(0).getType(),
                                      {dividend, reciprocal}));
  division->erase();
}

void quant_float::stablehlo_ops::multiplyByReciprocals(ModuleOp module) {
  SmallVector<Operation *> divisions;
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() == "stablehlo.divide" &&
        op->getNumOperands() == 2 && op->getNumResults() == 1)
      divisions.push_back(op);
  });
  for (Operation *division : divisions)
    multiplyByReciprocal(division);
}
