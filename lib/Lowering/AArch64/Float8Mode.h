//===- Float8Mode.h - Writes of the FPMR register ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The FPMR register selects the formats of Arm's float8 instructions. The
// formats of the two sources are always E5M2 and E4M3 here, so that only
// instructions with a float8 result need different modes.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_AARCH64_FLOAT8MODE_H
#define QUANT_FLOAT_LIB_LOWERING_AARCH64_FLOAT8MODE_H

#include "mlir/IR/Builders.h"

namespace mlir::quant_float::aarch64 {

/// The mode for instructions that read float8.
constexpr uint64_t kSecondSourceIsE4M3 = 1 << 3;
/// The result's format is E4M3 instead of E5M2, and overflow saturates instead
/// of producing infinity or NaN.
constexpr uint64_t kResultIsE4M3 = 1 << 6;
constexpr uint64_t kResultSaturates = 1 << 15;
/// Returns the field that multiplies f32 operands by 2^exponent before
/// rounding. `exponent` is in [-128, 127].
constexpr uint64_t getScaleOfResult(int exponent) {
  return uint64_t(exponent & 0xFF) << 24;
}

/// Creates a write of FPMR.
void setFloat8Mode(OpBuilder &builder, Location loc, uint64_t mode);

/// Hoists the writes out of loops and branches in which all writes agree, and
/// erases redundant writes. Does not hoist out of parallel loops, because each
/// thread has its own FPMR.
void hoistFloat8Modes(Operation *root);

} // namespace mlir::quant_float::aarch64

#endif // QUANT_FLOAT_LIB_LOWERING_AARCH64_FLOAT8MODE_H
