//===- UniformQuantization.cpp - quant.uniform of integers ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/OpImport/UniformQuantization.h"

#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

/// The maximum number of scales that blocks along several axes are expanded to.
static constexpr int64_t kMaxScales = int64_t(1) << 20;

quant::QuantizedType quant_float::getUniformType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType,
           quant::UniformQuantizedSubChannelType>(element))
    return {};
  auto quantized = cast<quant::QuantizedType>(element);
  return isa<IntegerType>(quantized.getStorageType()) ? quantized
                                                      : quant::QuantizedType();
}

/// Returns the element type of the storage.
static IntegerType getStorage(quant::QuantizedType type) {
  return IntegerType::get(type.getContext(), type.getStorageTypeIntegralWidth(),
                          type.isSigned() ? IntegerType::Signless
                                          : IntegerType::Unsigned);
}

Type quant_float::getQuantStorageType(Type type) {
  quant::QuantizedType quantized = getUniformType(type);
  if (!quantized)
    return type;
  Type storage = getStorage(quantized);
  if (auto tensor = dyn_cast<TensorType>(type))
    return tensor.clone(storage);
  return storage;
}

namespace {
/// The scales and zero points as operands of `quantize` and `dequantize`.
struct Parameters {
  Value scale, zeroPoint;
  IntegerAttr axis, blockSize;
};

/// The scales and zero points of a type, before they are constants.
struct ParameterLists {
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  SmallVector<int64_t> shape;
  std::optional<int64_t> axis, blockSize;
};
} // namespace

/// Reads the blocks of a sub-channel type. One axis keeps its blocks; along all
/// other axes, the scales are repeated.
static FailureOr<ParameterLists>
readSubChannel(OnnxNodeBuilder &builder,
               quant::UniformQuantizedSubChannelType type,
               RankedTensorType tensor) {
  int64_t rank = tensor.getRank();
  DenseElementsAttr scales = type.getScales();
  auto scalesType = cast<ShapedType>(scales.getType());
  if (!tensor.hasStaticShape() || rank == 0)
    return builder.unsupported("blocks in " + showType(tensor) +
                               ", whose sizes are not known");
  SmallVector<int64_t> blocks(tensor.getShape()), counts(rank, 1);
  bool isCompact = scalesType.getRank() != rank;
  for (auto [index, info] : llvm::enumerate(type.getBlockSizeInfo())) {
    auto [axis, size] = info;
    int64_t place = isCompact ? static_cast<int64_t>(index) : int64_t(axis);
    if (axis < 0 || axis >= rank || size < 1 || place >= scalesType.getRank() ||
        llvm::divideCeil(tensor.getDimSize(axis), size) !=
            static_cast<uint64_t>(scalesType.getDimSize(place)))
      return builder.unsupported("blocks of " + showType(type) +
                                 " do not fit " + showType(tensor));
    blocks[axis] = size;
    counts[axis] = scalesType.getDimSize(place);
  }
  if (countElements(counts) != countElements(scalesType.getShape()))
    return builder.unsupported("blocks of " + showType(type) + " do not fit " +
                               showType(tensor));
  ParameterLists lists;
  int64_t kept = rank - 1;
  for (int64_t axis : llvm::seq(rank))
    if (counts[axis] > 1)
      kept = axis;
  lists.axis = kept;
  lists.blockSize = blocks[kept];
  lists.shape = llvm::to_vector(tensor.getShape());
  lists.shape[kept] = counts[kept];
  std::optional<int64_t> total = countElements(lists.shape);
  if (!total || *total > kMaxScales)
    return builder.unsupported("more than " + Twine(kMaxScales) +
                               " scales of " + showType(tensor));
  auto scaleValues = llvm::to_vector(scales.getValues<APFloat>());
  auto zeroPoints = llvm::to_vector(type.getZeroPoints().getValues<APInt>());
  SmallVector<int64_t> position(rank);
  for (int64_t i = 0; i < *total; ++i) {
    int64_t rest = i, place = 0;
    for (int64_t axis : llvm::reverse(llvm::seq(rank))) {
      position[axis] = rest % lists.shape[axis];
      rest /= lists.shape[axis];
    }
    for (int64_t axis : llvm::seq(rank))
      place = place * counts[axis] +
              (axis == kept ? position[axis] : position[axis] / blocks[axis]);
    lists.scales.push_back(scaleValues[place].convertToDouble());
    // The attribute has signless integers: 200 of u8 is -56.
    int64_t zeroPoint = zeroPoints[place].getSExtValue();
    if (!type.isSigned() && zeroPoint < 0)
      zeroPoint += int64_t(1) << type.getStorageTypeIntegralWidth();
    lists.zeroPoints.push_back(zeroPoint);
  }
  return lists;
}

