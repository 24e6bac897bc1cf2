//===- Shapes.cpp - Ops that read or change shapes ------------------------===//
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
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Shape, Size
//===----------------------------------------------------------------------===//

static Value makeInt64(ImplicitLocOpBuilder &b, OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return createConstant(b, b.getI64IntegerAttr(*constant));
  return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), cast<Value>(index));
}

/// The attributes `start` and `end` exist from opset 15 on. Both are clamped.
NodeResults onnx_nodes::convertShape(NodeContext &context) {
  SmallVector<OpFoldResult> sizes = context.getSizes(context.inputs[0]);
  int64_t rank = sizes.size();
  auto getPosition = [&](StringRef name, int64_t defaultValue) {
    int64_t position = context.getInt(name, defaultValue);
    return std::clamp<int64_t>(position < 0 ? position + rank : position, 0,
                               rank);
  };
  int64_t start = getPosition("start", 0), end = getPosition("end", rank);
  SmallVector<Value> scalars;
  for (int64_t i = start; i < end; ++i)
    scalars.push_back(makeInt64(context.b, sizes[i]));
  int64_t count = scalars.size();
  auto type = RankedTensorType::get({count}, context.b.getI64Type());
  return SmallVector<Value>{context.makeTensor(scalars, type)};
}

NodeResults onnx_nodes::convertSize(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value size =
      makeInt64(b, context.computeProduct(context.getSizes(context.inputs[0])));
  return SmallVector<Value>{
      context.makeTensor(size, RankedTensorType::get({}, b.getI64Type()))};
}

//===----------------------------------------------------------------------===//
// Reshape and similar ops
//===----------------------------------------------------------------------===//

/// Infers the size that replaces -1: the number of elements divided by the
/// product of the other sizes. Equal sizes on both sides cancel, so that a
/// dynamic batch size is preserved. Sets `isExact` if the division is known to
/// be exact.
static FailureOr<OpFoldResult> inferSize(NodeContext &context,
                                         SmallVector<OpFoldResult> from,
                                         ArrayRef<OpFoldResult> others,
                                         bool &isExact) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t numerator = 1, denominator = 1;
  bool isTooMany = false;
  SmallVector<OpFoldResult> divisors;
  for (OpFoldResult size : others) {
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      isTooMany |= llvm::MulOverflow(denominator, *constant, denominator);
      continue;
    }
    auto *same = llvm::find(from, size);
    if (same != from.end())
      from.erase(same);
    else
      divisors.push_back(size);
  }
  if (!isTooMany && denominator == 0)
    return context.unsupported(
        "a size of -1 is ambiguous if another size is 0");
  SmallVector<OpFoldResult> factors;
  for (OpFoldResult size : from) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      isTooMany |= llvm::MulOverflow(numerator, *constant, numerator);
    else
      factors.push_back(size);
  }
  if (isTooMany)
    return context.unsupported("the sizes have a product of more than 64 bits");
  if (factors.empty() && divisors.empty() && numerator % denominator != 0)
    return context.unsupported(
        Twine(numerator) + " elements cannot be reshaped to a multiple of " +
        Twine(denominator));
  if (numerator % denominator == 0) {
    numerator /= denominator;
    denominator = 1;
  }
  factors.push_back(b.getIndexAttr(numerator));
  divisors.push_back(b.getIndexAttr(denominator));
  OpFoldResult product = context.computeProduct(factors);
  OpFoldResult divisor = context.computeProduct(divisors);
  isExact = isConstantIntValue(divisor, 1);
  if (isExact)
    return product;
  // If a size is 0, the divisor is 0. Avoid the division by 0.
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value atLeastOne = b.createOrFold<arith::MaxUIOp>(
      getValueOrCreateConstantIndexOp(b, b.getLoc(), divisor), one);
  Value size = b.createOrFold<arith::DivUIOp>(
      getValueOrCreateConstantIndexOp(b, b.getLoc(), product), atLeastOne);
  return getAsOpFoldResult(size);
}

/// Whether the value depends on elements that are read at run time, and not
/// just on sizes of tensors.
static bool isRead(OpFoldResult number) {
  SmallVector<Value> worklist;
  auto add = [&](Value value) { worklist.push_back(value); };
  if (auto value = dyn_cast<Value>(number))
    add(value);
  llvm::SmallDenseSet<Operation *> seen;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || isa<tensor::DimOp>(op) || !seen.insert(op).second)
      continue;
    if (!isa_and_nonnull<arith::ArithDialect, affine::AffineDialect>(
            op->getDialect()))
      return true;
    llvm::for_each(op->getOperands(), add);
  }
  return false;
}

