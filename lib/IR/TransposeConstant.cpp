//===- TransposeConstant.cpp - Constant transposition ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/TransposeConstant.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A batch of matrices, stored consecutively, with elements of `bits` bits.
struct Matrices {
  int64_t count = 1, rows, columns;
  unsigned bits;
  /// The size of all matrices.
  int64_t bytes = 0;
};
} // namespace

/// The tile size in elements. Both tiles of a copy fit into the L1 cache.
static constexpr int64_t kTile = 32;

template <typename CopyFn>
static void forEachElement(const Matrices &matrices, CopyFn copy) {
  int64_t rows = matrices.rows, columns = matrices.columns;
  for (int64_t i = 0; i < matrices.count; ++i)
    for (int64_t r0 = 0; r0 < rows; r0 += kTile)
      for (int64_t c0 = 0; c0 < columns; c0 += kTile)
        for (int64_t c = c0; c < std::min(c0 + kTile, columns); ++c)
          for (int64_t r = r0; r < std::min(r0 + kTile, rows); ++r)
            copy((i * rows + r) * columns + c, (i * columns + c) * rows + r);
}

static void transpose(const Matrices &matrices, ArrayRef<char> in,
                      MutableArrayRef<char> out) {
  if (matrices.bits % 8 == 0) {
    size_t size = matrices.bits / 8;
    return forEachElement(matrices, [&](int64_t from, int64_t to) {
      memcpy(&out[to * size], &in[from * size], size);
    });
  }
  // The first element is in the lowest bits of a byte.
  unsigned bits = matrices.bits, perByte = 8 / bits;
  llvm::fill(out, 0);
  forEachElement(matrices, [&](int64_t from, int64_t to) {
    unsigned element = uint8_t(in[from / perByte]) >> from % perByte * bits;
    out[to / perByte] |= (element & ((1u << bits) - 1)) << to % perByte * bits;
  });
}

ElementsAttr quant_float::transposeConstant(ElementsAttr elements) {
  auto type = dyn_cast<RankedTensorType>(elements.getShapedType());
  if (!type || type.getRank() < 2 || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() ||
      llvm::is_contained(type.getShape(), 0))
    return {};
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 2], shape.back());
  RankedTensorType result = type.clone(shape);
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  unsigned bits = type.getElementTypeBitWidth();
  if (!resource || !isPacked(resource))
    bits = llvm::alignTo(bits, 8);
  Matrices matrices{1, shape.back(), shape[shape.size() - 2], bits};
  int64_t size = bits;
  for (int64_t dimension : shape)
    if (llvm::MulOverflow(size, dimension, size))
      return {};
  if (dense && dense.isSplat())
    return dense.reshape(result);
  matrices.bytes = llvm::divideCeil(size, 8);
  for (int64_t dimension : ArrayRef(shape).drop_back(2))
    matrices.count *= dimension;
  if (bits < 8 && 8 % bits)
    return {};

  if (dense) {
    ArrayRef<char> data = dense.getRawData();
    std::vector<char> turned(data.size());
    if (static_cast<int64_t>(data.size()) != matrices.bytes)
      return {};
    transpose(matrices, data, turned);
    return DenseElementsAttr::getFromRawBuffer(result, turned);
  }
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || static_cast<int64_t>(blob->getData().size()) != matrices.bytes)
    return {};
  AsmResourceBlob turned =
      HeapAsmResourceBlob::allocate(matrices.bytes, blob->getDataAlignment());
  transpose(matrices, blob->getData(), turned.getMutableData());
  return DenseResourceElementsAttr::get(
      result, resource.getRawHandle().getKey(), std::move(turned));
}

ElementsAttr quant_float::reshapeConstant(ElementsAttr elements,
                                          ArrayRef<int64_t> shape) {
  auto type = dyn_cast<RankedTensorType>(elements.getShapedType());
  if (!type)
    return {};
  type = type.clone(shape);
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.reshape(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return {};
}
