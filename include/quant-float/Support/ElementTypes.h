//===- ElementTypes.h - Element types of tensors ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the standard library alone, for programs without LLVM; as types of
// MLIR they are in quant-float/IR/ElementTypes.h.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_ELEMENTTYPES_H
#define QUANT_FLOAT_SUPPORT_ELEMENTTYPES_H

#include <cstdint>

namespace mlir::quant_float {

enum class ElementClass { Float, Signed, Unsigned, Bool, String };

/// In the number of an element type: QF_PACKED of quant-float-c/EntryPoint.h.
inline constexpr int32_t kPackedFlag = 0x100;

/// Whether elements of so many bits have a packed form. Bools take a byte.
constexpr bool isPackable(unsigned bits) { return bits > 1 && bits < 8; }

/// Bytes of packed elements; does not overflow where `count` elements of a byte
/// fit.
constexpr uint64_t getPackedBytes(unsigned bits, uint64_t count) {
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

/// An element type, as ElementTypes.def describes it, or its packed form, which
/// has a number of its own.
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
  /// Bytes of an element in memory, where it is not packed; 0 for strings.
  constexpr unsigned getSlotBytes() const { return (bits + 7) / 8; }
  /// Bytes of so many elements, in either form.
  constexpr uint64_t getBytes(uint64_t count) const {
    return isPacked() ? getPackedBytes(bits, count) : count * getSlotBytes();
  }
  /// DLPack's bools take a byte.
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

/// The first number that ONNX does not give: types from here on are no types of
/// ONNX's tensors.
inline constexpr int32_t kFirstOwnNumber = 64;

/// The packed forms of the types that have one.
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

/// The element type with that number, or the packed form of one with
/// kPackedFlag; null if there is none.
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