/// Requires the product of sizes that are read at run time, none of which is
/// negative, to be `total`. Divides by each size, because the product may
/// overflow.
static void requireNumElements(NodeContext &context, Value total,
                               ArrayRef<OpFoldResult> sizes) {
  ImplicitLocOpBuilder &b = context.b;
  Value one = makeIndex(b, b.getIndexAttr(1)), rest = total;
  auto both = [&](Value lhs, Value rhs) {
    return b.createOrFold<arith::AndIOp>(lhs, rhs);
  };
  Value isExact = makeNumber(b, b.getI1Type(), 1), hasZero;
  for (OpFoldResult size : sizes) {
    Value specified = makeIndex(b, size), isZero = isIndex(b, specified, 0);
    hasZero = hasZero ? b.createOrFold<arith::OrIOp>(hasZero, isZero) : isZero;
    Value divisor = b.createOrFold<arith::MaxSIOp>(specified, one);
    Value left = b.createOrFold<arith::RemUIOp>(rest, divisor);
    isExact = both(isExact, isIndex(b, left, 0));
    rest = b.createOrFold<arith::DivUIOp>(rest, divisor);
  }
  isExact = both(isExact, isIndex(b, rest, 1));
  // Without elements, some size is 0, and the other sizes do not matter.
  Value isEmpty = isIndex(b, total, 0);
  if (hasZero)
    isExact = b.createOrFold<arith::SelectOp>(
        b.createOrFold<arith::OrIOp>(hasZero, isEmpty), both(hasZero, isEmpty),
        isExact);
  context.requireTrue(isExact,
                      "the number of elements must match the other sizes");
}

/// Reshapes to sizes that are read at run time, each of which may be 0 or -1.
static NodeResults reshapeToRead(NodeContext &context,
                                 ArrayRef<OpFoldResult> to) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> from = context.getSizes(context.inputs[0]);
  bool allowZero = context.getFlag("allowzero");
  Value zero = makeIndex(b, b.getIndexAttr(0));
  Value one = makeIndex(b, b.getIndexAttr(1));
  Value minusOne = makeIndex(b, b.getIndexAttr(-1));
  auto isEqual = [&](Value specified, Value special) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, specified,
                                         special);
  };
  auto select = [&](Value specified, Value special, Value then) {
    return b.createOrFold<arith::SelectOp>(isEqual(specified, special), then,
                                           specified);
  };
  Value total = makeIndex(b, context.computeProduct(from)), others = one;
  Value isInferred, isAmbiguous;
  SmallVector<Value> sizes;
  for (auto [index, size] : llvm::enumerate(to)) {
    Value specified = makeIndex(b, size);
    if (!allowZero && index < from.size())
      specified = select(specified, zero, makeIndex(b, from[index]));
    sizes.push_back(specified);
    others =
        b.createOrFold<arith::MulIOp>(others, select(specified, minusOne, one));
    Value isMinusOne = isEqual(specified, minusOne);
    if (isInferred) {
      Value both = b.createOrFold<arith::AndIOp>(isInferred, isMinusOne);
      isAmbiguous =
          isAmbiguous ? b.createOrFold<arith::OrIOp>(isAmbiguous, both) : both;
      isMinusOne = b.createOrFold<arith::OrIOp>(isInferred, isMinusOne);
    }
    isInferred = isMinusOne;
  }
  if (isAmbiguous)
    context.requireTrue(b.createOrFold<arith::XOrIOp>(
                            isAmbiguous, makeNumber(b, b.getI1Type(), 1)),
                        "the shape has more than one -1");
  Value divisor = b.createOrFold<arith::MaxSIOp>(others, one);
  Value rest = b.createOrFold<arith::DivSIOp>(total, divisor);
  SmallVector<OpFoldResult> known;
  for (Value specified : sizes) {
    known.push_back(getAsOpFoldResult(select(specified, minusOne, rest)));
    if (failed(context.requireAtLeast(0, known.back(), "a size of the shape")))
      return failure();
  }
  requireNumElements(context, total, known);
  return SmallVector<Value>{context.reshape(context.inputs[0], known)};
}

