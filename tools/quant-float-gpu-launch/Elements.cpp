//===- Elements.cpp - Element types, arrays, files ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace launch;

// Name, npy, alternatives, bits, slot bytes, mantissa bits, bias, signed,
// dtype.
static constexpr ElementType kElementTypes[] = {
    {"f32", "f4", "", 32, 4, 23, 127, false, 1},
    {"ui8", "u1", "", 8, 1, 0, 0, false, 2},
    {"i8", "i1", "", 8, 1, 0, 0, true, 3},
    {"ui16", "u2", "", 16, 2, 0, 0, false, 4},
    {"i16", "i2", "", 16, 2, 0, 0, true, 5},
    {"i32", "i4", "", 32, 4, 0, 0, true, 6},
    {"i64", "i8", "", 64, 8, 0, 0, true, 7},
    {"i1", "b1", "", 1, 1, 0, 0, false, 9},
    {"f16", "f2", "", 16, 2, 10, 15, false, 10},
    {"f64", "f8", "", 64, 8, 52, 1023, false, 11},
    {"ui32", "u4", "", 32, 4, 0, 0, false, 12},
    {"ui64", "u8", "", 64, 8, 0, 0, false, 13},
    {"bf16", "u2", "V2", 16, 2, 7, 127, false, 16},
    {"f8E4M3FN", "u1", "V1f1", 8, 1, 0, 0, false, 17},
    {"f8E4M3FNUZ", "u1", "V1f1", 8, 1, 0, 0, false, 18},
    {"f8E5M2", "u1", "V1f1", 8, 1, 0, 0, false, 19},
    {"f8E5M2FNUZ", "u1", "V1f1", 8, 1, 0, 0, false, 20},
    {"ui4", "u1", "V1", 4, 1, 0, 0, false, 21},
    {"i4", "i1", "V1", 4, 1, 0, 0, true, 22},
    {"f4E2M1FN", "u1", "V1f1", 4, 1, 0, 0, false, 23},
    {"f8E8M0FNU", "u1", "V1f1", 8, 1, 0, 0, false, 24},
    {"ui2", "u1", "V1", 2, 1, 0, 0, false, 25},
    {"i2", "i1", "V1", 2, 1, 0, 0, true, 26},
    {"f6E2M3FN", "u1", "V1f1", 6, 1, 0, 0, false, 27},
    {"f6E3M2FN", "u1", "V1f1", 6, 1, 0, 0, false, 28},
};

const ElementType *launch::findElementType(std::string_view name) {
  for (const ElementType &type : kElementTypes)
    if (name == type.name)
      return &type;
  return nullptr;
}

std::string launch::spell(const ElementType &type,
                          const std::vector<int64_t> &sizes) {
  std::string text = std::string(type.name) + "[";
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? "x" : "") + (sizes[i] < 0 ? "?" : std::to_string(sizes[i]));
  return text + "]";
}

Buffer::~Buffer() { std::free(memory); }

Buffer::Buffer(Buffer &&other) { *this = std::move(other); }

Buffer &Buffer::operator=(Buffer &&other) {
  std::swap(memory, other.memory);
  std::swap(bytes, other.bytes);
  return *this;
}

bool Buffer::allocate(size_t count, Error &error) {
  std::free(memory);
  memory = count <= SIZE_MAX - 4096 ? static_cast<char *>(std::aligned_alloc(
                                          4096, (count + 4096) / 4096 * 4096))
                                    : nullptr;
  bytes = memory ? count : 0;
  return memory ||
         error.fail("no memory for " + std::to_string(count) + " bytes");
}

int64_t Array::getNumElements() const {
  int64_t elements = 1;
  for (int64_t size : sizes)
    elements *= size;
  return elements;
}

