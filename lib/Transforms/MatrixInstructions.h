//===- MatrixInstructions.h - Instructions for products of matrices  -*- C++
//-*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_MATRIXINSTRUCTIONS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_MATRIXINSTRUCTIONS_H

#include "GpuProduct.h"
#include "quant-float/Support/NvidiaChip.h"

namespace mlir::quant_float {

enum class MatrixElement {
  Int8,
  UInt8,
  Int32,
  Float16,
  BFloat16,
  Float8E4M3FN,
  Float8E5M2,
  Float32,
};

/// A row of MatrixInstructions.def.
struct MatrixInstruction {
  MatrixElement a, b, sum;
  int64_t m, n, k;
  NvidiaFeature feature;
  StringLiteral intrinsic;
};

/// A factor as an instruction takes it: `scale * (code - subtracted)`.
struct MatrixOperand {
  MatrixElement element;
  /// In the op's body, an i32 or a float of the element's type.
  Value code;
  /// An i32 and an f32 that are the same along the sum, or null.
  Value subtracted, scale;
};

/// How a product is computed on a chip.
struct MatrixPlan {
  /// None if no instruction takes the factors, or may.
  const MatrixInstruction *instruction = nullptr;
  MatrixOperand left, right;
  /// Whether the chip copies to shared memory while it multiplies.
  bool hasAsyncCopies = false;
  /// Which product became what, and what a better instruction needs.
  std::string text;
};

/// `fastSums` allows sums of floats in any order. Without a chip there are no
/// instructions.
MatrixPlan planMatrixProduct(const GpuProduct &product,
                             const std::optional<NvidiaChip> &chip,
                             bool fastSums);

/// A kernel whose warps multiply by the plan's instruction.
void buildMatrixKernel(KernelLaunches &launches, const GpuProduct &product,
                       const MatrixPlan &plan, const ProductTile &shape);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_MATRIXINSTRUCTIONS_H
