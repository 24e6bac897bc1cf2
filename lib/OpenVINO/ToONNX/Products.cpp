//===- Products.cpp - Matmul, convolution and attention layers ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/TransposeConstant.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

/// Returns an operand, transposed if the attribute is set. A vector does not
/// change.
static FailureOr<Value> getOperand(LayerContext &context, size_t index,
                                   StringRef transposeAttr) {
  Value operand = context.inputs[index];
  if (!context.getFlag(transposeAttr))
    return operand;
  std::optional<int64_t> rank = context.getRank(index);
  if (!rank)
    return context.unsupported("input " + Twine(index) + " has the type " +
                               showType(operand.getType()) +
                               ", whose rank is not known");
  if (*rank < 2)
    return operand;
  // Transpose constant weights at compile time.
  ElementsAttr elements;
  if (matchPattern(operand, m_Constant(&elements)))
    if (ElementsAttr turned = transposeConstant(elements))
      return context.makeConstant(turned);
  auto order = llvm::to_vector(llvm::seq<int64_t>(*rank));
  std::swap(order[*rank - 2], order[*rank - 1]);
  return context.buildNode("Transpose", operand, context.elementType(index),
                           context.intsAttr("perm", order));
}

LayerResults openvino_layers::convertMatMul(LayerContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  FailureOr<Value> lhs = getOperand(context, 0, "transpose_a");
  FailureOr<Value> rhs = getOperand(context, 1, "transpose_b");
  if (failed(lhs) || failed(rhs))
    return failure();
  return context.buildNode("MatMul", {*lhs, *rhs}, context.elementType(0));
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Converts the attributes of windows.
static FailureOr<SmallVector<NamedAttribute>>
convertWindows(LayerContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  // ONNX has the same names in capitals.
  std::string autoPad = context.getString("auto_pad").upper();
  if (autoPad == "EXPLICIT")
    autoPad = "NOTSET";
  SmallVector<int64_t> begin = context.getInts("pads_begin");
  SmallVector<int64_t> end = context.getInts("pads_end");
  if (begin.size() != end.size())
    return context.unsupported("pads_begin has " + Twine(begin.size()) +
                               " values, but pads_end has " +
                               Twine(end.size()));
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
  return attributes;
}

LayerResults openvino_layers::convertConvolution(LayerContext &context) {
  FailureOr<SmallVector<NamedAttribute>> attributes = convertWindows(context);
  if (failed(attributes))
    return failure();
  return context.apply("Conv", context.inputs, *attributes);
}

/// Removes the filters' leading axis of groups by multiplying axis `into` of
/// the others by its size.
static FailureOr<Value>
joinGroups(LayerContext &context, int64_t into,
           SmallVectorImpl<NamedAttribute> &attributes) {
  auto type = dyn_cast<RankedTensorType>(context.inputs[1].getType());
  if (!type || type.getRank() < 4 || !type.hasStaticShape())
    return context.unsupported("input 1 must be filters of static sizes with a "
                               "group axis, but has the type " +
                               showType(context.inputs[1].getType()));
  SmallVector<int64_t> shape(type.getShape().drop_front());
  shape[into] *= type.getDimSize(0);
  attributes.push_back(context.intAttr("group", type.getDimSize(0)));
  return context.reshape(context.inputs[1], shape);
}

LayerResults openvino_layers::convertGroupConvolution(LayerContext &context) {
  FailureOr<SmallVector<NamedAttribute>> attributes = convertWindows(context);
  if (failed(attributes))
    return failure();
  FailureOr<Value> filters = joinGroups(context, 0, *attributes);
  if (failed(filters))
    return failure();
  return context.apply("Conv", {context.inputs[0], *filters}, *attributes);
}

/// If the output shape is specified, the padding follows from it.
static FailureOr<SmallVector<NamedAttribute>>
convertBackpropWindows(LayerContext &context) {
  std::optional<SmallVector<int64_t>> shape;
  if (context.inputs.size() > 2) {
    FailureOr<SmallVector<int64_t>> specified = context.requireConstantInts(2);
    if (failed(specified))
      return failure();
    shape = *specified;
    context.inputs.pop_back();
  }
  FailureOr<SmallVector<NamedAttribute>> attributes = convertWindows(context);
  if (failed(attributes))
    return failure();
  if (SmallVector<int64_t> padding = context.getInts("output_padding");
      !padding.empty())
    attributes->push_back(context.intsAttr("output_padding", padding));
  if (!shape)
    return attributes;
  // If the padding is odd, OpenVINO and ONNX add the larger half at opposite
  // ends.
  StringRef autoPad = context.getString("auto_pad");
  if (!autoPad.starts_with("same_"))
    return context.unsupported("an output shape with auto_pad " + autoPad);
  attributes->front() = context.stringAttr(
      "auto_pad", autoPad == "same_upper" ? "SAME_LOWER" : "SAME_UPPER");
  attributes->push_back(context.intsAttr("output_shape", *shape));
  return attributes;
}

LayerResults openvino_layers::convertBackprop(LayerContext &context) {
  FailureOr<SmallVector<NamedAttribute>> attributes =
      convertBackpropWindows(context);
  if (failed(attributes))
    return failure();
  return context.apply("ConvTranspose", context.inputs, *attributes);
}

LayerResults openvino_layers::convertGroupBackprop(LayerContext &context) {
  FailureOr<SmallVector<NamedAttribute>> attributes =
      convertBackpropWindows(context);
  if (failed(attributes))
    return failure();
  FailureOr<Value> filters = joinGroups(context, 0, *attributes);
  if (failed(filters))
    return failure();
  return context.apply("ConvTranspose", {context.inputs[0], *filters},
                       *attributes);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// softmax(q * k^T * scale + mask) * v. A boolean mask is true for keys that
/// take part. With causal, keys after the query's position do not.
LayerResults openvino_layers::convertAttention(LayerContext &context) {
  ArrayRef<Value> inputs = context.inputs;
  FailureOr<int64_t> rank = context.requireRank(0);
  FailureOr<int64_t> keyRank = context.requireRank(1);
  if (failed(rank) || failed(keyRank))
    return failure();
  if (*rank < 2 || *keyRank < 2)
    return context.unsupported("inputs must have rank 2 or more");
  Type type = context.elementType(0), boolean = context.b.getI1Type();
  Value q = context.widen(inputs[0]), k = context.widen(inputs[1]);
  Value v = context.widen(inputs[2]);
  Type computed = getElementTypeOrSelf(q.getType());
  auto order = llvm::to_vector(llvm::seq<int64_t>(*keyRank));
  std::swap(order[*keyRank - 2], order[*keyRank - 1]);
  Value scale;
  if (inputs.size() > 4) {
    scale = context.reshape(context.widen(inputs[4]), {});
  } else {
    Value size = context.cast(context.getSize(0, *rank - 1), computed);
    scale = context.apply(
        "Div", {context.makeNumber(computed, 1), context.apply("Sqrt", size)});
  }
  Value scores = context.apply("MatMul", {context.apply("Mul", {q, scale}),
                                          context.transpose(k, order)});
  Value never = context.makeNumber(computed, -INFINITY);
  if (context.getFlag("causal")) {
    Value sizes = context.concatenate(
        {context.getSize(0, *rank - 2), context.getSize(1, *keyRank - 2)});
    Value all =
        context.apply("Expand", {context.makeNumber(computed, 1), sizes});
    Value before = context.apply("Trilu", all, context.intAttr("upper", 0));
    Value isSeen = context.cast(before, boolean);
    scores = context.buildNode("Where", {isSeen, scores, never}, computed);
  } else if (inputs.size() > 3) {
    Value mask = inputs[3];
    if (context.elementType(3) == boolean)
      scores = context.buildNode("Where", {mask, scores, never}, computed);
    else
      scores = context.apply("Add", {scores, context.cast(mask, computed)});
  }
  Value weights = context.apply("Softmax", scores, context.intAttr("axis", -1));
  return context.cast(context.apply("MatMul", {weights, v}), type);
}
