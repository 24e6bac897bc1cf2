//===- MatrixInstruction.h - Matrix instructions ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGETINFO_MATRIXINSTRUCTION_H
#define QUANT_FLOAT_TARGETINFO_MATRIXINSTRUCTION_H

#include "quant-float/TargetInfo/NvidiaChip.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "llvm/ADT/PointerUnion.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/TargetParser/Triple.h"
#include <optional>

namespace mlir::quant_float {

/// The types of the operands and accumulators of matrix instructions.
enum class MatrixElement {
#define QUANT_FLOAT_MATRIX_ELEMENT(Name, MlirName, PtxName, Bits) Name,
#include "quant-float/TargetInfo/MatrixInstructions.def"
};

/// Returns the name of a type in MLIR: "f8E4M3FN".
StringRef getName(MatrixElement element);
/// Returns the name of a type in PTX: "e4m3".
StringRef getPtxType(MatrixElement element);

/// Where the operands of a matrix instruction are.
enum class MatrixUnit {
  /// Vector registers. Each lane accumulates the dot product of its elements.
  Lanes,
  /// As above, without an accumulator: each lane of the result is the dot
  /// product of two elements, saturated if it has 16 bits.
  LanePairs,
  /// Vector registers with matrices of several rows and columns (I8MM).
  Vectors,
  /// Tile registers (AMX).
  Tiles,
  /// The registers of a warp (mma.sync).
  Warp,
  /// The workgroup memory of four warps (wgmma).
  Warpgroup,
};

/// A row of MatrixInstructions.def.
struct MatrixInstruction {
  StringLiteral name;
  llvm::Triple::ArchType arch;
  /// The LLVM features that a CPU needs, separated by commas, or the
  /// instructions that a chip needs.
  StringLiteral cpuFeatures;
  std::optional<NvidiaFeature> chipFeature;
  MatrixUnit unit;
  MatrixElement a, b, accumulator;
  int64_t m, n, k;

  bool isFloat() const { return accumulator == MatrixElement::Float32; }
  /// The size of an element of the operands in bytes.
  int64_t getBytes() const;
  /// The size of the operand B in bytes.
  int64_t getSize() const { return n * k * getBytes(); }
  /// The number of rows whose accumulators a warp has.
  int64_t getRowsOfWarp() const {
    return unit == MatrixUnit::Warpgroup ? m / 4 : m;
  }
  bool isDotProduct() const {
    return unit == MatrixUnit::Lanes || unit == MatrixUnit::LanePairs;
  }
  /// Whether the instruction multiplies elements of the two types. Operands in
  /// vector registers may be swapped: the result of `Vectors` is then
  /// transposed.
  bool takes(MatrixElement lhs, MatrixElement rhs) const {
    bool canSwap = isDotProduct() || unit == MatrixUnit::Vectors;
    return (a == lhs && b == rhs) || (canSwap && a == rhs && b == lhs);
  }
};

/// Returns the rows of MatrixInstructions.def.
ArrayRef<MatrixInstruction> getMatrixInstructions();

struct MatrixInstructionChoice {
  /// The chosen instruction, or null.
  const MatrixInstruction *instruction = nullptr;
  /// The better instructions and what they need: "x needs y".
  std::vector<std::string> lacks;
};

/// A CPU or a GPU, or null for a target without matrix instructions.
using MatrixTarget = llvm::PointerUnion<const TargetCpu *, const NvidiaChip *>;

/// Chooses the first of the candidates that the target has and that
/// `getNeed` accepts, by returning an empty string. For others, it returns a
/// phrase that follows the name of the instruction: "needs zero points of 0".
MatrixInstructionChoice chooseMatrixInstruction(
    MatrixTarget target,
    llvm::function_ref<bool(const MatrixInstruction &)> isCandidate,
    llvm::function_ref<std::string(const MatrixInstruction &)> getNeed =
        nullptr);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGETINFO_MATRIXINSTRUCTION_H
