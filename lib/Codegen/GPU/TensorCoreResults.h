//===- TensorCoreResults.h - Store tensor-core accumulators ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCORERESULTS_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCORERESULTS_H

#include "TensorCoreTiles.h"

namespace mlir::quant_float {

/// The accumulators of the warps of a thread block. Each warp has a share of
/// the tile, in fragments of one instruction's rows and columns.
class TensorCoreResults : protected TensorCoreTiles {
protected:
  TensorCoreResults(KernelLaunches &launches, const GpuMatmul &matmul,
                    const TensorCorePlan &plan,
                    const MatrixInstruction &instruction,
                    const MatmulTile &shape)
      : TensorCoreTiles(launches, matmul, instruction,
                        shape.getShares() * kWarp),
        plan(plan), shape(shape) {}

  static constexpr int64_t kWarp = 32;

  /// An operand's tile, and the first of the warp's rows in it.
  struct WarpTile : OperandTile {
    Value warpRow;
    /// The number of rows of one fragment: M or N.
    int64_t rows;
  };

  Type getAccumulatorType();
  /// Sets `group` and `inGroup`. Returns the index of the thread's warp.
  Value locateThread();
  /// Applies zero points and scales, adds the initial values, and stores the
  /// elements of the result that are in bounds.
  void storeAccumulators(ValueRange accumulators);

  int64_t getRowsOfWarp() const {
    return shape.partRows / instruction.getRowsOfWarp();
  }
  int64_t getColumnsOfWarp() const { return shape.partColumns / instruction.n; }
  /// The number of a thread's registers in a fragment.
  int64_t getAccumulatorRegisters() const {
    return instruction.getRowsOfWarp() * instruction.n / kWarp;
  }
  /// Indices of the accumulators of the operands' sums, in units of fragments.
  int64_t getLhsSumIndex() const {
    return getRowsOfWarp() * getColumnsOfWarp();
  }
  int64_t getRhsSumIndex() const {
    return getLhsSumIndex() + (plan.rhs.subtracted ? getRowsOfWarp() : 0);
  }
  int64_t getNumAccumulators() const {
    return getRhsSumIndex() + (plan.lhs.subtracted ? getColumnsOfWarp() : 0);
  }

  const TensorCorePlan &plan;
  const MatmulTile &shape;
  WarpTile lhs, rhs;
  /// The thread's index in its warp, divided by 4 and modulo 4.
  Value group, inGroup;

private:
  /// A row or column of the result, and its zero point and scale.
  struct ScaledLine {
    ResultLine line;
    Value subtracted, scale;
  };
  ScaledLine getScaledLine(const WarpTile &tile, Value inWarp);
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCORERESULTS_H
