//===- QuantizedValues.cpp - Quantized types of StableHLO -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizedValues.h"
#include "quant-float/Conversion/OpImport/OpImporter.h"
#include "quant-float/Conversion/OpImport/UniformQuantization.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The quantized types of values that have storage types now.
using QuantizedTypes = DenseMap<Value, quant::QuantizedType>;
} // namespace

/// Rewrites one op. `types` has the types of its operands and results.
static LogicalResult expandOp(OpImporter &importer, QuantizedTypes &types) {
  Operation *op = importer.op.getOperation();
  StringRef name = importer.op.getName();
  bool isCast = name == "uniform_quantize" || name == "uniform_dequantize";
  if (op->getNumRegions() != 0)
    return importer.unsupported("regions with quantized operands");
  if (isCast && (op->getNumOperands() != 1 || op->getNumResults() != 1))
    return importer.unsupported("expected 1 operand and 1 result");
  // The bits are those of the storage.
  if (name == "bitcast_convert")
    return success();
  for (OpOperand &operand : op->getOpOperands()) {
    quant::QuantizedType type = types.lookup(operand.get());
    if (!type)
      continue;
    FailureOr<Value> value = dequantizeUniform(importer, operand.get(), type);
    if (failed(value))
      return failure();
    operand.set(*value);
  }
  ImplicitLocOpBuilder &b = importer.b;
  b.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    quant::QuantizedType type = types.lookup(result);
    if (!type)
      continue;
    if (!isa<RankedTensorType>(result.getType()))
      return importer.unsupported("a quantized result without a rank");
    auto storage = cast<RankedTensorType>(result.getType());
    result.setType(storage.clone(type.getExpressedType()));
    auto uses = llvm::map_to_vector(result.getUses(),
                                    [](OpOperand &use) { return &use; });
    FailureOr<Value> value = quantizeUniform(importer, result, type);
    if (failed(value))
      return failure();
    for (OpOperand *use : uses)
      use->set(*value);
    types[*value] = type;
    types.erase(result);
  }
  if (!isCast)
    return success();
  if (op->getOperand(0).getType() != op->getResult(0).getType())
    return importer.unsupported("a conversion of " +
                                showType(op->getOperand(0).getType()) + " to " +
                                showType(op->getResult(0).getType()));
  op->replaceAllUsesWith(op->getOperands());
  op->erase();
  return success();
}

LogicalResult
quant_float::stablehlo_ops::expandQuantizedValues(ModuleOp module) {
  QuantizedTypes types;
  SmallVector<Operation *> ops;
  auto record = [&](ValueRange values) {
    for (Value value : values)
      if (quant::QuantizedType type = getUniformType(value.getType()))
        types[value] = type;
  };
  module.walk([&](Operation *op) {
    record(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        record(block.getArguments());
    bool isQuantized = llvm::any_of(op->getOperandTypes(), getUniformType) ||
                       llvm::any_of(op->getResultTypes(), getUniformType);
    if (isQuantized && op->getName().getDialectNamespace() == "stablehlo")
      ops.push_back(op);
  });
  if (types.empty() && ops.empty())
    return success();
  convertValueTypes(module, getQuantStorageType);
  bool isExpanded = true;
  for (Operation *op : ops) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    OpImporter importer(op, builder);
    std::string name = op->getName().getStringRef().str();
    Location loc = op->getLoc();
    if (succeeded(expandOp(importer, types)))
      continue;
    emitError(loc) << "no conversion of '" << name
                   << "': " << importer.getProblem();
    isExpanded = false;
  }
  return success(isExpanded);
}
