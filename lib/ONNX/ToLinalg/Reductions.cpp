//===- Reductions.cpp - Reductions along axes -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "MergeSort.h"
#include "RowVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// ReduceMax and similar ops
//===----------------------------------------------------------------------===//

namespace {
/// How a reduction maps an element before it is combined, combines two values,
/// and maps the result. `count` is the number of elements per result.
struct ReductionRow {
  Combine combine;
  ElementMap before;
  Value (*after)(ImplicitLocOpBuilder &b, Value value, Value count,
                 bool isUnsigned);
};
} // namespace

static Value square(ImplicitLocOpBuilder &b, Value x, bool) {
  return buildCombine(b, Combine::Product, x, x, /*isUnsigned=*/false);
}

static Value absolute(ImplicitLocOpBuilder &b, Value x, bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return b.createOrFold<math::AbsFOp>(x);
  return isUnsigned ? x : b.createOrFold<math::AbsIOp>(x);
}

static Value squareRoot(ImplicitLocOpBuilder &b, Value x, Value, bool) {
  return b.createOrFold<math::SqrtOp>(x);
}

static Value logarithm(ImplicitLocOpBuilder &b, Value x, Value, bool) {
  return b.createOrFold<math::LogOp>(x);
}

/// The mean of an empty set is NaN for floats and 0 for integers.
static Value divideByCount(ImplicitLocOpBuilder &b, Value x, Value count,
                           bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return b.createOrFold<arith::DivFOp>(
        x, b.createOrFold<arith::SIToFPOp>(x.getType(), count));
  Value one = makeNumber(b, count.getType(), 1);
  count = b.createOrFold<arith::MaxSIOp>(count, one);
  // The count may have more than 32 bits.
  Type type = x.getType();
  bool isNarrow = type.isInteger(32);
  if (isNarrow)
    x = isUnsigned ? b.createOrFold<arith::ExtUIOp>(count.getType(), x)
                   : b.createOrFold<arith::ExtSIOp>(count.getType(), x);
  Value mean = isUnsigned ? b.createOrFold<arith::DivUIOp>(x, count)
                          : b.createOrFold<arith::DivSIOp>(x, count);
  return isNarrow ? b.createOrFold<arith::TruncIOp>(type, mean) : mean;
}

/// Applies `row.after`, if any, to the result of a reduction, and converts it
/// from the compute type to `elementType`. `sizes` are the sizes of the result,
/// `reduced` those of the reduced axes.
static Value buildAfter(NodeContext &context, Value result,
                        ArrayRef<OpFoldResult> sizes,
                        ArrayRef<OpFoldResult> reduced, Type elementType,
                        ReductionRow row) {
  ImplicitLocOpBuilder &b = context.b;
  if (!row.after)
    return convertFromCompute(context, result, elementType);
  Value count = buildElementCount(b, reduced);
  return buildParallel(
      b, sizes, elementType, result, b.getMultiDimIdentityMap(sizes.size()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value value =
            row.after(b, args[0], count, isUnsignedElement(elementType));
        return fromCompute(b, value, elementType);
      });
}

/// Reduces `tensor` along `axes`, which remain with size 1 if `keepDims`.
static Value buildReduced(NodeContext &context, Value tensor,
                          ArrayRef<int64_t> axes, bool keepDims,
                          ReductionRow row) {
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = getElementTypeOrSelf(tensor);
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  SmallVector<OpFoldResult> keptSizes, without, reduced;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(axis));
    keptSizes.push_back(isReduced ? b.getIndexAttr(1) : size);
    (isReduced ? reduced : without).push_back(size);
  }
  Value result =
      buildReductionOfAxes(context, tensor, axes, row.combine, row.before);
  result = buildAfter(context, result, without, reduced, elementType, row);
  return keepDims ? buildReshape(b, result, without, keptSizes) : result;
}