static FailureOr<ParameterLists> readLists(OnnxNodeBuilder &builder,
                                           quant::QuantizedType type,
                                           RankedTensorType tensor) {
  ParameterLists lists;
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(type)) {
    lists.scales = {uniform.getScale()};
    lists.zeroPoints = {uniform.getZeroPoint()};
    return lists;
  }
  if (auto blocks = dyn_cast<quant::UniformQuantizedSubChannelType>(type))
    return readSubChannel(builder, blocks, tensor);
  auto perAxis = cast<quant::UniformQuantizedPerAxisType>(type);
  int64_t axis = perAxis.getQuantizedDimension();
  int64_t count = perAxis.getScales().size();
  if (axis < 0 || axis >= tensor.getRank() ||
      (!tensor.isDynamicDim(axis) && tensor.getDimSize(axis) != count))
    return builder.unsupported("the scales of " + showType(type) +
                               " do not fit " + showType(tensor));
  lists.scales = llvm::to_vector(perAxis.getScales());
  lists.zeroPoints = llvm::to_vector(perAxis.getZeroPoints());
  lists.shape = {count};
  lists.axis = axis;
  return lists;
}

/// Checks that the types have a quantization.
static LogicalResult checkTypes(OnnxNodeBuilder &builder, Type value,
                                quant::QuantizedType type) {
  if (!isa<RankedTensorType>(value))
    return builder.unsupported("quantization of " + showType(value) +
                               ", which is not a ranked tensor");
  Type expressed = type.getExpressedType();
  if (!expressed || !isa<Float16Type, BFloat16Type, Float32Type>(expressed))
    return builder.unsupported(
        showType(type) + ": expected the expressed type f16, bf16 or f32");
  return success();
}

/// Creates the scales and zero points as constants.
static FailureOr<Parameters> makeParameters(OnnxNodeBuilder &builder,
                                            quant::QuantizedType type,
                                            RankedTensorType tensor,
                                            Type zeroPointType) {
  FailureOr<ParameterLists> lists = readLists(builder, type, tensor);
  if (failed(lists))
    return failure();
  auto expressed = cast<FloatType>(type.getExpressedType());
  SmallVector<APFloat> scales;
  for (double scale : lists->scales) {
    APFloat rounded(scale);
    bool isInexact;
    rounded.convert(expressed.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &isInexact);
    scales.push_back(rounded);
  }
  auto storage = cast<IntegerType>(zeroPointType);
  unsigned width = storage.getWidth();
  SmallVector<APInt> zeroPoints;
  for (int64_t zeroPoint : lists->zeroPoints) {
    bool isInRange = storage.isUnsigned()
                         ? zeroPoint >= 0 && llvm::isUIntN(width, zeroPoint)
                         : llvm::isIntN(width, zeroPoint);
    if (!isInRange)
      return builder.unsupported("the zero point " + Twine(zeroPoint) + " of " +
                                 showType(type) +
                                 " is not a value of the storage type");
    zeroPoints.push_back(APInt(width, zeroPoint, /*isSigned=*/true,
                               /*implicitTrunc=*/true));
  }
  Parameters parameters;
  parameters.scale = builder.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get(lists->shape, expressed), scales));
  parameters.zeroPoint = builder.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get(lists->shape, storage), zeroPoints));
  if (lists->axis)
    parameters.axis = builder.b.getI64IntegerAttr(*lists->axis);
  if (lists->blockSize)
    parameters.blockSize = builder.b.getI64IntegerAttr(*lists->blockSize);
  return parameters;
}

