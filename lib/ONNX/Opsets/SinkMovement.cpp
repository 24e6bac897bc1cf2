//===- SinkMovement.cpp - Data movement of quantized values ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data movement commutes with dequantization. If the model cannot have values
// of the quantized type, or the opset does not allow the movement node for it,
// this moves the node after the dequantization or cast:
//
//   QuantizeLinear -> Transpose -> DequantizeLinear
//     ->
//   QuantizeLinear -> DequantizeLinear -> Transpose
//
// Dequantizes of several results of a Split that have the same parameters
// become one. Quantized values that are dequantized directly are handled
// elsewhere.
//
//===----------------------------------------------------------------------===//

#include "../Common/Source.h"
#include "../Common/Types.h"
#include "../Schemas/Schemas.h"
#include "OpsetConverter.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/Locations.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// Whether each element of the result is an element of the inputs of the same
/// type.
static bool isMovement(NodeOp node) {
  static constexpr NodeKind kKinds[] = {
      NodeKind::Concat,    NodeKind::DepthToSpace, NodeKind::Expand,
      NodeKind::Flatten,   NodeKind::Gather,       NodeKind::Identity,
      NodeKind::Reshape,   NodeKind::Slice,        NodeKind::SpaceToDepth,
      NodeKind::Split,     NodeKind::Squeeze,      NodeKind::Tile,
      NodeKind::Transpose, NodeKind::Unsqueeze};
  return node->getNumResults() > 0 &&
         llvm::is_contained(kKinds, getNodeKind(node));
}

/// Whether the op converts quantized values to numbers independently of their
/// position.
static bool isDecoding(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op))
    return !cast.getMode() && !cast.getRandom() && cast->getNumOperands() == 1;
  auto dequantize = dyn_cast<DequantizeOp>(op);
  return dequantize && !dequantize.getDomain() &&
         !dequantize.getGranularity().axis;
}

/// Whether the other operands of `decoding` dominate `place`. Moves constants
/// before it.
static bool makeAvailable(Operation *decoding, Operation *insertionPoint) {
  auto others = decoding->getOperands().drop_front();
  auto isAvailable = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != insertionPoint->getBlock() ||
           op->isBeforeInBlock(insertionPoint);
  };
  if (!llvm::all_of(others, [&](Value value) {
        return isAvailable(value) || value.getDefiningOp<AnyConstantOp>();
      }))
    return false;
  for (Value value : others)
    if (!isAvailable(value))
      value.getDefiningOp()->moveBefore(insertionPoint);
  return true;
}

/// Whether both ops convert quantized values to the same numbers.
static bool readAlike(Operation *one, Operation *other) {
  auto getAttributes = [](Operation *op) {
    NamedAttrList attributes(op->getAttrs());
    attributes.erase(kNodeSourceAttrName);
    return attributes.getDictionary(op->getContext());
  };
  return one->getName() == other->getName() &&
         getTensorElementType(one->getResult(0).getType()) ==
             getTensorElementType(other->getResult(0).getType()) &&
         llvm::equal(one->getOperands().drop_front(),
                     other->getOperands().drop_front()) &&
         getAttributes(one) == getAttributes(other);
}

/// Gives output `output` of `op` the name of output `otherOutput` of `other`.
static LogicalResult takeOutput(Operation *op, unsigned output,
                                Operation *other, unsigned otherOutput) {
  ::onnx::NodeProto source, named;
  if (failed(readSource(op, kNodeSourceAttrName, source)) ||
      failed(readSource(other, kNodeSourceAttrName, named)))
    return failure();
  if (static_cast<int>(otherOutput) >= named.output_size())
    return success();
  while (source.output_size() <= static_cast<int>(output))
    source.add_output();
  source.set_output(output, named.output(otherOutput));
  keepSource(op, source);
  return success();
}

