//===- Building.cpp - Builders for node conversions -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Sizes and indices
//===----------------------------------------------------------------------===//

OpFoldResult onnx_nodes::computeIndex(ImplicitLocOpBuilder &b, AffineExpr expr,
                                      ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
}

Value onnx_nodes::makeIndex(ImplicitLocOpBuilder &b, OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), index);
}

Value onnx_nodes::isIndex(ImplicitLocOpBuilder &b, Value index, int64_t other) {
  return b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, index,
      arith::ConstantIndexOp::create(b, other));
}

void onnx_nodes::setAxis(ImplicitLocOpBuilder &b,
                         MutableArrayRef<OpFoldResult> numbers,
                         OpFoldResult axis, OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(axis)) {
    numbers[*constant] = number;
    return;
  }
  for (auto [position, other] : llvm::enumerate(numbers))
    other = buildSelect(b, isIndex(b, makeIndex(b, axis), position),
                        makeIndex(b, number), makeIndex(b, other));
}

TensorAxis onnx_nodes::makeAxisKnown(NodeContext &context, Value tensor,
                                     OpFoldResult axis, size_t numTrailing) {
  if (std::optional<int64_t> constant = getConstantIntValue(axis))
    return {tensor, *constant};
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor), known;
  Value index = makeIndex(b, axis), one = arith::ConstantIndexOp::create(b, 1);
  for (arith::CmpIPredicate order :
       {arith::CmpIPredicate::slt, arith::CmpIPredicate::eq,
        arith::CmpIPredicate::sgt}) {
    SmallVector<OpFoldResult> extents;
    for (auto [position, size] :
         llvm::enumerate(ArrayRef(sizes).drop_back(numTrailing))) {
      Value here = arith::ConstantIndexOp::create(b, position);
      Value isPart = b.createOrFold<arith::CmpIOp>(order, here, index);
      extents.push_back(buildSelect(b, isPart, makeIndex(b, size), one));
    }
    known.push_back(context.computeProduct(extents));
  }
  llvm::append_range(known, ArrayRef(sizes).take_back(numTrailing));
  return {context.reshape(tensor, known), 1};
}

SmallVector<int64_t> onnx_nodes::getShape(ArrayRef<OpFoldResult> sizes) {
  return decomposeMixedValues(SmallVector<OpFoldResult>(sizes)).first;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Type onnx_nodes::getComputeType(Type elementType) {
  if (elementType.isF16() || elementType.isBF16())
    return Float32Type::get(elementType.getContext());
  if (elementType.isUnsignedInteger())
    return getStorageElementType(elementType);
  return elementType;
}

Value onnx_nodes::toCompute(ImplicitLocOpBuilder &b, Value value) {
  Type type = getComputeType(value.getType());
  if (isa<FloatType>(type))
    return b.createOrFold<CastOp>(value, type);
  return type == value.getType() ? value
                                 : b.createOrFold<StorageCastOp>(type, value);
}

Value onnx_nodes::fromCompute(ImplicitLocOpBuilder &b, Value value,
                              Type elementType) {
  if (value.getType() == elementType)
    return value;
  if (isa<FloatType>(elementType))
    return b.createOrFold<CastOp>(value, elementType);
  return b.createOrFold<StorageCastOp>(elementType, value);
}

FailureOr<Value> onnx_nodes::makeZero(NodeContext &context, Type elementType) {
  auto zero = dyn_cast_or_null<TypedAttr>(
      elementType.isIntOrFloat() ? context.b.getZeroAttr(elementType)
                                 : TypedAttr());
  if (!zero)
    return context.unsupported("elements of type " + show(elementType) +
                               " have no zero");
  return createConstant(context.b, zero).getResult();
}

Value onnx_nodes::buildSelect(ImplicitLocOpBuilder &b, Value condition,
                              Value isTrue, Value isFalse) {
  Type elementType = isTrue.getType();
  Type storageType = getStorageElementType(elementType);
  Value chosen = b.createOrFold<arith::SelectOp>(
      condition, b.createOrFold<StorageCastOp>(storageType, isTrue),
      b.createOrFold<StorageCastOp>(storageType, isFalse));
  return b.createOrFold<StorageCastOp>(elementType, chosen);
}

Value onnx_nodes::makeNumber(ImplicitLocOpBuilder &b, Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  // Out-of-range values saturate to 64 bits.
  value = std::clamp(value, -0x1p63, 0x1.fffffffffffffp62);
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(type, static_cast<int64_t>(value)));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

RankedTensorType onnx_nodes::joinTypes(RankedTensorType lhs,
                                       RankedTensorType rhs) {
  SmallVector<int64_t> shape(lhs.getShape());
  for (auto [size, other] : llvm::zip_equal(shape, rhs.getShape()))
    if (size != other)
      size = ShapedType::kDynamic;
  return RankedTensorType::get(shape, lhs.getElementType());
}

Value onnx_nodes::buildParallel(ImplicitLocOpBuilder &b,
                                ArrayRef<OpFoldResult> sizes, Type elementType,
                                ValueRange inputs, ArrayRef<AffineMap> maps,
                                ElementBody body) {
  Value empty = tensor::EmptyOp::create(b, sizes, elementType);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(b.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, empty.getType(), inputs, empty, allMaps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value result = body(inner, args.drop_back());
        linalg::YieldOp::create(inner, result);
      });
  return generic.getResult(0);
}