/// Returns the axes that the node specifies by an attribute or an input. An
/// empty list means all axes, or none if noop_with_empty_axes is set. Returns
/// no list if the axes are known only at run time.
static FailureOr<std::optional<SmallVector<int64_t>>>
getReducedAxes(NodeContext &context) {
  using Axes = std::optional<SmallVector<int64_t>>;
  int64_t rank = context.type(0).getRank();
  SmallVector<int64_t> axes = context.getInts("axes");
  if (context.input(1)) {
    std::optional<SmallVector<int64_t>> constants = context.getConstantInts(1);
    bool isEmpty =
        context.type(1).hasStaticShape() && !context.type(1).getNumElements();
    if (!constants && !isEmpty)
      return Axes();
    axes = isEmpty ? SmallVector<int64_t>() : *constants;
  }
  if (axes.empty() && !context.getFlag("noop_with_empty_axes"))
    return Axes(llvm::to_vector(llvm::seq<int64_t>(rank)));
  FailureOr<SmallVector<int64_t>> normalized =
      context.normalizeAxes(axes, rank);
  if (failed(normalized))
    return failure();
  return Axes(*normalized);
}

//===----------------------------------------------------------------------===//
// Dynamic axes
//===----------------------------------------------------------------------===//

namespace {
/// A reduction along axes that are known only at run time. The loop nest has
/// two loops per axis, one over the result and one over the reduced elements.
/// One of the two has a single iteration, so the sum of both indices is the
/// index of the element.
struct DynamicAxesReduction {
  NodeContext &context;
  SmallVector<OpFoldResult> sizes;
  /// Whether each axis is reduced.
  SmallVector<Value> isReduced;
  /// The sizes of the result, and of the elements that one result combines.
  SmallVector<OpFoldResult> keptSizes, reduced;

  /// Reduces `tensor`. The result has the compute type.
  Value build(Value tensor, Combine combine, ElementMap before = nullptr);
  /// Builds, in a body with loops over `sizes`, the indices of the result that
  /// an element belongs to.
  SmallVector<Value> getIndices(ImplicitLocOpBuilder &b);
  /// Converts a result with all axes to the result of the node, which lacks the
  /// reduced axes unless keepdims is set.
  NodeResults finish(Value result);
};
} // namespace

/// Returns a mask of the `rank` axes that a vector of integers contains.
/// Negative axes count from the end.
static Value buildNamedAxes(NodeContext &context, Value axes, int64_t rank) {
  ImplicitLocOpBuilder &b = context.b;
  Value none =
      buildFilled(b, {b.getIndexAttr(rank)}, makeNumber(b, b.getI1Type(), 0));
  AffineExpr axis = b.getAffineDimExpr(0), entry = b.getAffineDimExpr(1);
  return buildReduction(
             b, axes, AffineMap::get(2, 0, entry), none,
             AffineMap::get(2, 0, axis),
             [&](ImplicitLocOpBuilder &b, ValueRange elements,
                 ValueRange accumulators) -> SmallVector<Value> {
               Value named = arith::IndexCastOp::create(
                   b, b.getIndexType(), toCompute(b, elements[0]));
               Value front = linalg::IndexOp::create(b, 0);
               Value back = arith::SubIOp::create(
                   b, front, arith::ConstantIndexOp::create(b, rank));
               auto is = [&](Value number) -> Value {
                 return arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                              named, number);
               };
               Value isNamed = arith::OrIOp::create(b, is(front), is(back));
               return {arith::OrIOp::create(b, accumulators[0], isNamed)};
             })
      .front();
}