/// Reshapes the input. 0 and -1 have a special meaning for constants and for
/// elements that are read at run time, but not for values that are computed
/// from sizes only.
static NodeResults reshapeTo(NodeContext &context,
                             SmallVector<OpFoldResult> to) {
  if (llvm::any_of(to, isRead))
    return reshapeToRead(context, to);
  SmallVector<OpFoldResult> from = context.getSizes(context.inputs[0]);
  bool allowZero = context.getFlag("allowzero");
  std::optional<size_t> inferred;
  // Leave copied sizes out of the inference, because they may be 0.
  SmallVector<OpFoldResult> others, divided;
  llvm::SmallBitVector isCopied(from.size());
  for (auto [index, size] : llvm::enumerate(to)) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (constant == 0 && !allowZero) {
      if (index >= from.size())
        return context.unsupported("the shape copies size " + Twine(index) +
                                   " of an input of rank " +
                                   Twine(from.size()));
      size = from[index];
      isCopied.set(index);
      continue;
    }
    if (constant == -1) {
      if (inferred)
        return context.unsupported("the shape has more than one -1");
      inferred = index;
      continue;
    }
    if (failed(context.requireAtLeast(0, size, "a size of the shape"))) {
      return failure();
    }
    others.push_back(size);
  }
  for (auto [index, size] : llvm::enumerate(from))
    if (!isCopied.test(index))
      divided.push_back(size);
  bool isExact = false;
  if (inferred) {
    FailureOr<OpFoldResult> size = inferSize(context, divided, others, isExact);
    if (failed(size))
      return failure();
    to[*inferred] = *size;
  }
  if (!isExact && failed(context.requireEqual(context.computeProduct(from),
                                              context.computeProduct(to),
                                              "the number of elements")))
    return failure();
  return SmallVector<Value>{context.reshape(context.inputs[0], to)};
}

NodeResults onnx_nodes::convertFixedReshape(NodeContext &context) {
  return reshapeTo(context, getAsIndexOpFoldResult(context.b.getContext(),
                                                   context.getInts("shape")));
}

NodeResults onnx_nodes::convertReshape(NodeContext &context) {
  FailureOr<SmallVector<OpFoldResult>> shape = context.getShapeInput(1);
  if (failed(shape))
    return failure();
  return reshapeTo(context, std::move(*shape));
}

/// Negative axes are valid from opset 11 on.
NodeResults onnx_nodes::convertFlatten(NodeContext &context) {
  SmallVector<OpFoldResult> from = context.getSizes(context.inputs[0]);
  int64_t rank = from.size(), axis = context.getInt("axis");
  // The axis may be equal to the rank.
  if (axis < -rank || axis > rank)
    return context.unsupported("axis must be between " + Twine(-rank) +
                               " and " + Twine(rank) + ", but got " +
                               Twine(axis));
  ArrayRef<OpFoldResult> sizes = from;
  size_t split = axis < 0 ? axis + rank : axis;
  return SmallVector<Value>{context.reshape(
      context.inputs[0], {context.computeProduct(sizes.take_front(split)),
                          context.computeProduct(sizes.drop_front(split))})};
}

/// Returns the axes, which are an attribute or an input depending on the
/// version.
static FailureOr<std::optional<SmallVector<OpFoldResult>>>
getAxes(NodeContext &context) {
  if (context.input(1)) {
    FailureOr<SmallVector<OpFoldResult>> axes = context.getShapeInput(1);
    if (failed(axes))
      return failure();
    return std::optional(std::move(*axes));
  }
  if (!context.has("axes"))
    return std::optional<SmallVector<OpFoldResult>>();
  return std::optional(
      getAsIndexOpFoldResult(context.b.getContext(), context.getInts("axes")));
}

/// Axes that are known only at run time. The other axes keep their order.
namespace {
struct ComputedAxes {
  NodeContext &context;
  /// Whether each axis is one of the computed axes.
  SmallVector<Value> isNamed;

  LogicalResult read(ArrayRef<OpFoldResult> axes, int64_t rank) {
    ImplicitLocOpBuilder &b = context.b;
    isNamed.assign(rank, arith::ConstantIntOp::create(b, 0, 1));
    auto normalized = context.normalizeAxes(axes, rank);
    if (failed(normalized))
      return failure();
    for (OpFoldResult axis : *normalized) {
      Value index = makeIndex(b, axis);
      for (auto [position, named] : llvm::enumerate(isNamed))
        named =
            b.createOrFold<arith::OrIOp>(named, isIndex(b, index, position));
    }
    return success();
  }

