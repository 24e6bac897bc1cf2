//===- Elements.h - Elements of tensors in memory ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What quant-float-c/EntryPoint.h says of elements, for programs with and
// without LLVM: this library needs the C++ standard library alone.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TENSORDATA_ELEMENTS_H
#define QUANT_FLOAT_TENSORDATA_ELEMENTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::quant_float {

/// An element type, by its number in ONNX (a qf_dtype).
struct ElementLayout {
  int32_t dtype;
  /// As ONNX calls it.
  const char *name;
  /// NumPy's kind and size, without the byte order (P3).
  const char *npy;
  unsigned bits, slotBytes;
  /// Integers with a sign.
  bool isSigned;
  /// Of floats of 16 bits and more; 0 of others.
  unsigned mantissaBits, bias;

  bool isFloat() const { return mantissaBits || isNarrowFloat; }
  bool isNarrowFloat;
};

/// Null for numbers of no type, or of one that tensors in memory cannot have.
const ElementLayout *getElementLayout(int32_t dtype);

/// "float[2x?]", where `open` is written as a question mark.
std::string spellTensor(const ElementLayout &element,
                        const std::vector<int64_t> &sizes, int64_t open = -1);

/// Bytes of a tensor in `bytes`; false, and what is wrong with the sizes in
/// `error`.
bool countBytes(const ElementLayout &element, const std::vector<int64_t> &sizes,
                int64_t &bytes, std::string &error);

/// Fills `count` slots with values that depend on `seed` alone: floats of 16
/// bits and more have magnitudes from 2^-8 up to 8, everything else random
/// bits.
void fillRandom(const ElementLayout &element, void *slots, int64_t count,
                uint64_t seed);

/// The seed of input `index` where a user gave `seed`: every input has a
/// sequence of its own.
inline uint64_t getInputSeed(uint64_t seed, uint64_t index) {
  return seed * 1000003 + index;
}

/// Fills slots with the elements whose bits are `first`, `first` + 1, ...
void fillRange(const ElementLayout &element, void *slots, int64_t count,
               uint64_t first);

/// Makes all NaNs the same one: what arithmetic makes of a NaN has no specified
/// sign. Without one, negative zeros become positive.
void mergeNaNs(const ElementLayout &element, void *slots, int64_t count);

/// 64 bits that tell one sequence of bytes from another.
uint64_t digest(const void *bytes, uint64_t count);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TENSORDATA_ELEMENTS_H
