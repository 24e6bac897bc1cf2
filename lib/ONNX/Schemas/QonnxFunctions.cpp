//===- QonnxFunctions.cpp - Quantizers of QONNX and Brevitas --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines operators as specified by QONNX's docs/qonnx-custom-ops. They
// quantize and dequantize, so their results are floats.
//
//===----------------------------------------------------------------------===//

#include "FunctionRows.h"
#include <cctype>
#include <limits>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// Adds `to`, `from` rounded to integers with the rounding mode of the node.
static void addRounding(Definition &d, const std::string &from,
                        const std::string &to, std::string mode) {
  if (const auto *attribute = d.find("rounding_mode"))
    mode = attribute->s();
  for (char &c : mode)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  // Modes without an ONNX operator round the magnitude.
  static const std::map<std::string, const char *> kModes = {
      {"ROUND", "Round (From)"},      {"HALF_EVEN", "Round (From)"},
      {"CEIL", "Ceil (From)"},        {"FLOOR", "Floor (From)"},
      {"UP", "Ceil (Magnitude)"},     {"DOWN", "Floor (Magnitude)"},
      {"HALF_UP", "Floor (AndHalf)"}, {"HALF_DOWN", "Ceil (WithoutHalf)"}};
  auto found = kModes.find(mode);
  if (found == kModes.end())
    throw std::invalid_argument(
        "attribute 'rounding_mode': expected ROUND, HALF_EVEN, CEIL, FLOOR, "
        "UP, DOWN, HALF_UP or HALF_DOWN, but got '" +
        mode + "'");
  std::string rounding = found->second;
  bool isOfMagnitude = rounding.find("From") == std::string::npos;
  d.body.Add(("From = Identity (" + from + ")").c_str())
      .Const("OneHalf", 0.5F)
      .Add("Magnitude = Abs (From)")
      .Add("AndHalf = Add (Magnitude, OneHalf)")
      .Add("WithoutHalf = Sub (Magnitude, OneHalf)")
      .Add("Direction = Sign (From)")
      .Add(("Whole = " + rounding).c_str())
      .Add((to + (isOfMagnitude ? " = Mul (Direction, Whole)"
                                : " = Identity (Whole)"))
               .c_str());
}

/// Adds `to`, two to the power of `from`, an integer from 0 to 63.
static void addShift(Definition &d, const std::string &from,
                     const std::string &to) {
  d.body.Add((to + "Bits = Cast <to = 13> (" + from + ")").c_str())
      .Const(to + "One", uint64_t(1))
      .Add((to + "Power = BitShift <direction = \"LEFT\"> (" + to + "One, " +
            to + "Bits)")
               .c_str())
      .Add((to + " = Cast <to = 1> (" + to + "Power)").c_str());
}

