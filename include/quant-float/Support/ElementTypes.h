//===- ElementTypes.h - Element types of tensors ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only requires the standard library, for programs without LLVM.
// quant-float/IR/ElementTypes.h maps element types to MLIR types.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_ELEMENTTYPES_H
#define QUANT_FLOAT_SUPPORT_ELEMENTTYPES_H

#include <cstdint>

namespace mlir::quant_float {

enum class ElementClass { Float, Signed, Unsigned, Bool, String };

/// A flag in the number of an element type: QF_PACKED of
/// quant-float-c/EntryPoint.h.
inline constexpr int32_t kPackedFlag = 0x100;

/// Returns whether elements of this width have a packed layout. Bools take one
/// byte.
constexpr bool isPackable(unsigned bits) { return bits > 1 && bits < 8; }

/// Returns the size in bytes of packed elements. Does not overflow if `count`
/// bytes do not.
constexpr uint64_t getPackedBytes(unsigned bits, uint64_t count) {
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

/// An element type of ElementTypes.def, or its packed variant, which has a
/// separate number.
struct ElementInfo {
  int32_t number;
  const char *onnx;
  const char *mlir;
  ElementClass elementClass;
  unsigned bits;
  const char *c;
  const char *npy;
  const char *numpy;
  int dlpackCode;
  const char *safetensors;
  const char *openVino;
  const char *openVinoPrecision;

  constexpr bool isPacked() const { return number & kPackedFlag; }
  constexpr bool isString() const {
    return elementClass == ElementClass::String;
  }
  /// Returns the size in bytes of an unpacked element in memory; 0 for strings.
  constexpr unsigned getSlotBytes() const { return (bits + 7) / 8; }
  /// Returns the size in bytes of `count` elements, packed or not.
  constexpr uint64_t getBytes(uint64_t count) const {
    return isPacked() ? getPackedBytes(bits, count) : count * getSlotBytes();
  }
  /// Returns the width in DLPack, where bools take one byte.
  constexpr unsigned getDlpackBits() const { return bits == 1 ? 8 : bits; }
};

inline constexpr ElementInfo kElements[] = {
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, Mlir, Getter, Class, Bits, C,  \
                            Npy, Numpy, Dlpack, Safetensors, OpenVino,         \
                            Precision)                                         \
  {Number, Onnx,  Mlir,   ElementClass::Class, Bits,     #C,                   \
   Npy,    Numpy, Dlpack, Safetensors,         OpenVino, Precision},
#include "quant-float/Support/ElementTypes.def"
};

/// The first number that is not one of ONNX: types from here on are not ONNX
/// tensor types.
inline constexpr int32_t kFirstOwnNumber = 64;

/// The packed variants of the types that have one.
inline constexpr ElementInfo kPackedElements[] = {
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, Mlir, Getter, Class, Bits, C,  \
                            Npy, Numpy, Dlpack, Safetensors, OpenVino,         \
                            Precision)                                         \
  {isPackable(Bits) ? kPackedFlag | Number : -1,                               \
   "packed " Onnx,                                                             \
   Mlir,                                                                       \
   ElementClass::Class,                                                        \
   Bits,                                                                       \
   "QF_PACKED | " #C,                                                          \
   Npy,                                                                        \
   Numpy,                                                                      \
   Dlpack,                                                                     \
   Safetensors,                                                                \
   OpenVino,                                                                   \
   Precision},
#include "quant-float/Support/ElementTypes.def"
};

/// Returns the element type with this number, or its packed variant if the
/// number has kPackedFlag; null if there is none.
constexpr const ElementInfo *findElement(int32_t number) {
  if (number < 0)
    return nullptr;
  for (const ElementInfo &element : kElements)
    if (element.number == number)
      return &element;
  for (const ElementInfo &element : kPackedElements)
    if (element.number == number)
      return &element;
  return nullptr;
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_ELEMENTTYPES_H
