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

/// An element type, as ElementTypes.def describes it.
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

  /// Bytes of an element in memory; 0 for strings.
  constexpr unsigned getSlotBytes() const { return (bits + 7) / 8; }
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

/// The element type with that number; null if there is none.
constexpr const ElementInfo *findElement(int32_t number) {
  for (const ElementInfo &element : kElements)
    if (element.number == number)
      return &element;
  return nullptr;
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_ELEMENTTYPES_H