static FailureOr<DynamicAxesReduction> readDynamicAxes(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  DynamicAxesReduction reduction{
      context, context.getSizes(context.input(0)), {}, {}, {}};
  int64_t rank = reduction.sizes.size();
  if (!isa<IntegerType>(context.elementType(1)) ||
      context.type(1).getRank() != 1)
    return context.unsupported("the axes must be a vector of integers, but "
                               "got " +
                               show(context.type(1)));
  OpFoldResult count = context.getSizes(context.input(1)).front();
  if (!context.getFlag("keepdims") && !getConstantIntValue(count))
    return context.unsupported(
        "the number of axes must be static if keepdims is 0");
  Value named = buildNamedAxes(context, context.input(1), rank);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  // An empty list may mean all axes.
  Value takesAll;
  if (!getConstantIntValue(count) && !context.getFlag("noop_with_empty_axes"))
    takesAll = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                     makeIndex(b, count), zero);
  OpFoldResult numNamed = b.getIndexAttr(0);
  AffineExpr sum = b.getAffineSymbolExpr(0) + b.getAffineSymbolExpr(1);
  for (auto [axis, size] : llvm::enumerate(reduction.sizes)) {
    Value isNamed = tensor::ExtractOp::create(
        b, named, arith::ConstantIndexOp::create(b, axis).getResult());
    Value each = arith::SelectOp::create(b, isNamed, one, zero);
    numNamed = computeIndex(b, sum, {numNamed, OpFoldResult(each)});
    Value isReduced =
        takesAll ? arith::OrIOp::create(b, isNamed, takesAll) : isNamed;
    reduction.isReduced.push_back(isReduced);
    Value length = makeIndex(b, size);
    reduction.keptSizes.push_back(
        getAsOpFoldResult(arith::SelectOp::create(b, isReduced, one, length)));
    reduction.reduced.push_back(
        getAsOpFoldResult(arith::SelectOp::create(b, isReduced, length, one)));
  }
  // The numbers differ if an axis is out of bounds or occurs twice.
  if (failed(context.requireEqual(count, numNamed, "the number of axes",
                                  "must match the number of distinct axes")))
    return failure();
  return reduction;
}

Value DynamicAxesReduction::build(Value tensor, Combine combine,
                                  ElementMap before) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t rank = sizes.size();
  Type elementType = getElementTypeOrSelf(tensor);
  Type type = getComputeType(elementType);
  bool isUnsigned = isUnsignedElement(elementType);
  Value init =
      buildFilled(b, keptSizes, makeNeutral(b, combine, type, isUnsigned));
  // The window tensor is never read. It defines the trip counts of the
  // reduction loops.
  Value window = tensor::EmptyOp::create(b, reduced, b.getI8Type());
  AffineMap results =
      AffineMap::getMultiDimIdentityMap(2 * rank, b.getContext())
          .getMajorSubMap(rank);
  AffineMap reductions =
      AffineMap::getMultiDimIdentityMap(2 * rank, b.getContext())
          .getMinorSubMap(rank);
  return buildReduction(b, window, reductions, init, results,
                        [&](ImplicitLocOpBuilder &b, ValueRange,
                            ValueRange accumulators) -> SmallVector<Value> {
                          SmallVector<Value> indices;
                          for (int64_t axis = 0; axis < rank; ++axis)
                            indices.push_back(arith::AddIOp::create(
                                b, linalg::IndexOp::create(b, axis),
                                linalg::IndexOp::create(b, rank + axis)));
                          Value element = toCompute(
                              b, tensor::ExtractOp::create(b, tensor, indices));
                          if (before)
                            element = before(b, element, isUnsigned);
                          return {buildCombine(b, combine, accumulators[0],
                                               element, isUnsigned)};
                        })
      .front();
}

SmallVector<Value> DynamicAxesReduction::getIndices(ImplicitLocOpBuilder &b) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> indices;
  for (auto [axis, isOne] : llvm::enumerate(isReduced))
    indices.push_back(arith::SelectOp::create(
        b, isOne, zero, linalg::IndexOp::create(b, axis)));
  return indices;
}

