//===- Reductions.cpp - Reductions along axes ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// ReduceMax and its like
//===----------------------------------------------------------------------===//

namespace {
/// What a reduction does with an element, with two, and with the result; the
/// count is the number of elements behind it.
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

/// The mean of nothing is NaN; integers have none, and get 0.
static Value divideByCount(ImplicitLocOpBuilder &b, Value x, Value count,
                           bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return b.createOrFold<arith::DivFOp>(
        x, b.createOrFold<arith::SIToFPOp>(x.getType(), count));
  Value one = makeNumber(b, count.getType(), 1);
  count = b.createOrFold<arith::MaxSIOp>(count, one);
  if (x.getType().isInteger(32))
    count = b.createOrFold<arith::TruncIOp>(x.getType(), count);
  return isUnsigned ? b.createOrFold<arith::DivUIOp>(x, count)
                    : b.createOrFold<arith::DivSIOp>(x, count);
}

/// `tensor` reduced along `axes`, which stay with size 1 if `keepDims`.
static Value buildReduced(NodeContext &context, Value tensor,
                          ArrayRef<int64_t> axes, bool keepDims,
                          ReductionRow row) {
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = getElementTypeOrSelf(tensor);
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  SmallVector<OpFoldResult> kept, without, reduced;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(axis));
    kept.push_back(isReduced ? b.getIndexAttr(1) : size);
    (isReduced ? reduced : without).push_back(size);
  }
  Value result =
      buildReductionOfAxes(context, tensor, axes, row.combine, row.before);
  if (row.after) {
    Value count = buildElementCount(b, reduced);
    result = buildParallel(b, without, elementType, result,
                           b.getMultiDimIdentityMap(without.size()),
                           [&](ImplicitLocOpBuilder &b, ValueRange args) {
                             Value value =
                                 row.after(b, args[0], count,
                                           isUnsignedElement(elementType));
                             return fromCompute(b, value, elementType);
                           });
  } else {
    result = convertFromCompute(context, result, elementType);
  }
  return keepDims ? buildReshape(b, result, without, kept) : result;
}

/// The axes that the node names, as an attribute or an input; all if it names
/// none, unless noop_with_empty_axes says that none is meant.
static FailureOr<SmallVector<int64_t>> getReducedAxes(NodeContext &context) {
  int64_t rank = context.type(0).getRank();
  SmallVector<int64_t> axes = context.getInts("axes");
  if (context.input(1)) {
    std::optional<SmallVector<int64_t>> constants = context.getConstantInts(1);
    bool isEmpty =
        context.type(1).hasStaticShape() && !context.type(1).getNumElements();
    if (!constants && !isEmpty)
      return context.unsupported("the axes must be constant");
    axes = isEmpty ? SmallVector<int64_t>() : *constants;
  }
  if (axes.empty() && !context.getFlag("noop_with_empty_axes"))
    return llvm::to_vector(llvm::seq<int64_t>(rank));
  return context.normalizeAxes(axes, rank);
}

static ReductionRow getRow(StringRef opType) {
  constexpr std::nullptr_t none = nullptr;
  static const llvm::StringMap<ReductionRow> table = {
#define QUANT_FLOAT_ROW(How, Before, After) {Combine::How, Before, After}
#define QUANT_FLOAT_REDUCTION(OpType, Since, Fewest, Most, Kinds, Element,     \
                              Attributes, Functions)                           \
  {#OpType, QUANT_FLOAT_ROW Functions},
#include "quant-float/Conversion/OnnxNodes.def"
#undef QUANT_FLOAT_ROW
  };
  return table.at(opType);
}

NodeResults onnx_nodes::convertReduce(NodeContext &context) {
  ReductionRow row = getRow(context.opType);
  // The number of elements may not fit narrower integers, which ONNX leaves
  // out.
  Type elementType = context.elementType(0);
  if (row.after && isa<IntegerType>(elementType) &&
      elementType.getIntOrFloatBitWidth() < 32)
    return context.unsupported("elements of type " + show(elementType));
  FailureOr<SmallVector<int64_t>> axes = getReducedAxes(context);
  if (failed(axes))
    return failure();
  return SmallVector<Value>{buildReduced(context, context.input(0), *axes,
                                         context.getFlag("keepdims"), row)};
}

