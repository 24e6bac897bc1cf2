//===- Unpack.h - Unpack encodings to wider elements ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_SIMD_UNPACK_H
#define QUANT_FLOAT_LIB_LOWERING_SIMD_UNPACK_H

#include "../VectorBuilder.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float::simd {

/// Returns the bits in `to` of the value of an encoding of `from` (C2, C7,
/// C10).
APInt convertEncoding(const FloatFormat &from, FloatType to, unsigned encoding);

/// Whether the encodings of `from` are the upper halves of f16.
bool areHalves(Type from);
/// Decodes such a type to f16. If `nanMatters` is set, canonicalizes NaNs.
Value decodeHalves(VectorBuilder &lanes, Value encodings,
                   const FloatFormat &from, bool nanMatters);

/// A register of SSE, AVX2 or AVX-512 with encodings that are unpacked to
/// elements of several bytes. Unpack instructions double the size of elements
/// within 128-bit lanes, so the encodings are distributed among lanes before.
class Unpacker {
public:
  /// `encodings` must fill the register.
  Unpacker(VectorBuilder &lanes, Value encodings);

  Value constant(ArrayRef<uint8_t> bytes);
  /// Distributes the encodings among the lanes such that the unpacked elements
  /// are in order: the j-th group of each lane becomes the j-th register of
  /// results.
  Value deal(Value encodings, int64_t resultBytes);
  /// Interleaves the elements of `low` and `high`, of `bytes` bytes each.
  /// Returns the results of the first and of the second half of each lane.
  std::array<Value, 2> unpack(Value low, Value high, int64_t bytes);
  /// Casts to a vector with elements of `bytes` bytes.
  Value withElements(Value value, int64_t bytes);
  /// Concatenates registers to a vector of elements of `to`.
  Value join(ArrayRef<Value> registers, FloatType to);

private:
  VectorBuilder &lanes;
  int64_t size;
};

} // namespace mlir::quant_float::simd

#endif // QUANT_FLOAT_LIB_LOWERING_SIMD_UNPACK_H
