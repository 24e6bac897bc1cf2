//===- ResolveFakeConvert.cpp - OpenVINO's FakeConvert --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeReader.h"
#include "quant-float/Support/LlvmCompat.h"

using namespace mlir;
using namespace mlir::quant_float;

FailureOr<NodeResolution> quant_float::resolveFakeConvert(OpBuilder &builder,
                                                          NodeReader &node) {
  // The first choice is OpenVINO's default.
  static constexpr AttributeRow kRows[] = {
      attribute_rows::aChoice("destination_type", "f8e4m3|f8e5m2")};
  if (failed(node.checkValues(2, 3)) || failed(node.checkAttributes(kRows)))
    return failure();
  Type destination = Float8E4M3FNType::get(builder.getContext());
  if (node.getString("destination_type") == "f8e5m2")
    destination = Float8E5M2Type::get(builder.getContext());

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
          getNoProperties(), RegionRange(), shapes)))
    return failure();
  Type elementType = node.getElementType(0);
  Type resultType = UnrankedTensorType::get(elementType);
  if (shapes.front().hasRank())
    resultType = RankedTensorType::get(shapes.front().getDims(), elementType);
  result.op = FakeConvertOp::create(
      builder, loc, resultType, inputs[0], inputs[1], inputs[2],
      TypeAttr::get(destination), /*mode=*/FakeConvertModeAttr(),
      /*reciprocal=*/FakeConvertReciprocalAttr(),
      /*positive_zero=*/UnitAttr(), /*neutral_shift=*/UnitAttr(),
      builder.getI64IntegerAttr(node.getOpset()));
  return result;
}