AffineMap onnx_nodes::getBroadcastMap(MLIRContext *context,
                                      ArrayRef<OpFoldResult> sizes,
                                      ArrayRef<OpFoldResult> resultSizes) {
  SmallVector<AffineExpr> exprs;
  size_t offset = resultSizes.size() - sizes.size();
  for (auto [index, size] : llvm::enumerate(sizes)) {
    bool isOne = isConstantIntValue(size, 1) &&
                 !isConstantIntValue(resultSizes[offset + index], 1);
    exprs.push_back(isOne ? getAffineConstantExpr(0, context)
                          : getAffineDimExpr(offset + index, context));
  }
  return AffineMap::get(resultSizes.size(), 0, exprs, context);
}

Value onnx_nodes::buildFilled(ImplicitLocOpBuilder &b,
                              ArrayRef<OpFoldResult> sizes, Value value) {
  return buildParallel(
      b, sizes, value.getType(), {}, {},
      [&](ImplicitLocOpBuilder &, ValueRange) { return value; });
}

/// Groups the axes of two shapes so that corresponding groups have the same
/// number of elements. The groups are as small as the known sizes permit.
static void groupAxes(ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to,
                      SmallVectorImpl<std::pair<size_t, size_t>> &ends) {
  // Equal leading axes form separate groups. All axes that cannot be matched
  // form one group.
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    if (isEqualConstantIntOrValue(from[i], to[j])) {
      ends.push_back({++i, ++j});
      continue;
    }
    // For static sizes, extend both groups until their products are equal.
    std::optional<int64_t> a = getConstantIntValue(from[i]);
    std::optional<int64_t> c = getConstantIntValue(to[j]);
    size_t m = i, n = j;
    while (a && c && *a != *c) {
      if (*a < *c) {
        std::optional<int64_t> next =
            ++m < from.size() ? getConstantIntValue(from[m]) : std::nullopt;
        a = next ? std::optional<int64_t>(*a * *next) : std::nullopt;
      } else {
        std::optional<int64_t> next =
            ++n < to.size() ? getConstantIntValue(to[n]) : std::nullopt;
        c = next ? std::optional<int64_t>(*c * *next) : std::nullopt;
      }
    }
    if (!a || !c || *a == 0)
      break;
    i = m + 1;
    j = n + 1;
    ends.push_back({i, j});
  }
  // Append the remaining axes to the last group, or make them a group.
  if (i == from.size() && j == to.size())
    return;
  auto isAllOnes = [](ArrayRef<OpFoldResult> sizes) {
    return llvm::all_of(
        sizes, [](OpFoldResult size) { return isConstantIntValue(size, 1); });
  };
  bool joins = isAllOnes(from.drop_front(i)) && isAllOnes(to.drop_front(j));
  if (!ends.empty() && (joins || i == from.size() || j == to.size()))
    ends.back() = {from.size(), to.size()};
  else
    ends.push_back({from.size(), to.size()});
}

