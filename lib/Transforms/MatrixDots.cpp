//===- MatrixDots.cpp - Instructions for matrices of bytes ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixDots.h"
#include "IntegerDots.h"

using namespace mlir;
using namespace mlir::quant_float;

// clang-format off
static constexpr MatrixDots kInstructions[] = {
    {ConversionFeature::AmxInt8, 16, 16, 16, 32, 32, 16,
     "llvm.x86.tdpbssd", "llvm.x86.tdpbsud", "llvm.x86.tdpbusd", "llvm.x86.tdpbuud"},
    {ConversionFeature::I8mm, 2, 2, 2, 8, 16, 4,
     "llvm.aarch64.neon.smmla", nullptr, "llvm.aarch64.neon.usmmla", "llvm.aarch64.neon.ummla"},
};
// clang-format on

const MatrixDots *MatrixDots::find(const EmulationTarget &target,
                                   Operation *op) {
  SmallVector<IntegerType> types = getDotTypes(op);
  if (types.empty() || types[0].getWidth() != 8)
    return nullptr;
  for (const MatrixDots &row : kInstructions)
    if (target.has(row.feature))
      return &row;
  return nullptr;
}

std::pair<StringRef, bool> MatrixDots::getIntrinsic(bool hasSignedRows,
                                                    bool hasSignedLanes) const {
  if (hasSignedRows == hasSignedLanes)
    return {hasSignedRows ? bothSigned : noneSigned, false};
  const char *name = hasSignedRows ? rowsSigned : lanesSigned;
  return name ? std::pair(StringRef(name), false)
              : std::pair(StringRef(hasSignedRows ? lanesSigned : rowsSigned),
                          true);
}
