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

/// How sums of products are rounded.
enum class Accumulation {
  /// Each product and each sum on its own, in the order that R7 states: the
  /// same bits on every CPU.
  Ordered,
  /// In that order, a product together with the sum it is added to where the
  /// CPU has an instruction for it; on GPUs also in others, by instructions for
  /// products of matrices.
  Reassociate
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_PIPELINES_ACCUMULATION_H
