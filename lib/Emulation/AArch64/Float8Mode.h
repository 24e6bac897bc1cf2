//===- Float8Mode.h - What FPMR says ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Float8 instructions of Arm convert what a register says, FPMR. Its fields for
// two formats of sources are always the same here, E5M2 and E4M3, so that only
// results can ask for different ones.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_AARCH64_FLOAT8MODE_H
#define QUANT_FLOAT_LIB_EMULATION_AARCH64_FLOAT8MODE_H

#include "mlir/IR/Builders.h"

namespace mlir::quant_float::aarch64 {

/// Enough for instructions that read float8.
constexpr uint64_t kSecondSourceIsE4M3 = 1 << 3;
/// Of those that make it; without, E5M2 and overflow to what stands for it.
constexpr uint64_t kResultIsE4M3 = 1 << 6;
constexpr uint64_t kResultSaturates = 1 << 15;
/// What f32 is multiplied by before it is rounded, 2^exponent, -128 to 127.
constexpr uint64_t getScaleOfResult(int exponent) {
  return uint64_t(exponent & 0xFF) << 24;
}

/// Writes FPMR.
void setFloat8Mode(OpBuilder &builder, Location loc, uint64_t mode);

/// Moves such writes out of loops and branches all of which need the same, and
/// drops those of what is there. Threads have an FPMR each, so nothing leaves a
/// parallel loop.
void hoistFloat8Modes(Operation *root);

} // namespace mlir::quant_float::aarch64

#endif // QUANT_FLOAT_LIB_EMULATION_AARCH64_FLOAT8MODE_H