/// Clamps the storage to a range that is narrower than its type.
static Value clampStorage(OnnxNodeBuilder &builder, Value value,
                          quant::QuantizedType type) {
  if (!type.hasStorageTypeBounds())
    return value;
  return builder.clampIntegers(value, type.getStorageTypeMin(),
                               type.getStorageTypeMax());
}

/// Quantizes to 32 bits, which ONNX's QuantizeLinear lacks. The type has one
/// scale.
static FailureOr<Value> quantizeWide(OnnxNodeBuilder &builder, Value value,
                                     quant::QuantizedType type) {
  auto uniform = dyn_cast<quant::UniformQuantizedType>(type);
  if (!uniform)
    return builder.unsupported("quantization to " + showType(type) +
                               ": several scales and 32 bits");
  Type expressed = type.getExpressedType();
  Value scale = builder.makeScalar(expressed, APFloat(uniform.getScale()));
  value = builder.applyElementwise("Div", {value, scale});
  value = builder.applyElementwise("Round", value);
  if (uniform.getZeroPoint() != 0)
    value = builder.applyElementwise(
        "Add", {value, builder.makeNumber(expressed, uniform.getZeroPoint())});
  return clampStorage(builder, builder.castSaturating(value, getStorage(type)),
                      type);
}

FailureOr<Value> quant_float::quantizeUniform(OnnxNodeBuilder &builder,
                                              Value value,
                                              quant::QuantizedType type) {
  if (failed(checkTypes(builder, value.getType(), type)))
    return failure();
  auto tensor = cast<RankedTensorType>(value.getType());
  assert(tensor.getElementType() == type.getExpressedType() &&
         "expected the expressed type");
  IntegerType storage = getStorage(type);
  if (storage.getWidth() == 32)
    return quantizeWide(builder, value, type);
  if (!llvm::is_contained({2u, 4u, 8u, 16u}, storage.getWidth()))
    return builder.unsupported(
        showType(type) + ": expected a storage type of 2, 4, 8, 16 or 32 bits");
  FailureOr<Parameters> parameters =
      makeParameters(builder, type, tensor, storage);
  if (failed(parameters))
    return failure();
  Value result = QuantizeOp::create(
      builder.b, tensor.clone(storage), value, parameters->scale,
      parameters->zeroPoint, builder.b.getI64IntegerAttr(kNewestOpset),
      /*domain=*/StringAttr(), parameters->axis, parameters->blockSize,
      /*ignored_attributes=*/ArrayAttr(), /*saturate=*/BoolAttr(),
      /*precision=*/TypeAttr());
  return clampStorage(builder, result, type);
}

FailureOr<Value> quant_float::dequantizeUniform(OnnxNodeBuilder &builder,
                                                Value storage,
                                                quant::QuantizedType type) {
  if (failed(checkTypes(builder, storage.getType(), type)))
    return failure();
  auto tensor = cast<RankedTensorType>(storage.getType());
  IntegerType element = getStorage(type);
  assert(tensor.getElementType() == element && "expected the storage type");
  if (!llvm::is_contained({2u, 4u, 8u, 16u, 32u}, element.getWidth()))
    return builder.unsupported(
        showType(type) + ": expected a storage type of 2, 4, 8, 16 or 32 bits");
  if (element.getWidth() == 32 && element.isUnsigned())
    return builder.unsupported(showType(type) +
                               ": unsigned storage of 32 bits");
  FailureOr<Parameters> parameters =
      makeParameters(builder, type, tensor, element);
  if (failed(parameters))
    return failure();
  return DequantizeOp::create(builder.b, tensor.clone(type.getExpressedType()),
                              storage, parameters->scale, parameters->zeroPoint,
                              builder.b.getI64IntegerAttr(kNewestOpset),
                              /*domain=*/StringAttr(), parameters->axis,
                              parameters->blockSize,
                              /*ignored_attributes=*/ArrayAttr())
      .getResult();
}
