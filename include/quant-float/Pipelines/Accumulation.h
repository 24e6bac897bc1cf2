//===- Accumulation.h - Accumulation modes ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_PIPELINES_ACCUMULATION_H
#define QUANT_FLOAT_PIPELINES_ACCUMULATION_H

namespace mlir::quant_float {

/// How float contractions are rounded.
enum class Accumulation {
  /// Rounds each multiplication and each addition separately, in the
  /// accumulation order of R7. All CPUs produce the same bits.
  Ordered,
  /// Allows FMA in the same order on CPUs that have it, and on GPUs also other
  /// orders, for matrix instructions.
  Reassociate
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_PIPELINES_ACCUMULATION_H