  /// Visits all axes, each with the number of preceding axes that are not
  /// named.
  void countUnnamed(llvm::function_ref<void(size_t, Value)> visit) {
    ImplicitLocOpBuilder &b = context.b;
    Value count = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    for (auto [position, named] : llvm::enumerate(isNamed)) {
      visit(position, count);
      Value next = b.createOrFold<arith::AddIOp>(count, one);
      count = buildSelect(b, named, count, next);
    }
  }
};
} // namespace

static NodeResults squeezeComputed(NodeContext &context,
                                   ArrayRef<OpFoldResult> from,
                                   ArrayRef<OpFoldResult> axes) {
  ImplicitLocOpBuilder &b = context.b;
  ComputedAxes computed{context, {}};
  if (failed(computed.read(axes, from.size())))
    return failure();
  Value one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> to(from.size() - axes.size(), one);
  bool isValid = true;
  computed.countUnnamed([&](size_t axis, Value count) {
    Value size = makeIndex(b, from[axis]);
    isValid &= succeeded(context.requireEqual(
        b.getIndexAttr(1), buildSelect(b, computed.isNamed[axis], size, one),
        "the size of axis " + Twine(axis)));
    for (auto [position, result] : llvm::enumerate(to)) {
      // A named axis is removed, so it does not change the result.
      Value here = isIndex(b, count, position);
      Value taken = buildSelect(b, computed.isNamed[axis], result, size);
      result = buildSelect(b, here, taken, result);
    }
  });
  if (!isValid)
    return failure();
  return SmallVector<Value>{
      context.reshape(context.inputs[0], getAsOpFoldResult(to))};
}

static NodeResults unsqueezeComputed(NodeContext &context,
                                     ArrayRef<OpFoldResult> from,
                                     ArrayRef<OpFoldResult> axes) {
  ImplicitLocOpBuilder &b = context.b;
  ComputedAxes computed{context, {}};
  if (failed(computed.read(axes, from.size() + axes.size())))
    return failure();
  Value one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<OpFoldResult> to;
  computed.countUnnamed([&](size_t axis, Value count) {
    Value size = one;
    for (auto [position, other] : llvm::enumerate(from))
      size = buildSelect(b, isIndex(b, count, position), makeIndex(b, other),
                         size);
    to.push_back(buildSelect(b, computed.isNamed[axis], one, size));
  });
  return SmallVector<Value>{context.reshape(context.inputs[0], to)};
}

/// Without axes, removes all axes of size 1. Dynamic sizes are assumed not to
/// be 1.
NodeResults onnx_nodes::convertSqueeze(NodeContext &context) {
  SmallVector<OpFoldResult> from = context.getSizes(context.inputs[0]);
  auto specified = getAxes(context);
  if (failed(specified))
    return failure();
  SmallVector<int64_t> axes;
  if (*specified) {
    std::optional<SmallVector<int64_t>> constants =
        getConstantIntValues(**specified);
    if (!constants)
      return squeezeComputed(context, from, **specified);
    auto normalized = context.normalizeAxes(*constants, from.size());
    if (failed(normalized))
      return failure();
    axes = std::move(*normalized);
  }
  SmallVector<OpFoldResult> to;
  for (auto [index, size] : llvm::enumerate(from)) {
    bool isNamed = llvm::is_contained(axes, index);
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (isNamed &&
        failed(context.requireEqual(context.b.getIndexAttr(1), size,
                                    "the size of axis " + Twine(index))))
      return failure();
    if (*specified ? !isNamed : constant != 1)
      to.push_back(size);
  }
  return SmallVector<Value>{context.reshape(context.inputs[0], to)};
}

NodeResults onnx_nodes::convertUnsqueeze(NodeContext &context) {
  SmallVector<OpFoldResult> from = context.getSizes(context.inputs[0]);
  auto specified = getAxes(context);
  if (failed(specified))
    return failure();
  std::optional<SmallVector<int64_t>> constants =
      getConstantIntValues(**specified);
  if (!constants)
    return unsqueezeComputed(context, from, **specified);
  size_t rank = from.size() + constants->size();
  auto axes = context.normalizeAxes(*constants, rank);
  if (failed(axes))
    return failure();
  SmallVector<OpFoldResult> to;
  ArrayRef<OpFoldResult> left = from;
  for (size_t i = 0; i < rank; ++i) {
    if (llvm::is_contained(*axes, i)) {
      to.push_back(context.b.getIndexAttr(1));
      continue;
    }
    to.push_back(left.front());
    left = left.drop_front();
  }
  return SmallVector<Value>{context.reshape(context.inputs[0], to)};
}