//===----------------------------------------------------------------------===//
// ReduceLogSumExp
//===----------------------------------------------------------------------===//

/// log(sum(exp(x - m))) + m, with the largest x for m, if it is finite: the
/// exponentials do not overflow then.
NodeResults onnx_nodes::convertReduceLogSumExp(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  FailureOr<SmallVector<int64_t>> axes = getReducedAxes(context);
  if (failed(axes))
    return failure();
  SmallVector<OpFoldResult> sizes = context.getSizes(input), without, kept;
  SmallVector<int64_t> all, others;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    bool isReduced = llvm::is_contained(*axes, static_cast<int64_t>(axis));
    all.push_back(axis);
    kept.push_back(isReduced ? b.getIndexAttr(1) : size);
    if (isReduced)
      continue;
    without.push_back(size);
    others.push_back(axis);
  }
  auto getFinite = [&](ImplicitLocOpBuilder &b, Value most) -> Value {
    Value infinity =
        makeNumber(b, type, std::numeric_limits<double>::infinity());
    Value isFinite = arith::CmpFOp::create(
        b, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, most), infinity);
    return arith::SelectOp::create(b, isFinite, most, makeNumber(b, type, 0));
  };
  Value most = buildReductionOfAxes(context, input, *axes, Combine::Max);
  Value exponentials =
      buildAlongAxes(context, sizes, type, {input, most}, {all, others},
                     [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                       return math::ExpOp::create(
                           b, arith::SubFOp::create(b, toCompute(b, args[0]),
                                                    getFinite(b, args[1])));
                     });
  Value sums = buildReductionOfAxes(context, exponentials, *axes, Combine::Sum);
  AffineMap identity = b.getMultiDimIdentityMap(without.size());
  Value result = buildParallel(
      b, without, elementType, {sums, most}, {identity, identity},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value logarithm = math::LogOp::create(b, args[0]);
        return fromCompute(
            b, arith::AddFOp::create(b, logarithm, getFinite(b, args[1])),
            elementType);
      });
  return SmallVector<Value>{context.getFlag("keepdims")
                                ? buildReshape(b, result, without, kept)
                                : result};
}

//===----------------------------------------------------------------------===//
// Pooling of everything
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertGlobalPool(NodeContext &context) {
  int64_t rank = context.type(0).getRank();
  if (rank < 3)
    return context.unsupported("the input must have rank 3 or more, but got " +
                               Twine(rank));
  ReductionRow row = {Combine::Max, nullptr, nullptr};
  if (context.node.getOpType() == "GlobalAveragePool")
    row = {Combine::Sum, nullptr, divideByCount};
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, rank));
  return SmallVector<Value>{buildReduced(context, context.input(0), axes,
                                         /*keepDims=*/true, row)};
}

//===----------------------------------------------------------------------===//
// ArgMax and ArgMin
//===----------------------------------------------------------------------===//

/// Whether the element takes the place of the best one so far. A NaN is better
/// than any number, as in numpy.
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

Value onnx_nodes::buildArgMax(NodeContext &context, Value tensor, int64_t axis,
                              bool isMax, bool takesEqual) {
  ImplicitLocOpBuilder &b = context.b;
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
  SmallVector<OpFoldResult> kept = context.getSizes(context.input(0));
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), kept.size());
  if (failed(axis))
    return failure();
  Value result = buildArgMax(context, context.input(0), *axis,
                             context.node.getOpType() == "ArgMax",
                             context.getFlag("select_last_index"));
  SmallVector<OpFoldResult> without = kept;
  without.erase(without.begin() + *axis);
  kept[*axis] = context.b.getIndexAttr(1);
  if (context.getFlag("keepdims"))
    result = buildReshape(context.b, result, without, kept);
  return SmallVector<Value>{result};
}
