//===- AffineQuantization.cpp - Quantization ops of torchao ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// torchao's ops that quantize by blocks, with scales of any shape that divides
// the input, and those of float8.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "QuantizationUtils.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

//===----------------------------------------------------------------------===//
// Scales of torchao
//===----------------------------------------------------------------------===//

/// Repeats the scales of blocks, so that they have the shape of operand 0.
static FailureOr<Value> expandScales(OpImporter &op) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<Value> scales = requireRankedTensor(op, 1);
  if (failed(input) || failed(scales))
    return failure();
  auto type = cast<RankedTensorType>(input->getType());
  auto scaleType = cast<RankedTensorType>(scales->getType());
  if (!scaleType.getElementType().isF32())
    return failOperand(op, 1, "a tensor of 'f32'");
  TorchMath math(op);
  if (scaleType.hasStaticShape() && scaleType.getNumElements() == 1)
    return math.reshape(*scales, {});
  if (!type.hasStaticShape() || !scaleType.hasStaticShape() ||
      type.getRank() != scaleType.getRank())
    return failOperand(op, 1, "scales of the rank of the input");
  SmallVector<int64_t> split, expanded;
  bool isRepeated = false;
  for (auto [size, count] :
       llvm::zip_equal(type.getShape(), scaleType.getShape())) {
    if (count < 1 || size % count != 0)
      return failOperand(op, 1, "scales of blocks of equal sizes");
    split.append({count, 1});
    expanded.append({count, size / count});
    isRepeated |= size / count != 1;
  }
  if (!isRepeated)
    return *scales;
  Value result = math.reshape(*scales, split);
  result = op.buildNode("Expand", {result, op.makeInts(expanded)},
                        RankedTensorType::get(expanded, op.b.getF32Type()));
  return math.reshape(result, type.getShape());
}

NodeResults torch_ops::convertQuantizeFloat8(OpImporter &op) {
  FailureOr<Type> type =
      getDtype(op, 2, Float8E4M3FNType::get(op.b.getContext()));
  FailureOr<Value> input = requireSingle(op, 0);
  FailureOr<Value> scales = expandScales(op);
  if (failed(type) || failed(input) || failed(scales))
    return failure();
  if (!isFloat8(*type))
    return failOperand(op, 2, "the number of a float8 type");
  TorchMath math(op);
  double highest = FloatFormat(*type).maxValue.convertToDouble();
  Value scaled = math.node("Div", {*input, *scales});
  return math.to(math.clamp(scaled, -highest, highest), *type);
}

NodeResults torch_ops::convertDequantizeFloat8(OpImporter &op) {
  FailureOr<Type> type = getDtype(op, 2, op.b.getF32Type());
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<Value> scales = expandScales(op);
  if (failed(type) || failed(input) || failed(scales))
    return failure();
  if (!isFloat8(op.elementType(0)) || !isStandardFloat(*type))
    return op.unsupported("conversions from " + showType(op.elementType(0)) +
                          " to " + showType(*type));
  TorchMath math(op);
  Value value = math.to(*input, op.b.getF32Type());
  return math.to(math.node("Mul", {value, *scales}), *type);
}

//===----------------------------------------------------------------------===//
// Affine quantization of torchao
//===----------------------------------------------------------------------===//

namespace {
/// The blocks of operand 0, whose elements share a scale and a zero point.
struct AffineBlocks {
  RankedTensorType type;
  SmallVector<int64_t> sizes;
  /// The shape of the operand with an axis for the elements of each block, and
  /// the same with the size 1 of these axes.
  SmallVector<int64_t> split, parameters;
  /// The axes of `split` that have the elements of a block.
  SmallVector<int64_t> axes;
};
} // namespace

