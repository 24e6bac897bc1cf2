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
#include "quant-float/IR/QuantFloatAttributes.h"
#include "quant-float/TargetInfo/MatrixInstruction.h"

namespace mlir::quant_float {

/// An operand in the form that an instruction takes:
/// `scale * (quantized - subtracted)`.
struct TensorCoreOperand {
  MatrixElement element;
  /// The quantized value in the op's body: an i32, or a float of the element's
  /// type.
  Value quantized;
  /// The zero point (i32) and the scale (f32), which do not vary along K, or
  /// null.
  Value subtracted, scale;

  /// Returns the argument of the op's body that the quantized value is,
  /// possibly extended to i32; null if it is computed.
  BlockArgument getArgument(linalg::GenericOp op) const;
};

/// How a kernel computes a matmul by an instruction.
struct TensorCorePlan {
  const MatrixInstruction *instruction = nullptr;
  TensorCoreOperand lhs, rhs;
  /// Whether the chip has asynchronous copies to workgroup memory.
  bool hasAsyncCopies = false;

  /// Returns the plan for the instruction of a config with the strategy
  /// `tensor_core` or `warpgroup`. Emits an error if there is no such
  /// instruction, or if it does not take the operands or the chip lacks it.
  static FailureOr<TensorCorePlan>
  get(const GpuMatmul &matmul, LoweringConfigAttr config,
      const std::optional<NvidiaChip> &chip,
      llvm::function_ref<InFlightDiagnostic()> emitError);
};

/// The best instructions for a matmul.
struct TensorCoreChoice {
  /// The instructions of a warp and of a warpgroup, or null. If the latter
  /// exists, the former computes what TMA cannot load.
  const MatrixInstruction *warp = nullptr, *warpgroup = nullptr;
  /// The remark: how the matmul is lowered, and what a better instruction
  /// needs.
  std::string remark;
};

/// Chooses instructions for a matmul. `reassociate` allows reassociation of
/// float reductions. Without a chip, there are none.
TensorCoreChoice
chooseTensorCoreInstructions(const GpuMatmul &matmul,
                             const std::optional<NvidiaChip> &chip,
                             bool reassociate);

/// Builds a kernel whose warps use the plan's instruction.
void buildTensorCoreKernel(KernelLaunches &launches, const GpuMatmul &matmul,
                           const TensorCorePlan &plan, const MatmulTile &shape);

/// Emits host code that returns whether TMA can load the operands of the
/// plan, whose instruction is one of a warpgroup.
Value canLoadByTma(KernelLaunches &launches, const GpuMatmul &matmul,
                   const TensorCorePlan &plan);

/// Builds a kernel whose warpgroups use the plan's instruction.
void buildWarpgroupKernel(KernelLaunches &launches, const GpuMatmul &matmul,
                          const TensorCorePlan &plan, const MatmulTile &shape);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCOREINSTRUCTIONS_H
