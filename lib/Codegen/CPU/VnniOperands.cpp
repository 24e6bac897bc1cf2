//===- VnniOperands.cpp - Operands in VNNI layout -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VnniOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "quant-float/Support/Indices.h"
#include <cstring>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::dots;
using linalg::GenericOp;

std::optional<Constant> Constant::get(const ByteOperand &byteOperand,
                                      bool needsPoint) {
  if (!byteOperand.getType().hasStaticShape())
    return std::nullopt;
  std::optional<ConstantBytes> bytes =
      getConstantBytes(byteOperand.operand->get());
  if (!bytes)
    return std::nullopt;
  Constant constant(byteOperand, *bytes);
  if (byteOperand.point.operand) {
    constant.points = getConstantBytes(byteOperand.point.operand->get());
    if (!constant.points && needsPoint)
      return std::nullopt;
  }
  constant.strides = computeStrides(constant.getShape());
  return constant;
}

Value Constant::make(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                     ArrayRef<uint32_t> elements) const {
  SmallVector<char> raw(elements.size() * sizeof(uint32_t));
  std::memcpy(raw.data(), elements.data(), raw.size());
  return createConstantOfBytes(b, loc,
                               RankedTensorType::get(shape, b.getI32Type()),
                               std::move(raw), bytes);
}

Value Constant::pack(OpBuilder &b, Location loc, const Form &form,
                     const Grouping &grouping) const {
  SmallVector<int64_t> shape;
  for (unsigned dim : byteOperand->order)
    shape.push_back(dim == byteOperand->depth ? grouping.elements
                                              : getShape()[dim]);
  SmallVector<int64_t> packed = computeStrides(shape);
  SmallVector<uint32_t> elements(ShapedType::getNumElements(shape), 0);
  for (int64_t flat = 0, e = getCount(); flat < e; ++flat) {
    int64_t at = 0, part = 0;
    for (auto [dim, stride] : llvm::zip(byteOperand->order, packed)) {
      int64_t index = getIndex(flat, dim);
      if (dim == byteOperand->depth) {
        part = grouping.getPart(index);
        index = grouping.getElement(index);
      }
      at += index * stride;
    }
    uint32_t number = getNumber(flat, form.subtracted) - form.flipped;
    elements[at] |= (number & ((1u << form.width) - 1)) << part * form.width;
  }
  return make(b, loc, shape, elements);
}

Value Constant::sum(OpBuilder &b, Location loc, const Form &form,
                    ArrayRef<unsigned> dims) const {
  SmallVector<int64_t> shape;
  for (unsigned dim : dims)
    shape.push_back(getShape()[dim]);
  SmallVector<int64_t> packed = computeStrides(shape);
  SmallVector<uint32_t> sums(ShapedType::getNumElements(shape), 0);
  for (int64_t flat = 0, e = getCount(); flat < e; ++flat) {
    int64_t at = 0;
    for (auto [dim, stride] : llvm::zip(dims, packed))
      at += getIndex(flat, dim) * stride;
    sums[at] += uint32_t(getNumber(flat, form.subtracted) - form.flipped);
  }
  return make(b, loc, shape, sums);
}

Value dots::extend(ImplicitLocOpBuilder &b, Value byte, bool isSigned) {
  if (isSigned)
    return arith::ExtSIOp::create(b, b.getI32Type(), byte);
  return arith::ExtUIOp::create(b, b.getI32Type(), byte);
}

Value dots::makeInteger(ImplicitLocOpBuilder &b, int64_t number) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(number)));
}

/// Packs up to 32 / `form.width` elements into an i32. The fields of missing
/// elements are zero.
static Value buildElement(ImplicitLocOpBuilder &b, ValueRange numbers,
                          Value point, const ByteOperand &byteOperand,
                          const Form &form) {
  Value element;
  uint32_t flips = 0;
  for (auto [index, byte] : llvm::enumerate(numbers)) {
    // Bytes are not changed before packing: adding or subtracting 128 flips the
    // most significant bit of each.
    Value number = extend(b, byte, form.width > 8 && byteOperand.isSigned);
    if (point)
      number = arith::SubIOp::create(b, number, point);
    if (point || form.width > 8)
      number = arith::AndIOp::create(b, number,
                                     makeInteger(b, (1u << form.width) - 1));
    if (index)
      number =
          arith::ShLIOp::create(b, number, makeInteger(b, index * form.width));
    element =
        element ? arith::OrIOp::create(b, element, number).getResult() : number;
    flips |= 128u << index * form.width;
  }
  return form.flipped ? arith::XOrIOp::create(b, element, makeInteger(b, flips))
                      : element;
}

/// For each element of a packed i32, its offsets along all dimensions relative
/// to the first one.
using PackedOffsets = SmallVector<SmallVector<int64_t>>;

