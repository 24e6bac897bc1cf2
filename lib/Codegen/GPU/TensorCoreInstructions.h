//===- TensorCoreInstructions.h - Tensor-core instructions ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCOREINSTRUCTIONS_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCOREINSTRUCTIONS_H

#include "GpuMatmul.h"
#include "quant-float/TargetInfo/NvidiaChip.h"

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

/// A row of TensorCoreInstructions.def.
struct TensorCoreInstruction {
  MatrixElement a, b, accumulator;
  int64_t m, n, k;
  NvidiaFeature feature;
  StringLiteral intrinsic;
};

/// An operand in the form that an instruction takes:
/// `scale * (code - subtracted)`.
struct TensorCoreOperand {
  MatrixElement element;
  /// The quantized value in the op's body: an i32, or a float of the element's
  /// type.
  Value code;
  /// The zero point (i32) and the scale (f32), which do not vary along K, or
  /// null.
  Value subtracted, scale;
};

/// How a matmul is lowered for a chip.
struct TensorCorePlan {
  /// Null if no instruction takes the operands, or none is allowed.
  const TensorCoreInstruction *instruction = nullptr;
  TensorCoreOperand left, right;
  /// Whether the chip has asynchronous copies to workgroup memory.
  bool hasAsyncCopies = false;
  /// The remark: how the matmul is lowered, and what a better
  /// instruction needs.
  std::string remark;
};

/// Chooses an instruction for a matmul. `reassociate` allows reassociation of
/// float reductions. Without a chip, the plan has no instruction.
TensorCorePlan planTensorCoreMatmul(const GpuMatmul &matmul,
                                    const std::optional<NvidiaChip> &chip,
                                    bool reassociate);

/// Builds a kernel whose warps use the plan's instruction.
void buildTensorCoreKernel(KernelLaunches &launches, const GpuMatmul &matmul,
                           const TensorCorePlan &plan, const MatmulTile &shape);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCOREINSTRUCTIONS_H
