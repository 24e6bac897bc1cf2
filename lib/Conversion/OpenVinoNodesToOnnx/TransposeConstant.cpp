//===- TransposeConstant.cpp - Weights turned around ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposeConstant.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// Matrices one after the other.
struct Matrices {
  int64_t count, rows, columns, bytes;
  int64_t size = 0;
};
} // namespace

static void transpose(const Matrices &from, const char *in, char *out) {
  // Of a size that stays in the nearest cache.
  constexpr int64_t kBlock = 16;
  int64_t size = from.size / from.count;
  for (int64_t i = 0; i < from.count; ++i, in += size, out += size)
    for (int64_t r0 = 0; r0 < from.rows; r0 += kBlock)
      for (int64_t c = 0; c < from.columns; ++c)
        for (int64_t r = r0; r < std::min(r0 + kBlock, from.rows); ++r)
          memcpy(out + (c * from.rows + r) * from.bytes,
                 in + (r * from.columns + c) * from.bytes, from.bytes);
}

ElementsAttr openvino_layers::transposeConstant(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  ElementsAttr elements;
  if (!type || type.getRank() < 2 || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() ||
      !matchPattern(value, m_Constant(&elements)))
    return {};
  unsigned bits = type.getElementTypeBitWidth();
  if (bits % 8 != 0 || llvm::is_contained(type.getShape(), 0))
    return {};
  SmallVector<int64_t> shape(type.getShape());
  Matrices matrices{1, shape[shape.size() - 2], shape.back(), bits / 8};
  matrices.size = matrices.bytes;
  for (int64_t size : shape)
    if (llvm::MulOverflow(matrices.size, size, matrices.size))
      return {};
  for (int64_t size : ArrayRef(shape).drop_back(2))
    matrices.count *= size;
  std::swap(shape[shape.size() - 2], shape.back());
  RankedTensorType result = type.clone(shape);

  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (dense.isSplat())
      return dense.reshape(result);
    ArrayRef<char> data = dense.getRawData();
    std::vector<char> turned(data.size());
    transpose(matrices, data.data(), turned.data());
    return DenseElementsAttr::getFromRawBuffer(result, turned);
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || static_cast<int64_t>(blob->getData().size()) != matrices.size)
    return {};
  AsmResourceBlob turned =
      HeapAsmResourceBlob::allocate(matrices.size, blob->getDataAlignment());
  transpose(matrices, blob->getData().data(), turned.getMutableData().data());
  return DenseResourceElementsAttr::get(
      result, resource.getRawHandle().getKey(), std::move(turned));
}
