//===- ScaleLayout.cpp - Layouts of scales of blocks (B9) -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The offsets are formulas of rows and columns. The lowering splits and
// permutes dimensions instead.
//
//===----------------------------------------------------------------------===//

#include "quant-float/Reference/ScaleLayout.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;

ScaleAlignment reference::getAlignment(ScaleLayout layout) {
  static constexpr ScaleAlignment alignments[] = {
#define QUANT_FLOAT_SCALE_LAYOUT(Layout, Keyword, Rows, Columns, ...)          \
  {Rows, Columns},
#include "quant-float/Reference/ScaleLayouts.def"
  };
  return alignments[static_cast<size_t>(layout)];
}

int64_t reference::getScaleOffset(ScaleLayout layout, int64_t rows,
                                  int64_t columns, int64_t m, int64_t k) {
  switch (layout) {
  case ScaleLayout::Tile128x4:
    return (m / 128 * (columns / 4) + k / 4) * 512 + m % 32 * 16 +
           m / 32 % 4 * 4 + k % 4;
  case ScaleLayout::Tile8x4:
    return (m / 8 * (columns / 4) + k / 4) * 32 + m % 8 * 4 + k % 4;
  case ScaleLayout::DeepGemmF32:
    return k * rows + m;
  case ScaleLayout::DeepGemmE8M0:
    return (k / 4 * rows + m) * 4 + k % 4;
  case ScaleLayout::GFX950:
    return ((((m / 32 * (columns / 8) + k / 8) * 4 + k % 4) * 16 + m % 16) * 2 +
            k / 4 % 2) *
               2 +
           m / 16 % 2;
  case ScaleLayout::GFX1250:
    return m / 32 * 32 * columns + k / 4 * 128 + m % 32 * 4 + k % 4;
  }
  llvm_unreachable("unknown layout");
}

/// Calls `copy` with the offsets of each scale in rows and in the layout, in
/// bytes. Fails if a buffer has the wrong size.
static LogicalResult
forEachScale(ScaleLayout layout, int64_t count, int64_t rows, int64_t columns,
             unsigned width, size_t plainSize, size_t packedSize,
             llvm::function_ref<void(size_t, size_t)> copy) {
  auto [rowAlignment, columnAlignment] = getAlignment(layout);
  int64_t paddedRows = llvm::alignTo(rows, rowAlignment);
  int64_t paddedColumns = llvm::alignTo(columns, columnAlignment);
  int64_t size = rows * columns, paddedSize = paddedRows * paddedColumns;
  if (plainSize != size_t(count * size) * width ||
      packedSize != size_t(count * paddedSize) * width)
    return failure();
  // Rows without scales may be many.
  if (size == 0)
    return success();
  for (int64_t i = 0; i < count; ++i)
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t k = 0; k < columns; ++k)
        copy((i * size + m * columns + k) * width,
             (i * paddedSize +
              getScaleOffset(layout, paddedRows, paddedColumns, m, k)) *
                 width);
  return success();
}

LogicalResult reference::packScales(ScaleLayout layout, int64_t count,
                                    int64_t rows, int64_t columns,
                                    unsigned width, ArrayRef<char> in,
                                    MutableArrayRef<char> out) {
  bool isFilled = false;
  LogicalResult result =
      forEachScale(layout, count, rows, columns, width, in.size(), out.size(),
                   [&](size_t plain, size_t packed) {
                     if (!isFilled)
                       llvm::fill(out, 0);
                     isFilled = true;
                     memcpy(&out[packed], &in[plain], width);
                   });
  if (succeeded(result) && !isFilled)
    llvm::fill(out, 0);
  return result;
}

LogicalResult reference::unpackScales(ScaleLayout layout, int64_t count,
                                      int64_t rows, int64_t columns,
                                      unsigned width, ArrayRef<char> in,
                                      MutableArrayRef<char> out) {
  return forEachScale(layout, count, rows, columns, width, out.size(),
                      in.size(), [&](size_t plain, size_t packed) {
                        memcpy(&out[plain], &in[packed], width);
                      });
}
