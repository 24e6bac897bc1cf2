//===- Elements.cpp - Elements of tensors in memory -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TensorData/Elements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <string_view>

using namespace mlir;
using namespace mlir::quant_float;

static bool isSigned(const ElementInfo &element) {
  return element.elementClass == ElementClass::Signed;
}

namespace {
/// The encodings that are infinities or NaN; see FloatFormats.def.
enum class Specials { Ieee, AllOnes, NegativeZero, None };

/// The fields of a row of FloatFormats.def that this file uses.
struct FormatRow {
  std::string_view type;
  bool isSigned;
  unsigned exponentBits, mantissaBits, bias;
  Specials specials;
};
} // namespace

static constexpr FormatRow kFormats[] = {
#define QUANT_FLOAT_FORMAT(Type, IsSigned, ExponentBits, MantissaBits, Bias,   \
                           Special, HasZero)                                   \
  {Type, IsSigned, ExponentBits, MantissaBits, Bias, Specials::Special},
#include "quant-float/Support/FloatFormats.def"
};

/// Returns null if the element is not a float.
static const FormatRow *findFormat(const ElementInfo &element) {
  const FormatRow *found = llvm::find_if(
      kFormats, [&](const FormatRow &row) { return row.type == element.mlir; });
  return found == std::end(kFormats) ? nullptr : found;
}

const ElementInfo *quant_float::findSlotElement(int32_t dtype) {
  return findElement(dtype);
}

std::string quant_float::spellTensor(const ElementInfo &element,
                                     ArrayRef<int64_t> sizes,
                                     int64_t dynamicSize) {
  std::string description = std::string(element.onnx) + "[";
  for (auto [index, size] : llvm::enumerate(sizes))
    description +=
        (index ? "x" : "") + (size == dynamicSize ? "?" : std::to_string(size));
  return description + "]";
}

llvm::Expected<int64_t> quant_float::countBytes(const ElementInfo &element,
                                                ArrayRef<int64_t> sizes) {
  // Count a byte for each packed element, and the offset for each string.
  int64_t bytes = element.isString() ? sizeof(int64_t) : element.getSlotBytes();
  bool isTooLarge = false, isEmpty = false;
  for (int64_t size : sizes) {
    if (size < 0)
      return llvm::createStringError(spellTensor(element, sizes) +
                                     ": expected sizes of 0 or more, but got " +
                                     Twine(size));
    isEmpty |= size == 0;
    isTooLarge |= llvm::MulOverflow(bytes, size, bytes);
  }
  if (isEmpty)
    return 0;
  if (isTooLarge)
    return llvm::createStringError(spellTensor(element, sizes) +
                                   ": expected fewer than 2^63 bytes");
  return element.isPacked() ? element.getBytes(bytes) : bytes;
}

//===----------------------------------------------------------------------===//
// Packed elements
//===----------------------------------------------------------------------===//

/// Groups of eight packed elements begin and end at byte boundaries.
static constexpr int64_t kGroup = 8;

void quant_float::pack(const ElementInfo &element, const void *slots,
                       int64_t count, void *packed) {
  const auto *from = static_cast<const uint8_t *>(slots);
  auto *to = static_cast<uint8_t *>(packed);
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(element.bits);
  for (int64_t at = 0; at < count; at += kGroup) {
    int64_t size = std::min(kGroup, count - at);
    uint64_t window = 0;
    for (int64_t i = 0; i < size; ++i)
      window |= (from[at + i] & mask) << (element.bits * i);
    for (uint64_t i = 0; i < element.getBytes(size); ++i)
      *to++ = static_cast<uint8_t>(window >> (8 * i));
  }
}

void quant_float::unpack(const ElementInfo &element, const void *packed,
                         int64_t first, int64_t count, void *slots) {
  const auto *from =
      static_cast<const uint8_t *>(packed) + element.getBytes(first);
  auto *to = static_cast<uint8_t *>(slots);
  unsigned unused = 64 - element.bits;
  for (int64_t at = 0; at < count; at += kGroup) {
    int64_t size = std::min(kGroup, count - at);
    uint64_t window = 0;
    for (uint64_t i = 0; i < element.getBytes(size); ++i)
      window |= uint64_t(*from++) << (8 * i);
    for (int64_t i = 0; i < size; ++i) {
      uint64_t bits = window >> (element.bits * i) << unused;
      *to++ = static_cast<uint8_t>(
          isSigned(element)
              ? static_cast<uint64_t>(static_cast<int64_t>(bits) >> unused)
              : bits >> unused);
    }
  }
}

