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
  void add(uint64_t code, const llvm::Twine &name) {
    if (known.insert(code).second)
      list.push_back({code, name.str()});
  }
  /// Adds an input without a name.
  void add(uint64_t code) { add(code, ""); }

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
static std::string describe(const Format &format, uint64_t code) {
  if (code == 0)
    return "zero";
  if (code < uint64_t(1) << format.mantissaBits)
    return llvm::formatv("subnormal {0}", code);
  return llvm::formatv("{0}", toDouble(format, code));
}

/// Returns the encoding of the largest number.
static uint64_t getLargest(const Format &format) {
  uint64_t last = format.getSignBit() - 1;
  if (format.specials == Specials::Ieee)
    return (last >> format.mantissaBits << format.mantissaBits) - 1;
  return format.specials == Specials::AllOnes ? last - 1 : last;
}

/// Adds the inputs that are special in their own type, independent of the
/// result type.
static void addSpecials(const Format &from, NamedInputs &inputs) {
  uint64_t sign = from.getSignBit(), normal = uint64_t(1) << from.mantissaBits;
  auto addBoth = [&](uint64_t code, const llvm::Twine &name) {
    std::string label = name.str();
    inputs.add(code, label);
    inputs.add(code | sign, "-(" + llvm::Twine(label) + ")");
  };
  inputs.add(0, "zero");
  inputs.add(sign, decode(from, sign).isNaN() ? "NaN" : "-0");
  addBoth(1, "smallest subnormal of the input");
  addBoth(normal - 1, "largest subnormal of the input");
  addBoth(normal, "smallest normal of the input");
  addBoth(getLargest(from), "largest of the input");
  for (uint64_t code : {getLargest(from) + 1, getLargest(from) + 2,
                        sign - normal / 2, sign - 1}) {
    code &= sign - 1;
    Value value = decode(from, code);
    if (value.isInfinity())
      addBoth(code, "infinity");
    else if (value.isNaN())
      addBoth(code, code & (normal / 2) ? "quiet NaN" : "signalling NaN");
  }
}

/// Adds a value and its neighbors if the input type represents it exactly.
static void addAround(const Format &from, double value, const llvm::Twine &name,
                      NamedInputs &inputs) {
  std::string label = name.str();
  uint64_t code = fromDouble(from, value);
  if (toDouble(from, code) != value)
    return;
  inputs.add(code, label);
  if (from.isFloat() && value != 0) {
    inputs.add(code - 1, "just below (in magnitude) " + llvm::Twine(label));
    inputs.add(code + 1, "just above (in magnitude) " + llvm::Twine(label));
  }
}

