//===- ResolveFakeConvert.cpp - OpenVINO's FakeConvert --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeReader.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;

static FailureOr<Type> readDestination(const NodeReader &node) {
  FailureOr<std::optional<StringRef>> name = node.getString("destination_type");
  if (failed(name))
    return failure();
  // OpenVINO takes this one where the attribute is missing.
  StringRef text = name->value_or("f8e4m3");
  MLIRContext *context = node.getNode()->getContext();
  auto type = llvm::StringSwitch<Type>(text)
                  .CaseLower("f8e4m3", Float8E4M3FNType::get(context))
                  .CaseLower("f8e5m2", Float8E5M2Type::get(context))
                  .Default(Type());
  if (!type)
    return node.emitError() << "attribute 'destination_type': expected "
                               "'f8e4m3' or 'f8e5m2', but got '"
                            << printable(text) << "'";
  return type;
}

FailureOr<NodeResolution>
quant_float::resolveFakeConvert(OpBuilder &builder, const NodeReader &node) {
  if (failed(node.checkValues(2, 3)) ||
      failed(node.checkAttributes({"destination_type"})))
    return failure();
  FailureOr<Type> destination = readDestination(node);
  if (failed(destination))
    return failure();

  NodeResolution result;
  Value inputs[] = {node.getInput(0), node.getInput(1), node.getInput(2)};
  ArrayRef<Value> operands(inputs, inputs[2] ? 3 : 2);
  for (auto [index, operand] : llvm::enumerate(operands))
    if (!node.getElementType(index)) {
      result.missingInput = index;
      return result;
    }
  MLIRContext *context = builder.getContext();
  Location loc = node.getNode()->getLoc();
  SmallVector<ShapedTypeComponents> shapes;
  if (failed(FakeConvertOp::inferReturnTypeComponents(
          context, loc, ValueShapeRange(operands), DictionaryAttr(),
          OpaqueProperties(nullptr), RegionRange(), shapes)))
    return failure();
  Type elementType = node.getElementType(0);
  Type resultType = UnrankedTensorType::get(elementType);
  if (shapes.front().hasRank())
    resultType = RankedTensorType::get(shapes.front().getDims(), elementType);
  result.op = FakeConvertOp::create(
      builder, loc, resultType, operands,
      {builder.getNamedAttr("destination", TypeAttr::get(*destination)),
       builder.getNamedAttr("opset",
                            builder.getI64IntegerAttr(node.getOpset()))});
  return result;
}
