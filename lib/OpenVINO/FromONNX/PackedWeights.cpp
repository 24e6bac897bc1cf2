//===- PackedWeights.cpp - Block-quantized weights packed in bytes --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts com.microsoft's MatMulNBits and GatherBlockQuantized (R5) to the
// layers that OpenVINO's plugins recognize as compressed weights: a constant of
// quantized values, Convert, Subtract and Multiply. If all blocks are full,
// the elements of a block have a separate dimension.
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/TransposeConstant.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

/// The upper bound of sizes in attributes.
static constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();

namespace {
/// Low-bit quantized values packed in bytes, the first one in the lowest bits.
class PackedValues {
public:
  /// Reads the bytes of an input, which must be a constant whose rows begin at
  /// byte boundaries.
  LogicalResult read(FormContext &context, size_t index, int64_t rows,
                     int64_t columns, int64_t bits);
  /// Creates a constant of the first `columns` values of each row.
  Value make(FormContext &context, ArrayRef<int64_t> shape, int64_t columns);

private:
  /// A constant with a single byte is a splat.
  uint8_t getByte(int64_t row, int64_t i) const {
    return bytes[bytes.size() == 1 ? 0 : row * stride + i];
  }

  Value input;
  ArrayRef<char> bytes;
  bool isResource = false;
  int64_t rows = 0, stride = 0, bits = 0;
};
} // namespace

LogicalResult PackedValues::read(FormContext &context, size_t index,
                                 int64_t rowCount, int64_t columns,
                                 int64_t width) {
  input = context.inputs[index];
  rows = rowCount;
  bits = width;
  auto type = dyn_cast<RankedTensorType>(input.getType());
  Attribute constant;
  if (!type || !type.hasStaticShape() ||
      !matchPattern(input, m_Constant(&constant)))
    return context.unsupported("input " + Twine(index) +
                               ", packed quantized values, is not a constant");
  int64_t expected;
  stride = llvm::divideCeil(columns * bits, 8);
  if (!type.getElementType().isUnsignedInteger(8) ||
      llvm::MulOverflow(rows, stride, expected) ||
      type.getNumElements() != expected)
    return context.unsupported("input " + Twine(index) + " has the type " +
                               showType(type) + ", not " + Twine(rows) +
                               " rows of " + Twine(stride) + " bytes");
  if (auto dense = dyn_cast<DenseIntElementsAttr>(constant)) {
    bytes = dense.getRawData();
    return success();
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || int64_t(blob->getData().size()) != expected)
    return context.unsupported("the data of input " + Twine(index) +
                               " is not available");
  bytes = blob->getData();
  isResource = true;
  return success();
}

Value PackedValues::make(FormContext &context, ArrayRef<int64_t> shape,
                         int64_t columns) {
  Type elementType = context.b.getIntegerType(bits, /*isSigned=*/false);
  auto type = RankedTensorType::get(shape, elementType);
  // Large constants stay packed, as those that are read from files.
  bool isPacked = isResource && columns * bits % 8 == 0;
  int64_t width = isPacked ? columns * bits / 8 : columns;
  SmallVector<char> made;
  made.reserve(rows * width);
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t i = 0; i != width; ++i)
      made.push_back(isPacked ? getByte(row, i)
                              : getByte(row, i * bits / 8) >> i * bits % 8 &
                                    ((1 << bits) - 1));
  ElementsAttr elements;
  if (isResource)
    elements = DenseResourceElementsAttr::get(
        type, "quantized",
        HeapAsmResourceBlob::allocateAndCopyWithAlign(made, alignof(uint64_t)));
  else
    elements = DenseElementsAttr::getFromRawBuffer(type, made);
  return createConstant(context.b, input.getLoc(), cast<TypedAttr>(elements));
}

/// Reshapes an input. A constant is reshaped directly.
static Value makeShaped(FormContext &context, Value value,
                        ArrayRef<int64_t> shape) {
  Attribute constant;
  ElementsAttr elements;
  if (matchPattern(value, m_Constant(&constant)))
    elements = dyn_cast<ElementsAttr>(constant);
  if (ElementsAttr reshaped =
          elements ? reshapeConstant(elements, shape) : ElementsAttr())
    return createConstant(context.b, value.getLoc(), cast<TypedAttr>(reshaped));
  return context.reshape(value, shape);
}

