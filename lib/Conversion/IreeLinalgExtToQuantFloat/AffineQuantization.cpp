//===- AffineQuantization.cpp - Affine quantization of IREE ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineQuantization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::iree_ops;
using llvm::APFloat;

namespace {
/// The operands and attributes of an op, checked.
struct AffineOp {
  RankedTensorType input, result;
  /// The integers. The op has signless integers and states the signedness.
  IntegerType storage;
  /// The type of the scale, in which the op computes.
  FloatType computed;
  Value scale, zeroPoint, init;
  bool isZeroPointUnsigned;
  AffineMap inputMap, scaleMap, zeroPointMap, resultMap;

  unsigned width() const { return storage.getWidth(); }
};

/// The granularity of `quantize` and `dequantize`.
struct Granularity {
  std::optional<int64_t> axis, blockSize;
  /// The dimension of size 1 that the scale lacks.
  std::optional<int64_t> inserted;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<AffineMap>> readMaps(OpImporter &op) {
  auto list = dyn_cast_or_null<ArrayAttr>(op.op.getAttribute("indexing_maps"));
  SmallVector<AffineMap> maps;
  if (list && list.size() == op.inputs.size())
    for (auto [attr, operand] : llvm::zip_equal(list, op.inputs)) {
      auto map = dyn_cast<AffineMapAttr>(attr);
      auto tensor = dyn_cast<RankedTensorType>(operand.getType());
      int64_t rank = tensor ? tensor.getRank() : 0;
      if (!map || map.getValue().getNumSymbols() != 0 ||
          map.getValue().getNumResults() != rank ||
          (!maps.empty() &&
           map.getValue().getNumDims() != maps.front().getNumDims()))
        break;
      maps.push_back(map.getValue());
    }
  if (maps.size() != op.inputs.size())
    return op.unsupportedAttribute("indexing_maps",
                                   "an affine map for each operand");
  if (!maps.front().isPermutation() || !maps.back().isPermutation())
    return op.unsupportedAttribute(
        "indexing_maps", "permutations of the dimensions for input and result");
  return maps;
}

/// Reads quantize_affine or dequantize_affine.
static FailureOr<AffineOp> readOp(OpImporter &op, bool isQuantize) {
  FailureOr<RankedTensorType> input = op.requireRanked(0);
  FailureOr<RankedTensorType> result = op.requireRankedResult();
  FailureOr<RankedTensorType> init = op.requireRanked(op.inputs.size() - 1);
  if (failed(input) || failed(result) || failed(init))
    return failure();
  AffineOp affine;
  affine.input = *input;
  affine.result = *result;
  if (*init != *result)
    return op.unsupported("the init has the type " + showType(*init) +
                          ", but must have " + showType(*result));
  bool isUnsigned = bool(
      op.op.getAttribute(isQuantize ? "storage_unsigned" : "input_unsigned"));
  RankedTensorType real = isQuantize ? *input : *result;
  RankedTensorType integers = isQuantize ? *result : *input;
  auto storage = dyn_cast<IntegerType>(integers.getElementType());
  if (!storage || !storage.isSignless() ||
      !llvm::is_contained({2u, 4u, 8u, 16u, 32u}, storage.getWidth()))
    return op.unsupported("expected signless integers of 2, 4, 8, 16 or 32 "
                          "bits, but got " +
                          showType(integers));
  if (!isStandardFloat(real.getElementType()))
    return op.unsupported("expected elements of type f16, bf16, f32 or f64, "
                          "but got " +
                          showType(real));
  affine.storage = IntegerType::get(op.b.getContext(), storage.getWidth(),
                                    isUnsigned ? IntegerType::Unsigned
                                               : IntegerType::Signless);
  for (Value operand : ArrayRef(op.inputs).drop_front().drop_back())
    if (isa<ShapedType>(operand.getType()) &&
        !isa<RankedTensorType>(operand.getType()))
      return op.unsupported("expected scalars or ranked tensors, but got " +
                            showType(operand.getType()));
  affine.scale = op.inputs[1];
  auto computed = dyn_cast<FloatType>(op.elementType(1));
  if (!computed || !isStandardFloat(computed) ||
      (isQuantize &&
       computed.getWidth() < real.getElementType().getIntOrFloatBitWidth()))
    return op.unsupported("expected scales of type f16, bf16, f32 or f64 that "
                          "are not narrower than the input, but got " +
                          showType(affine.scale.getType()));
  affine.computed = computed;
  affine.isZeroPointUnsigned = bool(op.op.getAttribute("zp_unsigned"));
  if (op.inputs.size() == 4) {
    affine.zeroPoint = op.inputs[2];
    auto type = dyn_cast<IntegerType>(op.elementType(2));
    if (!type || !type.isSignless() || type.getWidth() > 64)
      return op.unsupported("expected zero points of signless integers of at "
                            "most 64 bits, but got " +
                            showType(affine.zeroPoint.getType()));
  }
  affine.init = op.inputs.back();
  FailureOr<SmallVector<AffineMap>> maps = readMaps(op);
  if (failed(maps))
    return failure();
  affine.inputMap = maps->front();
  affine.scaleMap = (*maps)[1];
  if (affine.zeroPoint)
    affine.zeroPointMap = (*maps)[2];
  affine.resultMap = maps->back();
  return affine;
}

//===----------------------------------------------------------------------===//
// quantize and dequantize
//===----------------------------------------------------------------------===//

static std::optional<Granularity> getGranularity(const AffineOp &op) {
  if (!op.inputMap.isIdentity() || !op.resultMap.isIdentity() ||
      !op.scaleMap.isProjectedPermutation())
    return std::nullopt;
  Granularity granularity;
  int64_t rank = op.input.getRank(), count = op.scaleMap.getNumResults();
  if (count == 0)
    return granularity;
  SmallVector<int64_t> dims;
  for (unsigned i : llvm::seq(op.scaleMap.getNumResults()))
    dims.push_back(op.scaleMap.getDimPosition(i));
  if (!llvm::is_sorted(dims))
    return std::nullopt;
  if (count == 1) {
    granularity.axis = dims.front();
    return granularity;
  }
  if (count == rank) {
    granularity.axis = rank - 1;
    granularity.blockSize = 1;
    return granularity;
  }
  if (count != rank - 1)
    return std::nullopt;
  int64_t missing = 0;
  while (llvm::is_contained(dims, missing))
    ++missing;
  if (op.input.isDynamicDim(missing) || op.input.getDimSize(missing) == 0)
    return std::nullopt;
  granularity.axis = granularity.inserted = missing;
  granularity.blockSize = op.input.getDimSize(missing);
  return granularity;
}

/// Returns the elements of a constant; a scalar is a tensor of rank 0.
static DenseElementsAttr getConstant(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return {};
  if (auto elements = dyn_cast<DenseElementsAttr>(attr))
    return elements;
  if (isa<FloatAttr, IntegerAttr>(attr))
    return DenseElementsAttr::get(RankedTensorType::get({}, value.getType()),
                                  ArrayRef<Attribute>(attr));
  return {};
}

/// Returns the shape of the scales with the dimension that they lack.
static SmallVector<int64_t> getShape(const AffineOp &op,
                                     const Granularity &granularity) {
  SmallVector<int64_t> shape;
  if (auto type = dyn_cast<RankedTensorType>(op.scale.getType()))
    shape = llvm::to_vector(type.getShape());
  if (granularity.inserted)
    shape.insert(shape.begin() + *granularity.inserted, 1);
  return shape;
}

/// Converts scales or zero points to a tensor of `shape`.
static Value makeParameter(OpImporter &op, Value value,
                           const Granularity &granularity,
                           ArrayRef<int64_t> shape) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Type element = getElementTypeOrSelf(value);
  if (DenseElementsAttr elements = getConstant(value))
    return op.makeConstant(
        elements.reshape(RankedTensorType::get(shape, element)));
  if (!type)
    return tensor::FromElementsOp::create(
        op.b, RankedTensorType::get({}, element), value);
  if (!granularity.inserted)
    return value;
  // The new dimension is part of the group of a dimension next to it.
  SmallVector<ReassociationIndices> groups(type.getRank());
  int64_t inserted = *granularity.inserted;
  for (int64_t axis : llvm::seq<int64_t>(shape.size())) {
    int64_t group = axis > inserted || axis == type.getRank() ? axis - 1 : axis;
    groups[group].push_back(axis);
  }
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(op.b, op.b.getLoc(), value);
  sizes.insert(sizes.begin() + inserted, op.b.getIndexAttr(1));
  return tensor::ExpandShapeOp::create(op.b, op.b.getLoc(),
                                       RankedTensorType::get(shape, element),
                                       value, groups, sizes);
}

/// Returns the zero points in the type of the storage, or none if this is not
/// possible. The result is null if there are no zero points.
static std::optional<Value> makeZeroPoint(OpImporter &op,
                                          const AffineOp &affine,
                                          const Granularity &granularity,
                                          ArrayRef<int64_t> shape) {
  if (!affine.zeroPoint)
    return Value();
  bool isScalar = affine.zeroPointMap.getNumResults() == 0;
  if (!isScalar && affine.zeroPointMap != affine.scaleMap)
    return std::nullopt;
  DenseElementsAttr elements = getConstant(affine.zeroPoint);
  if (!elements) {
    bool isSame =
        getElementTypeOrSelf(affine.zeroPoint).isInteger(affine.width()) &&
        affine.isZeroPointUnsigned == affine.storage.isUnsigned();
    if (!isSame || isScalar != shape.empty())
      return std::nullopt;
    return op.cast(makeParameter(op, affine.zeroPoint, granularity, shape),
                   affine.storage);
  }
  if (ShapedType::isDynamicShape(shape))
    return std::nullopt;
  SmallVector<APInt> values;
  bool isSplat = elements.isSplat();
  auto add = [&](const APInt &value) {
    unsigned width = affine.width();
    APInt wide = affine.isZeroPointUnsigned ? value.zext(128) : value.sext(128);
    values.push_back(wide.trunc(width));
    return affine.storage.isUnsigned() ? wide.isIntN(width)
                                       : wide.isSignedIntN(width);
  };
  if (isSplat) {
    if (!add(elements.getSplatValue<APInt>()))
      return std::nullopt;
  } else if (!llvm::all_of(elements.getValues<APInt>(), add)) {
    return std::nullopt;
  }
  return op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get(shape, affine.storage), values));
}

