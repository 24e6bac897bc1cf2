//===- Vectors.cpp - Tables of inputs and correct outputs -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Vectors.h"

#include "quant-float/Certify/Inputs.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>
#include <set>

using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

using Kind = Conversion::Kind;

//===----------------------------------------------------------------------===//
// Named inputs
//===----------------------------------------------------------------------===//

namespace {
/// The distinct inputs of a table.
class NamedInputs {
public:
  void add(uint64_t encoding, const llvm::Twine &name) {
    if (known.insert(encoding).second)
      list.push_back({encoding, name.str()});
  }
  /// Adds an input without a name.
  void add(uint64_t encoding) { add(encoding, ""); }

  std::vector<std::pair<uint64_t, std::string>> list;

private:
  /// llvm::DenseSet reserves two values, which are valid encodings.
  std::set<uint64_t> known;
};
} // namespace

static bool isNarrow(const Format &format) {
  return format.kind == Format::Kind::Scale ||
         (format.isFloat() && format.bits <= 8);
}

/// Describes the number with this encoding, which has no sign bit.
static std::string describe(const Format &format, uint64_t encoding) {
  if (encoding == 0)
    return "zero";
  if (encoding < uint64_t(1) << format.mantissaBits)
    return llvm::formatv("subnormal {0}", encoding);
  return llvm::formatv("{0}", toDouble(format, encoding));
}

/// Returns the encoding of the largest number.
static uint64_t getLargest(const Format &format) {
  uint64_t last = format.getMask() & ~format.getSignBit();
  if (format.specials == Specials::Ieee)
    return (last >> format.mantissaBits << format.mantissaBits) - 1;
  switch (format.specials) {
  case Specials::AllOnes:
  case Specials::NegativeZeroAndInfinity:
    return last - 1;
  case Specials::AllOnesAndInfinity:
    return last - 2;
  default:
    return last;
  }
}

/// Adds the inputs that are special in their own type, independent of the
/// result type.
static void addSpecials(const Format &from, NamedInputs &inputs) {
  uint64_t sign = from.getSignBit(), normal = uint64_t(1) << from.mantissaBits;
  auto addBoth = [&](uint64_t encoding, const llvm::Twine &name) {
    std::string label = name.str();
    inputs.add(encoding, label);
    inputs.add(encoding | sign, "-(" + llvm::Twine(label) + ")");
  };
  inputs.add(0, "zero");
  inputs.add(sign, decode(from, sign).isNaN() ? "NaN" : "-0");
  addBoth(1, "smallest subnormal of the input");
  addBoth(normal - 1, "largest subnormal of the input");
  addBoth(normal, "smallest normal of the input");
  addBoth(getLargest(from), "largest of the input");
  for (uint64_t encoding : {getLargest(from) + 1, getLargest(from) + 2,
                            sign - normal / 2, sign - 1}) {
    encoding &= sign - 1;
    Value value = decode(from, encoding);
    if (value.isInfinity())
      addBoth(encoding, "infinity");
    else if (value.isNaN())
      addBoth(encoding,
              encoding & (normal / 2) ? "quiet NaN" : "signalling NaN");
  }
}

/// Adds a value and its neighbors if the input type represents it exactly.
static void addAround(const Format &from, double value, const llvm::Twine &name,
                      NamedInputs &inputs) {
  std::string label = name.str();
  uint64_t encoding = fromDouble(from, value);
  if (toDouble(from, encoding) != value)
    return;
  inputs.add(encoding, label);
  if (from.isFloat() && value != 0) {
    inputs.add(encoding - 1, "just below (in magnitude) " + llvm::Twine(label));
    inputs.add(encoding + 1, "just above (in magnitude) " + llvm::Twine(label));
  }
}