/// Adds `Least` and `Most`, the limits of integers with `bits` bits, and
/// `Clipped`, `from` clamped to them.
static void addClip(Definition &d, const std::string &from,
                    const std::string &bits) {
  bool isSigned = d.getInt("signed", 1), isNarrow = d.getInt("narrow", 0);
  d.body.Const("One", 1.0F).Const("Zero", 0.0F);
  d.body.Add(((isSigned ? "Free = Sub (" + bits + ", One)"
                        : "Free = Identity (" + bits + ")"))
                 .c_str());
  addShift(d, "Free", "Count");
  d.body.Add("Largest = Sub (Count, One)").Add("Smallest = Neg (Count)");
  d.body.Add(isNarrow && !isSigned ? "Most = Sub (Largest, One)"
                                   : "Most = Identity (Largest)");
  d.body.Add(!isSigned  ? "Least = Identity (Zero)"
             : isNarrow ? "Least = Neg (Largest)"
                        : "Least = Identity (Smallest)");
  d.body.Add(("NotAbove = Min (" + from + ", Most)").c_str())
      .Add("Clipped = Max (NotAbove, Least)");
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Clips before it rounds. A signed integer of one bit is -1 or 1.
static void defineQuant(Definition &d) {
  d.body.Add("Scaled = Div (x, scale)").Add("Moved = Add (Scaled, zeropt)");
  addClip(d, "Moved", "bitwidth");
  addRounding(d, "Clipped", "Rounded", "ROUND");
  if (d.getInt("signed", 1))
    d.body.Const("MinusOne", -1.0F)
        .Add("IsSign = Equal (bitwidth, One)")
        .Add("IsPositive = GreaterOrEqual (Moved, Zero)")
        .Add("Signs = Where (IsPositive, One, MinusOne)")
        .Add("Quantized = Where (IsSign, Signs, Rounded)");
  else
    d.body.Add("Quantized = Identity (Rounded)");
  d.body.Add("Back = Sub (Quantized, zeropt)").Add("y = Mul (Back, scale)");
}

static void defineBipolarQuant(Definition &d) {
  d.body.Const("Zero", 0.0F)
      .Const("One", 1.0F)
      .Const("MinusOne", -1.0F)
      .Add("IsPositive = GreaterOrEqual (x, Zero)")
      .Add("Signs = Where (IsPositive, One, MinusOne)")
      .Add("y = Mul (Signs, scale)");
}

/// Removes low bits: as many as the widths differ or, in version 2, which has
/// one more input, as the scales differ.
static void defineTrunc(Definition &d) {
  bool hasScale = d.node.input_size() > 5;
  d.body.Add("Scaled = Div (x, scale)")
      .Add("Moved = Add (Scaled, zeropt)")
      .Add("Quantized = Round (Moved)");
  if (hasScale) {
    d.body.Const("Two", 2.0F)
        .Add("Ratio = Div (out_scale_or_width, scale)")
        .Add("Logarithm = Log (Ratio)")
        .Add("Unit = Log (Two)")
        .Add("Power = Div (Logarithm, Unit)")
        .Add("Whole2 = Round (Power)")
        .Add("Step = Pow (Two, Whole2)");
  } else {
    d.body.Add("Dropped = Sub (in_width, out_scale_or_width)");
    addShift(d, "Dropped", "Step");
  }
  d.body.Add("Shifted = Div (Quantized, Step)");
  if (hasScale)
    addClip(d, "Shifted", "out_width");
  else
    d.body.Add("Clipped = Identity (Shifted)");
  addRounding(d, "Clipped", "Truncated", "FLOOR");
  d.body
      .Add(hasScale ? "Point = Div (zeropt, Step)"
                    : "Point = Identity (zeropt)")
      .Add("Back = Sub (Truncated, Point)")
      .Add(hasScale ? "y = Mul (Back, out_scale_or_width)"
                    : "y = Mul (Back, scale)");
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Adds `to`, two to the power of `from`. `from` must be an exponent of a
/// normal f32.
static void addPower(Definition &d, const std::string &from,
                     const std::string &to) {
  d.body.Add((to + "Field = Add (" + from + ", Bias32)").c_str())
      .Add((to + "Plain = Cast <to = 12> (" + to + "Field)").c_str())
      .Add((to + "Bits = BitShift <direction = \"LEFT\"> (" + to +
            "Plain, Fraction32)")
               .c_str())
      .Add((to + " = BitCast <to = 1> (" + to + "Bits)").c_str());
}

/// Rounds each value to a multiple of the unit in the last place that a float
/// of this width has there. Computes it from the bits of f32.
static void defineFloatQuant(Definition &d) {
  constexpr int kBitCastOpset = 26;
  d.opset = kBitCastOpset;
  bool saturates = d.getInt("saturation", 1), hasInf = d.getInt("has_inf", 0),
       hasNan = d.getInt("has_nan", 0);
  if (!saturates && !hasInf && !hasNan)
    throw std::invalid_argument(
        "attribute 'saturation': expected 1, as there is neither an infinity "
        "nor a NaN");
  constexpr int kBias = 127, kFraction = 23;
  d.body.Const("Bias32", int32_t(kBias))
      .Const("FractionWidth", int32_t(kFraction))
      .Add("Fraction32 = Cast <to = 12> (FractionWidth)")
      .Const("TinyF", std::numeric_limits<float>::min())
      .Const("One", int32_t(1))
      .Const("Two", int32_t(2))
      .Const("TwoF", 2.0F)
      .Add("Scaled = Div (x, scale)")
      .Add("Size = Abs (Scaled)")
      .Add("Lifted = Add (Size, TinyF)")
      .Add("Bits = BitCast <to = 12> (Lifted)")
      .Add("Exponent32 = BitShift <direction = \"RIGHT\"> (Bits, Fraction32)")
      .Add("Biased = Cast <to = 6> (Exponent32)")
      .Add("Exponent = Sub (Biased, Bias32)")
      .Add("Fraction = Cast <to = 6> (mantissa_bitwidth)")
      .Add("Bias = Cast <to = 6> (exponent_bias)")
      .Add("Place = Sub (Exponent, Fraction)")
      .Add("First = Sub (One, Bias)")
      .Add("Lowest = Sub (First, Fraction)")
      .Add("Last = Max (Place, Lowest)")
      // Use two factors, because the power may be less than the smallest f32.
      .Add("HalfOf = Div (Last, Two)")
      .Add("RestOf = Sub (Last, HalfOf)");
  addPower(d, "HalfOf", "FactorA");
  addPower(d, "RestOf", "FactorB");
  d.body.Add("ByA = Div (Scaled, FactorA)").Add("ByB = Div (ByA, FactorB)");
  addRounding(d, "ByB", "Steps", "ROUND");
  d.body.Add("TimesA = Mul (Steps, FactorA)")
      .Add("Value = Mul (TimesA, FactorB)");
  // The largest value has all bits of exponent and fraction set.
  addShift(d, "exponent_bitwidth", "Fields");
  d.body.Const("LargestPower", int32_t(kBias + 1))
      .Const("SmallestPower", int32_t(1 - kBias))
      .Add("FieldCount = Cast <to = 6> (Fields)")
      .Add("LastField = Sub (FieldCount, One)")
      .Add("TopAny = Sub (LastField, Bias)")
      .Add("TopLess = Min (TopAny, LargestPower)")
      .Add("TopPower = Max (TopLess, SmallestPower)")
      .Add("Shrunk = Neg (Fraction)");
  addPower(d, "TopPower", "Top");
  addPower(d, "Shrunk", "LastPlace");
  d.body.Add("Ones = Sub (TwoF, LastPlace)")
      .Add("Largest = Mul (Ones, Top)")
      .Add("Limit = Min (Largest, max_val)")
      .Add("LowLimit = Neg (Limit)")
      .Add("NotAbove = Min (Value, Limit)")
      .Add("Clipped = Max (NotAbove, LowLimit)");
  if (saturates) {
    d.body.Add("Result = Identity (Clipped)");
  } else {
    float beyond = hasInf ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
    d.body.Const("Beyond", beyond)
        .Add("BelowAll = Neg (Beyond)")
        .Add("IsAbove = Greater (Value, Limit)")
        .Add("IsBelow = Less (Value, LowLimit)")
        .Add("Higher = Where (IsAbove, Beyond, Clipped)")
        .Add("Result = Where (IsBelow, BelowAll, Higher)");
  }
  d.body.Add("y = Mul (Result, scale)");
}

const FunctionRows &onnx_import::getQonnxRows() {
  static const FunctionRow quant = {{"x", "scale", "zeropt", "bitwidth"},
                                    {"y"},
                                    {"narrow", "rounding_mode", "signed"},
                                    defineQuant};
  static const FunctionRows rows = {
      {NodeKind::QonnxBipolarQuant,
       {{"x", "scale"}, {"y"}, {}, defineBipolarQuant}},
      {NodeKind::QonnxFloatQuant,
       {{"x", "scale", "exponent_bitwidth", "mantissa_bitwidth",
         "exponent_bias", "max_val"},
        {"y"},
        {"has_inf", "has_nan", "has_subnormal", "rounding_mode", "saturation"},
        defineFloatQuant}},
      {NodeKind::QonnxIntQuant, quant},
      {NodeKind::QonnxQuant, quant},
      {NodeKind::QonnxTrunc,
       {{"x", "scale", "zeropt", "in_width", "out_scale_or_width", "out_width"},
        {"y"},
        {"narrow", "rounding_mode", "signed"},
        defineTrunc}},
  };
  return rows;
}