//===----------------------------------------------------------------------===//
// Expand, ConstantOfShape
//===----------------------------------------------------------------------===//

static LogicalResult requireSizes(NodeContext &context,
                                  ArrayRef<OpFoldResult> shape) {
  for (OpFoldResult size : shape)
    if (failed(context.requireAtLeast(0, size, "a size of the shape")))
      return failure();
  return success();
}

/// A dynamic size of the shape that is 1 at run time becomes the size of the
/// input.
static void leaveSizes(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> from,
                       MutableArrayRef<OpFoldResult> shape) {
  size_t common = std::min(from.size(), shape.size());
  for (auto [own, size] :
       llvm::zip_equal(from.take_back(common), shape.take_back(common)))
    if (!getConstantIntValue(size) && !isConstantIntValue(own, 1) &&
        own != size) {
      Value specified = makeIndex(b, size);
      size = buildSelect(b, isIndex(b, specified, 1), makeIndex(b, own),
                         specified);
    }
}

/// Broadcasts in both directions: a size of 1 in the shape becomes the size of
/// the input.
NodeResults onnx_nodes::convertExpand(NodeContext &context) {
  Value input = context.inputs[0];
  FailureOr<SmallVector<OpFoldResult>> shape = context.getShapeInput(1);
  if (failed(shape) || failed(requireSizes(context, *shape)))
    return failure();
  SmallVector<OpFoldResult> from = context.getSizes(input);
  leaveSizes(context.b, from, *shape);
  FailureOr<SmallVector<OpFoldResult>> to =
      broadcastSizes(context, {from, *shape});
  if (failed(to))
    return failure();
  Type elementType = context.elementType(0);
  auto type = RankedTensorType::get(getShape(*to), elementType);
  std::optional<SmallVector<Value>> scalars = context.getScalars(input);
  if (scalars && type.hasStaticShape() && type.getRank() <= 1 &&
      (type.getRank() == 0 || type.getDimSize(0) <= kMaxScalars)) {
    if (scalars->size() == 1)
      scalars->assign(type.getNumElements(), scalars->front());
    return SmallVector<Value>{context.makeTensor(*scalars, type)};
  }
  return SmallVector<Value>{buildParallel(
      context.b, *to, elementType, input,
      getBroadcastMap(context.b.getContext(), from, *to),
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; })};
}

NodeResults onnx_nodes::convertConstantOfShape(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  FailureOr<SmallVector<OpFoldResult>> shape = context.getShapeInput(0);
  if (failed(shape) || failed(requireSizes(context, *shape)))
    return failure();
  TypedAttr value = b.getF32FloatAttr(0);
  if (context.has("value")) {
    auto elements = dyn_cast<DenseElementsAttr>(context.getAttribute("value"));
    if (!elements || elements.getNumElements() != 1 ||
        !elements.getElementType().isIntOrFloat())
      return context.unsupported(
          "attribute 'value' must be a tensor of one element");
    value = cast<TypedAttr>(*elements.getValues<Attribute>().begin());
  }
  auto type = RankedTensorType::get(getShape(*shape), value.getType());
  std::optional<int64_t> count;
  if (type.hasStaticShape())
    count = getConstantIntValue(context.computeProduct(*shape));
  if (count && *count <= kMaxRepeated)
    return SmallVector<Value>{createConstant(
        b, DenseElementsAttr::get(type, cast<Attribute>(value)))};
  return SmallVector<Value>{buildFilled(b, *shape, createConstant(b, value))};
}

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

/// Larger than the number of elements that fit in memory.
static constexpr int64_t kMaxElements = int64_t(1) << 60;