static LogicalResult requireBits(FormContext &context) {
  int64_t bits = context.getInt("bits");
  if (bits == 2 || bits == 4 || bits == 8)
    return success();
  return context.unsupported("attribute 'bits' must be 2, 4 or 8, but got " +
                             Twine(bits));
}

static LogicalResult requireBlockSize(FormContext &context) {
  int64_t size = context.getInt("block_size");
  if (size >= 16 && size <= kMaxSize && llvm::isPowerOf2_64(size))
    return success();
  return context.unsupported("attribute 'block_size' must be a power of two "
                             "from 16 on, but got " +
                             Twine(size));
}

/// Creates the zero point that applies if packed values have none.
static Value makeMiddle(FormContext &context, ArrayRef<int64_t> shape,
                        int64_t bits) {
  Type type = context.b.getIntegerType(bits, /*isSigned=*/false);
  return createConstant(
      context.b, DenseElementsAttr::get(RankedTensorType::get(shape, type),
                                        APInt(bits, 1 << (bits - 1))));
}

//===----------------------------------------------------------------------===//
// MatMulNBits
//===----------------------------------------------------------------------===//

/// Checks that an input is static and has `rows * columns` elements.
static LogicalResult requireCount(FormContext &context, size_t index,
                                  int64_t rows, int64_t columns) {
  auto type = dyn_cast<RankedTensorType>(context.inputs[index].getType());
  if (type && type.hasStaticShape() && type.getNumElements() == rows * columns)
    return success();
  return context.unsupported("input " + Twine(index) + " has the type " +
                             showType(context.inputs[index].getType()) +
                             ", not one element for each of " + Twine(columns) +
                             " blocks of " + Twine(rows) + " rows");
}

/// Ignores accuracy_level, which only permits less exact products.
NodeResults openvino_forms::convertMatMulNBits(FormContext &context) {
  enum : size_t { kA, kB, kScales, kZeroPoints, kGroups, kBias };
  ImplicitLocOpBuilder &b = context.b;
  Type f32 = b.getF32Type(), type = context.elementType(kA);
  int64_t bits = context.getInt("bits"), size = context.getInt("block_size");
  int64_t rows = context.getInt("N"), depth = context.getInt("K");
  if (failed(requireBits(context)) || failed(requireBlockSize(context)) ||
      failed(context.requireRange("N", rows, 1)) ||
      failed(context.requireRange("K", depth, 1)))
    return failure();
  if (int64_t layout = context.getInt("weight_prepacked"))
    return context.unsupported("attribute 'weight_prepacked' must be 0, but "
                               "got " +
                               Twine(layout));
  if (!type.isF32() && !type.isF16() && !type.isBF16())
    return context.unsupported("input 0 has the type " +
                               showType(context.inputs[kA].getType()));
  for (size_t index : {kScales, kBias})
    if (context.hasInput(index) && context.elementType(index) != type)
      return context.unsupported("input " + Twine(index) + " has the type " +
                                 showType(context.inputs[index].getType()));
  int64_t blocks = llvm::divideCeil(depth, size);
  PackedValues quantized;
  if (failed(quantized.read(context, kB, rows, blocks * size, bits)) ||
      failed(requireCount(context, kScales, rows, blocks)))
    return failure();

  // With group indices, the parameters of a group are repeated for its columns.
  SmallVector<int64_t> perBlock = {rows, blocks};
  Value where = context.hasInput(kGroups) ? context.inputs[kGroups] : Value();
  if (where) {
    auto groups = dyn_cast<RankedTensorType>(where.getType());
    if (!groups || groups.getRank() != 1 || groups.getDimSize(0) != depth)
      return context.unsupported("input 4 has the type " +
                                 showType(where.getType()) + ", not " +
                                 Twine(depth) + " elements");
  } else {
    perBlock.push_back(1);
  }
  auto spread = [&](Value value) {
    value = context.convert(value, f32);
    if (!where)
      return value;
    return context.apply("Gather", {value, where, context.makeInt(1)},
                         context.intAttr("batch_dims", 0));
  };
  Value point;
  if (!context.hasInput(kZeroPoints)) {
    point = context.convert(makeMiddle(context, {}, bits), f32);
  } else if (context.elementType(kZeroPoints) == type) {
    if (failed(requireCount(context, kZeroPoints, rows, blocks)))
      return failure();
    point = spread(makeShaped(context, context.inputs[kZeroPoints], perBlock));
  } else {
    PackedValues points;
    if (failed(points.read(context, kZeroPoints, rows, blocks, bits)))
      return failure();
    point = spread(points.make(context, perBlock, blocks));
  }
  Value scale = spread(makeShaped(context, context.inputs[kScales], perBlock));
  Value weights;
  if (where) {
    // After a Subtract, the CPU plugin would treat the weights as compressed
    // weights with a scale for each element, and fail for 4-bit weights.
    weights =
        context.convert(quantized.make(context, {rows, depth}, depth), f32);
    weights =
        context.broadcast("Add", {weights, context.apply("Negative", point)});
    weights = context.broadcast("Multiply", {weights, scale});
  } else {
    weights = context.convert(
        quantized.make(context, {rows, blocks, size}, blocks * size), f32);
    weights = context.broadcast("Subtract", {weights, point});
    weights = context.broadcast("Multiply", {weights, scale});
    weights = context.reshape(weights, {rows, blocks * size});
  }
  if (!where && depth != blocks * size)
    weights = context.apply(
        "Slice", {weights, context.makeInts({0}), context.makeInts({depth}),
                  context.makeInts({1}), context.makeInts({1})});
  Value result = context.apply(
      "MatMul", {context.convert(context.inputs[kA], f32), weights},
      {context.flagAttr("transpose_a", false),
       context.flagAttr("transpose_b", true)});
  if (context.hasInput(kBias))
    result = context.broadcast(
        "Add", {result, context.convert(context.inputs[kBias], f32)});
  return context.convert(result, type);
}