/// Whether `computed` represents all integers of the storage and all
/// differences of two of them.
static bool hasExactIntegers(const AffineOp &op) {
  unsigned precision =
      APFloat::semanticsPrecision(op.computed.getFloatSemantics());
  return op.width() <= precision;
}

/// Whether the op computes in a type of quantize and dequantize, without an
/// additional rounding.
static bool isSupportedType(const AffineOp &op) {
  return !op.computed.isF64() && !op.input.getElementType().isF64() &&
         !op.result.getElementType().isF64();
}

/// Whether no quotient of a number is NaN and quotients keep the sign.
static bool arePositive(DenseElementsAttr scales) {
  auto isPositive = [](const APFloat &scale) {
    return scale.isFiniteNonZero() && !scale.isNegative();
  };
  if (!scales || scales.isSplat())
    return scales && isPositive(scales.getSplatValue<APFloat>());
  return llvm::all_of(scales.getValues<APFloat>(), isPositive);
}

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

static Value
makeGeneric(OpImporter &op, const AffineOp &affine,
            llvm::function_ref<Value(ImplicitLocOpBuilder &, Value input,
                                     Value scale, Value zeroPoint)>
                makeBody) {
  SmallVector<Value> inputs = {op.inputs[0], affine.scale};
  SmallVector<AffineMap> maps = {affine.inputMap, affine.scaleMap};
  if (affine.zeroPoint) {
    inputs.push_back(affine.zeroPoint);
    maps.push_back(affine.zeroPointMap);
  }
  maps.push_back(affine.resultMap);
  SmallVector<utils::IteratorType> iterators(affine.inputMap.getNumDims(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      op.b, affine.result, inputs, affine.init, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder b(loc, nested);
        Value zeroPoint = affine.zeroPoint ? arguments[2] : Value();
        linalg::YieldOp::create(
            b, makeBody(b, arguments[0], arguments[1], zeroPoint));
      });
  return generic.getResult(0);
}

