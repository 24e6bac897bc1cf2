//===- SinkMovement.cpp - Codes that other nodes move ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes that move elements do so with numbers as they do with codes. Where
// there are no values of the codes' type, the numbers are moved:
//
//   QuantizeLinear -> Transpose -> DequantizeLinear
//     ->
//   QuantizeLinear -> DequantizeLinear -> Transpose
//
// Codes that are dequantized, or cast, at once have other forms.
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "OpsetConverter.h"
#include "Source.h"
#include "Types.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// Whether each element of its result is one of its inputs', of that type.
static bool isMovement(NodeOp node) {
  static constexpr StringLiteral kNames[] = {
      "Concat",   "DepthToSpace", "Expand",   "Flatten",      "Gather",
      "Identity", "Reshape",      "Slice",    "SpaceToDepth", "Squeeze",
      "Tile",     "Transpose",    "Unsqueeze"};
  return node.getDomain().empty() && node->getNumResults() == 1 &&
         llvm::is_contained(kNames, node.getOpType());
}

/// Whether the op makes numbers of codes wherever they are.
static bool isDecoding(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op))
    return !cast.getMode() && !cast.getRandom() && cast->getNumOperands() == 1;
  auto dequantize = dyn_cast<DequantizeOp>(op);
  return dequantize && !dequantize.getDomain() &&
         !dequantize.getGranularity().axis;
}

/// Whether the other operands of `decoding` are there before `place`; constants
/// can be.
static bool makeAvailable(Operation *decoding, Operation *place) {
  auto others = decoding->getOperands().drop_front();
  auto isThere = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != place->getBlock() ||
           op->isBeforeInBlock(place);
  };
  if (!llvm::all_of(others, [&](Value value) {
        return isThere(value) || value.getDefiningOp<arith::ConstantOp>();
      }))
    return false;
  for (Value value : others)
    if (!isThere(value))
      value.getDefiningOp()->moveBefore(place);
  return true;
}

/// Gives `op` the names of the results of `other`.
static LogicalResult takeOutputs(Operation *op, Operation *other) {
  ::onnx::NodeProto source, named;
  if (failed(readSource(op, kNodeSourceAttrName, source)) ||
      failed(readSource(other, kNodeSourceAttrName, named)))
    return failure();
  *source.mutable_output() = named.output();
  keepSource(op, source);
  return success();
}

bool onnx_import::doesWithout(const OpsetOptions &options, Type elementType) {
  return !hasElementType(options, elementType) ||
         llvm::is_contained(options.withoutRounding,
                            getOnnxTypeName(elementType));
}

void OpsetConverter::sinkMovement(NodeOp node) {
  if (!isMovement(node) || node->getNumOperands() == 0 ||
      llvm::is_contained(node.getAbsentInputs(), 0))
    return;
  // Others are places and sizes, which may be of the same type.
  unsigned count = node.getOpType() == "Concat" ? node->getNumOperands() : 1;
  Value result = node->getResult(0);
  Type codes = getTensorElementType(result.getType());
  if (!codes || !doesWithout(options, codes) || result.use_empty() ||
      !llvm::all_of(node->getOperands().take_front(count),
                    [&](Value operand) {
                      return getTensorElementType(operand.getType()) == codes;
                    }) ||
      !llvm::all_of(result.getUses(), [&](OpOperand &use) {
        return use.getOperandNumber() == 0 && isDecoding(use.getOwner()) &&
               use.getOwner()->getBlock() == node->getBlock() &&
               makeAvailable(use.getOwner(), node);
      }))
    return;
  // A node for each way to read the codes.
  for (Operation *decoding : llvm::to_vector(result.getUsers())) {
    Type numbers = getTensorElementType(decoding->getResult(0).getType());
    OpBuilder builder(node);
    SmallVector<Value> moved;
    for (Value operand : node->getOperands().take_front(count)) {
      Operation *decoded = builder.clone(*decoding);
      decoded->setOperand(0, operand);
      decoded->getResult(0).setType(
          cast<ShapedType>(operand.getType()).clone(numbers));
      if (failed(takeOutputs(decoded, node)))
        return void(hasRefused = true);
      moved.push_back(decoded->getResult(0));
    }
    Operation *copy = builder.clone(*node);
    copy->setOperands(0, count, moved);
    copy->getResult(0).setType(decoding->getResult(0).getType());
    if (failed(takeOutputs(copy, decoding)))
      return void(hasRefused = true);
    decoding->getResult(0).replaceAllUsesWith(copy->getResult(0));
    decoding->erase();
  }
  node.erase();
}
