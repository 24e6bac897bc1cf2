//===- ElementBodies.cpp - Elementwise op expansion -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Lowering/ElementBodies.h"

#include "Storage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class BodyBuilder {
public:
  BodyBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// Broadcasts a scalar to the shape of `like` if that is a vector.
  Value spread(Value value, Value like) {
    auto type = dyn_cast<VectorType>(like.getType());
    if (!type || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(
        builder, loc, withElementType(type, value.getType()), value);
  }
  Value cast(Value value, Type elementType) {
    if (getElementTypeOrSelf(value) == elementType)
      return value;
    return CastOp::create(builder, loc, value, elementType);
  }
  Value getBiased(Value value);
  Value getReciprocal(Value scale);
  Value quantize(const ElementOperands &operands, Type type,
                 const QuantizeSemantics &semantics);
  Value dequantize(Value input, Value scale, Value zeroPoint, Type type);

private:
  OpBuilder &builder;
  Location loc;
};
} // namespace

/// Returns a sub-byte integer minus the minimum of its type, as an i8.
/// Differences of such values equal those of the integers. This avoids sign
/// extensions, for which vectors of bytes have no shifts.
Value BodyBuilder::getBiased(Value value) {
  Type type = getElementTypeOrSelf(value);
  unsigned width = type.getIntOrFloatBitWidth();
  Value storage = toStorage(builder, loc, value);
  auto constant = [&](int64_t number) -> Value {
    TypedAttr attribute = builder.getI8IntegerAttr(number);
    if (auto vector = dyn_cast<VectorType>(storage.getType()))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  Value encoding =
      arith::AndIOp::create(builder, loc, storage, constant((1 << width) - 1));
  if (type.isUnsignedInteger())
    return encoding;
  return arith::XOrIOp::create(builder, loc, encoding,
                               constant(1 << (width - 1)));
}

/// Returns 1 / scale, which is exact: consecutive encodings are consecutive
/// powers of two from 2^-127 to 2^127. The encoding 255, NaN, maps to itself.
Value BodyBuilder::getReciprocal(Value scale) {
  Type type = withElementType(scale.getType(), builder.getI8Type());
  Value encoding = arith::BitcastOp::create(builder, loc, type, scale);
  TypedAttr sum = builder.getI8IntegerAttr(int8_t(254));
  if (auto vector = dyn_cast<VectorType>(type))
    sum = DenseElementsAttr::get(vector, sum);
  encoding = arith::SubIOp::create(
      builder, loc, arith::ConstantOp::create(builder, loc, sum), encoding);
  return arith::BitcastOp::create(builder, loc, scale.getType(), encoding);
}

Value BodyBuilder::quantize(const ElementOperands &operands, Type type,
                            const QuantizeSemantics &semantics) {
  // Input and scale are cast to the precision (D1, D2).
  Value input = cast(operands.input, semantics.precision), scale;
  if (isa<Float8E8M0FNUType>(getElementTypeOrSelf(operands.scale)) &&
      semantics.precision.isF32()) {
    Value factor = cast(getReciprocal(operands.scale), semantics.precision);
    input = arith::MulFOp::create(builder, loc, input, spread(factor, input));
    scale =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1.0));
  } else {
    scale = cast(operands.scale, semantics.precision);
  }
  return QuantizeElementsOp::create(
      builder, loc, withElementType(operands.input.getType(), type), input,
      scale, isFloat8(type) ? Value() : operands.zeroPoint, semantics.saturate,
      operands.random);
}

/// Multiplies the difference from the zero point by the scale in f32 (D5).
Value BodyBuilder::dequantize(Value input, Value scale, Value zeroPoint,
                              Type type) {
  Type from = getElementTypeOrSelf(input);
  Type f32 = builder.getF32Type();
  if (isFloat8(from))
    zeroPoint = {};
  Value difference = input;
  if (zeroPoint && isFloat(from)) {
    // Exact: values of float6 and float4 are small multiples of one number.
    difference = arith::SubFOp::create(builder, loc, cast(input, f32),
                                       spread(cast(zeroPoint, f32), input));
  } else if (zeroPoint && from.getIntOrFloatBitWidth() < 8) {
    difference = arith::SubIOp::create(builder, loc, getBiased(input),
                                       spread(getBiased(zeroPoint), input));
  } else if (zeroPoint) {
    Type wide = from.getIntOrFloatBitWidth() < 32 ? builder.getI32Type()
                                                  : builder.getI64Type();
    difference = arith::SubIOp::create(builder, loc, cast(input, wide),
                                       spread(cast(zeroPoint, wide), input));
  }
  Value product = arith::MulFOp::create(builder, loc, cast(difference, f32),
                                        spread(cast(scale, f32), input));
  return cast(product, type);
}