static Value convertFloat(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(b, type, value, arith::FastMathFlagsAttr());
  if (from > to)
    return arith::TruncFOp::create(b, type, value);
  // f16 and bf16.
  Value wide = arith::ExtFOp::create(b, b.getF32Type(), value,
                                     arith::FastMathFlagsAttr());
  return arith::TruncFOp::create(b, type, wide);
}

static Value convertInteger(ImplicitLocOpBuilder &b, Value value, Type type,
                            bool isUnsigned) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from > to)
    return arith::TruncIOp::create(b, type, value);
  if (from == to)
    return value;
  if (isUnsigned)
    return arith::ExtUIOp::create(b, type, value);
  return arith::ExtSIOp::create(b, type, value);
}

//===----------------------------------------------------------------------===//
// quantize_affine
//===----------------------------------------------------------------------===//

namespace {
/// The range of the results of quantize_affine.
struct StorageRange {
  int64_t lowest, highest;
};
} // namespace

static FailureOr<StorageRange> readRange(OpImporter &op,
                                         const AffineOp &affine) {
  FailureOr<int64_t> lowest = op.requireInt("quant_min");
  FailureOr<int64_t> highest = op.requireInt("quant_max");
  if (failed(lowest) || failed(highest))
    return failure();
  unsigned width = affine.width();
  bool isUnsigned = affine.storage.isUnsigned();
  int64_t first = isUnsigned ? 0 : llvm::minIntN(width);
  int64_t last = isUnsigned ? llvm::maxUIntN(width) : llvm::maxIntN(width);
  if (*lowest < first || *highest > last || *lowest > *highest)
    return op.unsupported("expected a range in [" + Twine(first) + ", " +
                          Twine(last) + "], but got [" + Twine(*lowest) + ", " +
                          Twine(*highest) + "]");
  // The conversion of a bound that is rounded up is undefined.
  for (int64_t bound : {*lowest, *highest}) {
    APFloat exact(affine.computed.getFloatSemantics());
    if (exact.convertFromAPInt(APInt(64, bound, /*isSigned=*/true),
                               /*IsSigned=*/true,
                               APFloat::rmNearestTiesToEven) != APFloat::opOK)
      return op.unsupported("the bound " + Twine(bound) +
                            " is not representable in " +
                            showType(affine.computed));
  }
  return StorageRange{*lowest, *highest};
}

