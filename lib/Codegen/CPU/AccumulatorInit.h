//===- AccumulatorInit.h - Accumulator initialization -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_ACCUMULATORINIT_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_ACCUMULATORINIT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/IR/CodegenAttributes.h"
#include <optional>

namespace mlir::quant_float {

/// The op that initializes the accumulators of a reduction in memory, for
/// example with zeros or a bias. If the reduction computes the initial value
/// itself, the op and its stores are not needed.
class AccumulatorInit {
public:
  /// Returns the op that initializes the only output of the reduction `op`.
  /// Returns nullopt if there is none that can move into the reduction, or if
  /// the initial value varies along `vectorLoop`.
  static std::optional<AccumulatorInit>
  find(linalg::GenericOp op, std::optional<unsigned> vectorLoop);

  /// Builds the scalar initial value of the output element at `position`, which
  /// has one index for each loop of the reduction.
  Value build(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> position) const;
  linalg::GenericOp getFill() const { return fill; }
  /// Erases the op that initializes the output.
  void erase() { fill.erase(); }

private:
  explicit AccumulatorInit(linalg::GenericOp fill) : fill(fill) {}

  linalg::GenericOp fill;
  /// For each input of `fill`, the map from the loops of the reduction to its
  /// indices.
  SmallVector<AffineMap> maps;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_ACCUMULATORINIT_H
