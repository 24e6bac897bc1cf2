//===- Requantize.cpp - Requantization in integer arithmetic --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requantize.h"

#include "NodeBuilder.h"
#include "RewriteUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/Locations.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The first opsets of ONNX in which Gather accepts negative indices, Clip
/// accepts integers, and Cast accepts 4-bit integers.
constexpr int64_t kNegativeIndexOpset = 11;
constexpr int64_t kIntegerClipOpset = 12;
constexpr int64_t kInt4Opset = 21;
constexpr unsigned kMaxTableWidth = 8;
} // namespace

static int64_t toNumber(Type type, const APInt &bits) {
  return type.isSignlessInteger() ? bits.getSExtValue()
                                  : int64_t(bits.getZExtValue());
}

bool EncodingMap::isIdentity() const {
  if (from != to)
    return false;
  for (auto [encoding, result] : llvm::enumerate(results))
    if (result != encoding)
      return false;
  return true;
}

static double toDouble(Type type, const APInt &bits) {
  return isFloat(type) ? getFloatValue(type, bits).convertToDouble()
                       : double(toNumber(type, bits));
}

uint64_t EncodingMap::findChange() const {
  std::optional<uint64_t> other;
  for (auto [encoding, result] : llvm::enumerate(results)) {
    APInt bits(getNumberWidth(from), encoding);
    // Different encodings of the same type may represent the same number (0 and
    // -0) or NaN.
    bool isSame = from == to && bits == result;
    if (!isSame && toDouble(from, bits) != toDouble(to, result))
      return encoding;
    if (from == to && !isSame && !other)
      other = encoding;
  }
  return other.value_or(0);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Returns the input and the result of the map for one encoding, as numbers.
static std::pair<int64_t, int64_t> getPoint(const EncodingMap &map,
                                            uint64_t encoding) {
  const APInt &to = map.results[encoding];
  unsigned width = map.from.getIntOrFloatBitWidth();
  return {toNumber(map.from, APInt(width, encoding)), toNumber(map.to, to)};
}

/// Evaluates a MultiplyShift.
static int64_t compute(const MultiplyShift &steps, int64_t value) {
  int64_t sum = value * steps.multiplier + steps.addend;
  return std::clamp(sum >> steps.shift, steps.min, steps.max);
}

/// Returns a MultiplyShift that is exact for every encoding, or nullopt. In the
/// latter case `nearest` is the last one that was tried.
static std::optional<MultiplyShift>
findMultiplyShift(const EncodingMap &map,
                  std::optional<MultiplyShift> &nearest) {
  SmallVector<std::pair<int64_t, int64_t>> points;
  for (uint64_t encoding = 0; encoding < map.results.size(); ++encoding)
    points.push_back(getPoint(map, encoding));
  llvm::sort(points);
  auto [lowest, highest] =
      std::minmax_element(points.begin(), points.end(),
                          [](auto a, auto b) { return a.second < b.second; });
  MultiplyShift steps = {};
  steps.min = lowest->second;
  steps.max = highest->second;

  // The slope between the first and last point that is not clipped is the
  // quotient of the scales, with an error of less than one unit, which leaves
  // few multipliers to try.
  auto isInside = [&](auto point) {
    return point.second != steps.min && point.second != steps.max;
  };
  auto first = llvm::find_if(points, isInside);
  auto last = std::find_if(points.rbegin(), points.rend(), isInside);
  if (first == points.end() || first->first == last->first)
    return std::nullopt;

  // The range of slopes: (y2 - y1 - 1) / dx < slope < (y2 - y1 + 1) / dx.
  double dx = double(last->first - first->first);
  double dy = double(last->second - first->second);
  double lower = (dy - 1) / dx, upper = (dy + 1) / dx;
  unsigned width = map.from.getIntOrFloatBitWidth();
  bool isWide = width > 8 || map.to.getIntOrFloatBitWidth() > 8;
  double limit = std::ldexp(1.0, (isWide ? 62 : 30) - int(width) - 1);
  // Larger shifts have a finer resolution. The valid multipliers form an
  // interval, which every pair of points narrows.
  for (unsigned shift = 0; shift < (isWide ? 40 : 24); ++shift) {
    double unit = std::ldexp(1.0, shift);
    int64_t from = int64_t(std::ceil(lower * unit));
    int64_t to = int64_t(std::floor(upper * unit));
    if (std::abs(lower * unit) > limit || std::abs(upper * unit) > limit)
      break;
    // Bisect the multiplier: if the lower bound of the addend from one point
    // exceeds the upper bound from another point, the multiplier is too small
    // or too large, depending on the order of the points.
    while (from <= to) {
      int64_t multiplier = from + (to - from) / 2;
      int64_t min = std::numeric_limits<int64_t>::min();
      int64_t max = std::numeric_limits<int64_t>::max();
      int64_t leastAt = 0, greatestAt = 0;
      for (auto [x, y] : points) {
        // y << shift <= x * multiplier + addend < (y + 1) << shift. A clipped
        // value has only one of these bounds.
        int64_t base = y * (int64_t(1) << shift) - x * multiplier;
        int64_t end = base + (int64_t(1) << shift) - 1;
        if (y != steps.min && base > min) {
          min = base;
          leastAt = x;
        }
        if (y != steps.max && end < max) {
          max = end;
          greatestAt = x;
        }
      }
      steps.multiplier = multiplier;
      steps.addend = min + (max - min) / 2;
      steps.shift = shift;
      if (min <= max)
        return steps;
      nearest = steps;
      if (leastAt == greatestAt)
        break;
      // The bound from the larger x changes faster with the multiplier.
      if (leastAt > greatestAt)
        from = multiplier + 1;
      else
        to = multiplier - 1;
    }
  }
  return std::nullopt;
}

/// Returns whether the map is the identity between its minimum and maximum.
static bool isClip(const EncodingMap &map) {
  if (map.from != map.to || !isa<IntegerType>(map.from))
    return false;
  int64_t min = std::numeric_limits<int64_t>::max();
  int64_t max = std::numeric_limits<int64_t>::min();
  for (const APInt &result : map.results) {
    min = std::min(min, toNumber(map.to, result));
    max = std::max(max, toNumber(map.to, result));
  }
  for (uint64_t encoding = 0; encoding < map.results.size(); ++encoding) {
    auto [x, y] = getPoint(map, encoding);
    if (y != std::clamp(x, min, max))
      return false;
  }
  return true;
}

std::optional<Requantization>
quant_float::chooseRequantization(const EncodingMap &map,
                                  RequantizationKind kind, int64_t opset,
                                  std::string &error) {
  if (map.isIdentity())
    return Requantization{Requantization::Identity};
  llvm::raw_string_ostream os(error);
  auto refuse = [&](const Twine &reason) -> std::optional<Requantization> {
    uint64_t encoding = map.findChange();
    os << reason << ": encoding "
       << describeEncoding(map.from, APInt(getNumberWidth(map.from), encoding))
       << " becomes " << describeEncoding(map.to, map.results[encoding]);
    return std::nullopt;
  };
  if (kind == RequantizationKind::None)
    return refuse("the quantized values change");
  if (!isa<IntegerType>(map.from) || !isa<IntegerType>(map.to))
    return refuse("only integers are mapped by tables or arithmetic");
  unsigned from = map.from.getIntOrFloatBitWidth();
  unsigned to = map.to.getIntOrFloatBitWidth();
  if (isClip(map) && from == 8 && opset >= kIntegerClipOpset) {
    Requantization requantization{Requantization::Clip};
    auto numbers = llvm::map_range(map.results, [&](const APInt &result) {
      return toNumber(map.to, result);
    });
    requantization.steps.min =
        *std::min_element(numbers.begin(), numbers.end());
    requantization.steps.max =
        *std::max_element(numbers.begin(), numbers.end());
    return requantization;
  }
  if ((from < 8 || to < 8) && opset < kInt4Opset)
    return refuse("Cast of opset " + Twine(opset) +
                  " does not support 4-bit integers");
  if (kind == RequantizationKind::Table && from <= kMaxTableWidth) {
    if (opset < kNegativeIndexOpset && map.from.isSignlessInteger())
      return refuse("Gather of opset " + Twine(opset) +
                    " does not support negative indices");
    return Requantization{Requantization::Table};
  }
  if (opset < kIntegerClipOpset)
    return refuse("Clip of opset " + Twine(opset) +
                  " does not support integers");
  std::optional<MultiplyShift> nearest;
  if (std::optional<MultiplyShift> steps = findMultiplyShift(map, nearest))
    return Requantization{Requantization::MultiplyShift, *steps};
  // The last attempt demonstrates that no multiplier fits.
  for (uint64_t encoding = 0; nearest && encoding < map.results.size();
       ++encoding)
    if (auto [x, y] = getPoint(map, encoding); compute(*nearest, x) != y) {
      os << "no multiplication and shift gives these values, (" << x << " * "
         << nearest->multiplier << " + " << nearest->addend << ") >> "
         << nearest->shift << " is " << compute(*nearest, x) << ": encoding "
         << describeEncoding(map.from, APInt(from, encoding)) << " becomes "
         << describeEncoding(map.to, map.results[encoding]);
      return std::nullopt;
    }
  return refuse("no multiplication and shift gives these values");
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Value quant_float::buildRequantization(OpBuilder &builder, Location loc,
                                       Value quantized, const EncodingMap &map,
                                       const Requantization &requantization,
                                       int64_t opset) {
  NodeBuilder b{builder, loc, opset};
  const quant_float::MultiplyShift &steps = requantization.steps;
  switch (requantization.kind) {
  case Requantization::Identity:
    return quantized;
  case Requantization::Clip:
    return b.clip(quantized, steps.min, steps.max);
  case Requantization::Table: {
    // Gather does not accept 4-bit elements. A negative index counts from the
    // end, and so does the encoding of a negative value.
    Type inTable = map.to;
    SmallVector<APInt> entries = map.results;
    if (map.to.getIntOrFloatBitWidth() < 8) {
      inTable = map.to.isSignlessInteger() ? builder.getI8Type()
                                           : builder.getIntegerType(8, false);
      for (APInt &entry : entries)
        entry = map.to.isSignlessInteger() ? entry.sext(8) : entry.zext(8);
    }
    Value table = createConstantOfBits(
        builder, b.getLoc("constant"),
        RankedTensorType::get(int64_t(entries.size()), inTable), entries);
    Value indices = b.cast(quantized, builder.getI32Type(), "index");
    Value found = b.makeNode("Gather", {table, indices},
                             withElementType(quantized.getType(), inTable));
    return b.cast(found, map.to, "narrow");
  }
  case Requantization::MultiplyShift: {
    bool isWide = map.from.getIntOrFloatBitWidth() > 8 ||
                  map.to.getIntOrFloatBitWidth() > 8;
    // Div rounds toward zero. Add the smallest multiple of the divisor that
    // makes the dividend non-negative, and subtract it from the quotient.
    int64_t lowest = std::numeric_limits<int64_t>::max();
    for (uint64_t encoding = 0; encoding < map.results.size(); ++encoding)
      lowest =
          std::min(lowest, getPoint(map, encoding).first * steps.multiplier +
                               steps.addend);
    int64_t unit = int64_t(1) << steps.shift;
    int64_t lift = -llvm::divideFloorSigned(lowest, unit);
    Value value =
        b.cast(quantized, isWide ? builder.getI64Type() : builder.getI32Type(),
               "wide");
    value = b.compute("Mul", value, steps.multiplier);
    value = b.compute("Add", value, steps.addend + lift * unit);
    value = b.compute("Div", value, unit);
    value = b.compute("Sub", value, lift);
    value = b.clip(value, steps.min, steps.max);
    return b.cast(value, map.to, "narrow");
  }
  }
  return quantized;
}