/// Adds every number of a narrow float, the midpoints between them, and the
/// inputs around the overflow threshold.
static void addFloatCases(const Format &from, const Format &to,
                          NamedInputs &inputs) {
  uint64_t largest = getLargest(to);
  for (double sign : {1.0, -1.0}) {
    llvm::StringRef minus = sign < 0 ? "-" : "";
    for (uint64_t encoding = 0; encoding <= largest; ++encoding) {
      double value = toDouble(to, encoding);
      addAround(from, sign * value, minus + llvm::Twine(describe(to, encoding)),
                inputs);
      // Extrapolate one number beyond the largest.
      double next = encoding < largest ? toDouble(to, encoding + 1)
                                       : 2 * value - toDouble(to, encoding - 1);
      double middle = sign * (value / 2 + next / 2);
      uint64_t even = encoding % 2 ? encoding + 1 : encoding;
      std::string name =
          "tie to even at " +
          (even > largest ? "the overflow" : describe(to, even)) +
          (even == encoding ? ", from above" : ", from below");
      if (encoding == largest) {
        uint64_t tie = fromDouble(from, middle);
        if (toDouble(from, tie) == middle) {
          uint64_t last = largest % 2 ? tie - 1 : tie;
          inputs.add(last, minus + llvm::Twine("largest below overflow"));
          inputs.add(last + 1, minus + llvm::Twine("smallest overflow"));
        }
      }
      addAround(from, middle, minus + llvm::Twine(name), inputs);
    }
  }
}

static void addScaleCases(const Format &from, const Format &to,
                          NamedInputs &inputs) {
  for (int power = -to.bias - 2; power <= to.bias + 1; ++power) {
    addAround(from, std::ldexp(1.0, power), llvm::formatv("2^{0}", power),
              inputs);
    addAround(from, std::ldexp(1.5, power),
              llvm::formatv("tie above 2^{0}", power), inputs);
    addAround(from, -std::ldexp(1.0, power), llvm::formatv("-2^{0}", power),
              inputs);
    // Each of the highest bits of the mantissa determines whether to round up.
    if (power % 16 == 0)
      for (double mantissa : {1.125, 1.25, 1.75})
        addAround(from, std::ldexp(mantissa, power),
                  llvm::formatv("{0} * 2^{1}", mantissa, power), inputs);
  }
}

static void addIntegerCases(const Format &from, const Format &to,
                            NamedInputs &inputs) {
  static constexpr std::pair<double, const char *> kOffsets[] = {
      {-1.0, "-1"}, {-0.5, "-0.5"}, {0.0, ""}, {0.5, "+0.5"}, {1.0, "+1"}};
  for (unsigned bits : {to.bits - 1, to.bits, 31u, 32u, 63u, 64u})
    for (auto [offset, label] : kOffsets) {
      double value = std::ldexp(1.0, int(bits)) + offset;
      std::string name = llvm::formatv("2^{0}{1}", bits, label);
      addAround(from, value, name, inputs);
      addAround(from, -value, offset ? "-(" + name + ")" : "-" + name, inputs);
    }
  for (double value : {0.5, 1.0, 1.5, 2.5, 3e9, 200.0, 100.7})
    for (double sign : {1.0, -1.0})
      addAround(from, sign * value, llvm::formatv("{0}", sign * value), inputs);
}

