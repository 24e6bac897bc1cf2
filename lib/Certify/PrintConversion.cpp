//===- PrintConversion.cpp - Names and MLIR of conversions ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Conversion.h"

#include <iterator>

using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

using Kind = Conversion::Kind;

// Spellings in the order of the enumerators.

const char *Conversion::getOperation() const {
  static constexpr const char *kNames[] = {"cast",
                                           "quantize",
                                           "dequantize",
                                           "qdq",
                                           "fakeconvert",
                                           "tensor_scale",
                                           "block_scale",
                                           "block_quantize_elements",
                                           "block_dequantize",
                                           "convert_to_block",
                                           "convert_from_block",
                                           "philox"};
  static_assert(std::size(kNames) == size_t(Kind::Philox) + 1);
  return kNames[static_cast<size_t>(kind)];
}

const char *certify::spell(ScaleRounding rounding) {
  static constexpr const char *kNames[] = {"up", "down", "nearest"};
  return kNames[static_cast<size_t>(rounding)];
}

const char *certify::spell(FakeConvertMode mode) {
  static constexpr const char *kNames[] = {"exact", "openvino",
                                           "openvino_reference"};
  return kNames[static_cast<size_t>(mode)];
}

const char *certify::spell(Reciprocal reciprocal) {
  static constexpr const char *kNames[] = {"single", "nearest", "openvino"};
  return kNames[static_cast<size_t>(reciprocal)];
}

const char *certify::spell(BlockRule rule) {
  static constexpr const char *kNames[] = {
      "floor",
      "ceil",
      "even",
      "rceil",
      "ceil_exact",
      "nearest",
      "tosa",
      "absmax",
      "deepgemm",
      "ggml",
      "transformer_engine",
      "torchao",
      "model_optimizer",
      "compressed_tensors",
  };
  static_assert(std::size(kNames) == size_t(kLastBlockRule) + 1);
  return kNames[static_cast<size_t>(rule)];
}

const char *certify::spell(DraftRounding rounding) {
  static constexpr const char *kNames[] = {
      "NearestTiesToEven", "NearestTiesToAway", "TowardPositive",
      "TowardNegative",    "TowardZero",        "ToOdd",
      "StochasticA",       "StochasticB",       "StochasticC"};
  static_assert(std::size(kNames) == size_t(kLastDraftRounding) + 1);
  return kNames[static_cast<size_t>(rounding)];
}

const char *certify::spell(DraftSaturation saturation) {
  static constexpr const char *kNames[] = {"SatFinite", "SatPropagate",
                                           "SatNone"};
  return kNames[static_cast<size_t>(saturation)];
}

/// Whether the operation belongs to the domain quant_float, because ONNX lacks
/// one of its types or float8 scales (F1).
static bool needsQuantFloatDomain(const Conversion &conversion) {
  // So has stochastic rounding (S1, S4).
  if (conversion.random)
    return true;
  const Format *scale =
      conversion.kind == Kind::FakeConvert ? nullptr : conversion.scale;
  if (scale && scale->isFloat() && scale->bits == 8)
    return true;
  for (const Format *format :
       {conversion.from, conversion.to, scale, conversion.destination})
    if (format && !format->isOnnx)
      return true;
  return false;
}

/// Whether the operation has the attribute `rule`.
static bool hasBlockRule(const Conversion &conversion) {
  return conversion.kind == Kind::BlockScale ||
         conversion.kind == Kind::BlockElements;
}

std::string Conversion::getName() const {
  auto append = [](std::string &name, const char *prefix,
                   const Format *format) {
    // Omit the dialect prefix, which is not valid in a symbol.
    if (format)
      name.append(prefix).append(
          format->name.substr(format->name.rfind('.') + 1));
  };
  bool isProjected = kind == Kind::Cast && rules.projection;
  std::string name = isProjected ? "project" : getOperation();
  if (kind == Kind::Philox)
    return name + "_" + std::string(to->name);
  if (hasBlockRule(*this))
    name += std::string("_") + spell(blockRule);
  append(name, "_", from);
  append(name, "_by_", scale);
  append(name, isBlock() ? "_for_" : "_through_", destination);
  append(name, "_to_", to);
  append(name, "_in_", precision);
  if (rules.projection)
    return name + "_" + spell(rules.projection->rounding) + "_" +
           spell(rules.projection->saturation) +
           (random ? "_by_" + std::string(random->name) : "");
  if (kind == Kind::FakeConvert &&
      fakeConvertRules.mode != FakeConvertMode::Exact)
    name += std::string("_") + spell(fakeConvertRules.mode);
  if (fakeConvertRules.reciprocal != Reciprocal::Single)
    name += std::string("_reciprocal_") + spell(fakeConvertRules.reciprocal);
  if (fakeConvertRules.positiveZero)
    name += "_positive_zero";
  if (fakeConvertRules.neutralShift)
    name += "_neutral";
  if (hasZeroPoint)
    name += kind == Kind::FakeConvert ? "_shifted"
            : !isBlock()              ? "_zero_point"
            : isTensorAmax            ? "_tensor_amax"
                                      : "_tensor_scale";
  if (kind == Kind::BlockDequantize && hasZeroPoint)
    name += isTensorFirst ? "_tensor_first" : "_block_first";
  if (hasSaturate())
    name += rules.saturate ? "_saturate1" : "_saturate0";
  if (hasRoundMode())
    name += std::string("_") + spell(rules.scaleRounding);
  if (random)
    name += "_stochastic_" + std::string(random->name);
  if (rules.opset != 28)
    name += "_opset" + std::to_string(rules.opset);
  return name;
}