/// Packs elements into `into`. Along K, packed elements start at multiples of
/// `step`.
static Value packElements(ImplicitLocOpBuilder &b,
                          const ByteOperand &byteOperand, const Form &form,
                          Value into, int64_t step,
                          const PackedOffsets &packedOffsets) {
  unsigned rank = byteOperand.order.size();
  SmallVector<AffineExpr> source(rank);
  AffineExpr pointIndex = b.getAffineConstantExpr(0);
  for (auto [loop, dim] : llvm::enumerate(byteOperand.order)) {
    source[dim] = b.getAffineDimExpr(loop);
    if (byteOperand.point.dim == dim)
      pointIndex = source[dim];
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto addInput = [&](Value value, ArrayRef<AffineExpr> indices) {
    inputs.push_back(value);
    maps.push_back(AffineMap::get(rank, 0, indices, b.getContext()));
  };
  SmallVector<OpFoldResult> packed = tensor::getMixedSizes(b, b.getLoc(), into);
  SmallVector<OpFoldResult> sizes(rank), strides(rank, b.getIndexAttr(1));
  for (auto [dim, size] : llvm::zip(byteOperand.order, packed))
    sizes[dim] = size;
  for (ArrayRef<int64_t> elementOffsets : packedOffsets) {
    if (!byteOperand.depth) {
      SmallVector<OpFoldResult> offsets =
          getAsIndexOpFoldResult(b.getContext(), elementOffsets);
      addInput(tensor::ExtractSliceOp::create(b, byteOperand.operand->get(),
                                              offsets, sizes, strides),
               source);
      continue;
    }
    SmallVector<AffineExpr> indices(source);
    AffineExpr &index = indices[*byteOperand.depth];
    index = index * step + elementOffsets[*byteOperand.depth];
    addInput(byteOperand.operand->get(), indices);
  }
  bool hasPoint = form.subtracted && !byteOperand.point.isZero();
  if (hasPoint && byteOperand.point.operand) {
    // All dimensions of the zero point other than the one that it varies along
    // have the size 1.
    Value point = byteOperand.point.operand->get();
    SmallVector<AffineExpr> indices(
        cast<RankedTensorType>(point.getType()).getRank(),
        b.getAffineConstantExpr(0));
    GenericOp op = cast<GenericOp>(byteOperand.point.operand->getOwner());
    AffineMap map = op.getMatchingIndexingMap(byteOperand.point.operand);
    for (auto [index, expression] : llvm::zip(indices, map.getResults()))
      if (getLoop(expression))
        index = pointIndex;
    addInput(point, indices);
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    ImplicitLocOpBuilder inner(loc, builder);
    Value point;
    if (hasPoint)
      point = byteOperand.point.operand
                  ? extend(inner, arguments[packedOffsets.size()],
                           byteOperand.point.isSigned)
                  : makeInteger(inner, byteOperand.point.constant);
    linalg::YieldOp::create(
        inner, buildElement(inner, arguments.take_front(packedOffsets.size()),
                            point, byteOperand, form));
  };
  return GenericOp::create(b, into.getType(), inputs, into, maps, iterators,
                           body)
      ->getResult(0);
}

Value dots::packOperand(ImplicitLocOpBuilder &b, const ByteOperand &byteOperand,
                        const Form &form, const Grouping &grouping,
                        unsigned loop) {
  SmallVector<OpFoldResult> from =
      tensor::getMixedSizes(b, b.getLoc(), byteOperand.operand->get());
  // Returns the offsets of `numbers` elements, from index `start` on.
  auto getPackedOffsets = [&](int64_t start, int64_t numbers) {
    PackedOffsets packedOffsets;
    for (int64_t number = 0; number < numbers; ++number) {
      packedOffsets.emplace_back(from.size(), 0);
      for (auto [dim, offset] : llvm::enumerate(packedOffsets.back()))
        if (!byteOperand.depth)
          offset = *byteOperand.getOffset(dim, loop, number);
        else if (dim == *byteOperand.depth)
          offset = start + number;
    }
    return packedOffsets;
  };
  if (!byteOperand.depth) {
    PackedOffsets packedOffsets =
        getPackedOffsets(0, std::min(grouping.extent, grouping.count));
    SmallVector<OpFoldResult> sizes;
    for (unsigned dim : byteOperand.order) {
      int64_t maxOffset = 0;
      for (ArrayRef<int64_t> elementOffsets : packedOffsets)
        maxOffset = std::max(maxOffset, elementOffsets[dim]);
      sizes.push_back(
          maxOffset ? b.getIndexAttr(byteOperand.getType().getDimSize(dim) -
                                     maxOffset)
                    : from[dim]);
    }
    Value elements = tensor::EmptyOp::create(b, sizes, b.getI32Type());
    return packElements(b, byteOperand, form, elements, 1, packedOffsets);
  }

  int64_t count = grouping.count;
  int64_t full = grouping.extent / count, rest = grouping.extent % count;
  SmallVector<OpFoldResult> sizes;
  unsigned depth = 0;
  for (auto [index, dim] : llvm::enumerate(byteOperand.order)) {
    sizes.push_back(from[dim]);
    if (dim == *byteOperand.depth)
      depth = index;
  }
  sizes[depth] = b.getIndexAttr(grouping.elements);
  Value elements = tensor::EmptyOp::create(b, sizes, b.getI32Type());
  if (!rest || !full)
    return packElements(b, byteOperand, form, elements, count,
                        getPackedOffsets(0, std::min(grouping.extent, count)));
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  auto packInto = [&](int64_t start, int64_t size, int64_t numbers) {
    offsets[depth] = b.getIndexAttr(start);
    sizes[depth] = b.getIndexAttr(size);
    Value part =
        tensor::ExtractSliceOp::create(b, elements, offsets, sizes, strides);
    part = packElements(b, byteOperand, form, part, count,
                        getPackedOffsets(start * count, numbers));
    elements = tensor::InsertSliceOp::create(b, part, elements, offsets, sizes,
                                             strides);
  };
  packInto(0, full, count);
  packInto(full, 1, rest);
  return elements;
}