NodeResults DynamicAxesReduction::finish(Value result) {
  if (context.getFlag("keepdims"))
    return SmallVector<Value>{result};
  // Compute the remaining sizes, in their order.
  ImplicitLocOpBuilder &b = context.b;
  int64_t rank = sizes.size();
  int64_t count = rank - context.type(1).getNumElements();
  if (count < 0)
    return context.unsupported("expected at most " + Twine(rank) +
                               " axes, but got " +
                               Twine(context.type(1).getNumElements()));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> without(count, one);
  Value next = zero;
  for (auto [size, isOne] : llvm::zip_equal(sizes, isReduced)) {
    for (auto [position, chosen] : llvm::enumerate(without)) {
      Value isHere =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                                arith::ConstantIndexOp::create(b, position));
      Value other =
          arith::SelectOp::create(b, isHere, makeIndex(b, size), chosen);
      chosen = arith::SelectOp::create(b, isOne, chosen, other);
    }
    Value following = arith::AddIOp::create(b, next, one);
    next = arith::SelectOp::create(b, isOne, next, following);
  }
  return SmallVector<Value>{
      buildReshape(b, result, keptSizes, getAsOpFoldResult(without))};
}

static ReductionRow getRow(NodeKind kind) {
  constexpr std::nullptr_t none = nullptr;
  static const DenseMap<NodeKind, ReductionRow> table = {
#define QUANT_FLOAT_ROW(How, Before, After) {Combine::How, Before, After}
#define QUANT_FLOAT_REDUCTION(OpType, Since, MinInputs, MaxInputs, Kinds,      \
                              Element, Attributes, Functions)                  \
  {NodeKind::OpType, QUANT_FLOAT_ROW Functions},
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def"
#undef QUANT_FLOAT_ROW
  };
  return table.at(kind);
}

NodeResults onnx_nodes::convertReduce(NodeContext &context) {
  ReductionRow row = getRow(*context.kind);
  // The number of elements may overflow narrower integers. ONNX does not define
  // these reductions for them.
  Type elementType = context.elementType(0);
  if (row.after && isa<IntegerType>(elementType) &&
      elementType.getIntOrFloatBitWidth() < 32)
    return context.unsupported("elements of type " + show(elementType));
  FailureOr<std::optional<SmallVector<int64_t>>> axes = getReducedAxes(context);
  if (failed(axes))
    return failure();
  if (*axes)
    return SmallVector<Value>{buildReduced(context, context.input(0), **axes,
                                           context.getFlag("keepdims"), row)};
  FailureOr<DynamicAxesReduction> reduction = readDynamicAxes(context);
  if (failed(reduction))
    return failure();
  Value result = reduction->build(context.input(0), row.combine, row.before);
  return reduction->finish(buildAfter(context, result, reduction->keptSizes,
                                      reduction->reduced, elementType, row));
}

//===----------------------------------------------------------------------===//
// ReduceLogSumExp
//===----------------------------------------------------------------------===//

/// Returns the number if it is finite, or else 0.
static Value getFinite(ImplicitLocOpBuilder &b, Value max) {
  Type type = max.getType();
  Value infinity = makeNumber(b, type, std::numeric_limits<double>::infinity());
  Value isFinite = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, max), infinity);
  return arith::SelectOp::create(b, isFinite, max, makeNumber(b, type, 0));
}

/// Computes log(sum) + m, where m is the maximum if that is finite, or else 0.
static Value buildLogarithms(ImplicitLocOpBuilder &b,
                             ArrayRef<OpFoldResult> sizes, Type elementType,
                             Value sums, Value max) {
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  return buildParallel(
      b, sizes, elementType, {sums, max}, {identity, identity},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value logarithm = math::LogOp::create(b, args[0]);
        return fromCompute(
            b, arith::AddFOp::create(b, logarithm, getFinite(b, args[1])),
            elementType);
      });
}

static NodeResults buildDynamicAxesLogSumExp(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  FailureOr<DynamicAxesReduction> reduction = readDynamicAxes(context);
  if (failed(reduction))
    return failure();
  Value max = reduction->build(input, Combine::Max);
  Value exponentials =
      buildParallel(b, reduction->sizes, type, input,
                    b.getMultiDimIdentityMap(reduction->sizes.size()),
                    [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                      Value largest = tensor::ExtractOp::create(
                          b, max, reduction->getIndices(b));
                      return math::ExpOp::create(
                          b, arith::SubFOp::create(b, toCompute(b, args[0]),
                                                   getFinite(b, largest)));
                    });
  Value sums = reduction->build(exponentials, Combine::Sum);
  return reduction->finish(
      buildLogarithms(b, reduction->keptSizes, elementType, sums, max));
}