Value onnx_nodes::buildReshape(ImplicitLocOpBuilder &b, Value tensor,
                               ArrayRef<OpFoldResult> from,
                               ArrayRef<OpFoldResult> to) {
  Type elementType = getElementTypeOrSelf(tensor);
  // Without elements, the sizes need not correspond.
  auto isZero = [](OpFoldResult size) { return isConstantIntValue(size, 0); };
  if (llvm::any_of(from, isZero) || llvm::any_of(to, isZero))
    return tensor::EmptyOp::create(b, to, elementType);
  SmallVector<int64_t> fromShape = getShape(from), toShape = getShape(to);
  SmallVector<std::pair<size_t, size_t>> ends;
  // If one side has rank 0, no axes can be grouped.
  if (!from.empty() && !to.empty())
    groupAxes(from, to, ends);

  // Collapse each group to one axis, then expand this axis to the group of the
  // result. Sizes are static where the ops require it.
  SmallVector<ReassociationIndices> collapse, expand;
  SmallVector<int64_t> collapsed, expanded;
  size_t i = 0, j = 0;
  auto addGroup = [](ArrayRef<int64_t> shape, size_t &begin, size_t end,
                     SmallVectorImpl<ReassociationIndices> &groups,
                     SmallVectorImpl<int64_t> &sizes) {
    sizes.push_back(1);
    groups.emplace_back();
    for (; begin < end; ++begin) {
      groups.back().push_back(begin);
      sizes.back() = ShapedType::isDynamic(sizes.back()) ||
                             ShapedType::isDynamic(shape[begin])
                         ? ShapedType::kDynamic
                         : sizes.back() * shape[begin];
    }
  };
  for (auto [m, n] : ends) {
    addGroup(fromShape, i, m, collapse, collapsed);
    addGroup(toShape, j, n, expand, expanded);
  }
  auto castTo = [&](ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, elementType);
    if (type != tensor.getType())
      tensor = tensor::CastOp::create(b, type, tensor);
  };
  // Incompatible groups mean that the tensor has no elements at run time, or
  // that the shapes never match. Use one group of all axes.
  if (!succeeded(verifyCompatibleShape(collapsed, expanded))) {
    collapsed = {ShapedType::kDynamic};
    expanded = collapsed;
    collapse = {llvm::to_vector<2>(llvm::seq<int64_t>(from.size()))};
    expand = {llvm::to_vector<2>(llvm::seq<int64_t>(to.size()))};
    ends.resize(1);
  }
  castTo(fromShape);
  if (ends.size() != from.size())
    tensor = tensor::CollapseShapeOp::create(
        b, RankedTensorType::get(collapsed, elementType), tensor, collapse);
  castTo(expanded);
  if (ends.size() != to.size())
    tensor = tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(toShape, elementType), tensor, expand, to);
  return tensor;
}

Value onnx_nodes::makeBuffer(ImplicitLocOpBuilder &b,
                             ArrayRef<OpFoldResult> sizes, Type elementType) {
  auto [shape, dynamicSizes] =
      decomposeMixedValues(SmallVector<OpFoldResult>(sizes));
  return bufferization::AllocTensorOp::create(
      b, RankedTensorType::get(shape, elementType), dynamicSizes);
}

Value onnx_nodes::buildSlice(ImplicitLocOpBuilder &b, Value tensor,
                             ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes,
                             ArrayRef<OpFoldResult> strides) {
  // tensor.extract_slice requires offsets in bounds even for empty slices.
  auto type = cast<RankedTensorType>(tensor.getType());
  if (llvm::is_contained(type.getShape(), 0) ||
      llvm::any_of(
          sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); }))
    return tensor::EmptyOp::create(b, sizes, type.getElementType());
  return b.createOrFold<tensor::ExtractSliceOp>(tensor, offsets, sizes,
                                                strides);
}