std::optional<size_t> launch::countBytes(const ElementType &type,
                                         const std::vector<int64_t> &sizes) {
  int64_t bytes = type.slotBytes;
  bool overflow = false;
  for (int64_t size : sizes) {
    if (size == 0)
      return 0;
    overflow |= size < 0 || __builtin_mul_overflow(bytes, size, &bytes);
  }
  if (overflow)
    return std::nullopt;
  return bytes;
}

bool launch::allocate(Array &array, Error &error) {
  std::optional<size_t> bytes = countBytes(*array.type, array.sizes);
  if (!bytes)
    return error.fail(spell(*array.type, array.sizes) +
                      ": expected fewer than 2^63 bytes");
  return array.bytes.allocate(*bytes, error);
}

/// SplitMix64: each element's bits follow from its position alone.
static uint64_t scramble(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

template <typename Slot> static void fillSlots(Array &array, uint64_t base) {
  const ElementType &type = *array.type;
  Slot *slots = reinterpret_cast<Slot *>(array.bytes.data());
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    uint64_t bits = scramble(base + static_cast<uint64_t>(i));
    uint64_t value = bits >> (64 - type.bits);
    if (type.bias) {
      // Random sign and mantissa, one of the eleven exponents -8 to 2.
      uint64_t exponent = type.bias - 8 + (bits & 0xff) % 11;
      uint64_t kept = (uint64_t(1) << (type.bits - 1)) |
                      ((uint64_t(1) << type.mantissaBits) - 1);
      value = (value & kept) | (exponent << type.mantissaBits);
    } else if (type.isSigned) {
      value =
          static_cast<uint64_t>(static_cast<int64_t>(bits) >> (64 - type.bits));
    }
    slots[i] = static_cast<Slot>(value);
  }
}

template <typename Slot> static void countSlots(Array &array, uint64_t first) {
  Slot *slots = reinterpret_cast<Slot *>(array.bytes.data());
  uint64_t mask = ~uint64_t(0) >> (64 - array.type->bits);
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
    slots[i] = static_cast<Slot>((first + static_cast<uint64_t>(i)) & mask);
}

/// Calls what is made for the size of a slot.
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

void launch::fillRandom(Array &array, uint64_t seed, uint64_t index) {
  uint64_t base = scramble(seed * 1000003 + index);
  forSlot(array.type->slotBytes,
          [&](auto slot) { fillSlots<decltype(slot)>(array, base); });
}

void launch::fillRange(Array &array, uint64_t first) {
  forSlot(array.type->slotBytes,
          [&](auto slot) { countSlots<decltype(slot)>(array, first); });
}

template <typename Slot> static void mergeSlots(Array &array) {
  const ElementType &type = *array.type;
  Slot *slots = reinterpret_cast<Slot *>(array.bytes.data());
  std::string_view name = type.name;
  bool hasNoNaN = name[0] == 'f' && type.bits < 8;
  Slot sign = static_cast<Slot>(uint64_t(1) << (type.bits - 1));
  // The code from which on magnitudes are NaNs.
  uint64_t first = 0;
  if (type.bias)
    first = (uint64_t(2 * type.bias + 1) << type.mantissaBits) + 1;
  else if (name == "f8E4M3FN")
    first = 0x7f;
  else if (name == "f8E5M2")
    first = 0x7d;
  else if (!hasNoNaN)
    return;
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    Slot magnitude = static_cast<Slot>(slots[i] & ~sign);
    if (hasNoNaN ? !magnitude : magnitude >= first)
      slots[i] = static_cast<Slot>(first);
  }
}

void launch::mergeNaNs(Array &array) {
  forSlot(array.type->slotBytes,
          [&](auto slot) { mergeSlots<decltype(slot)>(array); });
}

static uint64_t mix(uint64_t lane, uint64_t word) {
  lane = (lane ^ word) * 0x9e3779b97f4a7c15u;
  return lane ^ (lane >> 29);
}

uint64_t launch::digest(const char *bytes, size_t count) {
  // Four lanes: each waits only for itself.
  uint64_t lanes[4] = {1, 2, 3, 4};
  size_t at = 0;
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