static FailureOr<AffineBlocks> readBlocks(OpImporter &op, size_t index) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> sizes = requireIntList(op, index);
  if (failed(input) || failed(sizes))
    return failure();
  AffineBlocks blocks{op.getRanked(0), *sizes, {}, {}, {}};
  if (!blocks.type.hasStaticShape())
    return failOperand(op, 0, "a tensor of static shape");
  if (static_cast<int64_t>(sizes->size()) != blocks.type.getRank())
    return failOperand(op, index, "a size for each axis of operand 0");
  for (auto [size, all] :
       llvm::zip_equal(blocks.sizes, blocks.type.getShape())) {
    if (size < 1 || (size != all && all % size != 0))
      return failOperand(op, index, "divisors of the sizes of operand 0");
    bool isSplit = size != all && size > 1;
    if (isSplit) {
      blocks.split.push_back(all / size);
      blocks.parameters.push_back(all / size);
    }
    if (size != 1)
      blocks.axes.push_back(blocks.split.size());
    blocks.split.push_back(isSplit ? size : all);
    blocks.parameters.push_back(size == 1 ? all : 1);
  }
  return blocks;
}

/// Returns a tensor with one element for each block, in the shape of the split
/// operand.
static FailureOr<Value> readParameters(OpImporter &op, size_t index,
                                       const AffineBlocks &blocks) {
  FailureOr<Value> value = requireRankedTensor(op, index);
  if (failed(value))
    return failure();
  RankedTensorType type = op.getRanked(index);
  std::optional<int64_t> count = countElements(blocks.parameters);
  if (!type.hasStaticShape() || !count ||
      countElements(type.getShape()) != count)
    return failOperand(op, index, "one element for each block");
  return TorchMath(op).reshape(*value, blocks.parameters);
}

/// Reads the range of quantized values, which is that of the type by default.
static FailureOr<QuantizedRange>
readAffineRange(OpImporter &op, size_t typeIndex, size_t lowIndex) {
  FailureOr<Type> type = requireDtype(op, typeIndex);
  if (failed(type))
    return failure();
  std::optional<std::pair<int64_t, int64_t>> bounds = getBounds(*type);
  if (!bounds)
    return failOperand(op, typeIndex, "the type of quantized values");
  int64_t limits[] = {bounds->first, bounds->second};
  for (size_t i : {0, 1}) {
    if (isNone(op, lowIndex + i))
      continue;
    FailureOr<Number> given = requireNumber(op, lowIndex + i);
    if (failed(given))
      return failure();
    double number = given->toDouble();
    if (number < bounds->first || number > bounds->second ||
        number != std::floor(number))
      return failOperand(op, lowIndex + i,
                         "an integer in the range of " + showType(*type));
    limits[i] = static_cast<int64_t>(number);
  }
  if (limits[0] > limits[1])
    return op.unsupported("expected a range within " + showType(*type) +
                          ", but got " + Twine(limits[0]) + " to " +
                          Twine(limits[1]));
  return QuantizedRange{*type, limits[0], limits[1]};
}

/// Reads the domain of zero points, an operand of torchao before 0.10. Returns
/// whether zero points are integers, floats, or absent.
static FailureOr<std::string> readDomain(OpImporter &op, size_t index) {
  if (isNone(op, index))
    return std::string("INT");
  FailureOr<std::string> domain = requireString(op, index);
  if (failed(domain))
    return failure();
  if (*domain == "INT" || *domain == "FLOAT" || *domain == "NONE")
    return *domain;
  return op.unsupported("operand " + Twine(index) +
                        ": expected 'INT', 'FLOAT' or 'NONE', but got '" +
                        *domain + "'");
}

/// Returns the value that the middle of the range has in the domain of floats.
static double getMiddle(const QuantizedRange &range) {
  return (static_cast<double>(range.high) + static_cast<double>(range.low) +
          1) /
         2;
}

NodeResults torch_ops::convertQuantizeAffine(OpImporter &op) {
  FailureOr<AffineBlocks> blocks = readBlocks(op, 1);
  FailureOr<QuantizedRange> range = readAffineRange(op, 4, 5);
  FailureOr<std::string> domain = readDomain(op, 7);
  if (failed(blocks) || failed(range) || failed(domain))
    return failure();
  Type type = op.elementType(0);
  if (!isStandardFloat(type) || type.isF64())
    return failOperand(op, 0, "elements of 'f32', 'f16' or 'bf16'");
  FailureOr<Value> scales = readParameters(op, 2, *blocks);
  if (failed(scales))
    return failure();
  Value zeroPoints;
  if (*domain != "NONE") {
    FailureOr<Value> given = readParameters(op, 3, *blocks);
    if (failed(given))
      return failure();
    zeroPoints = *given;
  }
  TorchMath math(op);
  Value value = math.reshape(op.inputs[0], blocks->split);
  if (*domain == "FLOAT") {
    Value lowest = math.sub(zeroPoints, math.mul(*scales, getMiddle(*range)));
    value = math.round(math.div(math.sub(value, lowest), *scales));
  } else {
    value = math.round(math.mul(value, math.div(1.0, *scales)));
    if (zeroPoints)
      value = math.add(value, zeroPoints);
  }
  value = math.to(math.clamp(value, range->low, range->high), range->type);
  return math.reshape(value, blocks->type.getShape());
}

