//===- StepTable.cpp - A scalar oracle for narrow floats ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepTable.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

/// How a format ends: its codes beyond the finite values.
enum class Ending {
  /// All codes are finite values: NaN becomes the zero of the other sign.
  Finite,
  /// The last code is NaN; one of each sign.
  LastIsNaN,
  /// Infinity, then NaNs.
  Infinity,
  /// One NaN, where negative zero would be.
  NegativeZeroIsNaN,
};

struct Format {
  const char *name;
  int exponentBits, mantissaBits, bias;
  Ending ending;
  /// Magnitude codes of the largest value and of NaN.
  uint8_t largest, nan;
};

constexpr Format kFormats[] = {
    {"f8E4M3FN", 4, 3, 7, Ending::LastIsNaN, 0x7E, 0x7F},
    {"f8E4M3FNUZ", 4, 3, 8, Ending::NegativeZeroIsNaN, 0x7F, 0x80},
    {"f8E5M2", 5, 2, 15, Ending::Infinity, 0x7B, 0x7E},
    {"f8E5M2FNUZ", 5, 2, 16, Ending::NegativeZeroIsNaN, 0x7F, 0x80},
    {"f4E2M1FN", 2, 1, 1, Ending::Finite, 0x7, 0},
    {"f6E2M3FN", 2, 3, 1, Ending::Finite, 0x1F, 0},
    {"f6E3M2FN", 3, 2, 3, Ending::Finite, 0x1F, 0},
};

constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7F800000;

/// The value of a magnitude code, as if no code were special.
float getValue(const Format &format, unsigned code) {
  int exponent = int(code >> format.mantissaBits);
  int mantissa = int(code & ((1u << format.mantissaBits) - 1));
  if (exponent)
    mantissa += 1 << format.mantissaBits;
  return std::ldexp(float(mantissa),
                    std::max(exponent, 1) - format.bias - format.mantissaBits);
}

uint32_t getBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

} // namespace

void StepTable::add(uint32_t begin, uint8_t code) {
  if (!steps.empty() && steps.back().begin == begin)
    steps.back().code = code;
  else
    steps.push_back({begin, code});
}

std::optional<StepTable> StepTable::make(const std::string &destination,
                                         const StepOptions &options) {
  StepTable table;
  if (destination == "f8E8M0FNU") {
    // C9: the grid is 2^(k - 127) for the codes k from 0 to 254.
    uint32_t smallest = getBits(0x1p-127f), largest = getBits(0x1p127f);
    uint8_t below = options.saturate ? 0 : 0xFF;
    uint8_t above = options.saturate ? 0xFE : 0xFF;
    table.add(0, below);
    table.add(smallest, 0);
    for (int code = 1; code <= 254; ++code) {
      // 2^(code - 127), or where rounding gets there from the one below.
      float power = std::ldexp(1.0f, code - 127);
      float before = std::ldexp(1.0f, code - 128);
      if (options.roundMode == "down")
        table.add(getBits(power), code);
      else if (options.roundMode == "up")
        table.add(getBits(before) + 1, code);
      else // Ties go up.
        table.add(getBits(before) + (getBits(power) - getBits(before)) / 2,
                  code);
    }
    table.add(largest + 1, above);
    table.add(kInfinity, above);
    table.add(kInfinity + 1, 0xFF);
    // Negative zero, negatives and negative infinity, then NaN.
    table.add(kSign, below);
    table.add(kSign | (kInfinity + 1), 0xFF);
    return table;
  }

  const Format *format =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [&](const Format &f) { return destination == f.name; });
  if (format == std::end(kFormats))
    return std::nullopt;
  uint8_t signBit = 1 << (format->exponentBits + format->mantissaBits);
  bool isFNUZ = format->ending == Ending::NegativeZeroIsNaN;
  for (bool negative : {false, true}) {
    uint32_t sign = negative ? kSign : 0;
    // C3, C6: the sign of the result, which a zero of FNUZ has not.
    auto withSign = [&](uint8_t code) -> uint8_t {
      if (isFNUZ && (code == 0 || code == format->nan))
        return code;
      return negative ? code ^ signBit : code;
    };
    // C5, C8
    uint8_t nan = format->ending == Ending::Finite ? withSign(signBit)
                                                   : withSign(format->nan);
    uint8_t overflow = withSign(format->largest);
    if (!options.saturate && format->ending != Ending::Finite)
      overflow = format->ending == Ending::Infinity ? withSign(0x7C) : nan;

    table.add(sign, withSign(0));
    // Halfway between two codes the even one wins.
    for (unsigned code = 0; code <= format->largest; ++code) {
      float halfway =
          (getValue(*format, code) + getValue(*format, code + 1)) / 2;
      uint8_t next =
          code == format->largest ? overflow : withSign(uint8_t(code + 1));
      table.add(sign | (getBits(halfway) + (code % 2 == 0)), next);
    }
    // C4
    if (isFNUZ && options.saturate && options.opset < 24)
      table.add(sign | kInfinity, nan);
    table.add(sign | (kInfinity + 1), nan);
  }
  return table;
}

void StepTable::fill(uint32_t first, size_t count, uint8_t *codes) const {
  auto step = std::upper_bound(
      steps.begin(), steps.end(), first,
      [](uint32_t pattern, const Step &step) { return pattern < step.begin; });
  uint64_t at = first, end = uint64_t(first) + count;
  while (at < end) {
    uint64_t next =
        step == steps.end() ? end : std::min<uint64_t>(end, step->begin);
    std::memset(codes + (at - first), std::prev(step)->code, next - at);
    at = next;
    if (step != steps.end())
      ++step;
  }
}
