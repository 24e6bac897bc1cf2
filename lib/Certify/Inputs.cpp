//===- Inputs.cpp - The inputs of certified conversions -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>

using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

/// The number of encodings per call, which fits into a core's private cache.
static constexpr size_t kChunk = size_t(1) << 16;

static const Format &getF64() { return *findFormat("f64"); }

double certify::toDouble(const Format &format, uint64_t encoding) {
  uint64_t bits = encode(getF64(), decode(format, encoding));
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

uint64_t certify::fromDouble(const Format &format, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return encode(format, decode(getF64(), bits));
}

//===----------------------------------------------------------------------===//
// Where results change
//===----------------------------------------------------------------------===//

/// Returns the encodings of nonnegative numbers at whose neighbors results may
/// change: all encodings if the type has at most 16 bits, otherwise those
/// around powers of two and random ones.
static std::vector<uint64_t> getMagnitudes(const Format &format) {
  std::vector<uint64_t> encodings;
  if (format.bits <= 16) {
    uint64_t count = format.isFloat() && format.isSigned ? format.getSignBit()
                                                         : format.getMask() + 1;
    for (uint64_t encoding = 0; encoding < count; ++encoding)
      encodings.push_back(encoding);
    return encodings;
  }
  // Only formats of 32 and 64 bits, which have a sign.
  uint64_t last = format.getSignBit() - 1;
  uint64_t power = uint64_t(1) << format.mantissaBits;
  for (uint64_t encoding = 0; encoding <= last - power; encoding += power)
    for (int64_t step : {-2, -1, 0, 1, 2})
      encodings.push_back((encoding + step) & last);
  Random random(format.bits);
  for (int i = 0; i < 1 << 18; ++i)
    encodings.push_back(random() & last);
  return encodings;
}

/// Returns nonnegative values at or next to which a result of this type
/// changes.
static std::vector<double> getEdges(const Format &to) {
  std::vector<double> edges = {0};
  // The recorded certificates of f8UE5M3 do not have them.
  if (to.name == "!quant_float.f8UE5M3")
    return edges;
  if (!to.isFloat() && to.kind != Format::Kind::Scale) {
    uint64_t small = std::min<uint64_t>(to.getMask(), 70000) + 4;
    for (uint64_t i = 0; i < 2 * small; ++i)
      edges.push_back(0.5 * double(i));
    for (int exponent = 1; exponent < 66; ++exponent)
      for (double offset : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5})
        edges.push_back(std::ldexp(1.0, exponent) + offset);
    return edges;
  }
  for (uint64_t encoding : getMagnitudes(to)) {
    double value = toDouble(to, encoding), next = toDouble(to, encoding + 1);
    if (!std::isfinite(value))
      continue;
    edges.push_back(value);
    // Extrapolate beyond the largest number.
    if (!std::isfinite(next) || next < value)
      next = 2 * value - toDouble(to, encoding - 1);
    edges.push_back(value / 2 + next / 2);
    edges.push_back(next);
  }
  return edges;
}

//===----------------------------------------------------------------------===//
// Casts from 64 bits
//===----------------------------------------------------------------------===//

/// Adds an encoding, its neighbors, and the same with the opposite sign.
static void addNear(const Format &format, uint64_t encoding,
                    std::vector<uint64_t> &encodings) {
  for (int64_t step = -2; step <= 2; ++step) {
    uint64_t near = encoding + step;
    encodings.push_back(near);
    encodings.push_back(format.isFloat() ? near ^ format.getSignBit() : -near);
  }
}

static std::vector<uint64_t> makeWideEncodings(const Format &from,
                                               const Format &to) {
  std::vector<uint64_t> encodings;
  for (double edge : getEdges(to))
    if (from.isFloat())
      addNear(from, fromDouble(from, edge), encodings);
    else if (edge < 0x1p64)
      addNear(from, uint64_t(edge), encodings);

  unsigned mantissaBits = from.isFloat() ? from.mantissaBits : 0;
  uint64_t mantissas = (uint64_t(1) << mantissaBits) - 1;
  if (from.isFloat())
    for (uint64_t exponent = 0; exponent < 2048; ++exponent) {
      uint64_t power = exponent << mantissaBits;
      addNear(from, power, encodings);
      for (unsigned bit = 0; bit < mantissaBits; ++bit) {
        encodings.push_back(power | uint64_t(1) << bit);
        encodings.push_back(power | (mantissas >> bit) | from.getSignBit());
      }
    }
  // An integer halfway between two floats has a set bit below their mantissas.
  for (unsigned length = 1; length <= 64; ++length)
    for (unsigned bit = 0; bit < length; ++bit)
      addNear(from,
              (~uint64_t(0) >> (64 - length)) ^ ((uint64_t(1) << bit) - 1),
              encodings);
  Random random(from.bits + from.mantissaBits);
  for (int i = 0; i < 1 << 20; ++i) {
    uint64_t encoding = random();
    encodings.push_back(i % 2 ? encoding : encoding >> (random() % 64));
  }
  return encodings;
}

/// Returns the encodings of f32 next to the numbers at which a stochastic
/// rounding may change, for a subset of the values of the result: those at
/// fractions of the distance to the next value, in units of the random bits.
static std::vector<uint64_t> makeFractions(const Format &from, const Format &to,
                                           unsigned randomWidth) {
  std::vector<uint64_t> encodings;
  std::vector<uint64_t> magnitudes = getMagnitudes(to);
  size_t fractions = size_t(1) << randomWidth;
  size_t step = magnitudes.size() * fractions / 8192 + 1;
  // All values of a binade, and the limits.
  for (size_t i = 0; i < magnitudes.size(); ++i) {
    if (i % step != 0 && i > 8 && i + 8 < magnitudes.size())
      continue;
    double value = toDouble(to, magnitudes[i]);
    double next = toDouble(to, magnitudes[i] + 1);
    if (!std::isfinite(value))
      continue;
    if (!std::isfinite(next) || next < value)
      next = 2 * value - toDouble(to, magnitudes[i] - 1);
    for (size_t j = 0; j < fractions; ++j)
      addNear(from,
              fromDouble(from, value + (next - value) * double(j) / fractions),
              encodings);
  }
  for (double special : {double(INFINITY), double(NAN), 0.0})
    addNear(from, fromDouble(from, special), encodings);
  for (uint64_t power = 0; power < from.getSignBit();
       power += uint64_t(1) << from.mantissaBits)
    addNear(from, power, encodings);
  Random random(from.bits + randomWidth);
  for (int i = 0; i < 8192; ++i)
    encodings.push_back(random() & from.getMask());
  return encodings;
}

//===----------------------------------------------------------------------===//
// Scales and zero points
//===----------------------------------------------------------------------===//

/// Returns distinct encodings: the limits of a type, and ordinary values.
static std::vector<uint64_t> makeScales(const Format &format) {
  constexpr size_t kCount = 24;
  std::vector<uint64_t> scales;
  auto add = [&](uint64_t encoding) {
    encoding &= format.getMask();
    bool isNew =
        std::find(scales.begin(), scales.end(), encoding) == scales.end();
    if (isNew && scales.size() < kCount)
      scales.push_back(encoding);
  };
  for (double scale : {1.0, 0.1, -0.37})
    add(fromDouble(format, scale));
  // Zero, the smallest and the largest subnormal number, the limits.
  uint64_t normal = uint64_t(1) << format.mantissaBits;
  uint64_t sign = format.getSignBit();
  for (uint64_t encoding : {uint64_t(0), uint64_t(1), normal - 1, normal, sign,
                            sign - 1, format.getMask() - 1, format.getMask()})
    add(encoding);
  for (double scale :
       {double(INFINITY), -double(INFINITY), double(NAN), 0.0078125, 3.0,
        0x1.5p-100, 0x1.1p-14, 0x1.ep60, -0x1.bp100, 0x1.fffffep-61,
        0x1.fffffep0, 255.0, -1.0, 0x1.6p10, 0x1.555556p-3})
    add(fromDouble(format, scale));
  Random random(format.bits);
  for (int i = 0; i < 1000 && scales.size() < kCount; ++i) {
    uint64_t encoding = random();
    add(encoding >> (random() % 64));
  }
  return scales;
}

static uint64_t makeZeroPoint(const Format &format, uint64_t index) {
  // For floats these include 0, -0 and the limits.
  const uint64_t special[] = {0, format.getSignBit(), format.getSignBit() - 1,
                              format.getMask(), 1};
  if (index % 8 < std::size(special))
    return special[index % 8];
  return Random(index)() & format.getMask();
}

