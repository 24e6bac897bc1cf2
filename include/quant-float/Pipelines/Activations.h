//===- Activations.h - Types of activations ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_PIPELINES_ACTIVATIONS_H
#define QUANT_FLOAT_PIPELINES_ACTIVATIONS_H

namespace mlir::quant_float {

/// What vectors become before they are multiplied with weights of 8, 4 or 2
/// bits.
enum class Activations {
  /// They stay as they are.
  Float,
  /// Integers of so many bits, with a scale for each block, as R8 states.
  Int16,
  Int8
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_PIPELINES_ACTIVATIONS_H