/// Returns null if `quantize` does not have the same values.
static Value makeQuantize(OpImporter &op, const AffineOp &affine,
                          StorageRange range) {
  std::optional<Granularity> granularity = getGranularity(affine);
  if (!granularity || affine.width() > 16 || !hasExactIntegers(affine) ||
      !isSupportedType(affine) || !arePositive(getConstant(affine.scale)))
    return {};
  SmallVector<int64_t> shape = getShape(affine, *granularity);
  std::optional<Value> zeroPoint =
      makeZeroPoint(op, affine, *granularity, shape);
  if (!zeroPoint)
    return {};
  // quantize converts NaN to the zero point.
  Value input = op.inputs[0];
  Value isNaN = op.compareElementwise("IsNaN", input);
  Value lowest =
      op.makeScalar(affine.input.getElementType(),
                    APFloat::getInf(APFloat::IEEEdouble(), /*Negative=*/true));
  input = op.applyElementwise("Where", {isNaN, lowest, input});
  ImplicitLocOpBuilder &b = op.b;
  auto getAttr = [&](std::optional<int64_t> value) {
    return value ? b.getI64IntegerAttr(*value) : IntegerAttr();
  };
  Value result = QuantizeOp::create(
      b, withElementType(affine.input, affine.storage), input,
      makeParameter(op, affine.scale, *granularity, shape), *zeroPoint,
      b.getI64IntegerAttr(kNewestOpset), /*domain=*/StringAttr(),
      getAttr(granularity->axis), getAttr(granularity->blockSize),
      /*ignored_attributes=*/ArrayAttr(), /*saturate=*/BoolAttr(),
      /*precision=*/TypeAttr());
  unsigned width = affine.width();
  bool isUnsigned = affine.storage.isUnsigned();
  if (range.lowest != (isUnsigned ? 0 : llvm::minIntN(width)) ||
      range.highest !=
          int64_t(isUnsigned ? llvm::maxUIntN(width) : llvm::maxIntN(width)))
    result = op.clampIntegers(result, range.lowest, range.highest);
  return op.cast(result, affine.result.getElementType());
}

