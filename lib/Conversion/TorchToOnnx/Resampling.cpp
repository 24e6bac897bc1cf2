//===- Resampling.cpp - Images of torch -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertPadMode(OpImporter &op) {
  std::string mode = "constant";
  if (!isNone(op, 2)) {
    FailureOr<std::string> given = requireString(op, 2);
    if (failed(given))
      return failure();
    mode = *given;
  }
  if (mode == "constant") {
    // The value is the third operand of constant_pad_nd.
    if (op.inputs.size() > 2)
      op.inputs.erase(op.inputs.begin() + 2);
    return convertPad(op);
  }
  StringRef onnxMode = mode == "reflect"     ? "reflect"
                       : mode == "replicate" ? "edge"
                       : mode == "circular"  ? "wrap"
                                             : "";
  if (onnxMode.empty())
    return op.unsupported("operand 2: expected 'constant', 'reflect', "
                          "'replicate' or 'circular', but got '" +
                          mode + "'");
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> amounts = requireIntList(op, 1);
  FailureOr<RankedTensorType> resultType = op.requireRankedResult();
  if (failed(value) || failed(amounts) || failed(resultType))
    return failure();
  RankedTensorType type = op.getRanked(0);
  int64_t rank = type.getRank(), count = amounts->size();
  if (count % 2 != 0 || count / 2 > rank)
    return failOperand(
        op, 1, "two amounts for each of at most " + Twine(rank) + " axes");
  SmallVector<int64_t> pads(2 * rank), shape(type.getShape());
  for (int64_t i : llvm::seq(count / 2)) {
    int64_t axis = rank - 1 - i, size = shape[axis];
    int64_t low = (*amounts)[2 * i], high = (*amounts)[2 * i + 1];
    // Reflection does not repeat the edge.
    int64_t max = mode == "replicate"
                      ? int64_t(std::numeric_limits<int32_t>::max())
                      : size - (mode == "reflect");
    if (ShapedType::isDynamic(size) || size == 0 || low < 0 || high < 0 ||
        low > max || high > max)
      return failOperand(op, 1, "amounts that the sizes of the axes allow");
    pads[axis] = low;
    pads[rank + axis] = high;
    shape[axis] += low + high;
  }
  return op.buildNode("Pad", {*value, op.makeInts(pads)}, type.clone(shape),
                      op.stringAttr("mode", onnxMode));
}

//===----------------------------------------------------------------------===//
// Pixel shuffles
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertPixelShuffle(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<int64_t> factor = requireIntOperand(op, 1);
  FailureOr<RankedTensorType> resultType = op.requireRankedResult();
  if (failed(value) || failed(factor) || failed(resultType))
    return failure();
  RankedTensorType type = op.getRanked(0);
  if (type.getRank() != 4 || !type.hasStaticShape())
    return failOperand(op, 0, "a tensor of static shape with 4 axes");
  constexpr int64_t kMaxFactor = int64_t(1) << 15;
  bool isShuffle = op.op.getName() == "aten.pixel_shuffle";
  ArrayRef<int64_t> sizes = type.getShape();
  int64_t r = *factor;
  bool isDivisible = r >= 1 && r <= kMaxFactor &&
                     (isShuffle ? sizes[1] % (r * r) == 0
                                : sizes[2] % r == 0 && sizes[3] % r == 0);
  if (!isDivisible)
    return failOperand(op, 1, "a factor that divides the sizes");
  // Channels are (channel, row, column).
  TorchMath math(op);
  SmallVector<int64_t> split, order, shape;
  if (isShuffle) {
    int64_t channels = sizes[1] / (r * r);
    split = {sizes[0], channels, r, r, sizes[2], sizes[3]};
    order = {0, 1, 4, 2, 5, 3};
    shape = {sizes[0], channels, sizes[2] * r, sizes[3] * r};
  } else {
    split = {sizes[0], sizes[1], sizes[2] / r, r, sizes[3] / r, r};
    order = {0, 1, 3, 5, 2, 4};
    shape = {sizes[0], sizes[1] * r * r, sizes[2] / r, sizes[3] / r};
  }
  Value parts = math.reshape(*value, split);
  SmallVector<int64_t> moved =
      llvm::map_to_vector(order, [&](int64_t axis) { return split[axis]; });
  parts = op.buildNode("Transpose", parts, type.clone(moved),
                       op.intsAttr("perm", order));
  return math.reshape(parts, shape);
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

/// Returns the factors of the sizes, or none.
static FailureOr<SmallVector<double>> readFactors(OpImporter &op, size_t index,
                                                  size_t count) {
  SmallVector<double> factors;
  if (isNone(op, index))
    return factors;
  FailureOr<SmallVector<Value>> list = requireList(op, index);
  if (failed(list))
    return failure();
  for (Value value : *list)
    if (std::optional<Number> number = readNumber(value))
      factors.push_back(number->toDouble());
  if (factors.size() != count || !llvm::all_of(factors, [](double factor) {
        return factor > 0 && std::isfinite(factor);
      }))
    return failOperand(op, index, "positive factors of all axes");
  return factors;
}

/// Selects the nearest elements. PyTorch computes positions in f32.
static NodeResults upsampleNearest(OpImporter &op, Value value,
                                   RankedTensorType resultType,
                                   ArrayRef<double> factors) {
  double offset = op.op.getName().contains("exact") ? 0.5 : 0;
  for (int64_t axis : llvm::seq<int64_t>(2, resultType.getRank())) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t from = type.getDimSize(axis), to = resultType.getDimSize(axis);
    constexpr int64_t kMaxSize = int64_t(1) << 24;
    if (from > kMaxSize || to > kMaxSize)
      return op.unsupported("the result has too many elements");
    float scale = factors.empty() ? float(from) / float(to)
                                  : float(1 / factors[axis - 2]);
    SmallVector<int64_t> indices, shape(type.getShape());
    for (int64_t i : llvm::seq(to)) {
      float position = float(double(i) + offset) * scale;
      indices.push_back(std::min(int64_t(std::floor(position)), from - 1));
    }
    shape[axis] = to;
    if (from != to || !llvm::equal(indices, llvm::seq(to)))
      value = op.buildNode("Gather", {value, op.makeInts(indices)},
                           type.clone(shape), op.intAttr("axis", axis));
  }
  return value;
}

