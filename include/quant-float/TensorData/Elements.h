//===- Elements.h - Elements of tensors in memory ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types and their memory layout as in quant-float-c/EntryPoint.h, for
// programs with and without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TENSORDATA_ELEMENTS_H
#define QUANT_FLOAT_TENSORDATA_ELEMENTS_H

#include "mlir/Support/LLVM.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::quant_float {

/// Returns the element type with this number (a qf_dtype); null if there is
/// none.
const ElementInfo *findSlotElement(int32_t dtype);

/// Returns the type of a tensor such as "float[2x?]"; sizes equal to
/// `dynamicSize` are printed as question marks.
std::string spellTensor(const ElementInfo &element, ArrayRef<int64_t> sizes,
                        int64_t dynamicSize = -1);

/// Returns the size of a tensor in bytes, or an error if the sizes are invalid.
llvm::Expected<int64_t> countBytes(const ElementInfo &element,
                                   ArrayRef<int64_t> sizes);

/// Packs the low bits of `count` unpacked elements into element.getBytes(count)
/// bytes, with zeros after the last element (P1). `element` is a packed type.
void pack(const ElementInfo &element, const void *slots, int64_t count,
          void *packed);

/// Unpacks elements from index `first` on, a multiple of 8, as entry points
/// write unpacked elements.
void unpack(const ElementInfo &element, const void *packed, int64_t first,
            int64_t count, void *slots);

/// Fills `count` elements, packed or not, with values that only depend on
/// `seed`: floats of 16 bits and more have magnitudes from 2^-8 to 8, all other
/// types have random bits.
void fillRandom(const ElementInfo &element, void *slots, int64_t count,
                uint64_t seed);

/// Derives the seed of input `index` from the user's seed, so that every input
/// has a separate sequence.
inline uint64_t getInputSeed(uint64_t seed, uint64_t index) {
  return seed * 1000003 + index;
}

/// Fills elements, packed or not, with the encodings `first`, `first` + 1, ...
void fillRange(const ElementInfo &element, void *slots, int64_t count,
               uint64_t first);

/// Replaces all NaNs by the same NaN, because the sign of a NaN that arithmetic
/// produces is unspecified. For types without NaN, negative zeros become
/// positive.
void mergeNaNs(const ElementInfo &element, void *slots, int64_t count);

/// Returns a 64-bit hash of the bytes.
uint64_t digest(const void *bytes, uint64_t count);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TENSORDATA_ELEMENTS_H
