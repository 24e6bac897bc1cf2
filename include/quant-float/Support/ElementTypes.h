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

/// The numbers of the formats of IEEE P3109 (QF_P3109 of
/// quant-float-c/EntryPoint.h).
inline constexpr int32_t kBinaryFlag = 0x1000;
constexpr int32_t getBinaryNumber(unsigned width, unsigned precision,
                                  bool isSigned, bool isExtended) {
  return kBinaryFlag | int32_t((width - 1) << 9) | int32_t(precision << 2) |
         (isExtended ? 2 : 0) | (isSigned ? 1 : 0);
}

/// The names of a format of IEEE P3109.
struct BinaryNames {
  int32_t number = -1;
  unsigned bits = 0;
  /// "!quant_float.binary8p4se", whose last part is also the name in the style
  /// of ONNX, and "QF_P3109(8, 4, 1, 1)".
  char mlir[25] = {};
  char c[21] = {};

  static constexpr unsigned kPrefix = 13;
};

/// The number of formats of 3 to 8 bits that are no builtin types.
inline constexpr unsigned kNumBinaries = 118;

struct BinaryTable {
  BinaryNames rows[kNumBinaries];
};

constexpr BinaryTable makeBinaryTable() {
  BinaryTable table;
  unsigned count = 0;
  for (unsigned width = 3; width <= 8; ++width)
    for (unsigned precision = 1; precision <= width; ++precision)
      for (unsigned kind = 0; kind < 4; ++kind) {
        bool isSigned = kind < 2, isExtended = kind % 2 == 0;
        // Binary8p4sf and Binary8p3sf are f8E4M3FNUZ and f8E5M2FNUZ.
        bool isBuiltin = width == 8 && isSigned && !isExtended &&
                         (precision == 3 || precision == 4);
        if ((isSigned && precision == width) || isBuiltin)
          continue;
        BinaryNames &row = table.rows[count++];
        row.number = getBinaryNumber(width, precision, isSigned, isExtended);
        row.bits = width;
        const char mlir[] = "!quant_float.binary0p0";
        for (unsigned i = 0; i + 1 < sizeof mlir; ++i)
          row.mlir[i] = mlir[i];
        row.mlir[19] = char('0' + width);
        row.mlir[21] = char('0' + precision);
        row.mlir[22] = isSigned ? 's' : 'u';
        row.mlir[23] = isExtended ? 'e' : 'f';
        const char c[] = "QF_P3109(0, 0, 0, 0)";
        for (unsigned i = 0; i + 1 < sizeof c; ++i)
          row.c[i] = c[i];
        row.c[9] = char('0' + width);
        row.c[12] = char('0' + precision);
        row.c[15] = isSigned ? '1' : '0';
        row.c[18] = isExtended ? '1' : '0';
      }
  return table;
}

inline constexpr BinaryTable kBinaryTable = makeBinaryTable();

struct BinaryElements {
  ElementInfo elements[kNumBinaries];
};

constexpr BinaryElements makeBinaryElements() {
  BinaryElements made = {};
  for (unsigned i = 0; i < kNumBinaries; ++i) {
    const BinaryNames &row = kBinaryTable.rows[i];
    made.elements[i] = {row.number, row.mlir + BinaryNames::kPrefix,
                        row.mlir,   ElementClass::Float,
                        row.bits,   row.c,
                        "u1",       "",
                        -1,         "",
                        "",         ""};
  }
  return made;
}

/// The formats of IEEE P3109 of at most 8 bits, except those that are in
/// kElements. They have no packed layout.
inline constexpr BinaryElements kBinaryElements = makeBinaryElements();

/// Returns the element type with this number, or its packed variant if the
/// number has kPackedFlag; null if there is none.
constexpr const ElementInfo *findElement(int32_t number) {
  if (number < 0)
    return nullptr;
  if (number & kBinaryFlag) {
    for (const ElementInfo &element : kBinaryElements.elements)
      if (element.number == number)
        return &element;
    return nullptr;
  }
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
