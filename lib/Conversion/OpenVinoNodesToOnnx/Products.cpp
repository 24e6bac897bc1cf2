//===- Products.cpp - Layers that sum products ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "TransposeConstant.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

/// A factor with its last two axes exchanged; a vector stays what it is.
static FailureOr<Value> getFactor(LayerContext &context, size_t index,
                                  StringRef transposeAttr) {
  Value factor = context.inputs[index];
  if (!context.getBool(transposeAttr, false))
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
  StringRef given = context.getString("auto_pad", "explicit");
  auto autoPad = llvm::StringSwitch<StringRef>(given)
                     .Cases({"explicit", "notset", ""}, "NOTSET")
                     .Case("same_upper", "SAME_UPPER")
                     .Case("same_lower", "SAME_LOWER")
                     .Case("valid", "VALID")
                     .Default("");
  if (autoPad.empty())
    return context.unsupported("auto_pad must be explicit, same_upper, "
                               "same_lower or valid, but got '" +
                               given + "'");
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
  int64_t axis = context.getInt("axis").value_or(1);
  if (axis < 0 && context.node.getOpset() < 8)
    return context.unsupported(
        "the axis may be negative from opset 8 on, but got " + Twine(axis));
  return context.buildNode("Softmax", context.inputs, context.elementType(0),
                           context.intAttr("axis", axis));
}