Value onnx_nodes::buildPadded(NodeContext &context, Value tensor, Value value,
                              ArrayRef<OpFoldResult> low,
                              ArrayRef<OpFoldResult> high) {
  ImplicitLocOpBuilder &b = context.b;
  auto type = cast<RankedTensorType>(tensor.getType());
  size_t rank = type.getRank();
  if (areAllConstantIntValue(low, 0) && areAllConstantIntValue(high, 0))
    return tensor;
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor), padded;
  for (auto [size, before, behind] : llvm::zip_equal(sizes, low, high))
    padded.push_back(context.computeSum({size, before, behind}));
  // The result of padding an empty tensor consists of padding only.
  bool isEmpty = llvm::any_of(
      sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); });
  bool isKnown = !isa<TensorType>(value.getType());
  if (isKnown && isEmpty)
    return buildFilled(b, padded, value);
  if (isKnown)
    return tensor::PadOp::create(b, Type(), tensor, low, high, value);
  Value filled = buildParallel(
      b, padded, type.getElementType(), value,
      AffineMap::get(rank, 0, b.getContext()),
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
  if (isEmpty)
    return filled;
  SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, tensor, filled, low, sizes, strides);
}

FailureOr<CroppedTensor> onnx_nodes::buildCropped(NodeContext &context,
                                                  Value tensor,
                                                  ArrayRef<OpFoldResult> low,
                                                  ArrayRef<OpFoldResult> high) {
  ImplicitLocOpBuilder &b = context.b;
  auto clamp = [&](OpFoldResult pad, bool isTaken) -> OpFoldResult {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value value = makeIndex(b, pad);
    if (isTaken)
      value = b.createOrFold<arith::SubIOp>(zero, value);
    return getAsOpFoldResult(b.createOrFold<arith::MaxSIOp>(value, zero));
  };
  AffineExpr s0, s1, s2;
  bindSymbols(b.getContext(), s0, s1, s2);
  CroppedTensor result;
  SmallVector<OpFoldResult> offsets, from = context.getSizes(tensor), sizes;
  for (auto [axis, size] : llvm::enumerate(from)) {
    for (OpFoldResult pad : {low[axis], high[axis]}) {
      std::optional<int64_t> constant = getConstantIntValue(pad);
      if (constant && !llvm::isInt<32>(*constant))
        return context.unsupported("pads must have 32 bits, but got " +
                                   Twine(*constant));
    }
    offsets.push_back(clamp(low[axis], /*isTaken=*/true));
    sizes.push_back(computeIndex(
        b, s0 - s1 - s2, {size, offsets.back(), clamp(high[axis], true)}));
    if (sizes.back() != size &&
        failed(context.requireAtLeast(
            0, sizes.back(), "the padded size of axis " + Twine(axis))))
      return failure();
    result.low.push_back(clamp(low[axis], /*isTaken=*/false));
    result.high.push_back(clamp(high[axis], /*isTaken=*/false));
  }
  SmallVector<OpFoldResult> strides(from.size(), b.getIndexAttr(1));
  result.tensor =
      sizes == from ? tensor : buildSlice(b, tensor, offsets, sizes, strides);
  return result;
}

