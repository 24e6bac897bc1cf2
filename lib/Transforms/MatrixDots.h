//===- MatrixDots.h - Instructions for matrices of bytes --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_MATRIXDOTS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_MATRIXDOTS_H

#include "mlir/IR/Operation.h"
#include "quant-float/Emulation/EmulationTarget.h"

namespace mlir::quant_float {

/// An instruction that multiplies rows of words of four bytes by columns of
/// them, its lanes, and adds the products to sums of 32 bits: `rows` times
/// `lanes`, over `steps` words of each.
struct MatrixDots {
  ConversionFeature feature;
  int64_t rows, lanes, steps;
  /// Rows and lanes to sum at once, and steps that loops take each time.
  int64_t tileRows, tileLanes, blockSteps;
  /// By which of the bytes have signs: those of rows and lanes, of rows, of
  /// lanes, of neither. Where there is none, it is the one for the other way
  /// round, whose factors and sums are, too.
  const char *bothSigned, *rowsSigned, *lanesSigned, *noneSigned;

  /// The one for an op of words; null where the target has none.
  static const MatrixDots *find(const EmulationTarget &target, Operation *op);

  /// Factors and sums are in registers for tiles.
  bool hasTiles() const { return feature == ConversionFeature::AmxInt8; }
  /// For the signs, and whether rows and lanes take each other's place.
  std::pair<StringRef, bool> getIntrinsic(bool hasSignedRows,
                                          bool hasSignedLanes) const;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_MATRIXDOTS_H
