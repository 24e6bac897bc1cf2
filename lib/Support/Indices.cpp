//===- Indices.cpp - Results of indexing maps -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/Indices.h"

using namespace mlir;
using namespace mlir::quant_float;

std::optional<unsigned> quant_float::getLoop(AffineExpr index) {
  auto dim = dyn_cast<AffineDimExpr>(index);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

std::optional<BlockIndex> quant_float::getBlockIndex(AffineExpr index) {
  auto division = dyn_cast<AffineBinaryOpExpr>(index);
  if (!division || division.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  auto size = dyn_cast<AffineConstantExpr>(division.getRHS());
  if (!size || size.getValue() <= 0)
    return std::nullopt;
  // A block of blocks.
  if (std::optional<BlockIndex> inner = getBlockIndex(division.getLHS()))
    return BlockIndex{inner->position, inner->size * size.getValue()};
  return BlockIndex{division.getLHS(), size.getValue()};
}

bool quant_float::hasEqualSteps(AffineExpr index, unsigned loop) {
  bool isEqual = true;
  index.walk([&](AffineExpr part) {
    switch (part.getKind()) {
    case AffineExprKind::Mod:
    case AffineExprKind::FloorDiv:
    case AffineExprKind::CeilDiv:
      isEqual &= !part.isFunctionOfDim(loop);
      break;
    default:
      break;
    }
  });
  return isEqual;
}
