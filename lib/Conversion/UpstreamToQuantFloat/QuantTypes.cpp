//===- QuantTypes.cpp - quant.uniform of floats and quantiles -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/LlvmCompat.h"
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
///
/// The storage may be
///
///   `!quant.quantile` `<` index `:` value `,` `{` number (`,` number)* `}`
///   (`,` `<` min `:` max `>`)? `>`
class QuantTypeReader {
public:
  QuantTypeReader(MLIRContext *context, StringRef text)
      : context(context), rest(text) {}

  bool consumeQuantiles() { return consume("!quant.quantile<"); }
  /// Parses the quantiles after consumeQuantiles. `exact` are their values if
  /// the type is not only known in printed form, which shortens them.
  std::string readQuantiles(QuantType &type,
                            std::optional<ArrayRef<double>> exact);
  /// Returns null for other storage types than floats.
  FloatType readStorage() { return dyn_cast_or_null<FloatType>(readType()); }
  /// Parses the remaining string. Returns an error message, or an empty string.
  std::string read(QuantType &type);

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
  std::string readScale(QuantType &type);

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

/// Returns the value of a quantile of type `type`, or an error message.
static std::string convertQuantile(double number, Type type, APFloat &value) {
  value = APFloat(number);
  bool isInexact;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    llvm::APSInt converted(integer.getWidth(), !integer.isSigned());
    if (value.convertToInteger(converted, APFloat::rmTowardZero, &isInexact) !=
        APFloat::opOK)
      return "a quantile of type " + debugString(type) +
             " must be an integer of this type, but got " +
             std::to_string(number);
  } else {
    value.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &isInexact);
  }
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &isInexact);
  return {};
}

std::string
QuantTypeReader::readQuantiles(QuantType &type,
                               std::optional<ArrayRef<double>> exact) {
  constexpr unsigned kMaxIndexWidth = 16;
  type.storage = readType();
  auto index = dyn_cast_or_null<IntegerType>(type.storage);
  // The dialect does not state which quantile a negative index selects.
  if (!index || !index.isUnsigned() || index.getWidth() > kMaxIndexWidth ||
      !getOnnxDataType(index))
    return "the storage type of quantiles must be ui2, ui4, ui8 or ui16, but "
           "got " +
           debugString(type.storage);
  consume(":");
  Type valueType = readType();
  auto integer = dyn_cast_or_null<IntegerType>(valueType);
  bool isInteger = integer && !integer.isSignless() && integer.getWidth() <= 16;
  if (!isInteger && (!valueType || !isa<FloatType>(valueType) ||
                     !getDataType(valueType) || valueType.isF64()))
    return "the type of quantiles must be a float of at most 32 bits or a "
           "signed or unsigned integer of at most 16 bits";
  consume(",");
  consume("{");
  SmallVector<double> numbers;
  do {
    StringRef word = readWord();
    if (!llvm::to_float(word, numbers.emplace_back()))
      return ("a quantile must be a number, but got '" + word + "'").str();
  } while (consume(","));
  consume("}");
  if (consume(",")) {
    consume("<");
    int64_t min;
    if (readWord().getAsInteger(10, min) || min != 0)
      return "the storage range of quantiles must start at 0";
    consume(":");
    readWord();
    consume(">");
  }
  consume(">");

  if (exact)
    numbers.assign(exact->begin(), exact->end());
  size_t count = size_t(1) << index.getWidth();
  if (numbers.size() > count)
    return "expected at most " + std::to_string(count) +
           " quantiles, but got " + std::to_string(numbers.size());
  for (double number : numbers) {
    APFloat &value = type.quantiles.emplace_back(APFloat::IEEEsingle());
    if (std::string error = convertQuantile(number, valueType, value);
        !error.empty())
      return error;
  }
  // Indices above the storage range must not read other memory.
  type.quantiles.resize(count, APFloat(type.quantiles.back()));
  return {};
}

std::string QuantTypeReader::readScale(QuantType &type) {
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
    return ("the zero point of " +
            Twine(type.quantiles.empty() ? debugString(type.storage)
                                         : "quantiles") +
            " must be 0, but got " + zeroPoint)
        .str();
  return {};
}

std::string QuantTypeReader::read(QuantType &type) {
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

std::optional<QuantType> quant_float::parseQuantType(Type elementType,
                                                     std::string &error) {
  std::string printed = debugString(elementType);
  StringRef text = printed;
  if (!text.consume_front("!quant.uniform<") || !text.consume_back(">"))
    return std::nullopt;
  QuantTypeReader reader(elementType.getContext(), text);
  QuantType type;
  if (reader.consumeQuantiles()) {
    error = reader.readQuantiles(type, getQuantiles(elementType));
    if (error.empty())
      error = reader.read(type);
    return type;
  }
  type.storage = reader.readStorage();
  if (!type.storage)
    return std::nullopt;
  if (!isFloat8(type.storage) || !getOnnxDataType(type.storage))
    error = debugString(type.storage) + " is not a float8 type of ONNX";
  else
    error = reader.read(type);
  return type;
}

bool quant_float::isQuantStorageCast(Operation *op) {
  if ((op->getName().getStringRef() != "quant.scast" &&
       !isa<UnrealizedConversionCastOp>(op)) ||
      op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  std::string error;
  return parseQuantType(getElementTypeOrSelf(op->getOperand(0)), error) ||
         parseQuantType(getElementTypeOrSelf(op->getResult(0)), error);
}