static std::string printTensor(const char *shape, const Format &format) {
  return std::string("tensor<") + shape + std::string(format.name) + ">";
}

static std::string printProjection(const DraftProjection &projection) {
  return std::string("<D1, ") + spell(projection.rounding) + ", " +
         spell(projection.saturation) + ">";
}

namespace {
/// A function with one operation.
struct PrintedFunction {
  /// The arguments, the operation without its types, and the operands' types.
  std::string arguments, operation, types;

  void addArgument(const char *name, const std::string &type) {
    arguments += (arguments.empty() ? "%" : ", %") + (name + (": " + type));
  }
  void addOperand(const char *name, const std::string &type) {
    operation += (types.empty() ? " %" : ", %") + std::string(name);
    types += (types.empty() ? "" : ", ") + type;
    addArgument(name, type);
  }
  /// Adds an operand that follows a keyword, with its type in parentheses.
  void addOperand(const char *keyword, const char *name,
                  const std::string &type) {
    operation += std::string(" ") + keyword + "(%" + name + " : " + type + ")";
    addArgument(name, type);
  }
  void add(const char *keyword, std::string_view value = "") {
    operation += std::string(" ") + keyword;
    if (!value.empty())
      operation.append(" ").append(value);
  }
  std::string print(const Conversion &conversion) const {
    std::string result = printTensor("?x", *conversion.to);
    // The result of tensor_scale has the type of the operand.
    return "func.func @" + conversion.getName() + "(" + arguments + ") -> " +
           result + " {\n  %y = quant_float." + conversion.getOperation() +
           operation + " : " + types +
           (conversion.kind == Kind::TensorScale ? "" : " to " + result) +
           "\n  return %y : " + result + "\n}\n";
  }
};
} // namespace

static std::string printBlock(const Conversion &conversion) {
  PrintedFunction function;
  function.addOperand("x", printTensor("?x", *conversion.from));
  if (conversion.scale)
    function.addOperand("s", printTensor("1x", *conversion.scale));
  if (conversion.hasZeroPoint)
    function.addOperand(conversion.isTensorAmax ? "tensor_amax"
                                                : "tensor_scale",
                        "z", printTensor("", conversion.getZeroPointFormat()));
  bool isProjected = conversion.rules.projection.has_value();
  if (conversion.random && isProjected)
    function.addOperand("r", printTensor("?x", *conversion.random));
  if (conversion.scale)
    function.add("block [-1]");
  if (isProjected)
    function.add("projection", printProjection(*conversion.rules.projection));
  if (hasBlockRule(conversion))
    function.add("rule", spell(conversion.blockRule));
  if (conversion.random && !isProjected)
    function.addOperand("round_mode stochastic random", "r",
                        printTensor("?x", *conversion.random));
  if (conversion.destination)
    function.add("element", conversion.destination->name);
  if (conversion.isTensorFirst)
    function.add("order tensor_first");
  return function.print(conversion);
}

static std::string printPhilox(const Conversion &conversion) {
  PrintedFunction function;
  std::string input = printTensor("?x", *conversion.from);
  function.addArgument("x", input);
  function.addOperand("s", "tensor<i64>");
  function.addOperand("z", "tensor<i64>");
  function.add("like %x");
  function.types += ", " + input;
  return function.print(conversion);
}

std::string Conversion::print() const {
  if (kind == Kind::Philox)
    return printPhilox(*this);
  if (kind >= Kind::TensorScale)
    return printBlock(*this);
  PrintedFunction function;
  function.addOperand("x", printTensor("?x", *from));
  if (scale)
    function.addOperand("s", printTensor("", *scale));
  if (hasZeroPoint)
    function.addOperand("z", printTensor("", getZeroPointFormat()));
  if (random)
    function.addOperand("r", printTensor("?x", *random));
  if (destination)
    function.add(kind == Kind::Qdq ? "storage" : "to", destination->name);
  if (kind == Kind::FakeConvert &&
      fakeConvertRules.mode != FakeConvertMode::Exact)
    function.add("mode", spell(fakeConvertRules.mode));
  if (fakeConvertRules.reciprocal != Reciprocal::Single)
    function.add("reciprocal", spell(fakeConvertRules.reciprocal));
  if (fakeConvertRules.positiveZero)
    function.add("positive_zero");
  if (fakeConvertRules.neutralShift)
    function.add("neutral_shift");
  if (rules.projection)
    function.add("mode p3109 opset 1 projection",
                 printProjection(*rules.projection));
  else if (!needsQuantFloatDomain(*this))
    function.add("opset", kind == Kind::FakeConvert
                              ? "13"
                              : std::to_string(rules.opset));
  else
    function.add(kind == Kind::Cast ? "mode quant_float opset 1"
                                    : "opset 1 domain \"quant_float\"");
  if (hasSaturate())
    function.add("saturate", rules.saturate ? "true" : "false");
  if (hasRoundMode())
    function.add("round_mode", spell(rules.scaleRounding));
  if (precision)
    function.add("precision", precision->name);
  if (random && !rules.projection)
    function.add("round_mode stochastic");
  return function.print(*this);
}
