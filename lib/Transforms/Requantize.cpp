//===- Requantize.cpp - Codes to codes, in integers -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requantize.h"

#include "Codes.h"
#include "NodeBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/Locations.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// Opsets of ONNX: indices of Gather may count from the end, Clip takes
/// integers, and Cast integers of 4 bits.
constexpr int64_t kNegativeIndexOpset = 11;
constexpr int64_t kIntegerClipOpset = 12;
constexpr int64_t kInt4Opset = 21;
constexpr unsigned kMaxTableWidth = 8;
} // namespace

static int64_t toNumber(Type type, const APInt &bits) {
  return type.isSignlessInteger() ? bits.getSExtValue()
                                  : int64_t(bits.getZExtValue());
}

bool CodeMap::isIdentity() const {
  if (from != to)
    return false;
  for (auto [code, result] : llvm::enumerate(codes))
    if (result != code)
      return false;
  return true;
}

static double toDouble(Type type, const APInt &bits) {
  return isFloat(type) ? getFloatValue(type, bits).convertToDouble()
                       : double(toNumber(type, bits));
}

uint64_t CodeMap::findChange() const {
  std::optional<uint64_t> other;
  for (auto [code, result] : llvm::enumerate(codes)) {
    APInt bits(getNumberWidth(from), code);
    // Codes of the same type may be of the same number, 0 and -0, or of none.
    bool isSame = from == to && bits == result;
    if (!isSame && toDouble(from, bits) != toDouble(to, result))
      return code;
    if (from == to && !isSame && !other)
      other = code;
  }
  return other.value_or(0);
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// What the map makes of one code, as numbers.
static std::pair<int64_t, int64_t> getPoint(const CodeMap &map, uint64_t code) {
  const APInt &to = map.codes[code];
  unsigned width = map.from.getIntOrFloatBitWidth();
  return {toNumber(map.from, APInt(width, code)), toNumber(map.to, to)};
}

/// What the steps make of a code.
static int64_t compute(const MultiplyShift &steps, int64_t code) {
  int64_t sum = code * steps.multiplier + steps.addend;
  return std::clamp(sum >> steps.shift, steps.least, steps.greatest);
}

/// The steps that give what the map says for each code; the last ones that were
/// tried are `nearest`, where there are none.
static std::optional<MultiplyShift>
findMultiplyShift(const CodeMap &map, std::optional<MultiplyShift> &nearest) {
  SmallVector<std::pair<int64_t, int64_t>> points;
  for (uint64_t code = 0; code < map.codes.size(); ++code)
    points.push_back(getPoint(map, code));
  llvm::sort(points);
  auto [lowest, highest] =
      std::minmax_element(points.begin(), points.end(),
                          [](auto a, auto b) { return a.second < b.second; });
  MultiplyShift steps = {};
  steps.least = lowest->second;
  steps.greatest = highest->second;

  // The slope between the ends of what is not clipped: the quotient of the
  // scales up to less than one code, which leaves few multipliers to try.
  auto isInside = [&](auto point) {
    return point.second != steps.least && point.second != steps.greatest;
  };
  auto first = llvm::find_if(points, isInside);
  auto last = std::find_if(points.rbegin(), points.rend(), isInside);
  if (first == points.end() || first->first == last->first)
    return std::nullopt;

  // The quotients that fit: (y2 - y1 - 1) / dx < slope < (y2 - y1 + 1) / dx.
  double dx = double(last->first - first->first);
  double dy = double(last->second - first->second);
  double lower = (dy - 1) / dx, upper = (dy + 1) / dx;
  unsigned width = map.from.getIntOrFloatBitWidth();
  bool isWide = width > 8 || map.to.getIntOrFloatBitWidth() > 8;
  double limit = std::ldexp(1.0, (isWide ? 62 : 30) - int(width) - 1);
  // A wide step of 2^shift leaves room for many multipliers: those in the
  // middle of an interval that every pair of points makes smaller.
  for (unsigned shift = 0; shift < (isWide ? 40 : 24); ++shift) {
    double unit = std::ldexp(1.0, shift);
    int64_t from = int64_t(std::ceil(lower * unit));
    int64_t to = int64_t(std::floor(upper * unit));
    if (std::abs(lower * unit) > limit || std::abs(upper * unit) > limit)
      break;
    // Halving finds the multiplier: where the addends that a point in front
    // asks for are above those of a point behind, it is too small, or too
    // large.
    while (from <= to) {
      int64_t multiplier = from + (to - from) / 2;
      int64_t least = std::numeric_limits<int64_t>::min();
      int64_t greatest = std::numeric_limits<int64_t>::max();
      int64_t leastAt = 0, greatestAt = 0;
      for (auto [x, y] : points) {
        // y << shift <= x * multiplier + addend < (y + 1) << shift; a code
        // that is clipped has one side.
        int64_t base = y * (int64_t(1) << shift) - x * multiplier;
        int64_t end = base + (int64_t(1) << shift) - 1;
        if (y != steps.least && base > least) {
          least = base;
          leastAt = x;
        }
        if (y != steps.greatest && end < greatest) {
          greatest = end;
          greatestAt = x;
        }
      }
      steps.multiplier = multiplier;
      steps.addend = least + (greatest - least) / 2;
      steps.shift = shift;
      if (least <= greatest)
        return steps;
      nearest = steps;
      if (leastAt == greatestAt)
        break;
      // The one that asks for more rises faster with the multiplier or not.
      if (leastAt > greatestAt)
        from = multiplier + 1;
      else
        to = multiplier - 1;
    }
  }
  return std::nullopt;
}

/// Whether the map is the identity between its least and greatest code.
static bool isClip(const CodeMap &map) {
  if (map.from != map.to || !isa<IntegerType>(map.from))
    return false;
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t greatest = std::numeric_limits<int64_t>::min();
  for (const APInt &code : map.codes) {
    least = std::min(least, toNumber(map.to, code));
    greatest = std::max(greatest, toNumber(map.to, code));
  }
  for (uint64_t code = 0; code < map.codes.size(); ++code) {
    auto [x, y] = getPoint(map, code);
    if (y != std::clamp(x, least, greatest))
      return false;
  }
  return true;
}

std::optional<Requantization>
quant_float::chooseRequantization(const CodeMap &map, RequantizationForm form,
                                  int64_t opset, std::string &error) {
  if (map.isIdentity())
    return Requantization{Requantization::Identity};
  llvm::raw_string_ostream os(error);
  auto refuse = [&](const Twine &why) -> std::optional<Requantization> {
    uint64_t code = map.findChange();
    os << why << ": code "
       << describeCode(map.from, APInt(getNumberWidth(map.from), code))
       << " becomes " << describeCode(map.to, map.codes[code]);
    return std::nullopt;
  };
  if (form == RequantizationForm::None)
    return refuse("codes change");
  if (!isa<IntegerType>(map.from) || !isa<IntegerType>(map.to))
    return refuse("only integers become others by tables or arithmetic");
  unsigned from = map.from.getIntOrFloatBitWidth();
  unsigned to = map.to.getIntOrFloatBitWidth();
  if (isClip(map) && from == 8 && opset >= kIntegerClipOpset) {
    Requantization way{Requantization::Clip};
    auto numbers = llvm::map_range(
        map.codes, [&](const APInt &code) { return toNumber(map.to, code); });
    way.steps.least = *std::min_element(numbers.begin(), numbers.end());
    way.steps.greatest = *std::max_element(numbers.begin(), numbers.end());
    return way;
  }
  if ((from < 8 || to < 8) && opset < kInt4Opset)
    return refuse("Cast of opset " + Twine(opset) + " lacks 4 bits");
  if (form == RequantizationForm::Table && from <= kMaxTableWidth) {
    if (opset < kNegativeIndexOpset && map.from.isSignlessInteger())
      return refuse("indices of opset " + Twine(opset) + " are not negative");
    return Requantization{Requantization::Table};
  }
  if (opset < kIntegerClipOpset)
    return refuse("Clip of opset " + Twine(opset) + " lacks integers");
  std::optional<MultiplyShift> nearest;
  if (std::optional<MultiplyShift> steps = findMultiplyShift(map, nearest))
    return Requantization{Requantization::MultiplyShift, *steps};
  // Of those that were tried last each fails somewhere.
  for (uint64_t code = 0; nearest && code < map.codes.size(); ++code)
    if (auto [x, y] = getPoint(map, code); compute(*nearest, x) != y) {
      os << "no multiplication and shift gives these codes, (" << x << " * "
         << nearest->multiplier << " + " << nearest->addend << ") >> "
         << nearest->shift << " is " << compute(*nearest, x) << ": code "
         << describeCode(map.from, APInt(from, code)) << " becomes "
         << describeCode(map.to, map.codes[code]);
      return std::nullopt;
    }
  return refuse("no multiplication and shift gives these codes");
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value quant_float::buildRequantization(OpBuilder &builder, Location loc,
                                       Value codes, const CodeMap &map,
                                       const Requantization &way,
                                       int64_t opset) {
  NodeBuilder b{builder, loc, opset};
  const quant_float::MultiplyShift &steps = way.steps;
  switch (way.kind) {
  case Requantization::Identity:
    return codes;
  case Requantization::Clip:
    return b.clip(codes, steps.least, steps.greatest);
  case Requantization::Table: {
    // Gather takes no elements of 4 bits. A negative index counts from the end,
    // as the bits of a negative code do.
    Type inTable = map.to;
    SmallVector<APInt> entries = map.codes;
    if (map.to.getIntOrFloatBitWidth() < 8) {
      inTable = map.to.isSignlessInteger() ? builder.getI8Type()
                                           : builder.getIntegerType(8, false);
      for (APInt &entry : entries)
        entry = map.to.isSignlessInteger() ? entry.sext(8) : entry.zext(8);
    }
    Value table = createConstantOfBits(
        builder, b.getLoc("constant"),
        RankedTensorType::get(int64_t(entries.size()), inTable), entries);
    Value indices = b.cast(codes, builder.getI32Type(), "index");
    Value found = b.makeNode("Gather", {table, indices},
                             withElementType(codes.getType(), inTable));
    return b.cast(found, map.to, "narrow");
  }
  case Requantization::MultiplyShift: {
    bool isWide = map.from.getIntOrFloatBitWidth() > 8 ||
                  map.to.getIntOrFloatBitWidth() > 8;
    // Div rounds toward zero: whole results lift what it divides to where it is
    // not negative, and no larger than it has to be.
    int64_t lowest = std::numeric_limits<int64_t>::max();
    for (uint64_t code = 0; code < map.codes.size(); ++code)
      lowest = std::min(lowest, getPoint(map, code).first * steps.multiplier +
                                    steps.addend);
    int64_t unit = int64_t(1) << steps.shift;
    int64_t lift = -llvm::divideFloorSigned(lowest, unit);
    Value value = b.cast(
        codes, isWide ? builder.getI64Type() : builder.getI32Type(), "wide");
    value = b.compute("Mul", value, steps.multiplier);
    value = b.compute("Add", value, steps.addend + lift * unit);
    value = b.compute("Div", value, unit);
    value = b.compute("Sub", value, lift);
    value = b.clip(value, steps.least, steps.greatest);
    return b.cast(value, map.to, "narrow");
  }
  }
  return codes;
}
