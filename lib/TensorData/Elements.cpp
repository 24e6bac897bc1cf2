//===- Elements.cpp - Elements of tensors in memory -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TensorData/Elements.h"

#include "quant-float-c/EntryPoint.h"
#include "quant-float/Support/ElementTypes.h"
#include <array>
#include <cstring>
#include <iterator>

using namespace mlir::quant_float;

static constexpr ElementLayout makeLayout(const ElementInfo &element) {
  ElementLayout layout = {};
  layout.dtype = element.number;
  layout.name = element.onnx;
  layout.npy = element.npy;
  layout.bits = element.bits;
  layout.slotBytes = element.getSlotBytes();
  layout.isSigned = element.elementClass == ElementClass::Signed;
  if (element.elementClass != ElementClass::Float)
    return layout;
  layout.isNarrowFloat = element.bits <= 8;
  if (layout.isNarrowFloat)
    return layout;
  layout.mantissaBits = element.number == QF_BFLOAT16 ? 7
                        : element.bits == 16          ? 10
                        : element.bits == 32          ? 23
                                                      : 52;
  layout.bias = (1u << (element.bits - 2 - layout.mantissaBits)) - 1;
  return layout;
}

const ElementLayout *mlir::quant_float::getElementLayout(int32_t dtype) {
  static constexpr std::array kLayouts = [] {
    std::array<ElementLayout, std::size(kElements)> layouts = {};
    for (size_t i = 0; i < layouts.size(); ++i)
      layouts[i] = makeLayout(kElements[i]);
    return layouts;
  }();
  for (const ElementLayout &layout : kLayouts)
    if (layout.dtype == dtype && layout.bits)
      return &layout;
  return nullptr;
}

std::string mlir::quant_float::spellTensor(const ElementLayout &element,
                                           const std::vector<int64_t> &sizes,
                                           int64_t open) {
  std::string text = std::string(element.name) + "[";
  for (size_t i = 0; i < sizes.size(); ++i)
    text +=
        (i ? "x" : "") + (sizes[i] == open ? "?" : std::to_string(sizes[i]));
  return text + "]";
}

bool mlir::quant_float::countBytes(const ElementLayout &element,
                                   const std::vector<int64_t> &sizes,
                                   int64_t &bytes, std::string &error) {
  bytes = element.slotBytes;
  bool isTooLarge = false, isEmpty = false;
  for (int64_t size : sizes) {
    if (size < 0) {
      error = spellTensor(element, sizes) +
              ": expected sizes of 0 or more, but got " + std::to_string(size);
      return false;
    }
    isEmpty |= size == 0;
    isTooLarge |= __builtin_mul_overflow(bytes, size, &bytes);
  }
  if (isEmpty)
    bytes = 0;
  else if (isTooLarge)
    error = spellTensor(element, sizes) + ": expected fewer than 2^63 bytes";
  return isEmpty || !isTooLarge;
}

/// SplitMix64: each element's bits follow from its position alone.
static uint64_t scramble(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// Calls `function` with a zero of a slot's type.
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

/// Replaces each slot by what `compute` makes of its position and its bits.
template <typename Compute>
static void mapSlots(const ElementLayout &element, void *slots, int64_t count,
                     Compute compute) {
  forSlot(element.slotBytes, [&](auto zero) {
    using Slot = decltype(zero);
    char *place = static_cast<char *>(slots);
    for (int64_t i = 0; i < count; ++i, place += sizeof(Slot)) {
      Slot slot;
      std::memcpy(&slot, place, sizeof slot);
      slot = static_cast<Slot>(compute(i, slot));
      std::memcpy(place, &slot, sizeof slot);
    }
  });
}

void mlir::quant_float::fillRandom(const ElementLayout &element, void *slots,
                                   int64_t count, uint64_t seed) {
  uint64_t base = scramble(seed);
  unsigned unused = 64 - element.bits;
  mapSlots(element, slots, count, [&](int64_t i, uint64_t) -> uint64_t {
    uint64_t bits = scramble(base + static_cast<uint64_t>(i));
    if (element.isSigned)
      return static_cast<uint64_t>(static_cast<int64_t>(bits) >> unused);
    uint64_t value = bits >> unused;
    if (!element.mantissaBits)
      return value;
    // Random sign and mantissa, one of the eleven exponents -8 to 2.
    uint64_t exponent = element.bias - 8 + (bits & 0xff) % 11;
    uint64_t kept = (uint64_t(1) << (element.bits - 1)) |
                    ((uint64_t(1) << element.mantissaBits) - 1);
    return (value & kept) | (exponent << element.mantissaBits);
  });
}

void mlir::quant_float::fillRange(const ElementLayout &element, void *slots,
                                  int64_t count, uint64_t first) {
  unsigned unused = 64 - element.bits;
  mapSlots(element, slots, count, [&](int64_t i, uint64_t) -> uint64_t {
    uint64_t bits = (first + static_cast<uint64_t>(i)) << unused;
    return element.isSigned
               ? static_cast<uint64_t>(static_cast<int64_t>(bits) >> unused)
               : bits >> unused;
  });
}

void mlir::quant_float::mergeNaNs(const ElementLayout &element, void *slots,
                                  int64_t count) {
  if (!element.isFloat())
    return;
  uint64_t sign = uint64_t(1) << (element.bits - 1);
  // The code from which on magnitudes are NaNs.
  uint64_t first = 0;
  if (element.mantissaBits)
    first = (uint64_t(2 * element.bias + 1) << element.mantissaBits) + 1;
  else if (element.dtype == QF_FLOAT8E4M3FN)
    first = 0x7f;
  else if (element.dtype == QF_FLOAT8E5M2)
    first = 0x7d;
  else if (element.bits == 8)
    return;
  mapSlots(element, slots, count, [&](int64_t, uint64_t bits) -> uint64_t {
    uint64_t magnitude = bits & ~sign;
    return (first ? magnitude >= first : !magnitude) ? first : bits;
  });
}

static uint64_t mix(uint64_t lane, uint64_t word) {
  lane = (lane ^ word) * 0x9e3779b97f4a7c15u;
  return lane ^ (lane >> 29);
}

uint64_t mlir::quant_float::digest(const void *data, uint64_t count) {
  const char *bytes = static_cast<const char *>(data);
  // Four lanes: each waits only for itself.
  uint64_t lanes[4] = {1, 2, 3, 4};
  uint64_t at = 0;
  for (; count - at >= sizeof lanes; at += sizeof lanes) {
    uint64_t words[4];
    std::memcpy(words, bytes + at, sizeof words);
    for (int i = 0; i < 4; ++i)
      lanes[i] = mix(lanes[i], words[i]);
  }
  uint64_t result = scramble(count);
  for (uint64_t lane : lanes)
    result = mix(result, scramble(lane));
  for (; at < count; ++at)
    result = mix(result, static_cast<unsigned char>(bytes[at]) + 1);
  return scramble(result);
}
