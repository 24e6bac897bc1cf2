//===- ConstantParts.cpp - Concatenation of constants ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters reorder the gates of recurrent weights to ONNX's order with Slice
// and Concat nodes. Folding these nodes avoids the copies in every run.
//
//===----------------------------------------------------------------------===//

#include "ConstantParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/Support/LlvmCompat.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <cstring>

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A hyperrectangular part of a constant whose elements are full bytes.
struct ConstantPart {
  ElementsAttr elements;
  ArrayRef<char> bytes;
  SmallVector<int64_t> shape, offsets, sizes;
};
} // namespace

/// Returns the raw bytes of a constant, or an empty array unless it stores
/// every element separately.
static ArrayRef<char> getBytes(ElementsAttr elements, int64_t elementBytes) {
  ArrayRef<char> bytes;
  if (auto dense = dyn_cast<DenseTypedElementsAttr>(elements))
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  bool hasAll =
      static_cast<int64_t>(bytes.size()) / elementBytes == elements.size() &&
      bytes.size() % elementBytes == 0;
  return hasAll ? bytes : ArrayRef<char>();
}

static std::optional<ConstantPart> getPart(Value value, int64_t elementBytes) {
  ConstantPart part;
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  auto sliced = cast<RankedTensorType>(value.getType());
  if (!sliced.hasStaticShape())
    return std::nullopt;
  auto type = slice ? slice.getSourceType() : sliced;
  if (type.getRank() != sliced.getRank() ||
      (slice && (ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
                 !llvm::all_equal(slice.getStaticStrides()) ||
                 slice.getStaticStrides().front() != 1)) ||
      !matchPattern(slice ? slice.getSource() : value,
                    m_Constant(&part.elements)))
    return std::nullopt;
  part.bytes = getBytes(part.elements, elementBytes);
  part.shape.assign(type.getShape().begin(), type.getShape().end());
  part.sizes.assign(sliced.getShape().begin(), sliced.getShape().end());
  if (slice)
    part.offsets.assign(slice.getStaticOffsets().begin(),
                        slice.getStaticOffsets().end());
  else
    part.offsets.assign(part.sizes.size(), 0);
  if (part.bytes.empty())
    return std::nullopt;
  return part;
}

/// Copies the part, row by row, to position `position` of a tensor of `shape`.
static void copyPart(const ConstantPart &part, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> position, int64_t elementBytes,
                     MutableArrayRef<char> result) {
  if (llvm::is_contained(part.sizes, 0))
    return;
  size_t last = part.sizes.size() - 1;
  SmallVector<int64_t> index(part.sizes.size(), 0);
  while (true) {
    int64_t from = 0, to = 0;
    for (size_t axis = 0; axis <= last; ++axis) {
      from = from * part.shape[axis] + part.offsets[axis] + index[axis];
      to = to * shape[axis] + position[axis] + index[axis];
    }
    std::memcpy(result.data() + to * elementBytes,
                part.bytes.data() + from * elementBytes,
                part.sizes[last] * elementBytes);
    size_t axis = last;
    while (axis > 0 && ++index[axis - 1] == part.sizes[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

Value onnx_nodes::joinConstants(ImplicitLocOpBuilder &b, ArrayRef<Value> parts,
                                int64_t axis) {
  auto type = cast<RankedTensorType>(parts.front().getType());
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return {};
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  SmallVector<ConstantPart> found;
  llvm::SmallPtrSet<const char *, 4> sources;
  int64_t size = 0, available = 0;
  bool isResource = false;
  for (Value value : parts) {
    std::optional<ConstantPart> part = getPart(value, elementBytes);
    if (!part)
      return {};
    size += part->sizes[axis];
    isResource |= isa<DenseResourceElementsAttr>(part->elements);
    if (sources.insert(part->bytes.data()).second)
      available += part->bytes.size();
    found.push_back(std::move(*part));
  }
  SmallVector<int64_t> shape(found.front().sizes);
  shape[axis] = size;
  int64_t bytes = elementBytes;
  for (int64_t extent : shape)
    if (llvm::MulOverflow(bytes, extent, bytes))
      return {};
  if (bytes == 0 || bytes > available)
    return {};

  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(bytes, alignof(uint64_t));
  SmallVector<int64_t> position(shape.size(), 0);
  for (const ConstantPart &part : found) {
    copyPart(part, shape, position, elementBytes, blob.getMutableData());
    position[axis] += part.sizes[axis];
  }
  type = RankedTensorType::get(shape, element);
  TypedAttr joined;
  if (isResource)
    joined = DenseResourceElementsAttr::get(type, "constant", std::move(blob));
  else
    joined = cast<TypedAttr>(
        DenseElementsAttr::getFromRawBuffer(type, blob.getData()));
  return createConstant(b, joined);
}