/// Returns the values at which rounding to the result or storage type changes.
static std::vector<double> getRoundedEdges(const Conversion &conversion) {
  std::vector<double> edges = getEdges(
      conversion.destination ? *conversion.destination : *conversion.to);
  // If the value is first rounded to f16, values half a unit away from an edge
  // may round to the edge.
  bool isTwice = conversion.kind == Conversion::Kind::FakeConvert &&
                 conversion.fakeConvertRules.mode != FakeConvertMode::Exact;
  if (isTwice)
    for (size_t i = 0, count = edges.size(); i < count; ++i) {
      double power = std::ldexp(1.0, std::ilogb(edges[i]));
      for (double unit : {0x1p-12 * power, 0x1p-13 * power, 0x1p-25})
        for (double edge : {edges[i] - unit, edges[i] + unit})
          edges.push_back(edges[i] == 0 ? unit : edge);
    }
  return edges;
}

/// Returns the inputs for one scale and zero point.
static std::vector<uint64_t> makeEncodings(const Conversion &conversion,
                                           double scale, double zeroPoint) {
  const Format &from = *conversion.from;
  std::vector<uint64_t> encodings;
  if (conversion.kind != Conversion::Kind::Dequantize) {
    bool multiplies = conversion.kind == Conversion::Kind::FakeConvert;
    std::vector<double> edges = getRoundedEdges(conversion);
    // Types of 16 bits have too many edges, so use a subset.
    size_t step = edges.size() / 4096 + 1;
    for (size_t i = 0; i < edges.size(); i += step)
      for (double edge : {edges[i], -edges[i]}) {
        double value = multiplies ? (edge + zeroPoint) / scale
                                  : (edge - zeroPoint) * scale;
        uint64_t encoding = fromDouble(from, value);
        for (int64_t near = -2; near <= 2; ++near)
          encodings.push_back((encoding + near) & from.getMask());
      }
  }
  for (unsigned bit = 0; bit < from.bits; ++bit)
    addNear(from, uint64_t(1) << bit, encodings);
  for (uint64_t power = 0; from.isFloat() && power < from.getSignBit();
       power += uint64_t(1) << from.mantissaBits)
    addNear(from, power, encodings);
  Random random(17);
  for (int i = 0; i < 4096; ++i)
    encodings.push_back(random() & from.getMask());
  return encodings;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Returns distinct f32 levels of a tensor: ordinary ones first, then those for
/// which the scale 1/2688 of them or its reciprocal is zero, subnormal or
/// infinite, with both signs.
static std::vector<uint64_t> makeLevels() {
  const Format &f32 = *findFormat("f32");
  std::vector<uint64_t> levels;
  for (double level : {2688.0,
                       0.0,
                       double(NAN),
                       double(INFINITY),
                       -0.37,
                       0x1p-149,
                       0x1.fffffep127,
                       0x1.555556p-3,
                       1.0,
                       -0.0,
                       0x1p-126,
                       0x1.8p-139,
                       0x1.5p-117,
                       0x1.4fffp-117,
                       0x1.6p-115,
                       0x1p-128,
                       0x1.fffffcp-127,
                       3.75,
                       0x1.7p100,
                       0x1.3p-60,
                       0x1p127,
                       -double(INFINITY),
                       0x1.9p20,
                       448.0})
    levels.push_back(fromDouble(f32, level));
  return levels;
}

/// Returns the factor by which scales, with this level, are larger than the
/// quotients that are rounded to their type.
static double getBlockFactor(const Conversion &conversion, uint64_t level) {
  if (!conversion.hasZeroPoint)
    return 1;
  double value = std::fabs(toDouble(*findFormat("f32"), level));
  if (conversion.isTensorAmax)
    value /= 2688;
  return value == 0 ? 1 : value;
}

static double getLargestElement(const Format &element) {
  if (element.isFloat())
    return toDouble(element, encode(element, {Value::Kind::Infinity, false}));
  return std::ldexp(1, int(element.bits) - 1) - 1;
}

/// Returns positive values around which the scale of a block of this element
/// type may change: in every binade, powers of two, multiples of the largest
/// element and of 1.5 times it, and those whose mantissa rounds up to a power
/// of two.
static std::vector<double> getScaleEdges(const Format &element) {
  double largest = getLargestElement(element);
  largest = std::ldexp(largest, -std::ilogb(largest));
  std::vector<double> edges;
  for (double mantissa : {1.0, largest, 0.75 * largest})
    edges.push_back(mantissa);
  for (int bit = 1; bit <= 8; ++bit)
    edges.push_back(2 - std::ldexp(1, -bit));
  std::vector<double> all;
  for (int exponent = -150; exponent <= 128; ++exponent)
    for (double edge : edges)
      all.push_back(std::ldexp(edge, exponent));
  return all;
}

std::vector<uint64_t> Inputs::makeBlockEncodings(uint64_t scale,
                                                 uint64_t level) const {
  const Format &from = *conversion.from, &to = *conversion.to;
  double factor = getBlockFactor(conversion, level);
  // The sign of `from` is its top bit.
  if (conversion.kind == Conversion::Kind::BlockElements) {
    factor *= toDouble(*conversion.scale, scale);
    bool isMxInt8 =
        to.name == "i8" && conversion.scale->kind == Format::Kind::Scale;
    return makeEncodings(conversion, isMxInt8 ? factor / 64 : factor, 0);
  }
  std::vector<double> edges;
  if (conversion.kind == Conversion::Kind::BlockScale) {
    edges = getScaleEdges(*conversion.destination);
    if (to.isFloat() && to.bits == 8)
      for (double edge : getEdges(to))
        edges.push_back(edge * factor *
                        getLargestElement(*conversion.destination));
  } else {
    edges = {0, 2688, 2688 * 0x1p-149, 1344 * 0x1p-149};
  }
  std::vector<uint64_t> near;
  for (double edge : edges)
    for (int64_t step = -3; step <= 3; ++step)
      near.push_back((fromDouble(from, edge) + step) & from.getMask());
  for (double special : {0.0, double(INFINITY), double(NAN), 0x1p-149})
    for (double sign : {1.0, -1.0})
      near.push_back(fromDouble(from, sign * special));
  Random random(level + 1);
  for (int i = 0; i < (isSampled ? 1 << 12 : 1 << 16); ++i)
    near.push_back(random() & from.getMask());
  return near;
}

void Inputs::setBlockParameters() {
  const Format *scale = conversion.scale;
  std::vector<uint64_t> scales = {0}, levels = {0};
  if (scale && scale->bits > 8)
    scales = makeScales(*scale);
  for (uint64_t encoding = 1;
       scale && scale->bits <= 8 && encoding <= scale->getMask(); ++encoding)
    scales.push_back(encoding);
  if (conversion.hasZeroPoint) {
    levels = makeLevels();
    if (conversion.kind == Conversion::Kind::BlockElements)
      levels.resize(8);
  }
  auto isSelected = [&](size_t index, size_t count, size_t step) {
    return (!isSampled && !conversion.random) || index % step == 0 ||
           index + 2 >= count;
  };
  for (size_t i = 0; i < scales.size(); ++i) {
    if (scale && !isSelected(i, scales.size(), 6))
      continue;
    ++numScales;
    numZeroPoints = 0;
    for (size_t j = 0; j < levels.size(); ++j)
      if (isSelected(j, levels.size() + 2, 4)) {
        ++numZeroPoints;
        parameters.push_back({scales[i], levels[j]});
      }
  }
  if (conversion.random)
    addRandomBits(1);
  numCalls = parameters.size();
  // Scales of the tensor and of blocks with one level have no parameters.
  if (scale || conversion.hasZeroPoint || conversion.from->bits <= 16)
    return;
  complete = !isSampled;
  if (complete)
    numCalls = (uint64_t(1) << 32) / kChunk;
}

/// Sets the parameters of a block conversion of IEEE P3109.
void Inputs::setConversionParameters() {
  const Format &scale = *conversion.scale;
  std::vector<uint64_t> scales = {0};
  if (scale.bits > 8)
    scales = makeScales(scale);
  for (uint64_t encoding = 1; scale.bits <= 8 && encoding <= scale.getMask();
       ++encoding)
    scales.push_back(encoding);
  for (size_t i = 0; i < scales.size(); i += isSampled ? 6 : 1)
    parameters.push_back({scales[i]});
  numScales = parameters.size();
  if (conversion.random)
    addRandomBits(1);
  numCalls = parameters.size();
}

void Inputs::setPhiloxParameters() {
  Random random(3);
  std::vector<uint64_t> words = {
      0,        1,        0xFFFFFFFF, uint64_t(1) << 32, ~uint64_t(0),
      random(), random(), random()};
  // The counter carries into the second word, and wraps, within a call.
  for (uint64_t seed : words)
    for (uint64_t offset :
         {uint64_t(0), uint64_t(1), 0xFFFFFFFF - uint64_t(1000),
          ~uint64_t(0) - 1000, random(), random()})
      parameters.push_back({seed, offset});
  numScales = words.size();
  numZeroPoints = parameters.size() / numScales;
  complete = false;
  numCalls = parameters.size();
}

/// Sets the calls of a stochastic cast: one for each random number. A sample
/// has at most 16, which include the smallest and the largest one.
void Inputs::setRandomCalls() {
  uint64_t mask = conversion.random->getMask();
  randomStep = isSampled && mask > 15 ? mask / 15 : 1;
  complete &= randomStep == 1;
  numCalls = mask / randomStep + 1;
}

void Inputs::addRandomBits(size_t count) {
  uint64_t mask = conversion.random->getMask();
  std::vector<Parameters> all;
  Random random(mask);
  for (size_t i = 0; i < parameters.size(); ++i)
    for (size_t j = 0; j < count; ++j) {
      Parameters one = parameters[i];
      one.random = count > 1 && j == 0   ? 0
                   : count > 1 && j == 1 ? mask
                                         : random() & mask;
      all.push_back(one);
    }
  parameters = std::move(all);
  numRandom = count;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

std::vector<uint64_t> Inputs::makeStringEncodings(const Format &from) {
  std::vector<uint64_t> encodings;
  if (from.bits <= 16) {
    for (uint64_t encoding = 0; encoding <= from.getMask(); ++encoding)
      encodings.push_back(encoding);
    return encodings;
  }
  for (unsigned bit = 0; bit < from.bits; ++bit)
    addNear(from, uint64_t(1) << bit, encodings);
  uint64_t step = uint64_t(1) << from.mantissaBits;
  for (uint64_t power = 0; from.isFloat() && power < from.getSignBit();
       power += step)
    addNear(from, power, encodings);
  Random random(from.bits);
  for (int i = 0; i < 1 << 14; ++i) {
    uint64_t encoding = random();
    encodings.push_back(i % 2 ? encoding : encoding >> (random() % 64));
  }
  for (uint64_t &encoding : encodings)
    encoding &= from.getMask();
  return encodings;
}

std::vector<std::string> Inputs::makeStrings(const Format &to) {
  std::vector<std::string> strings = {
      "0",     "-0",    "+0.0",     "NaN",       "nan",      "INF", "+inf",
      "-Inf",  "1e400", "-1e400",   "1e-400",    " 7.5\t",   ".5",  "5.",
      "1E+02", "-1e-2", "00012.50", "-1e999999", "1e-999999"};
  std::vector<double> edges = getEdges(to);
  size_t step = edges.size() / 4096 + 1;
  Random random(to.bits);
  for (size_t i = 0; i < edges.size();
       i += i < 64 || i + 64 > edges.size() ? 1 : step) {
    double edge = i % 2 ? edges[i] : -edges[i];
    if (!std::isfinite(edge))
      continue;
    char text[1600];
    // Exact digits, one digit more, and few digits.
    snprintf(text, sizeof text, "%.780g", edge);
    strings.push_back(text);
    if (!std::strpbrk(text, "e")) {
      strings.push_back(text + std::string(std::strpbrk(text, ".")
                                               ? "1"
                                               : ".0000000000000000000000001"));
    }
    snprintf(text, sizeof text, "%.*e", int(random() % 24), edge);
    strings.push_back(text);
    snprintf(text, sizeof text, "%.60f", edge);
    strings.push_back(text);
    snprintf(text, sizeof text, "%.17g",
             std::nextafter(edge, i % 3 ? 1e308 : -1e308));
    strings.push_back(text);
  }
  return strings;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Inputs::Inputs(const Conversion &conversion, bool isSampled,
               std::optional<uint64_t> scale)
    : conversion(conversion), isSampled(isSampled) {
  const Format &from = *conversion.from;
  complete = from.bits <= 16;
  if (conversion.kind == Conversion::Kind::Cast) {
    if (from.bits == 64) {
      encodings = makeWideEncodings(from, *conversion.to);
      numCalls = (encodings.size() + kChunk - 1) / kChunk;
    } else if (from.bits == 32 && conversion.random) {
      complete = false;
      encodings = makeFractions(from, *conversion.to, conversion.random->bits);
      setRandomCalls();
    } else if (from.bits == 32) {
      complete = !isSampled;
      numCalls = (uint64_t(1) << 32) / kChunk / (isSampled ? 256 : 1);
    } else if (conversion.random) {
      setRandomCalls();
    }
    return;
  }
  if (conversion.kind == Conversion::Kind::Philox) {
    setPhiloxParameters();
    return;
  }
  if (conversion.kind >= Conversion::Kind::ConvertToBlock) {
    setConversionParameters();
    return;
  }
  if (conversion.kind >= Conversion::Kind::TensorScale) {
    setBlockParameters();
    return;
  }
  std::vector<uint64_t> scales = makeScales(*conversion.scale);
  std::vector<uint64_t> shifts = makeScales(*conversion.from);
  if (scale)
    scales = {*scale};
  for (size_t i = 0; i < scales.size(); i += isSampled ? 6 : 1)
    for (size_t second : {0, 1}) {
      if (second && !conversion.hasZeroPoint)
        continue;
      uint64_t zeroPoint = 0;
      if (conversion.kind == Conversion::Kind::FakeConvert)
        zeroPoint = shifts[(3 * i + second) % shifts.size()];
      else if (conversion.hasZeroPoint)
        zeroPoint =
            makeZeroPoint(conversion.getZeroPointFormat(), 2 * i + second);
      parameters.push_back({scales[i], zeroPoint});
    }
  numZeroPoints = conversion.hasZeroPoint ? 2 : 1;
  numScales = parameters.size() / numZeroPoints;
  if (conversion.random)
    addRandomBits(4);
  numCalls = parameters.size();
}

std::string Inputs::describe() const {
  auto count = [](size_t number, const char *what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
  };
  if (conversion.kind == Conversion::Kind::Philox)
    return "65536 elements with " + count(numScales, "seed") + " and " +
           count(numZeroPoints, "offset");
  bool isEvery = complete || (conversion.random && !conversion.scale &&
                              conversion.from->bits <= 16);
  std::string text = isEvery ? "every encoding"
                     : encodings.empty() && parameters.empty()
                         ? "1 of 256 encodings"
                         : "selected encodings";
  if (conversion.scale) {
    bool isAll = numScales == conversion.scale->getMask() + 1;
    text += " with " + (isAll ? "every scale" : count(numScales, "scale"));
  }
  if (conversion.random && conversion.scale)
    text += numRandom == 1 ? " and a random number each"
                           : " and " + count(numRandom, "random number");
  else if (conversion.random)
    text += randomStep == 1 ? " with all random bits"
                            : " with " + count(numCalls, "random number");
  if (!conversion.hasZeroPoint)
    return text;
  const char *what = conversion.isBlock() ? "tensor level"
                     : conversion.kind == Conversion::Kind::FakeConvert
                         ? "shift"
                         : "zero point";
  return text + (conversion.scale ? " and " : " with ") +
         count(numZeroPoints, what);
}

Call Inputs::getCall(uint64_t index) const {
  const Format &from = *conversion.from;
  Call call;
  if (conversion.kind == Conversion::Kind::Cast) {
    call.first = index * kChunk;
    if (conversion.random) {
      call.first = 0;
      call.random = index * randomStep;
    }
    if (from.bits == 32 && conversion.random) {
      call.isRange = false;
      call.encodings = encodings;
      call.count = encodings.size();
      return call;
    }
    if (from.bits == 64) {
      size_t end = std::min<size_t>(encodings.size(), call.first + kChunk);
      call.isRange = false;
      call.encodings.assign(encodings.begin() + call.first,
                            encodings.begin() + end);
      call.count = call.encodings.size();
      return call;
    }
    if (from.bits == 32 && isSampled)
      // Choose one of every 256 ranges, at a different position each time.
      call.first = (index * 256 + Random(index)() % 256) * kChunk;
    call.count = std::min<uint64_t>(kChunk, from.getMask() + 1);
    return call;
  }
  if (index < parameters.size())
    static_cast<Parameters &>(call) = parameters[index];
  if (conversion.kind >= Conversion::Kind::TensorScale &&
      conversion.kind < Conversion::Kind::ConvertToBlock && from.bits == 32) {
    call.isRange = complete;
    call.first = index * kChunk;
    call.count = kChunk;
    if (!complete) {
      call.encodings = makeBlockEncodings(call.scale, call.zeroPoint);
      call.count = call.encodings.size();
    }
    return call;
  }
  if (from.bits <= 16) {
    call.count = from.getMask() + 1;
    return call;
  }
  double zeroPoint = 0;
  if (conversion.hasZeroPoint)
    zeroPoint = toDouble(conversion.getZeroPointFormat(), call.zeroPoint);
  call.isRange = false;
  call.encodings = makeEncodings(
      conversion, toDouble(*conversion.scale, call.scale), zeroPoint);
  call.count = call.encodings.size();
  return call;
}
