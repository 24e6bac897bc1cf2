//===- ResolveCast.cpp - Cast and CastLike --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeReader.h"
#include "quant-float/Support/Printable.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The first version whose `to` is an integer (V5).
constexpr int64_t kFirstOpsetWithNumber = 6;
constexpr int32_t kNewestDataType = 28;
} // namespace

/// Returns the element type with this name in ONNX's enum, such as "FLOAT16":
/// the type name in capitals. Returns null for unknown and complex types.
static Type getElementTypeByName(MLIRContext *context, StringRef name) {
  for (int32_t dataType = 1; dataType <= kNewestDataType; ++dataType)
    if (Type type = getTypeFromOnnxDataType(context, dataType);
        type && getOnnxTypeName(type).upper() == name)
      return type;
  return {};
}

/// Reads `to`, which is a string in version 1 and an integer in later versions
/// (V5). Complex types are not supported in any version.
static FailureOr<Type> readTo(const NodeReader &node) {
  if (node.getOpset() >= kFirstOpsetWithNumber)
    return node.getType("to");
  StringRef name = node.getString("to");
  if (Type type = getElementTypeByName(node.getNode()->getContext(), name))
    return type;
  return node.emitError() << "attribute 'to': expected the name of an element "
                             "type, but got '"
                          << printable(name) << "'";
}

FailureOr<NodeResolution>
quant_float::resolveCast(OpBuilder &builder, NodeReader &node, bool like) {
  size_t count = like ? 2 : 1;
  // CastLike has no `to`. The op's verifier checks whether the version has the
  // other attributes.
  using namespace attribute_rows;
  bool isNumber = node.getOpset() >= kFirstOpsetWithNumber;
  const AttributeRow rows[] = {
      aChoice("round_mode", "up|down|nearest"), aFlag("saturate", true),
      required(isNumber ? aDataType("to") : aString("to"))};
  if (failed(node.checkValues(count, count)) ||
      failed(node.checkAttributes(ArrayRef(rows).drop_back(like))))
    return failure();
  // An absent round_mode remains absent (V6).
  RoundModeAttr roundMode;
  if (node.has("round_mode"))
    roundMode =
        RoundModeAttr::get(builder.getContext(),
                           *symbolizeRoundMode(node.getString("round_mode")));

  // C15: only the element type of the second input matters.
  FailureOr<Type> to = like ? node.getElementType(1) : readTo(node);
  if (failed(to))
    return failure();
  NodeResolution result;
  if (!*to) {
    result.missingInput = 1;
    return result;
  }
  Value input = node.getInput(0);
  Type resultType = getResultType(input.getType(), *to);
  result.resultTypes = {resultType};
  if (isa<UnknownType>(input.getType()))
    return result;
  result.op = CastOp::create(
      builder, node.getNode()->getLoc(), resultType, input, /*random=*/Value(),
      builder.getI64IntegerAttr(node.getOpset()),
      like ? builder.getUnitAttr() : UnitAttr(), node.getSaturate(), roundMode,
      CastModeAttr(), ProjectionAttr());
  return result;
}
