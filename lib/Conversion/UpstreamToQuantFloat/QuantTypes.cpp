//===- QuantTypes.cpp - quant.uniform with float8 storage -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

namespace {
/// Parses the parameters of the type:
///
///   storage (`<` min `:` max `>`)? `:` expressed (`:` axis)? `,`
///   (scale | `{` scale (`,` scale)* `}`)
///   scale ::= number (`:` zero-point)?
class QuantTypeReader {
public:
  QuantTypeReader(MLIRContext *context, StringRef text)
      : context(context), rest(text) {}

  /// Returns null for other storage types than floats.
  FloatType readStorage() { return dyn_cast_or_null<FloatType>(readType()); }
  /// Parses the remaining string. Returns an error message, or an empty string.
  std::string read(Float8QuantType &type);

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  StringRef readWord() {
    rest = rest.ltrim();
    StringRef word = rest.take_until(
        [](char c) { return StringRef(":,<>{} ").contains(c); });
    rest = rest.drop_front(word.size());
    return word;
  }
  Type readType();
  /// Returns an error message, or an empty string.
  std::string readScale(Float8QuantType &type);

  MLIRContext *context;
  StringRef rest;
};
} // namespace

Type QuantTypeReader::readType() {
  StringRef word = readWord();
  // The parser emits errors for `u8` and for unknown type names.
  ScopedDiagnosticHandler silence(context,
                                  [](Diagnostic &) { return success(); });
  return word.empty() ? Type() : parseType(word, context);
}

std::string QuantTypeReader::readScale(Float8QuantType &type) {
  StringRef word = readWord();
  APFloat scale(type.expressed.getFloatSemantics());
  llvm::Expected<APFloat::opStatus> status =
      scale.convertFromString(word, APFloat::rmNearestTiesToEven);
  bool isNumber = bool(status);
  llvm::consumeError(status.takeError());
  if (!isNumber || !scale.isFiniteNonZero() || scale.isNegative())
    return ("a scale must be a positive number, but got '" + word + "'").str();
  type.scales.push_back(scale);
  if (!consume(":"))
    return {};
  StringRef zeroPoint = readWord();
  int64_t value;
  if (zeroPoint.getAsInteger(10, value) || value != 0)
    return ("the zero point of " + Twine(debugString(type.storage)) +
            " must be 0, but got " + zeroPoint)
        .str();
  return {};
}

std::string QuantTypeReader::read(Float8QuantType &type) {
  if (consume("<"))
    return "the storage range must be the full range of the storage type";
  consume(":");
  type.expressed = dyn_cast_or_null<FloatType>(readType());
  if (!type.expressed || !isStandardFloat(type.expressed) ||
      type.expressed.isF64())
    return "the expressed type must be f16, bf16 or f32";
  if (consume(":")) {
    if (consume("{"))
      return "scales must be per tensor or per axis, but are per block";
    int64_t axis;
    if (readWord().getAsInteger(10, axis))
      return "the axis must be a number";
    type.axis = axis;
  }
  consume(",");
  bool isList = consume("{");
  do {
    if (std::string error = readScale(type); !error.empty())
      return error;
  } while (isList && consume(","));
  if (isList)
    consume("}");
  if (!rest.trim().empty())
    return ("expected the end of the type after the scales, but got '" + rest +
            "'")
        .str();
  return {};
}

std::optional<Float8QuantType>
quant_float::readFloat8QuantType(Type elementType, std::string &error) {
  std::string printed = debugString(elementType);
  StringRef text = printed;
  if (!text.consume_front("!quant.uniform<") || !text.consume_back(">"))
    return std::nullopt;
  QuantTypeReader reader(elementType.getContext(), text);
  Float8QuantType type;
  type.storage = reader.readStorage();
  if (!type.storage)
    return std::nullopt;
  if (!isFloat8(type.storage) || !getOnnxDataType(type.storage))
    error = debugString(type.storage) + " is not a float8 type of ONNX";
  else
    error = reader.read(type);
  return type;
}

bool quant_float::isFloat8StorageCast(Operation *op) {
  if (op->getName().getStringRef() != "quant.scast" ||
      op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  std::string error;
  return readFloat8QuantType(getElementTypeOrSelf(op->getOperand(0)), error) ||
         readFloat8QuantType(getElementTypeOrSelf(op->getResult(0)), error);
}
