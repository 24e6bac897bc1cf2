//===- Elements.h - Elements of tensors in memory ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What quant-float-c/EntryPoint.h says of elements, for programs with and
// without MLIR.
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

/// The element type with that number (a qf_dtype); null if there is none.
const ElementInfo *findSlotElement(int32_t dtype);

/// "float[2x?]", where `open` is written as a question mark.
std::string spellTensor(const ElementInfo &element, ArrayRef<int64_t> sizes,
                        int64_t open = -1);

/// Bytes of a tensor, or an error that says what is wrong with the sizes.
llvm::Expected<int64_t> countBytes(const ElementInfo &element,
                                   ArrayRef<int64_t> sizes);

/// Packs `count` elements, of which the low bits of the slots count, into
/// element.getBytes(count) bytes, with zeros behind the last one (P1).
/// `element` is a packed form.
void pack(const ElementInfo &element, const void *slots, int64_t count,
          void *packed);

/// Spreads packed elements from number `first` on, a multiple of 8, to one per
/// slot as entry points write them.
void unpack(const ElementInfo &element, const void *packed, int64_t first,
            int64_t count, void *slots);

/// Fills `count` slots, or packed elements, with values that depend on `seed`
/// alone: floats of 16 bits and more have magnitudes from 2^-8 up to 8,
/// everything else random bits.
void fillRandom(const ElementInfo &element, void *slots, int64_t count,
                uint64_t seed);

/// The seed of input `index` where a user gave `seed`: every input has a
/// sequence of its own.
inline uint64_t getInputSeed(uint64_t seed, uint64_t index) {
  return seed * 1000003 + index;
}

/// Fills slots or packed elements with the elements whose bits are `first`,
/// `first` + 1, ...
void fillRange(const ElementInfo &element, void *slots, int64_t count,
               uint64_t first);

/// Makes all NaNs the same one: what arithmetic makes of a NaN has no specified
/// sign. Without one, negative zeros become positive.
void mergeNaNs(const ElementInfo &element, void *slots, int64_t count);

/// 64 bits that tell one sequence of bytes from another.
uint64_t digest(const void *bytes, uint64_t count);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TENSORDATA_ELEMENTS_H