/// Adds every number of a narrow float, the midpoints between them, and the
/// inputs around the overflow threshold.
static void addFloatCases(const Format &from, const Format &to,
                          NamedInputs &inputs) {
  uint64_t largest = getLargest(to);
  for (double sign : {1.0, -1.0}) {
    llvm::StringRef minus = sign < 0 ? "-" : "";
    for (uint64_t code = 0; code <= largest; ++code) {
      double value = toDouble(to, code);
      addAround(from, sign * value, minus + llvm::Twine(describe(to, code)),
                inputs);
      // Extrapolate one number beyond the largest.
      double next = code < largest ? toDouble(to, code + 1)
                                   : 2 * value - toDouble(to, code - 1);
      double middle = sign * (value / 2 + next / 2);
      uint64_t even = code % 2 ? code + 1 : code;
      std::string name =
          "tie to even at " +
          (even > largest ? "the overflow" : describe(to, even)) +
          (even == code ? ", from above" : ", from below");
      if (code == largest) {
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
static llvm::StringRef getCastRule(const Conversion &one, uint64_t code,
                                   uint64_t output) {
  const Format &from = *one.from, &to = *one.to;
  Value value = decode(from, code);
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

static llvm::StringRef getRule(const Conversion &one, const VectorRow &row) {
  // If the sign of the result is unspecified, a NaN was converted to it (D8).
  const Format &to = *one.to;
  bool isNumber = to.isFloat() && !decode(to, row.output).isNaN();
  if (isNumber && one.agrees(row.input, row.scale, row.zeroPoint, row.output,
                             row.output ^ to.getSignBit()))
    return "D8";
  switch (one.kind) {
  case Kind::Cast:
    return getCastRule(one, row.input, row.output);
  case Kind::Quantize:
    if (decode(*one.scale, row.scale).isZero())
      return "D4";
    return one.to->isFloat() ? "D3" : "D1";
  case Kind::Dequantize:
    return "D5";
  case Kind::Qdq:
    return "D6";
  case Kind::FakeConvert:
    break;
  }
  return "K";
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static void addRow(VectorTable &table, VectorRow row) {
  const Conversion &one = table.conversion;
  row.output = one.getExpected(row.input, row.scale, row.zeroPoint);
  row.rule = getRule(one, row);
  table.rows.push_back(std::move(row));
}

static void fillCast(VectorTable &table) {
  const Format &from = *table.conversion.from;
  NamedInputs inputs;
  addCastCases(from, *table.conversion.to, inputs);
  table.isComplete = from.bits <= 16;
  if (table.isComplete) {
    llvm::DenseMap<uint64_t, std::string> names;
    for (const auto &[code, name] : inputs.list)
      names[code & from.getMask()] = name;
    for (uint64_t code = 0; code <= from.getMask(); ++code)
      addRow(table, {code, 0, 0, 0, names.lookup(code), {}});
    return;
  }
  Random random(from.bits);
  for (int i = 0; i < 256; ++i)
    inputs.add(random() & from.getMask());
  for (const auto &[code, name] : inputs.list)
    addRow(table, {code & from.getMask(), 0, 0, 0, name, {}});
}

/// Returns the quotients at which results change, with their names.
static std::vector<std::pair<double, std::string>>
listQuotients(const Format &to) {
  std::vector<std::pair<double, std::string>> quotients;
  auto add = [&](double value, const llvm::Twine &name) {
    quotients.push_back({value, name.str()});
  };
  if (to.isFloat()) {
    uint64_t largest = getLargest(to), step = largest / 32 + 1;
    for (uint64_t code = 0; code < largest; code += step) {
      double value = toDouble(to, code), next = toDouble(to, code + 1);
      add(value, describe(to, code));
      add(value / 2 + next / 2,
          "tie to even at " + llvm::Twine(describe(to, code + code % 2)));
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

static void fillScaled(VectorTable &table) {
  const Conversion &one = table.conversion;
  const Format &from = *one.from, &scale = *one.scale;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<uint64_t> scales, zeroPoints = {0};
  for (double value :
       {1.0, 0.0078125, 0.1, 3.0, -0.37, 0.0, infinity, double(NAN)})
    scales.push_back(fromDouble(scale, value));
  scales.push_back(1);
  if (one.hasZeroPoint) {
    const Format &format = one.getZeroPointFormat();
    bool isInteger = !format.isFloat();
    for (double value : {1.0, isInteger ? 3.0 : 0.5})
      zeroPoints.push_back(fromDouble(format, value) & format.getMask());
    zeroPoints.push_back(format.getSignBit());
  }
  bool multiplies = one.kind == Kind::FakeConvert;
  for (uint64_t scaleCode : scales)
    for (uint64_t zeroPoint : zeroPoints) {
      NamedInputs inputs;
      if (from.isFloat())
        addSpecials(from, inputs);
      double factor = toDouble(scale, scaleCode);
      double shift =
          multiplies ? toDouble(one.getZeroPointFormat(), zeroPoint) : 0;
      if (one.kind == Kind::Dequantize) {
        uint64_t step = from.bits > 8 ? 251 : 1;
        for (uint64_t code = 0; code <= from.getMask() && from.bits <= 16;
             code += step)
          inputs.add(code);
      } else {
        for (const auto &[quotient, name] :
             listQuotients(one.destination ? *one.destination : *one.to))
          for (double signedQuotient : {quotient, -quotient}) {
            double value = multiplies ? (signedQuotient + shift) / factor
                                      : signedQuotient * factor;
            if (!std::isfinite(value))
              continue;
            uint64_t code = fromDouble(from, value) & from.getMask();
            bool isExact = toDouble(from, code) == value && !shift;
            llvm::StringRef near = isExact ? "" : "next to ";
            llvm::StringRef sign = signedQuotient < 0 ? "-" : "";
            inputs.add(code, llvm::Twine(near) + sign + name);
            inputs.add((code + 1) & from.getMask());
          }
      }
      for (const auto &[code, name] : inputs.list)
        addRow(table, {code, scaleCode, zeroPoint, 0, name, {}});
    }
}

/// Returns the standards that define a conversion, or none if the vectors omit
/// it.
static std::vector<llvm::StringRef> getStandards(const Conversion &one) {
  auto isIn = [](const Format *format,
                 std::initializer_list<const char *> all) {
    return format && llvm::is_contained(all, format->name);
  };
  auto isOcp8 = [&](const Format *format) {
    return isIn(format, {"f8E4M3FN", "f8E5M2"});
  };
  auto isMx = [&](const Format *format) {
    return isIn(format, {"f6E2M3FN", "f6E3M2FN", "f4E2M1FN", "f8E8M0FNU"});
  };
  for (const Format *format : {one.from, one.to, one.scale, one.destination})
    if (format && !format->isOnnx)
      return {};
  bool isWide = isIn(one.from, {"f64", "f32", "f16", "bf16"});
  bool toWide = isIn(one.to, {"f64", "f32", "f16", "bf16"});
  switch (one.kind) {
  case Kind::Cast: {
    if (one.from == one.to)
      return {};
    bool isAsked =
        (isNarrow(*one.to) && (isWide || one.from->bits == 32)) ||
        (isNarrow(*one.from) &&
         (toWide || isNarrow(*one.to) || one.to->kind == Format::Kind::Bool)) ||
        (isWide &&
         (toWide ||
          isIn(one.to, {"i32", "i8", "ui8", "i4", "ui4", "i2", "ui2"})) &&
         one.from->bits == 32) ||
        (isWide && toWide);
    if (!isAsked)
      return {};
    std::vector<llvm::StringRef> standards = {"ONNX Cast"};
    // The standards specify no rounding of scales, so E8M0 results are
    // excluded.
    if ((isWide && isOcp8(one.to)) || (isOcp8(one.from) && toWide))
      standards.push_back("OCP FP8");
    if ((isWide && isMx(one.to) && one.to->kind == Format::Kind::Float) ||
        (isMx(one.from) && toWide))
      standards.push_back("OCP MX");
    return standards;
  }
  case Kind::Quantize: {
    bool isOne = (isIn(one.from, {"f32"}) && isIn(one.scale, {"f32"}) &&
                  isIn(one.precision, {"f32"})) ||
                 (isIn(one.from, {"f16"}) && isIn(one.scale, {"f16"}) &&
                  isIn(one.precision, {"f16"}) && isIn(one.to, {"i8", "ui8"}));
    return isOne ? std::vector<llvm::StringRef>{"ONNX QuantizeLinear"}
                 : std::vector<llvm::StringRef>();
  }
  case Kind::Dequantize: {
    if (!isIn(one.to, {"f32"}) || one.from->bits > 16)
      return {};
    if (isIn(one.scale, {"f32"}))
      return {"ONNX DequantizeLinear"};
    bool isBlock =
        isIn(one.scale, {"f8E8M0FNU"}) && !one.hasZeroPoint &&
        (isOcp8(one.from) || isMx(one.from) || isIn(one.from, {"i8"}));
    return isBlock
               ? std::vector<llvm::StringRef>{"ONNX DequantizeLinear", "OCP MX"}
               : std::vector<llvm::StringRef>();
  }
  case Kind::Qdq:
    return {};
  case Kind::FakeConvert:
    break;
  }
  const FakeConvertRules &rules = one.fakeConvertRules;
  bool isPlain = !rules.positiveZero && !rules.neutralShift &&
                 rules.reciprocal == Reciprocal::Single;
  return isPlain && isIn(one.from, {"f32"})
             ? std::vector<llvm::StringRef>{"OpenVINO FakeConvert"}
             : std::vector<llvm::StringRef>();
}

std::vector<VectorTable> certify::makeVectors() {
  std::vector<VectorTable> tables;
  for (const std::vector<Conversion> &group : listGroups())
    for (const Conversion &one : group) {
      VectorTable table;
      table.conversion = one;
      table.standards = getStandards(one);
      if (table.standards.empty())
        continue;
      if (one.kind == Kind::Cast)
        fillCast(table);
      else
        fillScaled(table);
      tables.push_back(std::move(table));
    }
  return tables;
}