FailureOr<SmallVector<OpFoldResult>>
onnx_nodes::broadcastSizes(NodeContext &context,
                           ArrayRef<SmallVector<OpFoldResult>> inputSizes) {
  // For each axis, the first input that is not broadcast along it.
  SmallVector<size_t> owners;
  size_t rank = 0;
  for (const SmallVector<OpFoldResult> &sizes : inputSizes)
    rank = std::max(rank, sizes.size());
  SmallVector<OpFoldResult> result(rank, context.b.getIndexAttr(1));
  owners.resize(rank);
  for (auto [input, sizes] : llvm::enumerate(inputSizes)) {
    for (auto [index, size] : llvm::enumerate(sizes)) {
      size_t axis = rank - sizes.size() + index;
      OpFoldResult &common = result[axis];
      if (isConstantIntValue(size, 1))
        continue;
      if (isConstantIntValue(common, 1)) {
        common = size;
        owners[axis] = input;
        continue;
      }
      std::optional<int64_t> a = getConstantIntValue(common);
      std::optional<int64_t> c = getConstantIntValue(size);
      if (a && c && a != c)
        return context.unsupported("the sizes " + Twine(*a) + " and " +
                                   Twine(*c) + " do not broadcast");
      if (!(a && c) && failed(context.requireEqual(
                           common, size,
                           "axis " + Twine(axis) + " of inputs " +
                               Twine(owners[axis]) + " and " + Twine(input),
                           "must have the same size, because dynamic sizes are "
                           "not broadcast")))
        return failure();
      // Prefer the constant to the dynamic size.
      if (!a && c)
        common = size;
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Sequential loops
//===----------------------------------------------------------------------===//

Value onnx_nodes::toStorage(ImplicitLocOpBuilder &b, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type stored = type.clone(getStorageElementType(type.getElementType()));
  return stored == type ? tensor
                        : b.createOrFold<StorageCastOp>(stored, tensor);
}

Value onnx_nodes::fromStorage(ImplicitLocOpBuilder &b, Value tensor,
                              Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getElementType() == elementType
             ? tensor
             : b.createOrFold<StorageCastOp>(type.clone(elementType), tensor);
}

SmallVector<Value> onnx_nodes::buildSequential(ImplicitLocOpBuilder &b,
                                               ArrayRef<OpFoldResult> sizes,
                                               ValueRange inits,
                                               SequentialBody body) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> begins(sizes.size(), zero), steps(sizes.size(), one);
  SmallVector<Value> ends = llvm::map_to_vector(
      sizes, [&](OpFoldResult size) { return makeIndex(b, size); });
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), begins, ends, steps, inits,
      [&](OpBuilder &builder, Location loc, ValueRange indices,
          ValueRange values) {
        ImplicitLocOpBuilder inner(loc, builder);
        return scf::ValueVector(body(inner, indices, values));
      });
  return SmallVector<Value>(nest.results);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool onnx_nodes::isUnsignedElement(Type elementType) {
  return elementType.isUnsignedInteger() || elementType.isInteger(1);
}

static arith::AtomicRMWKind getKind(Combine combine, Type type,
                                    bool isUnsigned) {
  using Kind = arith::AtomicRMWKind;
  static const Kind kinds[][3] = {
      {Kind::addf, Kind::addi, Kind::addi},
      {Kind::mulf, Kind::muli, Kind::muli},
      {Kind::maximumf, Kind::maxs, Kind::maxu},
      {Kind::minimumf, Kind::mins, Kind::minu},
  };
  return kinds[static_cast<size_t>(combine)]
              [isa<FloatType>(type) ? 0 : 1 + isUnsigned];
}

Value onnx_nodes::makeNeutral(ImplicitLocOpBuilder &b, Combine combine,
                              Type type, bool isUnsigned) {
  return arith::getIdentityValue(getKind(combine, type, isUnsigned), type, b,
                                 b.getLoc());
}

Value onnx_nodes::buildCombine(ImplicitLocOpBuilder &b, Combine combine,
                               Value lhs, Value rhs, bool isUnsigned) {
  return arith::getReductionOp(getKind(combine, lhs.getType(), isUnsigned), b,
                               b.getLoc(), lhs, rhs);
}

SmallVector<Value>
onnx_nodes::buildReduction(ImplicitLocOpBuilder &b, ValueRange inputs,
                           ArrayRef<AffineMap> maps, ValueRange inits,
                           AffineMap resultMap, ReductionBody body) {
  SmallVector<AffineMap> allMaps(maps);
  allMaps.append(inits.size(), resultMap);
  SmallVector<utils::IteratorType> iterators(resultMap.getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : resultMap.getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(
      b, inits.getTypes(), inputs, inits, allMaps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder inner(loc, builder);
        linalg::YieldOp::create(inner, body(inner, args.take_front(maps.size()),
                                            args.drop_front(maps.size())));
      });
  return llvm::to_vector(ValueRange(generic.getResults()));
}

FailureOr<Type> onnx_nodes::requireOperands(NodeContext &context,
                                            QuantizedOperands &operands) {
  Type accumulator = context.b.getI32Type();
  for (size_t i : {0, 1}) {
    size_t value = operands.values[i], &zeroPoint = operands.zeroPoints[i];
    Type elementType = context.elementType(value);
    bool isOtherWidth = operands.acceptsOtherWidths &&
                        (elementType.isInteger(4) || elementType.isInteger(16));
    if (!isOtherWidth && !context.hasKind(value, operands.kinds))
      return context.unsupported(
          "input " + Twine(value) + " must have integers of 8 bits" +
          (operands.kinds & kinds::Float8 ? " or float8" : "") + ", but got " +
          show(context.elementType(value)));
    if (context.input(zeroPoint) && failed(context.requireElementType(
                                        zeroPoint, context.elementType(value))))
      return failure();
    if (!isa<FloatType>(context.elementType(value)))
      continue;
    accumulator = context.b.getF32Type();
    if (failed(context.requireNoPoint(zeroPoint)))
      return failure();
    zeroPoint = context.inputs.size();
  }
  return accumulator;
}

Value onnx_nodes::buildDifference(ImplicitLocOpBuilder &b, Value lhs,
                                  Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return b.createOrFold<arith::SubFOp>(lhs, rhs);
  return b.createOrFold<arith::SubIOp>(lhs, rhs);
}

SmallVector<Value>
onnx_nodes::multiplyAndAdd(ImplicitLocOpBuilder &b, ValueRange elements,
                           ValueRange accumulators,
                           ArrayRef<std::optional<size_t>> zeroPoints) {
  Type type = accumulators[0].getType();
  auto convert = [&](Value value) {
    return getComputeType(value.getType()) == type
               ? toCompute(b, value)
               : b.createOrFold<CastOp>(value, type);
  };
  Value operands[] = {convert(elements[0]), convert(elements[1])};
  for (auto [operand, zeroPoint] : llvm::zip(operands, zeroPoints))
    if (zeroPoint)
      operand = buildDifference(b, operand, convert(elements[*zeroPoint]));
  Value product = buildCombine(b, Combine::Product, operands[0], operands[1],
                               /*isUnsigned=*/false);
  return {buildCombine(b, Combine::Sum, accumulators[0], product,
                       /*isUnsigned=*/false)};
}

FailureOr<Quantization> onnx_nodes::getQuantization(NodeContext &context,
                                                    size_t scale, Type type) {
  size_t zeroPoint = scale + 1;
  if (failed(context.requireInput(scale)) ||
      failed(context.requireKind(scale, kinds::Single)) ||
      (context.input(zeroPoint) &&
       failed(context.requireElementType(zeroPoint, type))) ||
      failed(context.requireNoPoint(zeroPoint)))
    return failure();
  FailureOr<Value> only = context.getOnlyElement(scale);
  FailureOr<Value> point = context.getOnlyElement(zeroPoint);
  if (failed(only) || failed(point))
    return failure();
  return Quantization{*only, *point};
}

Value onnx_nodes::normalizeIndex(ImplicitLocOpBuilder &b, Value index,
                                 Value size) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value isNegative =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, index, zero);
  index = b.createOrFold<arith::SelectOp>(
      isNegative, b.createOrFold<arith::AddIOp>(index, size), index);
  index = b.createOrFold<arith::MinSIOp>(
      index, b.createOrFold<arith::SubIOp>(size, one));
  return b.createOrFold<arith::MaxSIOp>(index, zero);
}