/// Reshapes the parameter to the rank of the input, with size 1 in all
/// dimensions along which it does not vary, and broadcasts it:
///
/// [4] along axis 0 of 4x8    [3] in blocks of 4 along axis 0 of 10
///   shape_cast 4x1             shape_cast 3x1
///   broadcast  4x8             broadcast  3x4
///                              shape_cast 12
///                              slice      10
Value quant_float::broadcastParameter(OpBuilder &builder, Location loc,
                                      const reference::Granularity &granularity,
                                      Value parameter, Type inputType) {
  auto type = dyn_cast<VectorType>(parameter.getType());
  if (!type)
    return parameter;
  // Upstream's vector ops are applied to the storage type, because they do not
  // lower vectors of unsigned elements.
  Value value = toStorage(builder, loc, parameter);
  auto finish = [&]() -> Value {
    return fromStorage(builder, loc, value,
                       withElementType(value.getType(), type.getElementType()));
  };
  if (!type.isScalable() && type.getNumElements() == 1) {
    value = vector::ExtractOp::create(builder, loc, value,
                                      SmallVector<int64_t>(type.getRank(), 0));
    return finish();
  }

  // Sizes in the representation of Granularity.
  using Sizes = SmallVector<int64_t>;
  auto getType = [&](ArrayRef<int64_t> sizes) {
    Sizes shape =
        llvm::map_to_vector(sizes, [](int64_t size) { return std::abs(size); });
    SmallVector<bool> scalable =
        llvm::map_to_vector(sizes, reference::isScalable);
    return VectorType::get(shape, getElementTypeOrSelf(value), scalable);
  };
  Sizes own = reference::getSizes(type);
  Sizes input = reference::getSizes(cast<VectorType>(inputType));
  Sizes line(input.size(), 1), spread = input, padded = input;
  // For blocks: the dimension of the elements in a block, which follows that of
  // the blocks.
  std::optional<size_t> inBlock;
  int64_t blockSize = 1;
  for (auto [size, index] :
       llvm::zip_equal(own, granularity.getIndices(own, input))) {
    if (!index.dim)
      continue;
    line[*index.dim] = size;
    if (index.blockSize == 1)
      continue;
    inBlock = *index.dim + 1;
    blockSize = index.blockSize;
    spread[*index.dim] = size;
    padded[*index.dim] = size * blockSize;
  }
  if (inBlock) {
    line.insert(line.begin() + *inBlock, 1);
    spread.insert(spread.begin() + *inBlock, blockSize);
  }
  // vector.broadcast adds leading dimensions itself.
  auto isOne = [](int64_t size) { return size == 1; };
  Sizes end(llvm::find_if_not(line, isOne), line.end());
  if (end != Sizes(llvm::find_if_not(own, isOne), own.end()))
    value = vector::ShapeCastOp::create(builder, loc, getType(end), value);
  if (value.getType() != getType(spread))
    value = vector::BroadcastOp::create(builder, loc, getType(spread), value);
  if (inBlock)
    value = vector::ShapeCastOp::create(builder, loc, getType(padded), value);
  if (padded != input) {
    ArrayRef<int64_t> shape = cast<VectorType>(inputType).getShape();
    value = vector::ExtractStridedSliceOp::create(builder, loc, value,
                                                  Sizes(shape.size(), 0), shape,
                                                  Sizes(shape.size(), 1));
  }
  return finish();
}

ElementOperands quant_float::getElementOperands(QuantizationOpInterface op,
                                                ValueRange values) {
  ElementOperands operands{values[0], values[1], {}, {}};
  if (op.getZeroPointValue())
    operands.zeroPoint = values[2];
  if (op.getRandomValue())
    operands.random = values.back();
  return operands;
}

Value quant_float::buildElementBody(OpBuilder &builder, Location loc,
                                    QuantizationOpInterface op,
                                    const ElementOperands &operands) {
  BodyBuilder body(builder, loc);
  const auto &[input, scale, zeroPoint, random] = operands;
  Type type = getElementTypeOrSelf(op->getResult(0));
  if (auto quantize = dyn_cast<QuantizeOp>(op.getOperation()))
    return body.quantize(operands, type, quantize.getSemantics());
  if (auto qdq = dyn_cast<QdqOp>(op.getOperation())) {
    // A qdq is a dequantize of a quantize (D6).
    Value quantized =
        body.quantize(operands, qdq.getStorage(), qdq.getSemantics());
    return body.dequantize(quantized, scale, zeroPoint, type);
  }
  return body.dequantize(input, scale, zeroPoint, type);
}