/// Returns max(ceil((limit - start) / delta), 0) for integers, without
/// overflow.
static Value countSteps(ImplicitLocOpBuilder &b, Value start, Value limit,
                        Value delta) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value one, Value other) {
    return b.createOrFold<arith::CmpIOp>(predicate, one, other);
  };
  Value zero = number(0), one = number(1);
  auto clamp = [&](Value value) {
    value = b.createOrFold<arith::MaxSIOp>(value, number(-kMaxElements));
    return b.createOrFold<arith::MinSIOp>(value, number(kMaxElements));
  };
  Value distance = b.createOrFold<arith::SubIOp>(clamp(limit), clamp(start));
  // Negate the distance and the step if the step is negative.
  Value isDown = compare(arith::CmpIPredicate::slt, delta, zero);
  auto turn = [&](Value value) {
    return b.createOrFold<arith::SelectOp>(
        isDown, b.createOrFold<arith::SubIOp>(zero, value), value);
  };
  Value step = b.createOrFold<arith::MaxSIOp>(turn(clamp(delta)), one);
  Value extent = b.createOrFold<arith::MaxSIOp>(turn(distance), zero);
  Value last = b.createOrFold<arith::SubIOp>(step, one);
  return b.createOrFold<arith::DivSIOp>(
      b.createOrFold<arith::AddIOp>(extent, last), step);
}

/// The same for floats in their compute type.
static Value countFloatSteps(ImplicitLocOpBuilder &b, Value start, Value limit,
                             Value delta) {
  Type type = start.getType();
  Value distance = b.createOrFold<arith::SubFOp>(limit, start);
  Value steps = b.createOrFold<arith::DivFOp>(distance, delta);
  steps = b.createOrFold<math::CeilOp>(steps);
  // NaN gives 0 steps.
  steps = b.createOrFold<arith::MaxNumFOp>(steps, makeNumber(b, type, 0));
  steps = b.createOrFold<arith::MinNumFOp>(
      steps, makeNumber(b, type, static_cast<double>(kMaxElements)));
  steps = b.createOrFold<arith::FPToSIOp>(b.getI64Type(), steps);
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), steps);
}

/// Element i is start + i * delta. A short range of constant integers remains
/// known, because bodies of ONNX functions compute axes with Range.
NodeResults onnx_nodes::convertRange(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  if (failed(context.requireSameType()))
    return failure();
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  constexpr int64_t kFloat = 1;
  if (elementType != type && context.has("stash_type") &&
      context.getInt("stash_type") != kFloat)
    return context.unsupported(
        "attribute 'stash_type': expected the number of float");
  if (isa<FloatType>(type)) {
    Value numbers[3];
    for (auto [index, number] : llvm::enumerate(numbers)) {
      FailureOr<Value> only = context.getOnlyElement(index);
      if (failed(only))
        return failure();
      number =
          toCompute(b, b.createOrFold<tensor::ExtractOp>(*only, ValueRange()));
    }
    auto [start, limit, delta] = numbers;
    OpFoldResult count =
        getAsOpFoldResult(countFloatSteps(b, start, limit, delta));
    return SmallVector<Value>{buildParallel(
        b, {count}, elementType, {}, {},
        [&, start = start, delta = delta](ImplicitLocOpBuilder &b, ValueRange) {
          Value position = arith::IndexCastOp::create(
              b, b.getI64Type(), linalg::IndexOp::create(b, 0));
          Value steps = arith::SIToFPOp::create(b, type, position);
          Value offset = arith::MulFOp::create(b, steps, delta);
          return fromCompute(b, arith::AddFOp::create(b, start, offset),
                             elementType);
        })};
  }
  Value numbers[3];
  for (auto [index, number] : llvm::enumerate(numbers)) {
    FailureOr<OpFoldResult> specified = context.getIndex(index);
    if (failed(specified))
      return failure();
    number = makeIndex(b, *specified);
  }
  auto [start, limit, delta] = numbers;
  Value size = b.createOrFold<arith::MaxSIOp>(
      delta, b.createOrFold<arith::SubIOp>(arith::ConstantIndexOp::create(b, 0),
                                           delta));
  if (failed(context.requireAtLeast(1, getAsOpFoldResult(size), "a step")))
    return failure();
  OpFoldResult count = getAsOpFoldResult(countSteps(b, start, limit, delta));
  auto getElement = [&, start = start, delta = delta](Value position) -> Value {
    Value offset = b.createOrFold<arith::MulIOp>(position, delta);
    return b.createOrFold<arith::AddIOp>(start, offset);
  };
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known <= kMaxScalars) {
    SmallVector<Value> scalars;
    for (int64_t i = 0; i < *known; ++i)
      scalars.push_back(b.createOrFold<arith::IndexCastOp>(
          elementType, getElement(arith::ConstantIndexOp::create(b, i))));
    return SmallVector<Value>{context.makeTensor(
        scalars, RankedTensorType::get({*known}, elementType))};
  }
  return SmallVector<Value>{buildParallel(
      b, {count}, elementType, {}, {},
      [&, start = start, delta = delta](ImplicitLocOpBuilder &b, ValueRange) {
        Value offset =
            arith::MulIOp::create(b, linalg::IndexOp::create(b, 0), delta);
        Value element = arith::AddIOp::create(b, start, offset);
        return fromCompute(b, arith::IndexCastOp::create(b, type, element),
                           elementType);
      })};
}