/// Gives a copy of a named node a unique name.
static LogicalResult rename(Operation *op, NodeNames &names) {
  std::string old = quant_float::getNodeName(op->getLoc()).str();
  ::onnx::NodeProto source;
  if (failed(readSource(op, kNodeSourceAttrName, source)))
    return failure();
  // Copies of nodes without a name need none.
  if (source.name().empty())
    return success();
  std::string name = names.make(old);
  op->setLoc(appendToName(op->getLoc(), name.substr(old.size())));
  if (auto node = dyn_cast<NodeOp>(op))
    node.setNodeNameAttr(StringAttr::get(op->getContext(), name));
  source.set_name(name);
  keepSource(op, source);
  return success();
}

bool onnx_import::mustReplaceType(const OpsetOptions &options,
                                  Type elementType) {
  return !hasElementType(options, elementType) ||
         llvm::is_contained(options.withoutRounding,
                            getOnnxTypeName(elementType));
}

void OpsetConverter::sinkMovement(NodeOp node) {
  if (!isMovement(node) || node->getNumOperands() == 0 ||
      llvm::is_contained(node.getAbsentInputs(), 0))
    return;
  // All other operands are indices and sizes, which can have the same type.
  unsigned count =
      getNodeKind(node) == NodeKind::Concat ? node->getNumOperands() : 1;
  Type type = getTensorElementType(node->getResult(0).getType());
  auto hasType = [&](Value value) {
    return getTensorElementType(value.getType()) == type;
  };
  bool isMoved = type && !mustReplaceType(options, type) &&
                 acceptsFirstInput(node.getOpType().str(), "", options.opset,
                                   exportType(node->getOperand(0).getType()));
  if (!type || isMoved || node->use_empty() ||
      !llvm::all_of(node->getOperands().take_front(count), hasType) ||
      !llvm::all_of(node->getResults(), hasType) ||
      !llvm::all_of(node->getUses(), [&](OpOperand &use) {
        return use.getOperandNumber() == 0 && isDecoding(use.getOwner()) &&
               use.getOwner()->getBlock() == node->getBlock() &&
               makeAvailable(use.getOwner(), node);
      }))
    return;
  // Build one movement node, with all results, for each distinct
  // dequantization.
  SmallVector<SmallVector<Operation *>> groups;
  for (Value result : node->getResults())
    for (Operation *decoding : result.getUsers()) {
      auto *group = llvm::find_if(groups, [&](ArrayRef<Operation *> others) {
        return readAlike(others.front(), decoding) &&
               llvm::none_of(others, [&](Operation *other) {
                 return other->getOperand(0) == result;
               });
      });
      if (group == groups.end())
        groups.push_back({decoding});
      else
        group->push_back(decoding);
    }
  for (auto [number, group] : llvm::enumerate(groups)) {
    Operation *first = group.front();
    Type numbers = getTensorElementType(first->getResult(0).getType());
    OpBuilder builder(node);
    SmallVector<Value> moved;
    for (Value operand : node->getOperands().take_front(count)) {
      Operation *decoded = builder.clone(*first);
      decoded->setOperand(0, operand);
      decoded->getResult(0).setType(
          cast<ShapedType>(operand.getType()).clone(numbers));
      if (failed(takeOutput(decoded, 0, node, 0)) ||
          (!moved.empty() && failed(rename(decoded, names))))
        return void(hasRefused = true);
      moved.push_back(decoded->getResult(0));
    }
    Operation *copy = builder.clone(*node);
    copy->setOperands(0, count, moved);
    if (number != 0 && failed(rename(copy, names)))
      return void(hasRefused = true);
    for (OpResult result : copy->getResults())
      result.setType(cast<ShapedType>(result.getType()).clone(numbers));
    for (Operation *decoding : group) {
      unsigned output =
          cast<OpResult>(decoding->getOperand(0)).getResultNumber();
      if (failed(takeOutput(copy, output, decoding, 0)))
        return void(hasRefused = true);
      OpResult result = copy->getResult(output);
      result.setType(decoding->getResult(0).getType());
      decoding->getResult(0).replaceAllUsesWith(result);
    }
  }
  for (ArrayRef<Operation *> group : groups)
    for (Operation *decoding : group)
      decoding->erase();
  node.erase();
}