/// Adds the named inputs of a cast.
static void addCastCases(const Format &from, const Format &to,
                         NamedInputs &inputs) {
  if (from.isFloat())
    addSpecials(from, inputs);
  if (to.kind == Format::Kind::Scale)
    addScaleCases(from, to, inputs);
  else if (isNarrow(to))
    addFloatCases(from, to, inputs);
  else if (!to.isFloat() || !from.isFloat())
    addIntegerCases(from, to.isFloat() ? from : to, inputs);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Returns the label of the rule in docs/rules.md that determines the result of
/// a cast.
static llvm::StringRef getCastRule(const Conversion &conversion,
                                   uint64_t encoding, uint64_t output) {
  const Format &from = *conversion.from, &to = *conversion.to;
  Value value = decode(from, encoding);
  if (to.kind == Format::Kind::Bool || from.kind == Format::Kind::Bool)
    return "C13";
  if (to.isInteger())
    return from.isInteger() ? "C12" : "C11";
  if (to.kind == Format::Kind::Scale)
    return "C9";
  if (from.kind == Format::Kind::Scale && !isNarrow(to))
    return "C10";
  if (to.specials == Specials::None && isNarrow(to))
    return "C8";
  if (isNarrow(to)) {
    if (value.isNaN())
      return "C5";
    if (value.isInfinity())
      return "C4";
    return decode(to, output).isZero() ? "C6" : "C3";
  }
  return isNarrow(from) ? "C7" : from.isFloat() ? "C2" : "C12";
}

/// Returns the rule that determines the result of a cast of IEEE P3109.
static llvm::StringRef getProjectionRule(const Conversion &conversion,
                                         uint64_t encoding, uint64_t output) {
  Value value = decode(*conversion.from, encoding),
        result = decode(*conversion.to, output);
  if (value.isNaN() || result.isZero())
    return "I6";
  if (value.isInfinity() || result.isInfinity() || result.isNaN())
    return "I5";
  // Numbers beyond the largest one saturate.
  uint64_t largest = getLargest(*conversion.to);
  bool isEnd = (output & ~conversion.to->getSignBit()) == largest;
  if (isEnd && std::fabs(toDouble(*conversion.from, encoding)) >
                   std::fabs(toDouble(*conversion.to, output)))
    return "I5";
  if (conversion.random)
    return "I4";
  return conversion.from->bits <= 8 && conversion.to->bits > 8 ? "I2" : "I3";
}

static llvm::StringRef getRule(const Conversion &conversion,
                               const VectorRow &row) {
  if (conversion.rules.projection)
    return getProjectionRule(conversion, row.input, row.output);
  // If the sign of the result is unspecified, a NaN was converted to it (D8).
  const Format &to = *conversion.to;
  bool isNumber =
      to.isFloat() && to.isSigned && !decode(to, row.output).isNaN();
  if (isNumber && conversion.agrees(row.input, row.getParameters(), row.output,
                                    row.output ^ to.getSignBit()))
    return "D8";
  switch (conversion.kind) {
  case Kind::Cast:
    return getCastRule(conversion, row.input, row.output);
  case Kind::Quantize:
    if (decode(*conversion.scale, row.scale).isZero())
      return "D4";
    return conversion.to->isFloat() ? "D3" : "D1";
  case Kind::Dequantize:
    return "D5";
  case Kind::Qdq:
    return "D6";
  case Kind::TensorScale:
    return "B6";
  case Kind::BlockScale:
    return conversion.to->kind == Format::Kind::Scale  ? "B3"
           : conversion.blockRule == BlockRule::AbsMax ? "B4"
           : isTwoLevel(conversion.blockRule)          ? "B6"
                                                       : "B5";
  case Kind::BlockElements:
    return "B7";
  case Kind::BlockDequantize:
    return "B8";
  case Kind::ConvertToBlock:
  case Kind::ConvertFromBlock:
    return "I7";
  case Kind::Philox:
    return "S3";
  case Kind::FakeConvert:
    break;
  }
  return "K";
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static void addRow(VectorTable &table, VectorRow row) {
  const Conversion &conversion = table.conversion;
  row.output = conversion.getExpected(row.input, row.getParameters());
  row.rule = getRule(conversion, row);
  table.rows.push_back(std::move(row));
}

static void fillCast(VectorTable &table) {
  const Format &from = *table.conversion.from;
  NamedInputs inputs;
  addCastCases(from, *table.conversion.to, inputs);
  table.isComplete = from.bits <= 16;
  if (table.isComplete) {
    llvm::DenseMap<uint64_t, std::string> names;
    for (const auto &[encoding, name] : inputs.list)
      names[encoding & from.getMask()] = name;
    for (uint64_t encoding = 0; encoding <= from.getMask(); ++encoding)
      addRow(table, {encoding, 0, 0, 0, names.lookup(encoding), {}});
    return;
  }
  Random random(from.bits);
  for (int i = 0; i < 256; ++i)
    inputs.add(random() & from.getMask());
  for (const auto &[encoding, name] : inputs.list)
    addRow(table, {encoding & from.getMask(), 0, 0, 0, name, {}});
}

/// Fills in a cast with a stochastic rounding. Inputs are the fractions between
/// two numbers at which the modes differ, and each has the random bits at which
/// the result changes.
static void fillStochasticCast(VectorTable &table) {
  const Conversion &conversion = table.conversion;
  const Format &from = *conversion.from, &to = *conversion.to;
  uint64_t limit = uint64_t(1) << conversion.random->bits,
           largest = getLargest(to);
  NamedInputs inputs;
  addSpecials(from, inputs);
  // Around the subnormals, around the normal numbers, and at the overflow.
  std::set<uint64_t> encodings = {0,
                                  1,
                                  (uint64_t(1) << to.mantissaBits) - 1,
                                  uint64_t(1) << to.mantissaBits,
                                  largest / 2,
                                  largest - 1,
                                  largest};
  for (double sign : {1.0, -1.0})
    for (uint64_t encoding : encodings) {
      double value = toDouble(to, encoding);
      double step = encoding < largest ? toDouble(to, encoding + 1) - value
                                       : value - toDouble(to, encoding - 1);
      for (double part : {0.0, 0.5, 1.0, 1.5, double(limit) / 2 - 0.5,
                          double(limit) / 2, limit - 1.0, limit - 0.5})
        addAround(from, sign * (value + step * part / double(limit)),
                  llvm::formatv("{0}{1} and {2} of {3} parts of a step",
                                sign < 0 ? "-" : "", describe(to, encoding),
                                part, limit)
                      .str(),
                  inputs);
    }
  for (const auto &[encoding, name] : inputs.list) {
    std::set<uint64_t> random = {0, limit - 1};
    for (uint64_t bits = 1; bits < limit; ++bits)
      if (conversion.getExpected(encoding, {0, 0, bits}) !=
          conversion.getExpected(encoding, {0, 0, bits - 1}))
        random.insert({bits - 1, bits});
    for (uint64_t bits : random)
      addRow(table, {encoding, 0, 0, 0, name, {}, bits});
  }
}

/// Returns quotients at which results change, with their names; for floats,
/// those of at most `maxNumbers` numbers.
static std::vector<std::pair<double, std::string>>
listQuotients(const Format &to, uint64_t maxNumbers = 32) {
  std::vector<std::pair<double, std::string>> quotients;
  auto add = [&](double value, const llvm::Twine &name) {
    quotients.push_back({value, name.str()});
  };
  if (to.isFloat()) {
    uint64_t largest = getLargest(to), step = largest / maxNumbers + 1;
    for (uint64_t encoding = 0; encoding < largest; encoding += step) {
      double value = toDouble(to, encoding), next = toDouble(to, encoding + 1);
      add(value, describe(to, encoding));
      add(value / 2 + next / 2,
          "tie to even at " +
              llvm::Twine(describe(to, encoding + encoding % 2)));
    }
    double value = toDouble(to, largest);
    add(value, "largest");
    add(value + (value - toDouble(to, largest - 1)) / 2, "tie at the overflow");
    add(2 * value, "overflow");
    return quotients;
  }
  bool isSigned = to.kind == Format::Kind::Signed;
  double span = std::ldexp(1.0, int(to.bits) - isSigned);
  for (double value : {0.0, 1.0, 2.0, 3.0, span - 2, span - 1, span})
    for (double part : {0.0, 0.5})
      add(value + part,
          part
              ? llvm::formatv("tie between {0} and {1}", value, value + 1).str()
              : llvm::formatv("{0}", value).str());
  return quotients;
}

/// Returns the scales of a table.
static std::vector<uint64_t> listScales(const Format &scale) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<uint64_t> scales;
  for (double value :
       {1.0, 0.0078125, 0.1, 3.0, -0.37, 0.0, infinity, double(NAN)})
    scales.push_back(fromDouble(scale, value));
  scales.push_back(1);
  return scales;
}

/// Returns the zero points of a table, or for blocks the f32 of the tensor.
static std::vector<uint64_t> listZeroPoints(const Conversion &conversion) {
  std::vector<uint64_t> zeroPoints = {0};
  if (!conversion.hasZeroPoint)
    return zeroPoints;
  const Format &format = conversion.getZeroPointFormat();
  if (conversion.isBlock()) {
    // The largest magnitudes 2688, for which the scale is 1, the largest one,
    // and the smallest, whose reciprocal overflows.
    for (double value : {2688.0, 1.0, 0x1.fffffep127, 0x1p-149, 0x1.5p-117,
                         double(INFINITY), double(NAN), -0.37})
      zeroPoints.push_back(fromDouble(format, value));
    return zeroPoints;
  }
  bool isInteger = !format.isFloat();
  for (double value : {1.0, isInteger ? 3.0 : 0.5})
    zeroPoints.push_back(fromDouble(format, value) & format.getMask());
  zeroPoints.push_back(format.getSignBit());
  return zeroPoints;
}

/// Returns the largest f64 value of the factor by which x is larger than the
/// quotient that is rounded.
static double getFactor(const Conversion &conversion, uint64_t scaleEncoding,
                        uint64_t zeroPoint) {
  double factor = toDouble(*conversion.scale, scaleEncoding);
  if (conversion.kind != Kind::BlockElements)
    return factor;
  // MXINT8 elements are multiples of 1/64.
  if (conversion.to->isInteger() &&
      conversion.scale->kind == Format::Kind::Scale && conversion.to->bits == 8)
    factor /= 64;
  if (!conversion.hasZeroPoint)
    return factor;
  double level = toDouble(*findFormat("f32"), zeroPoint);
  level = std::fabs(conversion.isTensorAmax ? level / 2688 : level);
  return level == 0 ? factor : factor * level;
}

static void fillScaled(VectorTable &table) {
  const Conversion &conversion = table.conversion;
  const Format &from = *conversion.from, &scale = *conversion.scale;
  std::vector<uint64_t> scales = listScales(scale);
  // Blocks also have the largest scales.
  for (uint64_t encoding : {scale.getMask() - 2, scale.getMask() - 1})
    if (conversion.isBlock() && scale.kind == Format::Kind::Scale)
      scales.push_back(encoding);
  bool multiplies = conversion.kind == Kind::FakeConvert;
  for (uint64_t scaleEncoding : scales)
    for (uint64_t zeroPoint : listZeroPoints(conversion)) {
      NamedInputs inputs;
      if (from.isFloat())
        addSpecials(from, inputs);
      double factor = getFactor(conversion, scaleEncoding, zeroPoint);
      double shift =
          multiplies ? toDouble(conversion.getZeroPointFormat(), zeroPoint) : 0;
      if (conversion.kind == Kind::Dequantize ||
          conversion.kind == Kind::BlockDequantize) {
        uint64_t step = from.bits > 8 ? 251 : 1;
        for (uint64_t encoding = 0;
             encoding <= from.getMask() && from.bits <= 16; encoding += step)
          inputs.add(encoding);
      } else {
        for (const auto &[quotient, name] :
             listQuotients(conversion.destination ? *conversion.destination
                                                  : *conversion.to))
          for (double signedQuotient : {quotient, -quotient}) {
            double value = multiplies ? (signedQuotient + shift) / factor
                                      : signedQuotient * factor;
            if (!std::isfinite(value))
              continue;
            uint64_t encoding = fromDouble(from, value) & from.getMask();
            bool isExact = toDouble(from, encoding) == value && !shift;
            llvm::StringRef near = isExact ? "" : "next to ";
            llvm::StringRef sign = signedQuotient < 0 ? "-" : "";
            inputs.add(encoding, llvm::Twine(near) + sign + name);
            inputs.add((encoding + 1) & from.getMask());
          }
      }
      for (const auto &[encoding, name] : inputs.list)
        addRow(table, {encoding, scaleEncoding, zeroPoint, 0, name, {}});
    }
}

/// Adds magnitudes at and next to which a scale that is a power of two changes
/// by some rule, in every binade.
static void addPowerCases(const Format &from, const Format &element,
                          NamedInputs &inputs) {
  double largest = element.isFloat() ? toDouble(element, getLargest(element))
                                     : std::ldexp(1, int(element.bits) - 1) - 1;
  unsigned mantissaBits =
      element.isFloat() ? element.mantissaBits : element.bits - 2;
  largest = std::ldexp(largest, -std::ilogb(largest));
  const std::pair<double, std::string> mantissas[] = {
      {1, "2^{0}"},
      {largest, "largest element times a power of two, at 2^{0}"},
      {0.75 * largest, "0.75 of the largest element, at 2^{0}"},
      {2 - std::ldexp(1, -int(mantissaBits) - 1),
       "tie of the element's mantissa to 2^({0} + 1)"}};
  for (int exponent = -149; exponent <= 127; ++exponent)
    for (const auto &[mantissa, name] : mantissas)
      addAround(from, std::ldexp(mantissa, exponent),
                llvm::formatv(name.c_str(), exponent).str(), inputs);
}

/// Adds magnitudes for which the scale is a number of its type, or the midpoint
/// of two.
static void addScaleNumberCases(const Conversion &conversion, double factor,
                                NamedInputs &inputs) {
  const Format &from = *conversion.from, &scale = *conversion.to;
  for (const auto &[number, name] : listQuotients(scale, 256)) {
    double value = number * factor;
    uint64_t encoding = fromDouble(from, value) & from.getMask();
    if (!std::isfinite(value))
      continue;
    bool isExact = toDouble(from, encoding) == value;
    inputs.add(encoding,
               llvm::Twine(isExact ? "scale " : "next to scale ") + name);
    for (int64_t step : {-1, 1})
      inputs.add((encoding + step) & from.getMask());
  }
}

/// Fills in the scales of blocks and of the tensor.
static void fillBlockScales(VectorTable &table) {
  const Conversion &conversion = table.conversion;
  const Format &from = *conversion.from;
  bool isPower = conversion.to->kind == Format::Kind::Scale;
  for (uint64_t zeroPoint : listZeroPoints(conversion)) {
    NamedInputs inputs;
    addSpecials(from, inputs);
    if (conversion.kind == Kind::TensorScale) {
      addAround(from, 2688, "a scale of 1", inputs);
      addAround(from, 1344 * 0x1p-149, "the tie to zero", inputs);
    } else if (isPower) {
      addPowerCases(from, *conversion.destination, inputs);
    } else {
      const Format &element = *conversion.destination;
      double factor = element.isFloat()
                          ? toDouble(element, getLargest(element))
                          : std::ldexp(1, int(element.bits) - 1) - 1;
      if (conversion.hasZeroPoint) {
        double level = std::fabs(toDouble(from, zeroPoint));
        level = conversion.isTensorAmax ? level / 2688 : level;
        factor *= level == 0 ? 1 : level;
      }
      addScaleNumberCases(conversion, factor, inputs);
    }
    Random random(zeroPoint + 1);
    for (int i = 0; i < 256; ++i)
      inputs.add(random() & from.getMask());
    for (const auto &[encoding, name] : inputs.list)
      addRow(table, {encoding, 0, zeroPoint, 0, name, {}});
  }
}

/// Returns the standards that define an operation on blocks. The vectors have
/// inputs and results of f32.
static std::vector<llvm::StringRef>
getBlockStandards(const Conversion &conversion) {
  const Format *wide = conversion.kind == Kind::BlockDequantize
                           ? conversion.to
                           : conversion.from;
  if (wide->name != "f32")
    return {};
  if (conversion.kind == Kind::TensorScale)
    return {"torchao", "Model-Optimizer"};
  bool isPower = (conversion.scale ? conversion.scale : conversion.to)->kind ==
                 Format::Kind::Scale;
  if (conversion.kind == Kind::BlockDequantize) {
    bool isTwoLevel = conversion.from->name == "f4E2M1FN" &&
                      conversion.scale->name == "f8E4M3FN" &&
                      conversion.hasZeroPoint;
    if (isTwoLevel)
      return conversion.isTensorFirst
                 ? std::vector<llvm::StringRef>{"ONNX DequantizeLinear"}
                 : std::vector<llvm::StringRef>{"torchao"};
    return isPower && !conversion.hasZeroPoint
               ? std::vector<llvm::StringRef>{"OCP MX"}
               : std::vector<llvm::StringRef>();
  }
  switch (conversion.blockRule) {
  case BlockRule::Floor:
    return {"OCP MX"};
  case BlockRule::Ceil:
  case BlockRule::Even:
  case BlockRule::TorchAO:
    return {"torchao"};
  case BlockRule::RCeil:
    return {"torchao", "TransformerEngine"};
  case BlockRule::CeilExact:
  case BlockRule::Nearest:
  case BlockRule::AbsMax:
    return {"quant-float"};
  case BlockRule::Tosa:
    return {"TOSA"};
  case BlockRule::DeepGemm:
    return {"DeepGEMM"};
  case BlockRule::Ggml:
    return {"ggml"};
  case BlockRule::TransformerEngine:
    return {"TransformerEngine"};
  case BlockRule::ModelOptimizer:
    return {"Model-Optimizer"};
  case BlockRule::CompressedTensors:
    return {"compressed-tensors"};
  }
  return {};
}

/// Returns the standards that define a conversion, or none if the vectors omit
/// it.
static std::vector<llvm::StringRef> getStandards(const Conversion &conversion) {
  auto isAnyOf = [](const Format *format,
                    std::initializer_list<const char *> all) {
    return format && llvm::is_contained(all, format->name);
  };
  auto isOcp8 = [&](const Format *format) {
    return isAnyOf(format, {"f8E4M3FN", "f8E5M2"});
  };
  auto isMx = [&](const Format *format) {
    return isAnyOf(format, {"f6E2M3FN", "f6E3M2FN", "f4E2M1FN", "f8E8M0FNU"});
  };
  // Random bits are not in the tables of these standards.
  if (conversion.random)
    return {};
  if (conversion.kind >= Kind::TensorScale)
    return getBlockStandards(conversion);
  for (const Format *format : {conversion.from, conversion.to, conversion.scale,
                               conversion.destination})
    if (format && !format->isOnnx)
      return {};
  bool isWide = isAnyOf(conversion.from, {"f64", "f32", "f16", "bf16"});
  bool toWide = isAnyOf(conversion.to, {"f64", "f32", "f16", "bf16"});
  switch (conversion.kind) {
  case Kind::Cast: {
    if (conversion.from == conversion.to)
      return {};
    bool isRequested =
        (isNarrow(*conversion.to) && (isWide || conversion.from->bits == 32)) ||
        (isNarrow(*conversion.from) &&
         (toWide || isNarrow(*conversion.to) ||
          conversion.to->kind == Format::Kind::Bool)) ||
        (isWide &&
         (toWide || isAnyOf(conversion.to,
                            {"i32", "i8", "ui8", "i4", "ui4", "i2", "ui2"})) &&
         conversion.from->bits == 32) ||
        (isWide && toWide);
    if (!isRequested)
      return {};
    std::vector<llvm::StringRef> standards = {"ONNX Cast"};
    // The standards specify no rounding of scales, so E8M0 results are
    // excluded.
    if ((isWide && isOcp8(conversion.to)) ||
        (isOcp8(conversion.from) && toWide))
      standards.push_back("OCP FP8");
    if ((isWide && isMx(conversion.to) &&
         conversion.to->kind == Format::Kind::Float) ||
        (isMx(conversion.from) && toWide))
      standards.push_back("OCP MX");
    return standards;
  }
  case Kind::Quantize: {
    bool isOne = (isAnyOf(conversion.from, {"f32"}) &&
                  isAnyOf(conversion.scale, {"f32"}) &&
                  isAnyOf(conversion.precision, {"f32"})) ||
                 (isAnyOf(conversion.from, {"f16"}) &&
                  isAnyOf(conversion.scale, {"f16"}) &&
                  isAnyOf(conversion.precision, {"f16"}) &&
                  isAnyOf(conversion.to, {"i8", "ui8"}));
    return isOne ? std::vector<llvm::StringRef>{"ONNX QuantizeLinear"}
                 : std::vector<llvm::StringRef>();
  }
  case Kind::Dequantize: {
    if (!isAnyOf(conversion.to, {"f32"}) || conversion.from->bits > 16)
      return {};
    if (isAnyOf(conversion.scale, {"f32"}))
      return {"ONNX DequantizeLinear"};
    bool isBlock = isAnyOf(conversion.scale, {"f8E8M0FNU"}) &&
                   !conversion.hasZeroPoint &&
                   (isOcp8(conversion.from) || isMx(conversion.from) ||
                    isAnyOf(conversion.from, {"i8"}));
    return isBlock
               ? std::vector<llvm::StringRef>{"ONNX DequantizeLinear", "OCP MX"}
               : std::vector<llvm::StringRef>();
  }
  case Kind::FakeConvert:
    break;
  default:
    return {};
  }
  const FakeConvertRules &rules = conversion.fakeConvertRules;
  bool isPlain = !rules.positiveZero && !rules.neutralShift &&
                 rules.reciprocal == Reciprocal::Single;
  return isPlain && isAnyOf(conversion.from, {"f32"})
             ? std::vector<llvm::StringRef>{"OpenVINO FakeConvert"}
             : std::vector<llvm::StringRef>();
}

/// Whether the vectors have a cast of IEEE P3109: those from f32 and to f32,
/// and those to nearest, ties to even, with SatNone from f16 and bf16 to the
/// formats that the draft requires. Stochastic roundings are added separately.
static bool isInVectors(const Conversion &conversion) {
  auto isRequired = [](const Format &format) {
    return llvm::is_contained(
        {"!quant_float.binary8p4se", "!quant_float.binary8p3se",
         "!quant_float.binary4p2sf", "!quant_float.binary8p1uf"},
        format.name);
  };
  bool isDefault =
      conversion.rules.projection->rounding ==
          DraftRounding::NearestTiesToEven &&
      conversion.rules.projection->saturation == DraftSaturation::SatNone;
  if (conversion.random || conversion.from->bits == 64 ||
      conversion.to->bits == 64 ||
      (!isNarrow(*conversion.from) && !isNarrow(*conversion.to)))
    return false;
  if (isNarrow(*conversion.from) && isNarrow(*conversion.to))
    return isDefault;
  if (isNarrow(*conversion.from))
    return conversion.to->bits == 32 && isDefault;
  return conversion.from->bits == 32 ||
         (isDefault && isRequired(*conversion.to));
}

/// Adds the casts of IEEE P3109. Those with stochastic roundings are from f32
/// to the formats that the draft requires, with every saturation and 4 random
/// bits, and with SatNone also 8.
static void addProjections(std::vector<VectorTable> &tables) {
  for (Conversion conversion : listProjections()) {
    bool isStochastic =
        conversion.random && conversion.random->bits >= 4 &&
        conversion.from->name == "f16" && isNarrow(*conversion.to) &&
        (conversion.random->bits == 4 ||
         conversion.rules.projection->saturation == DraftSaturation::SatNone);
    if (!isStochastic && !isInVectors(conversion))
      continue;
    // The list omits f32, of which certificates cannot have every random bit.
    if (isStochastic)
      conversion.from = findFormat("f32");
    VectorTable table;
    table.conversion = conversion;
    table.standards = {"IEEE P3109/D1"};
    isStochastic ? fillStochasticCast(table) : fillCast(table);
    tables.push_back(std::move(table));
  }
}

std::vector<VectorTable> certify::makeVectors() {
  std::vector<VectorTable> tables;
  for (const std::vector<Conversion> &group : listGroups())
    for (const Conversion &conversion : group) {
      VectorTable table;
      table.conversion = conversion;
      table.standards = getStandards(conversion);
      if (table.standards.empty())
        continue;
      if (conversion.kind == Kind::Cast)
        fillCast(table);
      else if (conversion.kind == Kind::TensorScale ||
               conversion.kind == Kind::BlockScale)
        fillBlockScales(table);
      else
        fillScaled(table);
      tables.push_back(std::move(table));
    }
  addProjections(tables);
  return tables;
}

//===----------------------------------------------------------------------===//
// Layouts of scales
//===----------------------------------------------------------------------===//

namespace {
/// A digit of a row or of a column, and the distance of its values in memory,
/// as CUTLASS describes layouts. Digits are ordered from the innermost one. The
/// outermost has no size.
struct Digit {
  int64_t size, stride;
  /// The padded size that multiplies the stride.
  enum { None, Rows, Columns } times = None;
};

struct Layout {
  llvm::StringRef name, standard;
  int64_t rowAlignment, columnAlignment;
  std::vector<Digit> row, column;
};
} // namespace

static int64_t getOffset(int64_t index, const std::vector<Digit> &digits,
                         const LayoutTable &table) {
  int64_t offset = 0;
  for (const Digit &digit : digits) {
    int64_t stride = digit.stride;
    if (digit.times == Digit::Rows)
      stride *= table.paddedRows;
    if (digit.times == Digit::Columns)
      stride *= table.paddedColumns;
    offset += (digit.size ? index % digit.size : index) * stride;
    index = digit.size ? index / digit.size : 0;
  }
  return offset;
}

std::vector<LayoutTable> certify::makeLayoutVectors() {
  const Layout layouts[] = {
      {"tile_128x4",
       "cuBLAS",
       128,
       4,
       {{32, 16}, {4, 4}, {0, 128, Digit::Columns}},
       {{4, 1}, {0, 512}}},
      {"tile_8x4",
       "TensorRT-LLM",
       8,
       4,
       {{8, 4}, {0, 8, Digit::Columns}},
       {{4, 1}, {0, 32}}},
      {"deepgemm_f32", "DeepGEMM", 4, 1, {{0, 1}}, {{0, 1, Digit::Rows}}},
      {"deepgemm_e8m0",
       "DeepGEMM",
       4,
       4,
       {{0, 4}},
       {{4, 1}, {0, 4, Digit::Rows}}},
      {"gfx950",
       "aiter",
       256,
       8,
       {{16, 4}, {2, 1}, {0, 32, Digit::Columns}},
       {{4, 64}, {2, 2}, {0, 256}}},
      {"gfx1250_n32k4",
       "aiter",
       32,
       4,
       {{32, 4}, {0, 32, Digit::Columns}},
       {{4, 1}, {0, 128}}},
  };
  std::vector<LayoutTable> tables;
  for (const Layout &layout : layouts)
    for (int64_t rows : {1, 130, 300})
      for (int64_t columns : {1, 5, 17}) {
        LayoutTable table = {
            layout.name,
            layout.standard,
            rows,
            columns,
            int64_t(llvm::alignTo(rows, layout.rowAlignment)),
            int64_t(llvm::alignTo(columns, layout.columnAlignment)),
            {}};
        for (int64_t m = 0; m < rows; ++m)
          for (int64_t k = 0; k < columns; ++k)
            table.offsets.push_back(
                uint64_t(getOffset(m, layout.row, table) +
                         getOffset(k, layout.column, table)));
        tables.push_back(std::move(table));
      }
  return tables;
}