NodeResults iree_ops::convertQuantizeAffine(OpImporter &op) {
  FailureOr<AffineOp> affine = readOp(op, /*isQuantize=*/true);
  if (failed(affine))
    return failure();
  FailureOr<StorageRange> range = readRange(op, *affine);
  if (failed(range))
    return failure();
  if (Value result = makeQuantize(op, *affine, *range))
    return result;
  FloatType type = affine->computed;
  return makeGeneric(
      op, *affine,
      [&](ImplicitLocOpBuilder &b, Value input, Value scale, Value zeroPoint) {
        auto makeNumber = [&](int64_t number) -> Value {
          return arith::ConstantOp::create(
              b, b.getFloatAttr(type, static_cast<double>(number)));
        };
        Value value =
            arith::DivFOp::create(b, convertFloat(b, input, type), scale);
        value = math::RoundEvenOp::create(b, value);
        if (zeroPoint && affine->isZeroPointUnsigned)
          zeroPoint = arith::UIToFPOp::create(b, type, zeroPoint);
        else if (zeroPoint)
          zeroPoint = arith::SIToFPOp::create(b, type, zeroPoint);
        if (zeroPoint)
          value = arith::AddFOp::create(b, value, zeroPoint);
        value = arith::MaxNumFOp::create(b, value, makeNumber(range->lowest));
        value = arith::MinNumFOp::create(b, value, makeNumber(range->highest));
        Type storage = affine->result.getElementType();
        if (affine->storage.isUnsigned())
          return arith::FPToUIOp::create(b, storage, value).getResult();
        return arith::FPToSIOp::create(b, storage, value).getResult();
      });
}

//===----------------------------------------------------------------------===//
// dequantize_affine
//===----------------------------------------------------------------------===//

/// Returns null if `dequantize` does not have the same values.
static Value makeDequantize(OpImporter &op, const AffineOp &affine) {
  std::optional<Granularity> granularity = getGranularity(affine);
  Type real = affine.result.getElementType();
  // dequantize multiplies in f32. The product in f16 or bf16 is the same only
  // if the difference is exact.
  bool isWide = affine.computed.isF32();
  if (!granularity || !isSupportedType(affine) ||
      (!isWide && (affine.width() > 8 || real != affine.computed)) ||
      (affine.width() == 32 &&
       (affine.zeroPoint || affine.storage.isUnsigned())))
    return {};
  SmallVector<int64_t> shape = getShape(affine, *granularity);
  std::optional<Value> zeroPoint =
      makeZeroPoint(op, affine, *granularity, shape);
  if (!zeroPoint)
    return {};
  ImplicitLocOpBuilder &b = op.b;
  auto getAttr = [&](std::optional<int64_t> value) {
    return value ? b.getI64IntegerAttr(*value) : IntegerAttr();
  };
  return DequantizeOp::create(
      b, withElementType(affine.input, real),
      op.cast(op.inputs[0], affine.storage),
      makeParameter(op, affine.scale, *granularity, shape), *zeroPoint,
      b.getI64IntegerAttr(kNewestOpset), /*domain=*/StringAttr(),
      getAttr(granularity->axis), getAttr(granularity->blockSize),
      /*ignored_attributes=*/ArrayAttr());
}

NodeResults iree_ops::convertDequantizeAffine(OpImporter &op) {
  FailureOr<AffineOp> affine = readOp(op, /*isQuantize=*/false);
  if (failed(affine))
    return failure();
  if (Value result = makeDequantize(op, *affine))
    return result;
  bool isUnsigned = affine->storage.isUnsigned();
  // A difference has a bit more than the storage.
  Type wide = op.b.getIntegerType(affine->width() < 16   ? 16
                                  : affine->width() < 32 ? 32
                                                         : 64);
  return makeGeneric(
      op, *affine,
      [&](ImplicitLocOpBuilder &b, Value input, Value scale, Value zeroPoint) {
        Value value = convertInteger(b, input, wide, isUnsigned);
        if (zeroPoint)
          value = arith::SubIOp::create(
              b, value,
              convertInteger(b, zeroPoint, wide, affine->isZeroPointUnsigned));
        value = arith::SIToFPOp::create(b, affine->computed, value);
        value = arith::MulFOp::create(b, value, scale);
        return convertFloat(b, value, affine->result.getElementType());
      });
}
