//===- Shapes.h - Checks of tensor shapes -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_INTERCHANGE_SHAPES_H
#define QUANT_FLOAT_LIB_INTERCHANGE_SHAPES_H

#include "Diagnostics.h"
#include "Elements.h"

namespace mlir::quant_float::target {

/// Returns the number of elements. If the rank or the number of elements is too
/// large, emits a diagnostic of the importer that declares `DiagT` and returns
/// failure.
template <typename DiagT>
FailureOr<int64_t> checkShape(ArrayRef<int64_t> dims, const Subject &subject) {
  if (int64_t(dims.size()) > kMaxDimensions)
    return diagnose(subject, DiagT::HighRank, kMaxDimensions, dims.size());
  std::optional<int64_t> count = countElements(dims);
  if (!count)
    return diagnose(subject, DiagT::HugeShape, spellShape(dims));
  return *count;
}

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_INTERCHANGE_SHAPES_H