//===----------------------------------------------------------------------===//
// GatherBlockQuantized
//===----------------------------------------------------------------------===//

/// Inserts layers that no fusion of a plugin looks through.
static Value isolate(FormContext &context, Value value,
                     ArrayRef<int64_t> shape) {
  SmallVector<int64_t> begin(shape.size(), 0), end(shape.size(), 0);
  end.front() = 1;
  Value zero = context.makeNumber(getElementTypeOrSelf(value), 0);
  value = context.apply(
      "Pad", {value, context.makeInts(begin), context.makeInts(end), zero},
      context.stringAttr("pad_mode", "constant"));
  return context.apply("Slice", {value, context.makeInts({0}),
                                 context.makeInts({shape.front()}),
                                 context.makeInts({1}), context.makeInts({0})});
}

/// Whether all indices are constants that are in bounds.
static bool areInside(Value indices, int64_t size) {
  DenseIntElementsAttr elements;
  return matchPattern(indices, m_Constant(&elements)) &&
         llvm::all_of(elements.getValues<APInt>(), [&](const APInt &index) {
           return index.sge(-size) && index.slt(size);
         });
}

/// With compressed weights, the CPU plugin's Gather reads out of bounds.
/// Indices that are out of bounds read row 0 instead, and a Select replaces the
/// elements by zeros.
static Value gather(FormContext &context, Value table, Value indices,
                    int64_t axis, ArrayRef<int64_t> shape) {
  auto apply = [&](Value where) {
    return context.apply("Gather", {table, where, context.makeInt(axis)},
                         context.intAttr("batch_dims", 0));
  };
  if (areInside(indices, shape[axis]))
    return apply(indices);
  Type type = getElementTypeOrSelf(indices);
  auto select = [&](Value condition, Value ifTrue, Value ifFalse) {
    return context.addLayer("Select", {condition, ifTrue, ifFalse},
                            getElementTypeOrSelf(ifFalse),
                            context.stringAttr("auto_broadcast", "numpy"));
  };
  Value low = context.makeNumber(type, -shape[axis]),
        high = context.makeNumber(type, shape[axis]);
  Value isOutside = context.compare(
      "LogicalOr", {context.compare("Less", {indices, low}),
                    context.compare("GreaterEqual", {indices, high})});
  Value found = apply(select(isOutside, context.makeNumber(type, 0), indices));
  // The dimensions after those of the indices.
  SmallVector<int64_t> behind;
  for (int64_t i = axis + 1, e = shape.size(); i != e; ++i)
    behind.push_back(i - e);
  if (!behind.empty())
    isOutside =
        context.apply("Unsqueeze", {isOutside, context.makeInts(behind)});
  return select(isOutside, context.makeNumber(getElementTypeOrSelf(found), 0),
                found);
}

