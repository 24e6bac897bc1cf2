//===- CpuMatrixInstructions.cpp - Matrix instructions for bytes ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuMatrixInstructions.h"
#include "DotProductInstructions.h"

using namespace mlir;
using namespace mlir::quant_float;

// clang-format off
static constexpr CpuMatrixInstructions kInstructions[] = {
    {ConversionFeature::AmxInt8, 16, 16, 32, 32, 16,
     "llvm.x86.tdpbssd", "llvm.x86.tdpbsud", "llvm.x86.tdpbusd", "llvm.x86.tdpbuud"},
    {ConversionFeature::I8mm, 2, 2, 8, 16, 4,
     "llvm.aarch64.neon.smmla", nullptr, "llvm.aarch64.neon.usmmla", "llvm.aarch64.neon.ummla"},
};
// clang-format on

const CpuMatrixInstructions *
CpuMatrixInstructions::find(const LoweringTarget &target, Operation *op) {
  SmallVector<IntegerType> types = getDotTypes(op);
  if (types.empty() || types[0].getWidth() != 8)
    return nullptr;
  for (const CpuMatrixInstructions &row : kInstructions)
    if (target.has(row.feature))
      return &row;
  return nullptr;
}

ArrayRef<CpuMatrixInstructions> CpuMatrixInstructions::getAll() {
  return kInstructions;
}

std::pair<StringRef, bool>
CpuMatrixInstructions::getIntrinsic(OpOperand &rows) const {
  SmallVector<IntegerType> types = getDotTypes(rows.getOwner());
  bool hasSignedRows = !types[rows.getOperandNumber()].isUnsigned();
  bool hasSignedLanes = !types[1 - rows.getOperandNumber()].isUnsigned();
  if (hasSignedRows == hasSignedLanes)
    return {hasSignedRows ? bothSigned : noneSigned, false};
  const char *name = hasSignedRows ? rowsSigned : lanesSigned;
  return name ? std::pair(StringRef(name), false)
              : std::pair(StringRef(hasSignedRows ? lanesSigned : rowsSigned),
                          true);
}