/// Computes log(sum(exp(x - m))) + m, where m is the maximum if that is finite,
/// or else 0. The exponentials do not overflow.
NodeResults onnx_nodes::convertReduceLogSumExp(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  FailureOr<std::optional<SmallVector<int64_t>>> specified =
      getReducedAxes(context);
  if (failed(specified))
    return failure();
  if (!*specified)
    return buildDynamicAxesLogSumExp(context);
  ArrayRef<int64_t> axes = **specified;
  SmallVector<OpFoldResult> sizes = context.getSizes(input), without, keptSizes;
  SmallVector<int64_t> all, others;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(axis));
    all.push_back(axis);
    keptSizes.push_back(isReduced ? b.getIndexAttr(1) : size);
    if (isReduced)
      continue;
    without.push_back(size);
    others.push_back(axis);
  }
  Value max = buildReductionOfAxes(context, input, axes, Combine::Max);
  Value exponentials =
      buildAlongAxes(context, sizes, type, {input, max}, {all, others},
                     [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                       return math::ExpOp::create(
                           b, arith::SubFOp::create(b, toCompute(b, args[0]),
                                                    getFinite(b, args[1])));
                     });
  Value sums = buildReductionOfAxes(context, exponentials, axes, Combine::Sum);
  Value result = buildLogarithms(b, without, elementType, sums, max);
  return SmallVector<Value>{context.getFlag("keepdims")
                                ? buildReshape(b, result, without, keptSizes)
                                : result};
}

//===----------------------------------------------------------------------===//
// Global pooling
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertGlobalPool(NodeContext &context) {
  int64_t rank = context.type(0).getRank();
  if (rank < 3)
    return context.unsupported("the input must have rank 3 or more, but got " +
                               Twine(rank));
  ReductionRow row = {Combine::Max, nullptr, nullptr};
  if (context.kind == NodeKind::GlobalAveragePool)
    row = {Combine::Sum, nullptr, divideByCount};
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, rank));
  return SmallVector<Value>{buildReduced(context, context.input(0), axes,
                                         /*keepDims=*/true, row)};
}

//===----------------------------------------------------------------------===//
// ArgMax and ArgMin
//===----------------------------------------------------------------------===//

/// Whether the element replaces the best one so far. A NaN is better than any
/// number, as in NumPy.
static Value isBetter(ImplicitLocOpBuilder &b, Value element, Value best,
                      bool isMax, bool isUnsigned, bool takesEqual) {
  if (!isa<FloatType>(element.getType())) {
    using Predicate = arith::CmpIPredicate;
    static const Predicate predicates[2][2][2] = {
        {{Predicate::slt, Predicate::sle}, {Predicate::ult, Predicate::ule}},
        {{Predicate::sgt, Predicate::sge}, {Predicate::ugt, Predicate::uge}}};
    return arith::CmpIOp::create(b, predicates[isMax][isUnsigned][takesEqual],
                                 element, best);
  }
  using Predicate = arith::CmpFPredicate;
  static const Predicate predicates[2][2] = {{Predicate::OLT, Predicate::OLE},
                                             {Predicate::OGT, Predicate::OGE}};
  Value compared =
      arith::CmpFOp::create(b, predicates[isMax][takesEqual], element, best);
  Value isNan = arith::CmpFOp::create(b, Predicate::UNO, element, element);
  if (!takesEqual)
    isNan = arith::AndIOp::create(
        b, isNan, arith::CmpFOp::create(b, Predicate::ORD, best, best));
  return arith::OrIOp::create(b, compared, isNan);
}