NodeResults openvino_forms::convertGatherBlockQuantized(FormContext &context) {
  enum : size_t { kData, kIndices, kScales, kZeroPoints };
  ImplicitLocOpBuilder &b = context.b;
  RankedTensorType data = context.getRanked(kData),
                   scales = context.getRanked(kScales);
  if (!data || !data.hasStaticShape() || !scales || !scales.hasStaticShape() ||
      data.getRank() != scales.getRank() || data.getRank() == 0)
    return context.unsupported(
        "data of type " + showType(context.inputs[kData].getType()) +
        " with scales of type " + showType(context.inputs[kScales].getType()));
  Type type = data.getElementType(), resultType = scales.getElementType();
  if (!resultType.isF32() && !resultType.isF16() && !resultType.isBF16())
    return context.unsupported("input 2 has the type " + showType(scales));
  bool isByte = type.isUnsignedInteger(8);
  if (!isByte && !isFloat(type) && !type.isUnsignedInteger(4) &&
      !type.isSignlessInteger(4))
    return context.unsupported("input 0 has the type " + showType(data));
  int64_t bits = context.getInt("bits"), rank = data.getRank();
  int64_t size = context.getInt("block_size");
  int64_t axis = context.getInt("quantize_axis");
  int64_t gathered = context.getInt("gather_axis");
  for (int64_t *axisValue : {&axis, &gathered}) {
    if (*axisValue < -rank || *axisValue >= rank)
      return context.unsupported("axis " + Twine(*axisValue) + " of rank " +
                                 Twine(rank));
    *axisValue += *axisValue < 0 ? rank : 0;
  }
  if (isByte && failed(requireBits(context)))
    return failure();
  if (isByte && (gathered != 0 || axis == 0))
    return context.unsupported("packed quantized values must be gathered along "
                               "axis 0 and quantized along another axis");
  int64_t perByte = isByte ? 8 / bits : 1;
  SmallVector<int64_t> shape(data.getShape());
  if (llvm::MulOverflow(shape.back(), perByte, shape.back()) ||
      llvm::is_contained(shape, 0))
    return context.unsupported("input 0 has the type " + showType(data));
  if (isFloat(type) && size == 0)
    size = shape[axis];
  else if (failed(requireBlockSize(context)))
    return failure();
  SmallVector<int64_t> expected = shape;
  expected[axis] = llvm::divideCeil(shape[axis], size);
  if (scales.getShape() != ArrayRef(expected))
    return context.unsupported("input 2 has the type " + showType(scales) +
                               ", not one element for each block");
  int64_t rows = data.getNumElements() / data.getShape().back();
  Value quantized = context.inputs[kData], points;
  if (perByte != 1) {
    PackedValues packed;
    if (failed(packed.read(context, kData, rows, shape.back(), bits)))
      return failure();
    quantized = packed.make(context, shape, shape.back());
  }
  if (context.hasInput(kZeroPoints)) {
    points = context.inputs[kZeroPoints];
    RankedTensorType zeroPointType = context.getRanked(kZeroPoints);
    if (isFloat(type) || !zeroPointType ||
        zeroPointType.getElementType() != type)
      return context.unsupported("input 3 has the type " +
                                 showType(points.getType()));
    if (perByte != 1) {
      PackedValues packed;
      if (failed(packed.read(context, kZeroPoints,
                             scales.getNumElements() / expected.back(),
                             expected.back(), bits)))
        return failure();
      points = packed.make(context, expected, expected.back());
    } else if (zeroPointType.getShape() != ArrayRef(expected)) {
      return context.unsupported("input 3 has the type " +
                                 showType(zeroPointType) +
                                 ", not one element for each block");
    }
  } else if (isByte) {
    points = makeMiddle(context, expected, bits);
  }
  auto dequantize = DequantizeOp::create(
      b, RankedTensorType::get(shape, resultType), quantized,
      context.inputs[kScales], points, kNewestOpset, /*domain=*/StringAttr(),
      b.getI64IntegerAttr(axis), b.getI64IntegerAttr(size),
      /*ignored_attributes=*/ArrayAttr());
  std::string problem;
  FailureOr<Value> table = convertQuantization(dequantize, b, problem);
  dequantize.erase();
  if (failed(table))
    return context.unsupported(problem);
  // Directly after Multiply and Reshape, the CPU plugin treats a Gather as one
  // of compressed rows, regardless of the axes.
  if (gathered != 0 || axis != rank - 1)
    table = isolate(context, *table, shape);
  return gather(context, *table, context.inputs[kIndices], gathered, shape);
}