/// Returns a DequantizeLinear with the same bits, or null if there is none.
static Value dequantizeLinear(OpImporter &op, const AffineBlocks &blocks,
                              bool hasZeroPoints) {
  Type type = op.elementType(0);
  if (!isNarrowInteger(type) || !op.elementType(2).isF32())
    return {};
  std::optional<SmallVector<int64_t>> values = SmallVector<int64_t>{0};
  if (hasZeroPoints)
    values = readIntConstant(op.inputs[3]);
  if (!values)
    return {};
  // One scale, one for each position of an axis, or one for each block along
  // an axis.
  TorchMath math(op);
  Value scales = op.inputs[2];
  SmallVector<int64_t> counts;
  for (auto [size, all] : llvm::zip_equal(blocks.sizes, blocks.type.getShape()))
    counts.push_back(size == 0 ? 0 : all / size);
  int64_t split = llvm::count_if(counts, [](int64_t n) { return n != 1; });
  SmallVector<NamedAttribute> attributes;
  SmallVector<int64_t> shape;
  if (split == 1) {
    int64_t axis = llvm::find_if(counts, [](int64_t n) { return n != 1; }) -
                   counts.begin();
    if (blocks.sizes[axis] != 1)
      split = 2;
    attributes = {op.intAttr("axis", axis)};
    shape = {counts[axis]};
  }
  if (split > 1) {
    std::optional<int64_t> axis;
    for (auto [index, size] : llvm::enumerate(blocks.sizes)) {
      if (size == 1)
        continue;
      if (axis)
        return {};
      axis = index;
    }
    if (!axis)
      return {};
    attributes = {op.intAttr("axis", *axis),
                  op.intAttr("block_size", blocks.sizes[*axis])};
    shape = counts;
  }
  Value zeroPoints = makeQuantized(op, type, *values, shape);
  if (!zeroPoints)
    return {};
  RankedTensorType resultType = blocks.type;
  return op.buildNode("DequantizeLinear",
                      {op.inputs[0], math.reshape(scales, shape), zeroPoints},
                      resultType.clone(op.b.getF32Type()), attributes);
}

NodeResults torch_ops::convertDequantizeAffine(OpImporter &op) {
  // In torchao before 0.10, the domain precedes the type of the result.
  size_t typeIndex = 7;
  FailureOr<std::string> domain(std::string("INT"));
  if (op.inputs.size() > 7 && !isNone(op, 7) && !readNumber(op.inputs[7])) {
    domain = readDomain(op, 7);
    typeIndex = 8;
  }
  FailureOr<AffineBlocks> blocks = readBlocks(op, 1);
  FailureOr<QuantizedRange> range = readAffineRange(op, 4, 5);
  FailureOr<Type> outType = getDtype(op, typeIndex, op.b.getF32Type());
  if (failed(domain) || failed(blocks) || failed(range) || failed(outType))
    return failure();
  if (range->type != op.elementType(0))
    return failOperand(op, 0, "elements of type " + showType(range->type));
  if (!isStandardFloat(*outType) || outType->isF64())
    return failOperand(op, typeIndex, "the number of f32, f16 or bf16");
  FailureOr<Value> scales = readParameters(op, 2, *blocks);
  if (failed(scales))
    return failure();
  Value zeroPoints;
  if (*domain != "NONE" && !isNone(op, 3)) {
    FailureOr<Value> given = readParameters(op, 3, *blocks);
    if (failed(given))
      return failure();
    zeroPoints = *given;
  }
  if (*domain != "FLOAT" && outType->isF32())
    if (Value result = dequantizeLinear(op, *blocks, zeroPoints != nullptr))
      return result;
  TorchMath math(op);
  Value value = math.reshape(op.inputs[0], blocks->split);
  if (*domain == "FLOAT") {
    value = math.to(math.sub(value, getMiddle(*range)), *outType);
    value = math.to(math.mul(value, *scales), *outType);
    if (zeroPoints)
      value = math.to(math.add(value, zeroPoints), *outType);
  } else {
    value = math.to(value, *outType);
    if (zeroPoints)
      value = math.sub(value, math.to(zeroPoints, *outType));
    value = math.mul(value, *scales);
  }
  return math.to(math.reshape(value, blocks->type.getShape()), *outType);
}

