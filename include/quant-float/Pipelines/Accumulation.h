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
  /// Uses a fused multiply-add for each product, in the accumulation order of
  /// R7. All targets produce the same bits.
  Ordered,
  /// Allows other orders, which GPUs use for matrix instructions.
  Reassociate
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_PIPELINES_ACCUMULATION_H