FailureOr<SmallVector<int64_t>> onnx_nodes::getWindowList(NodeContext &context,
                                                          StringRef name,
                                                          size_t size,
                                                          int64_t min) {
  SmallVector<int64_t> values = context.getInts(name);
  if (values.empty())
    values.assign(size, min);
  if (values.size() != size)
    return context.unsupported("attribute '" + name + "' must have " +
                               Twine(size) + " values, but got " +
                               Twine(values.size()));
  for (int64_t value : values)
    if (failed(context.requireRange(name, value, min)))
      return failure();
  return values;
}

FailureOr<WindowLists> onnx_nodes::getWindowLists(NodeContext &context,
                                                  size_t axes) {
  auto strides = getWindowList(context, "strides", axes, 1);
  auto dilations = getWindowList(context, "dilations", axes, 1);
  auto pads = getWindowList(context, "pads", 2 * axes, 0);
  if (failed(strides) || failed(dilations) || failed(pads))
    return failure();
  return WindowLists{*strides, *dilations, *pads};
}

LogicalResult onnx_nodes::requireIndices(NodeContext &context, size_t input,
                                         OpFoldResult size) {
  if (!isa<IntegerType>(context.elementType(input)))
    return context.unsupported("indices must be integers");
  std::optional<int64_t> count = getConstantIntValue(size);
  if (!count)
    return success();
  for (int64_t index :
       context.getConstantInts(input).value_or(SmallVector<int64_t>()))
    if (index < -*count || index >= *count)
      return context.unsupported("the index " + Twine(index) +
                                 " is outside of an axis of size " +
                                 Twine(*count));
  return success();
}