/// SplitMix64. It hashes the position of an element, so that the bits of an
/// element do not depend on other elements.
static uint64_t scramble(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// Calls `function` with a zero of the unsigned integer type of this size.
template <typename Function>
static void forSlot(unsigned slotBytes, Function function) {
  switch (slotBytes) {
  case 1:
    return function(uint8_t());
  case 2:
    return function(uint16_t());
  case 4:
    return function(uint32_t());
  default:
    return function(uint64_t());
  }
}

/// Replaces each element, packed or not, by the result of `compute` for its
/// position and its bits.
template <typename Compute>
static void mapSlots(const ElementInfo &element, void *slots, int64_t count,
                     Compute compute) {
  if (element.isPacked()) {
    auto *packed = static_cast<uint8_t *>(slots);
    for (int64_t at = 0; at < count; at += kGroup) {
      int64_t size = std::min(kGroup, count - at);
      uint8_t group[kGroup];
      unpack(element, packed, at, size, group);
      for (int64_t i = 0; i < size; ++i) {
        uint64_t bits =
            group[i] & llvm::maskTrailingOnes<uint64_t>(element.bits);
        group[i] = static_cast<uint8_t>(compute(at + i, bits));
      }
      pack(element, group, size, packed + element.getBytes(at));
    }
    return;
  }
  forSlot(element.getSlotBytes(), [&](auto zero) {
    using Slot = decltype(zero);
    char *slotPointer = static_cast<char *>(slots);
    for (int64_t i = 0; i < count; ++i, slotPointer += sizeof(Slot)) {
      Slot slot;
      std::memcpy(&slot, slotPointer, sizeof slot);
      slot = static_cast<Slot>(compute(i, slot));
      std::memcpy(slotPointer, &slot, sizeof slot);
    }
  });
}

void quant_float::fillRandom(const ElementInfo &element, void *slots,
                             int64_t count, uint64_t seed) {
  uint64_t base = scramble(seed);
  unsigned unused = 64 - element.bits;
  const FormatRow *format = element.bits > 8 ? findFormat(element) : nullptr;
  mapSlots(element, slots, count, [&](int64_t i, uint64_t) -> uint64_t {
    uint64_t bits = scramble(base + static_cast<uint64_t>(i));
    if (isSigned(element))
      return static_cast<uint64_t>(static_cast<int64_t>(bits) >> unused);
    uint64_t value = bits >> unused;
    if (!format)
      return value;
    // Random sign and mantissa, and one of the eleven exponents -8 to 2.
    uint64_t exponent = format->bias - 8 + (bits & 0xff) % 11;
    uint64_t keptBits = (uint64_t(1) << (element.bits - 1)) |
                        ((uint64_t(1) << format->mantissaBits) - 1);
    return (value & keptBits) | (exponent << format->mantissaBits);
  });
}

void quant_float::fillRange(const ElementInfo &element, void *slots,
                            int64_t count, uint64_t first) {
  unsigned unused = 64 - element.bits;
  mapSlots(element, slots, count, [&](int64_t i, uint64_t) -> uint64_t {
    uint64_t bits = (first + static_cast<uint64_t>(i)) << unused;
    return isSigned(element)
               ? static_cast<uint64_t>(static_cast<int64_t>(bits) >> unused)
               : bits >> unused;
  });
}

void quant_float::mergeNaNs(const ElementInfo &element, void *slots,
                            int64_t count) {
  const FormatRow *format = findFormat(element);
  if (!format)
    return;
  uint64_t sign = uint64_t(1) << (element.bits - 1);
  uint64_t exponents = (uint64_t(1) << format->exponentBits) - 1;
  // The smallest magnitude that is NaN.
  uint64_t first = 0;
  if (format->specials == Specials::Ieee)
    first = (exponents << format->mantissaBits) + 1;
  else if (format->specials == Specials::AllOnes && format->isSigned)
    first = sign - 1;
  else if (format->specials != Specials::None)
    return;
  mapSlots(element, slots, count, [&](int64_t, uint64_t bits) -> uint64_t {
    uint64_t magnitude = bits & ~sign;
    return (first ? magnitude >= first : !magnitude) ? first : bits;
  });
}

static uint64_t mix(uint64_t lane, uint64_t input64) {
  lane = (lane ^ input64) * 0x9e3779b97f4a7c15u;
  return lane ^ (lane >> 29);
}

uint64_t quant_float::digest(const void *data, uint64_t count) {
  const char *bytes = static_cast<const char *>(data);
  // Four independent lanes avoid one long dependence chain.
  uint64_t lanes[4] = {1, 2, 3, 4};
  constexpr uint64_t kStep = 4 * sizeof(uint64_t);
  uint64_t at = 0;
  for (; count - at >= kStep; at += kStep) {
    uint64_t lanes64[4];
    std::memcpy(lanes64, bytes + at, kStep);
    for (int i = 0; i < 4; ++i)
      lanes[i] = mix(lanes[i], lanes64[i]);
  }
  uint64_t result = scramble(count);
  for (uint64_t lane : lanes)
    result = mix(result, scramble(lane));
  for (; at < count; ++at)
    result = mix(result, static_cast<unsigned char>(bytes[at]) + 1);
  return scramble(result);
}
