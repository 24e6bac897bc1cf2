//===- Products.cpp - Layers that sum products ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

//===----------------------------------------------------------------------===//
// Weights turned around
//===----------------------------------------------------------------------===//

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

/// The elements of a constant with its last two axes exchanged; null where it
/// is none, or of a type that does not have whole bytes.
static ElementsAttr transposeConstant(Value value) {
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

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

/// A factor with its last two axes exchanged; a vector stays what it is.
static FailureOr<Value> getFactor(LayerContext &context, size_t index,
                                  StringRef transposeAttr) {
  Value factor = context.inputs[index];
  if (!context.getFlag(transposeAttr))
    return factor;
  std::optional<int64_t> rank = context.getRank(index);
  if (!rank)
    return context.unsupported("input " + Twine(index) + " has the type " +
                               show(factor.getType()) +
                               ", whose rank is not known");
  if (*rank < 2)
    return factor;
  // Weights lie in the order in which they are used.
  if (ElementsAttr turned = transposeConstant(factor))
    return context.makeConstant(turned);
  auto order = llvm::to_vector(llvm::seq<int64_t>(*rank));
  std::swap(order[*rank - 2], order[*rank - 1]);
  return context.buildNode("Transpose", factor, context.elementType(index),
                           context.intsAttr("perm", order));
}

FailureOr<Value> openvino_layers::convertMatMul(LayerContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  FailureOr<Value> lhs = getFactor(context, 0, "transpose_a");
  FailureOr<Value> rhs = getFactor(context, 1, "transpose_b");
  if (failed(lhs) || failed(rhs))
    return failure();
  return context.buildNode("MatMul", {*lhs, *rhs}, context.elementType(0));
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

FailureOr<Value> openvino_layers::convertConvolution(LayerContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  // The names are ONNX's, in capitals.
  std::string autoPad = context.getString("auto_pad").upper();
  if (autoPad == "EXPLICIT")
    autoPad = "NOTSET";
  SmallVector<int64_t> begin = context.getInts("pads_begin");
  SmallVector<int64_t> end = context.getInts("pads_end");
  if (begin.size() != end.size())
    return context.unsupported("pads_begin has " + Twine(begin.size()) +
                               " values, but pads_end " + Twine(end.size()));
  SmallVector<NamedAttribute> attributes = {
      context.stringAttr("auto_pad", autoPad)};
  auto add = [&](StringRef name, ArrayRef<int64_t> values) {
    if (!values.empty())
      attributes.push_back(context.intsAttr(name, values));
  };
  add("dilations", context.getInts("dilations"));
  if (autoPad == "NOTSET")
    add("pads", llvm::to_vector(llvm::concat<int64_t>(begin, end)));
  add("strides", context.getInts("strides"));
  return context.buildNode("Conv", context.inputs, context.elementType(0),
                           attributes);
}

//===----------------------------------------------------------------------===//
// SoftMax
//===----------------------------------------------------------------------===//

/// Along one axis in all versions; from version 8 on it may be negative.
FailureOr<Value> openvino_layers::convertSoftmax(LayerContext &context) {
  int64_t axis = context.getInt("axis");
  if (axis < 0 && context.node.getOpset() < 8)
    return context.unsupported(
        "the axis may be negative from opset 8 on, but got " + Twine(axis));
  return context.buildNode("Softmax", context.inputs, context.elementType(0),
                           context.intAttr("axis", axis));
}
