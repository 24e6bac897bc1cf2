//===- OnnxOperators.cpp - Operators of torch-mlir's ONNX importer -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Conversion/OpImport/NodeAttributes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/NodeKind.h"
#include "quant-float/Support/Printable.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

static constexpr StringLiteral kAttributePrefix = "torch.onnx.";
static constexpr StringLiteral kOpsetAttr = "torch.onnx_meta.opset_version";
static constexpr StringLiteral kOpsetsAttr = "torch.onnx_meta.opset_versions";

/// Returns the first attribute of this name of the ops around `op`.
static Attribute findMetadata(Operation *op, StringRef name) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (Attribute value = parent->getAttr(name))
      return value;
  return {};
}

LogicalResult torch_ops::importOnnxOperator(UnregisteredOp op) {
  StringRef opType = cast<StringAttr>(op.getAttribute("name")).getValue();
  opType.consume_front("onnx.");
  auto emitError = [&] {
    return op->emitError() << "no conversion of the ONNX operator '"
                           << printable(opType) << "': ";
  };
  if (opType.empty() || op->getNumRegions() != 0 || op->getNumSuccessors() != 0)
    return emitError() << "expected an operator without regions";
  ImplicitLocOpBuilder b(op->getLoc(), op.getOperation());

  // The importer does not write the domain.
  StringRef domain;
  std::optional<int64_t> opset = kNewestOpset;
  if (Attribute version = findMetadata(op.getOperation(), kOpsetAttr))
    opset = readInteger(version);
  if (!opset)
    return emitError() << "expected an integer as '" << kOpsetAttr << "'";
  auto versions = dyn_cast_or_null<DictionaryAttr>(
      findMetadata(op.getOperation(), kOpsetsAttr));
  bool isStandard = findOpKind("", opType).has_value() ||
                    findNodeKind("", opType).has_value();
  if (!isStandard && versions && versions.contains(kMicrosoftDomain)) {
    domain = kMicrosoftDomain;
    opset = 1;
  }

  NamedAttrList attributes;
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (!name.consume_front(kAttributePrefix))
      continue;
    Attribute value = importNodeAttribute(attribute.getValue());
    if (!value)
      return emitError() << "the attribute '" << printable(name)
                         << "' is of an unknown kind, or its data is missing";
    attributes.append(name, value);
  }

  SmallVector<Value> inputs;
  SmallVector<int64_t> absent;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    Operation *definition = operand.getDefiningOp();
    if (definition &&
        definition->getName().getStringRef() == "torch.constant.none") {
      absent.push_back(index);
      continue;
    }
    if (!isa<TensorType, UnknownType>(operand.getType()))
      return emitError() << "operand " << index << " has the type "
                         << operand.getType();
    inputs.push_back(operand);
  }
  for (Type type : op->getResultTypes())
    if (!isa<TensorType, UnknownType>(type))
      return emitError() << "a result has the type " << type;

  if (domain.empty() && opType == "Constant") {
    TypedAttr constant = importConstantNode(b, attributes.getAttrs());
    if (!constant || !inputs.empty() || op->getNumResults() != 1 ||
        constant.getType() != op->getResult(0).getType())
      return emitError() << "expected a constant of the type of the result";
    Value result = createConstant(b, constant);
    op->getResult(0).replaceAllUsesWith(result);
    op.getOperation()->erase();
    return success();
  }
  auto node =
      NodeOp::create(b, op->getResultTypes(), b.getStringAttr(opType), inputs,
                     b.getStringAttr(domain), b.getI64IntegerAttr(*opset),
                     StringAttr(), attributes.getDictionary(b.getContext()),
                     b.getDenseI64ArrayAttr(absent), b.getStrArrayAttr({}),
                     /*bodiesCount=*/0);
  op.getOperation()->replaceAllUsesWith(node->getResults());
  op.getOperation()->erase();
  return success();
}