/// Finds the index of the first best element along the last axis with vectors
/// of integer sort keys. A NaN has the smallest key.
static Value buildFirstInRows(NodeContext &context, Value tensor, bool isMax) {
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = getElementTypeOrSelf(tensor), i64 = b.getI64Type();
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  Value keys = buildParallel(
      b, sizes, b.getI32Type(), tensor, b.getMultiDimIdentityMap(sizes.size()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value element = toCompute(b, args[0]);
        Value key = buildSortKey(b, element, isUnsignedElement(elementType),
                                 /*descending=*/isMax);
        if (isMax || !isa<FloatType>(element.getType()))
          return key;
        Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO,
                                            element, element);
        Value min = makeNumber(b, key.getType(), std::ldexp(-1.0, 31));
        return arith::SelectOp::create(b, isNaN, min, key);
      });
  KeyRow row{keys, {}, sizes.pop_back_val()};
  return buildSequential(
      b, sizes, makeBuffer(b, sizes, i64),
      [&](ImplicitLocOpBuilder &b, ValueRange at,
          ValueRange values) -> SmallVector<Value> {
        row.indices.assign(at.begin(), at.end());
        Value item = buildNextItem(
            b, row, makeSmallestItem(b, getItemType(b.getI32Type())));
        Value position =
            arith::IndexCastOp::create(b, i64, getItemPosition(b, item));
        return {tensor::InsertOp::create(b, position, values[0], at)};
      })[0];
}

Value onnx_nodes::buildArgMax(NodeContext &context, Value tensor, int64_t axis,
                              bool isMax, bool takesEqual) {
  ImplicitLocOpBuilder &b = context.b;
  // Use vectors along rows if the rows are long enough. Vectors across rows
  // would need strided accesses.
  auto rows = cast<RankedTensorType>(tensor.getType());
  int64_t length = rows.getShape()[axis];
  if (!context.onDevice && !takesEqual && axis + 1 == rows.getRank() &&
      length >= 2 * kRowVector && length <= getMaxItems(b.getI32Type()) &&
      getComputeType(rows.getElementType()).getIntOrFloatBitWidth() <= 32)
    return buildFirstInRows(context, tensor, isMax);
  Type elementType = getElementTypeOrSelf(tensor);
  Type type = getComputeType(elementType);
  bool isUnsigned = isUnsignedElement(elementType);
  SmallVector<OpFoldResult> without = context.getSizes(tensor);
  AffineMap identity = b.getMultiDimIdentityMap(without.size());
  without.erase(without.begin() + axis);
  Value inits[] = {
      buildFilled(b, without,
                  makeNeutral(b, isMax ? Combine::Max : Combine::Min, type,
                              isUnsigned)),
      buildFilled(b, without, makeNumber(b, b.getI64Type(), 0))};
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) -> SmallVector<Value> {
    Value element = toCompute(b, elements[0]);
    Value index = arith::IndexCastOp::create(b, b.getI64Type(),
                                             linalg::IndexOp::create(b, axis));
    Value takes =
        isBetter(b, element, accumulators[0], isMax, isUnsigned, takesEqual);
    return {arith::SelectOp::create(b, takes, element, accumulators[0]),
            arith::SelectOp::create(b, takes, index, accumulators[1])};
  };
  return buildReduction(b, tensor, identity, inits, identity.dropResult(axis),
                        body)[1];
}

NodeResults onnx_nodes::convertArgMax(NodeContext &context) {
  SmallVector<OpFoldResult> keptSizes = context.getSizes(context.input(0));
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), keptSizes.size());
  if (failed(axis))
    return failure();
  Value result = buildArgMax(context, context.input(0), *axis,
                             context.kind == NodeKind::ArgMax,
                             context.getFlag("select_last_index"));
  SmallVector<OpFoldResult> without = keptSizes;
  without.erase(without.begin() + *axis);
  keptSizes[*axis] = context.b.getIndexAttr(1);
  if (context.getFlag("keepdims"))
    result = buildReshape(context.b, result, without, keptSizes);
  return SmallVector<Value>{result};
}