NodeResults torch_ops::convertChooseAffine(OpImporter &op) {
  FailureOr<std::string> mapping = requireString(op, 1);
  FailureOr<AffineBlocks> blocks = readBlocks(op, 2);
  FailureOr<QuantizedRange> range = readAffineRange(op, 3, 4);
  if (failed(mapping) || failed(blocks) || failed(range))
    return failure();
  Type type = op.elementType(0);
  if (!isStandardFloat(type) || type.isF64())
    return failOperand(op, 0, "elements of 'f32', 'f16' or 'bf16'");
  FailureOr<Type> scaleType = getDtype(op, 7, type);
  FailureOr<Type> zeroPointType = getDtype(op, 8, op.b.getI32Type());
  FailureOr<double> epsilon = getDouble(
      op, 6,
      APFloat::getSmallestNormalized(cast<FloatType>(type).getFloatSemantics())
          .convertToDouble());
  FailureOr<RankedTensorType> resultType = op.requireRankedResult(0);
  if (failed(scaleType) || failed(zeroPointType) || failed(epsilon) ||
      failed(resultType))
    return failure();
  // PyTorch reduces all axes if the list is empty.
  if (blocks->axes.empty())
    return failOperand(op, 2, "blocks of several elements");
  if (range->low >= range->high)
    return failOperand(op, 4, "more than one quantized value");
  TorchMath math(op);
  auto [low, high] =
      findRange(math, math.reshape(op.inputs[0], blocks->split), blocks->axes,
                /*keepDims=*/false);
  double steps =
      static_cast<double>(range->high) - static_cast<double>(range->low);
  Value scale, zeroPoint;
  if (*mapping == "ASYMMETRIC") {
    scale = math.clamp(math.div(math.sub(high, low), steps), *epsilon,
                       std::nullopt);
    zeroPoint = math.sub(range->low, math.round(math.div(low, scale)));
    zeroPoint = math.clamp(zeroPoint, range->low, range->high);
  } else {
    if (*mapping == "SYMMETRIC") {
      Value extent = math.apply("Max", {math.apply("Neg", {low}), high});
      scale = math.div(extent, steps / 2);
    } else if (*mapping == "SYMMETRIC_NO_CLIPPING_ERR") {
      if (range->low == 0 || range->high == 0)
        return failOperand(op, 4, "quantized values of both signs");
      Value fromLow = math.div(low, static_cast<double>(range->low));
      Value fromHigh = math.div(high, static_cast<double>(range->high));
      scale = math.where(math.compare("Greater", fromLow, fromHigh), fromLow,
                         fromHigh);
    } else {
      return op.unsupported("operand 1: expected a mapping of torchao, but got "
                            "'" +
                            *mapping + "'");
    }
    scale = math.clamp(scale, *epsilon, std::nullopt);
    zeroPoint = math.makeNumber(
        *zeroPointType,
        Number::fromInt(static_cast<int64_t>(getMiddle(*range))));
    auto shape = cast<RankedTensorType>(scale.getType());
    if (shape.getRank() != 0)
      zeroPoint =
          op.buildNode("Expand", {zeroPoint, op.makeInts(shape.getShape())},
                       shape.clone(*zeroPointType));
  }
  Value results[] = {math.to(scale, *scaleType),
                     math.to(zeroPoint, *zeroPointType)};
  auto computed = cast<RankedTensorType>(scale.getType());
  if (!resultType->hasStaticShape() || countElements(resultType->getShape()) !=
                                           countElements(computed.getShape()))
    return op.unsupported("result 0 has the type " + showType(*resultType) +
                          ", but must have " + showType(computed));
  for (Value &result : results)
    result = math.reshape(result, resultType->getShape());
  return ValueRange(results);
}