Value onnx_nodes::castToIndex(ImplicitLocOpBuilder &b, Value integer) {
  Value signless = toCompute(b, integer);
  return isUnsignedElement(integer.getType())
             ? b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), signless)
             : b.createOrFold<arith::IndexCastOp>(b.getIndexType(), signless);
}

Value onnx_nodes::toPosition(ImplicitLocOpBuilder &b, Value index,
                             OpFoldResult size) {
  return normalizeIndex(b, castToIndex(b, index), makeIndex(b, size));
}

LogicalResult onnx_nodes::requireElementIndices(NodeContext &context,
                                                int64_t axis) {
  SmallVector<OpFoldResult> data = context.getSizes(context.input(0));
  SmallVector<OpFoldResult> indices = context.getSizes(context.input(1));
  if (indices.size() != data.size())
    return context.unsupported("indices must have rank " + Twine(data.size()) +
                               ", but got " + Twine(indices.size()));
  for (auto [i, size] : llvm::enumerate(indices))
    if (static_cast<int64_t>(i) != axis &&
        failed(context.requireAtMost(
            data[i], size, "the size of axis " + Twine(i) + " of the indices")))
      return failure();
  return requireIndices(context, 1, data[axis]);
}

FailureOr<int64_t> onnx_nodes::requireTuples(NodeContext &context,
                                             int64_t batch) {
  int64_t rank = context.type(0).getRank();
  RankedTensorType indices = context.type(1);
  if (!isa<IntegerType>(indices.getElementType()))
    return context.unsupported("indices must be integers");
  if (indices.getRank() == 0 || indices.isDynamicDim(indices.getRank() - 1))
    return context.unsupported(
        "the number of indices of a position must be static");
  if (batch < 0 || batch >= std::min(rank, indices.getRank()))
    return context.unsupported(
        "attribute 'batch_dims' must be at least 0 and less than both ranks, "
        "but got " +
        Twine(batch));
  int64_t length = indices.getShape().back();
  if (length > rank - batch)
    return context.unsupported("a position must have at most " +
                               Twine(rank - batch) + " indices, but got " +
                               Twine(length));
  return length;
}

SmallVector<Value> onnx_nodes::extractPositions(ImplicitLocOpBuilder &b,
                                                Value tuples,
                                                ArrayRef<Value> indices,
                                                ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> tupleIndices(indices), positions;
  tupleIndices.emplace_back();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    tupleIndices.back() = arith::ConstantIndexOp::create(b, i);
    Value index = tensor::ExtractOp::create(b, tuples, tupleIndices);
    positions.push_back(toPosition(b, index, size));
  }
  return positions;
}

LogicalResult onnx_nodes::requireSequenceLengths(NodeContext &context,
                                                 size_t input,
                                                 OpFoldResult batch) {
  if (!context.input(input))
    return success();
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(input));
  if (!isa<IntegerType>(context.elementType(input)) || sizes.size() != 1)
    return context.unsupported(
        "the lengths of sequences must be a vector of integers, but got " +
        show(context.type(input)));
  return context.requireEqual(batch, sizes[0], "the number of lengths");
}

Value onnx_nodes::clampLength(ImplicitLocOpBuilder &b, Value length,
                              OpFoldResult size) {
  length = castToIndex(b, length);
  length = b.createOrFold<arith::MinSIOp>(length, makeIndex(b, size));
  return b.createOrFold<arith::MaxSIOp>(length,
                                        arith::ConstantIndexOp::create(b, 0));
}

Value onnx_nodes::toSingle(ImplicitLocOpBuilder &b, Value value) {
  return b.createOrFold<CastOp>(value, b.getF32Type());
}

