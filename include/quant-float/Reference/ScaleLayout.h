//===- ScaleLayout.h - Layouts of scales of blocks --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_SCALELAYOUT_H
#define QUANT_FLOAT_REFERENCE_SCALELAYOUT_H

#include "mlir/Support/LLVM.h"
#include <cstdint>

namespace mlir::quant_float::reference {

/// A row of ScaleLayouts.def.
enum class ScaleLayout {
#define QUANT_FLOAT_SCALE_LAYOUT(Layout, ...) Layout,
#include "quant-float/Reference/ScaleLayouts.def"
};

/// The multiples to which rows and columns are padded.
struct ScaleAlignment {
  int64_t rows, columns;
};
ScaleAlignment getAlignment(ScaleLayout layout);

/// Returns the offset, in elements, of the scale of a block of a row, for a
/// matrix of the padded sizes `rows` and `columns` (B9).
int64_t getScaleOffset(ScaleLayout layout, int64_t rows, int64_t columns,
                       int64_t row, int64_t column);

/// Arranges `count` matrices of `rows` x `columns` scales of `width` bytes, and
/// pads them with zeros. Fails without modifying `out` if a buffer has the
/// wrong size, and so does unpackScales.
LogicalResult packScales(ScaleLayout layout, int64_t count, int64_t rows,
                         int64_t columns, unsigned width, ArrayRef<char> in,
                         MutableArrayRef<char> out);
/// The inverse of packScales. Does not read the padding.
LogicalResult unpackScales(ScaleLayout layout, int64_t count, int64_t rows,
                           int64_t columns, unsigned width, ArrayRef<char> in,
                           MutableArrayRef<char> out);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_SCALELAYOUT_H
