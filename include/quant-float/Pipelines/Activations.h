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

/// The type of the activations in matmuls with 8-, 4- or 2-bit weights.
enum class Activations {
  /// The activations keep their type.
  Float,
  /// The activations are quantized dynamically to integers of this width, with
  /// one scale per block (R8).
  Int16,
  Int8
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_PIPELINES_ACTIVATIONS_H