Value onnx_nodes::buildRequantized(NodeContext &context, Value accumulators,
                                   ArrayRef<Value> scales,
                                   ArrayRef<AffineMap> maps,
                                   Quantization result, Type elementType) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(accumulators);
  AffineMap scalarMap = AffineMap::get(sizes.size(), 0, b.getContext());
  SmallVector<Value> inputs = {accumulators, scales[0], scales[1],
                               result.scale};
  SmallVector<AffineMap> inputMaps = {b.getMultiDimIdentityMap(sizes.size()),
                                      maps[0], maps[1], scalarMap};
  if (result.zeroPoint) {
    inputs.push_back(result.zeroPoint);
    inputMaps.push_back(scalarMap);
  }
  return buildParallel(
      b, sizes, elementType, inputs, inputMaps,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value product = b.createOrFold<arith::MulFOp>(toSingle(b, args[1]),
                                                      toSingle(b, args[2]));
        Value factor =
            b.createOrFold<arith::DivFOp>(product, toSingle(b, args[3]));
        Value scaled =
            b.createOrFold<arith::MulFOp>(toSingle(b, args[0]), factor);
        return QuantizeElementsOp::create(
            b, elementType, scaled, makeNumber(b, b.getF32Type(), 1),
            result.zeroPoint ? args[4] : Value(), /*saturate=*/true);
      });
}

Value onnx_nodes::buildReductionOfAxes(NodeContext &context, Value tensor,
                                       ArrayRef<int64_t> axes, Combine combine,
                                       ElementMap before) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  Type elementType = getElementTypeOrSelf(tensor);
  Type type = getComputeType(elementType);
  bool isUnsigned = isUnsignedElement(elementType);
  SmallVector<OpFoldResult> resultSizes;
  SmallVector<AffineExpr> exprs;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    if (llvm::is_contained(axes, static_cast<int64_t>(axis)))
      continue;
    resultSizes.push_back(size);
    exprs.push_back(b.getAffineDimExpr(axis));
  }
  Value init =
      buildFilled(b, resultSizes, makeNeutral(b, combine, type, isUnsigned));
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) -> SmallVector<Value> {
    Value element = toCompute(b, elements[0]);
    if (before)
      element = before(b, element, isUnsigned);
    return {buildCombine(b, combine, accumulators[0], element, isUnsigned)};
  };
  return buildReduction(b, tensor, b.getMultiDimIdentityMap(sizes.size()), init,
                        AffineMap::get(sizes.size(), 0, exprs, b.getContext()),
                        body)
      .front();
}

Value onnx_nodes::buildElementCount(ImplicitLocOpBuilder &b,
                                    ArrayRef<OpFoldResult> sizes) {
  AffineExpr product = b.getAffineConstantExpr(1);
  for (size_t i = 0; i < sizes.size(); ++i)
    product = product * b.getAffineSymbolExpr(i);
  OpFoldResult count = computeIndex(b, product, sizes);
  return b.createOrFold<arith::IndexCastOp>(
      b.getI64Type(), getValueOrCreateConstantIndexOp(b, b.getLoc(), count));
}

Value onnx_nodes::convertFromCompute(NodeContext &context, Value tensor,
                                     Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == elementType)
    return tensor;
  ImplicitLocOpBuilder &b = context.b;
  return buildParallel(b, context.getSizes(tensor), elementType, tensor,
                       b.getMultiDimIdentityMap(type.getRank()),
                       [&](ImplicitLocOpBuilder &b, ValueRange args) {
                         return fromCompute(b, args[0], elementType);
                       });
}

Value onnx_nodes::buildAlongAxes(
    NodeContext &context, ArrayRef<OpFoldResult> sizes, Type elementType,
    ValueRange inputs, ArrayRef<SmallVector<int64_t>> axes,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<AffineMap> maps;
  for (const SmallVector<int64_t> &list : axes) {
    SmallVector<AffineExpr> exprs = llvm::map_to_vector(
        list, [&](int64_t axis) { return b.getAffineDimExpr(axis); });
    maps.push_back(AffineMap::get(sizes.size(), 0, exprs, b.getContext()));
  }
  return buildParallel(b, sizes, elementType, inputs, maps, body);
}
