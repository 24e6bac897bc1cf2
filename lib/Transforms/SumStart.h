//===- SumStart.h - What sums begin with ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_SUMSTART_H
#define QUANT_FLOAT_LIB_TRANSFORMS_SUMSTART_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <optional>

namespace mlir::quant_float {

/// On loops over blocks of sums, each far longer than a call takes.
constexpr StringLiteral kBlocksAttrName = "quant_float.blocks";

/// An op that writes into a buffer what the sums of the next op begin with,
/// such as zeros or a bias: computed where a sum begins, it needs no memory.
class SumStart {
public:
  /// That of the sums that `op` adds to its only output, if all places along
  /// the loop of vectors begin with the same.
  static std::optional<SumStart> find(linalg::GenericOp op,
                                      std::optional<unsigned> vectorLoop);

  /// The scalar at a place of the sums' loops.
  Value build(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> place) const;
  linalg::GenericOp getFill() const { return fill; }
  /// Nothing is written ahead of the sums any more.
  void erase() { fill.erase(); }

private:
  explicit SumStart(linalg::GenericOp fill) : fill(fill) {}

  linalg::GenericOp fill;
  /// By the loops of the sums, for each input of `fill`.
  SmallVector<AffineMap> maps;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_SUMSTART_H