/// Interpolates an image. PyTorch computes positions from the scale factors if
/// they are given, which are the ratios of the sizes only if these are
/// integers.
NodeResults torch_ops::convertUpsample(OpImporter &op) {
  StringRef name = op.op.getName();
  bool isNearest = name.contains("nearest");
  bool isAntialiased = name.ends_with("_aa") || name.ends_with("_aa.vec");
  size_t factorsIndex = isNearest ? 2 : 3;
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<RankedTensorType> resultType = op.requireRankedResult();
  FailureOr<bool> alignsCorners =
      isNearest ? FailureOr<bool>(false) : requireBool(op, 2);
  if (failed(value) || failed(resultType) || failed(alignsCorners))
    return failure();
  RankedTensorType type = op.getRanked(0);
  int64_t rank = name.contains("1d") ? 3 : name.contains("3d") ? 5 : 4;
  if (type.getRank() != rank || resultType->getRank() != rank ||
      !type.hasStaticShape() || !resultType->hasStaticShape() ||
      !isStandardFloat(type.getElementType()) ||
      type.getShape().take_front(2) != resultType->getShape().take_front(2) ||
      llvm::is_contained(type.getShape(), 0) ||
      llvm::is_contained(resultType->getShape(), 0))
    return op.unsupported(
        "images of type " + showType(type) + " and " + showType(*resultType) +
        "; expected static shapes of " + Twine(rank) + " axes");
  // The factors are a list, or one operand for each axis.
  bool isList = name.ends_with(".vec");
  SmallVector<double> factors;
  if (isList) {
    FailureOr<SmallVector<double>> given =
        readFactors(op, factorsIndex, rank - 2);
    if (failed(given))
      return failure();
    factors = *given;
  } else {
    for (size_t index : llvm::seq(factorsIndex, op.inputs.size()))
      if (!isNone(op, index))
        return failOperand(op, index, "no factor");
  }
  if (isNearest)
    return upsampleNearest(op, *value, *resultType, factors);
  for (int64_t axis : llvm::seq<int64_t>(2, rank)) {
    int64_t from = type.getDimSize(axis), to = resultType->getDimSize(axis);
    if (!factors.empty() && !*alignsCorners && to % from != 0)
      return op.unsupported("the size " + Twine(to) +
                            " is no multiple of the size " + Twine(from));
  }
  TorchMath math(op);
  Type elementType = type.getElementType();
  Type computed = math.getComputeType(elementType);
  NamedAttribute attributes[] = {
      op.stringAttr("mode", name.contains("bicubic") ? "cubic" : "linear"),
      op.stringAttr("coordinate_transformation_mode",
                    *alignsCorners ? "align_corners" : "half_pixel"),
      op.intAttr("antialias", isAntialiased),
      op.intAttr("exclude_outside", isAntialiased),
      op.b.getNamedAttr("cubic_coeff_a",
                        op.b.getF32FloatAttr(isAntialiased ? -0.5 : -0.75))};
  Value sizes = op.makeInts(resultType->getShape());
  Value operands[] = {math.to(*value, computed), Value(), Value(), sizes};
  ValueRange results = op.buildNodes("Resize", operands,
                                     resultType->clone(computed), attributes);
  return math.to(results.front(), elementType);
}
