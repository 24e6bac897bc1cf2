//===- CpuMatrixInstructions.h - Matrix instructions for bytes --*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_CPUMATRIXINSTRUCTIONS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_CPUMATRIXINSTRUCTIONS_H

#include "mlir/IR/Operation.h"
#include "quant-float/Lowering/LoweringTarget.h"

namespace mlir::quant_float {

/// An instruction that multiplies a tile of `rows` rows by a tile of `lanes`
/// columns, both with packed i32 elements of four bytes along K, and
/// accumulates the products in i32.
struct CpuMatrixInstructions {
  ConversionFeature feature;
  int64_t rows, lanes;
  /// The register blocking: the number of rows and lanes that are accumulated
  /// together, and the number of i32 elements along K that one loop iteration
  /// processes.
  int64_t tileRows, tileLanes, blockSteps;
  /// The intrinsics by signedness: rows and lanes signed, only rows, only
  /// lanes, neither. Null means that the intrinsic for swapped operands is
  /// used, which computes the transposed tile.
  const char *bothSigned, *rowsSigned, *lanesSigned, *noneSigned;

  /// Returns the instruction for a contraction of packed i32 operands, or null
  /// if the target has none.
  static const CpuMatrixInstructions *find(const LoweringTarget &target,
                                           Operation *op);

  /// Returns the instructions of all targets.
  static ArrayRef<CpuMatrixInstructions> getAll();

  /// Whether operands and accumulators are in tile registers (AMX).
  bool hasTiles() const { return feature == ConversionFeature::AmxInt8; }
  /// Returns the intrinsic for a contraction and its operand with the rows, and
  /// whether its operands are swapped.
  std::pair<StringRef, bool> getIntrinsic(OpOperand &rows) const;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_CPUMATRIXINSTRUCTIONS_H