//===----------------------------------------------------------------------===//
// Identity, Dropout, Constant
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertIdentity(NodeContext &context) {
  return SmallVector<Value>{context.inputs[0]};
}

/// Inference mode returns the input. The mask, if it is used, keeps all
/// elements. Before opset 10 it has the element type of the input.
NodeResults onnx_nodes::convertDropout(NodeContext &context) {
  constexpr int64_t kFirstInferring = 7, kFirstWithBool = 10,
                    kFirstWithInputs = 12;
  ImplicitLocOpBuilder &b = context.b;
  // Before opset 7 an attribute selects training. ONNX does not specify whether
  // training scales the result.
  if (context.opset < kFirstInferring && !context.getFlag("is_test"))
    return context.unsupported("training mode");
  if (context.opset >= kFirstWithInputs && context.input(2)) {
    std::optional<SmallVector<int64_t>> mode = context.getConstantInts(2);
    DenseFPElementsAttr ratio;
    bool dropsNothing = context.input(1) &&
                        matchPattern(context.inputs[1], m_Constant(&ratio)) &&
                        ratio.isSplat() &&
                        ratio.getSplatValue<APFloat>().isZero();
    bool isInference = mode && mode->size() == 1 && mode->front() == 0;
    if (!isInference && !dropsNothing) {
      FailureOr<Value> isTraining = context.getOnlyElement(2);
      if (failed(isTraining) || failed(context.requireKind(2, kinds::Bool)))
        return failure();
      return buildTrainingDropout(context, *isTraining);
    }
  }
  SmallVector<Value> results = {context.inputs[0]};
  if (context.node->getNumResults() > 1 &&
      !context.node->getResult(1).use_empty()) {
    Type type = context.opset < kFirstWithBool ? context.elementType(0)
                                               : Type(b.getI1Type());
    Value one = createConstant(
        b, cast<TypedAttr>(isa<FloatType>(type)
                               ? Attribute(b.getFloatAttr(type, 1.0))
                               : Attribute(b.getIntegerAttr(type, 1))));
    results.push_back(buildFilled(b, context.getSizes(context.inputs[0]), one));
  }
  return results;
}

/// The importer converts these nodes to constants, but other producers may not.
NodeResults onnx_nodes::convertConstant(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  auto makeResult = [&](ElementsAttr value) -> NodeResults {
    return SmallVector<Value>{createConstant(b, cast<TypedAttr>(value))};
  };
  if (auto value =
          dyn_cast_or_null<ElementsAttr>(context.getAttribute("value")))
    return makeResult(value);
  auto getType = [&](Type elementType, ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, elementType);
  };
  if (context.has("value_float"))
    return makeResult(DenseElementsAttr::get(
        getType(b.getF32Type(), {}),
        static_cast<float>(context.getFloat("value_float"))));
  if (context.has("value_int"))
    return makeResult(DenseElementsAttr::get(getType(b.getI64Type(), {}),
                                             context.getInt("value_int")));
  if (context.has("value_floats")) {
    SmallVector<float> values = context.getFloats("value_floats");
    int64_t count = values.size();
    return makeResult(DenseElementsAttr::get(getType(b.getF32Type(), count),
                                             ArrayRef<float>(values)));
  }
  if (context.has("value_ints")) {
    SmallVector<int64_t> values = context.getInts("value_ints");
    int64_t count = values.size();
    return makeResult(DenseElementsAttr::get(getType(b.getI64Type(), count),
                                             ArrayRef<int64_t>(values)));
  }
  return context.unsupported("it has none of the attributes value, "
                             "value_float, value_floats, value_int and "
                             "value_ints");
}
