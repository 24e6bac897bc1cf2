//===- TransposeInRegisters.cpp - Transpose square blocks -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transposition exchanges the bits of the row index with those of the lane
// index. Each step exchanges one bit of the row index with one bit of the lane
// index, by two shuffles of each pair of rows that differ in this bit.
//
//===----------------------------------------------------------------------===//

#include "TransposeInRegisters.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::quant_float;

SmallVector<Value> quant_float::transposeInRegisters(OpBuilder &builder,
                                                     Location loc,
                                                     ValueRange rows) {
  constexpr int64_t kBlockBits = 128;
  SmallVector<Value> vectors(rows);
  auto type = cast<VectorType>(rows.front().getType());
  int64_t size = type.getNumElements();
  // Types of the dialect have at most 8 bits.
  Type element = type.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8;
  int64_t block = std::min<int64_t>(
      size, llvm::bit_floor<uint64_t>(std::max<int64_t>(kBlockBits / bits, 1)));
  // Combines the rows that differ in `bit` of their index.
  auto combine = [&](int64_t bit, ArrayRef<int64_t> low,
                     ArrayRef<int64_t> high) {
    for (int64_t row = 0; row < size; ++row) {
      if (row & bit)
        continue;
      Value one = vectors[row], other = vectors[row | bit];
      vectors[row] = vector::ShuffleOp::create(builder, loc, one, other, low);
      vectors[row | bit] =
          vector::ShuffleOp::create(builder, loc, one, other, high);
    }
  };
  // Within each block of 16 bytes, interleave the lower halves of both rows,
  // and the upper halves.
  SmallVector<int64_t> low, high;
  for (int64_t first = 0; first < size; first += block)
    for (int64_t lane = 0; lane < block / 2; ++lane)
      for (int64_t source : {int64_t(0), size}) {
        low.push_back(source + first + lane);
        high.push_back(source + first + block / 2 + lane);
      }
  for (int64_t bit = block / 2; bit; bit /= 2)
    combine(bit, low, high);
  // Collect the even blocks of both rows, and the odd ones.
  low.clear();
  high.clear();
  for (int64_t source : {int64_t(0), size})
    for (int64_t first = 0; first < size; first += 2 * block)
      for (int64_t lane = 0; lane < block; ++lane) {
        low.push_back(source + first + lane);
        high.push_back(source + first + block + lane);
      }
  for (int64_t bit = block; bit < size; bit *= 2)
    combine(bit, low, high);
  return vectors;
}
