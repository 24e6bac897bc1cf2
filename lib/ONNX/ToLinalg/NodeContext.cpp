//===- NodeContext.cpp - Context of an ONNX node lowering -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/IR/LoopShapes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// SizeCache
//===----------------------------------------------------------------------===//

Value SizeCache::getDim(Value tensor, int64_t dim) {
  Value &value = dims[{tensor, dim}];
  if (value)
    return value;
  // Insert the op directly after the definition of the tensor, so that it
  // dominates all later uses.
  OpBuilder builder(tensor.getContext());
  builder.setInsertionPointAfterValue(tensor);
  value = tensor::DimOp::create(builder, tensor.getLoc(), tensor, dim);
  return value;
}

/// Returns the operand that has the shape of the op's result, or null.
static Value getShapeSource(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto destination = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    return destination.getTiedOpOperand(cast<OpResult>(tensor))->get();
  if (Value source = findLoopShapeSource(tensor))
    return source;
  // The results of the dialect's ops have the shape of the first operand (V8).
  bool isQuantFloat =
      isa_and_nonnull<QuantFloatDialect>(op ? op->getDialect() : nullptr);
  if (!isQuantFloat || !isa<ReifyRankedShapedTypeOpInterface>(op))
    return {};
  auto first = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  bool hasRank =
      first &&
      first.getRank() == cast<RankedTensorType>(tensor.getType()).getRank();
  return hasRank ? op->getOperand(0) : Value();
}

SmallVector<OpFoldResult> SizeCache::getSizes(Value tensor) {
  // Iterate instead of recursing, because chains can be as long as the model.
  // Start at the end of the chain.
  SmallVector<Value> chain = {tensor};
  auto isKnown = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape() ||
           known.contains(value);
  };
  while (!isKnown(chain.back())) {
    Value source = getShapeSource(chain.back());
    if (!source)
      break;
    chain.push_back(source);
  }
  SmallVector<OpFoldResult> sizes;
  Operation *op = chain.back().getDefiningOp();
  if (auto found = known.find(chain.back()); found != known.end()) {
    sizes = found->second;
  } else if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op)) {
    sizes = empty.getMixedSizes();
  } else if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op)) {
    sizes = expand.getMixedOutputShape();
  } else if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [index, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(index))
        sizes.push_back(size);
  }
  // A type may have static sizes where the op has dynamic ones.
  Builder builder(tensor.getContext());
  for (Value value : llvm::reverse(chain)) {
    auto type = cast<RankedTensorType>(value.getType());
    sizes.resize(type.getRank());
    for (auto [index, size] : llvm::enumerate(type.getShape())) {
      if (!ShapedType::isDynamic(size))
        sizes[index] = builder.getIndexAttr(size);
      else if (!sizes[index])
        sizes[index] = getDim(value, index);
    }
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Shape arithmetic
//===----------------------------------------------------------------------===//

std::optional<SmallVector<Value>>
onnx_nodes::getScalars(ImplicitLocOpBuilder &b, Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.getRank() > 1 || !type.hasStaticShape() ||
      type.getNumElements() > kMaxScalars ||
      isa<StringType>(type.getElementType()))
    return std::nullopt;
  if (auto elements = tensor.getDefiningOp<tensor::FromElementsOp>())
    return SmallVector<Value>(elements.getElements());
  DenseElementsAttr constant;
  if (!matchPattern(tensor, m_Constant(&constant)))
    return std::nullopt;
  SmallVector<Value> scalars;
  for (Attribute element : constant.getValues<Attribute>())
    scalars.push_back(createConstant(b, cast<TypedAttr>(element)));
  return scalars;
}

Value onnx_nodes::makeTensor(ImplicitLocOpBuilder &b, ArrayRef<Value> scalars,
                             RankedTensorType type) {
  SmallVector<Attribute> constants;
  for (Value scalar : scalars) {
    Attribute constant;
    if (!matchPattern(scalar, m_Constant(&constant)))
      return tensor::FromElementsOp::create(b, type, scalars);
    constants.push_back(constant);
  }
  return createConstant(b, DenseElementsAttr::get(type, constants));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

NodeContext::NodeContext(NodeOp node, ImplicitLocOpBuilder &b,
                         SizeCache &sizeCache)
    : NodeAttributes(node), b(b), kind(getNodeKind(node)),
      opset(node.getOpset()), sizeCache(sizeCache) {
  inputs.assign(node.getInputs().begin(), node.getInputs().end());
  for (int64_t position : node.getAbsentInputs())
    inputs.insert(inputs.begin() + position, Value());
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();
}

std::optional<SmallVector<int64_t>> NodeContext::getConstantInts(size_t index) {
  Value value = input(index);
  auto elementType = value ? dyn_cast<IntegerType>(type(index).getElementType())
                           : IntegerType();
  if (!elementType)
    return std::nullopt;
  bool isUnsigned = elementType.isUnsigned() || elementType.isInteger(1);
  auto extend = [&](const APInt &bits) {
    return isUnsigned ? static_cast<int64_t>(bits.getZExtValue())
                      : bits.getSExtValue();
  };
  ElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  // A large splat is not used as a list. Do not expand it.
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (dense && dense.isSplat() && dense.getNumElements() > kMaxRepeated)
    return std::nullopt;
  if (dense)
    return llvm::map_to_vector(
        dense.getValues<APInt>(),
        [&](const APInt &bits) -> int64_t { return extend(bits); });
  // Larger constants are resources. Each element occupies full bytes.
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || elementType.getWidth() < 8)
    return std::nullopt;
  size_t bytes = elementType.getWidth() / 8;
  SmallVector<int64_t> values;
  for (ArrayRef<char> data = blob->getData(); data.size() >= bytes;
       data = data.drop_front(bytes)) {
    uint64_t bits = 0;
    memcpy(&bits, data.data(), bytes);
    values.push_back(extend(APInt(elementType.getWidth(), bits)));
  }
  return values;
}

std::optional<SmallVector<Value>> NodeContext::getScalars(Value tensor) {
  return onnx_nodes::getScalars(b, tensor);
}

Value NodeContext::makeTensor(ArrayRef<Value> scalars, RankedTensorType type) {
  return onnx_nodes::makeTensor(b, scalars, type);
}

Value NodeContext::reshape(Value tensor, ArrayRef<OpFoldResult> to) {
  if (std::optional<SmallVector<Value>> scalars = getScalars(tensor);
      scalars && to.size() <= 1)
    return makeTensor(
        *scalars,
        RankedTensorType::get(getShape(to), getElementTypeOrSelf(tensor)));
  Value result = buildReshape(b, tensor, getSizes(tensor), to);
  sizeCache.setSizes(result, to);
  return result;
}

FailureOr<Value> NodeContext::getOnlyElement(size_t index) {
  Value value = input(index);
  if (!value)
    return value;
  for (OpFoldResult size : getSizes(value))
    if (failed(requireEqual(b.getIndexAttr(1), size,
                            "the number of elements of input " + Twine(index),
                            "must be 1")))
      return failure();
  return reshape(value, {});
}

std::optional<SmallVector<OpFoldResult>> NodeContext::getIndices(size_t index) {
  Value value = input(index);
  if (!value || !isa<IntegerType>(elementType(index)))
    return std::nullopt;
  if (std::optional<SmallVector<int64_t>> constants = getConstantInts(index))
    return getAsIndexOpFoldResult(b.getContext(), *constants);
  RankedTensorType tensorType = type(index);
  if (tensorType.getRank() > 1 || !tensorType.hasStaticShape() ||
      tensorType.getNumElements() > kMaxScalars)
    return std::nullopt;

  std::optional<SmallVector<Value>> scalars = getScalars(value);
  if (!scalars) {
    scalars.emplace();
    for (int64_t i = 0; i < tensorType.getNumElements(); ++i) {
      SmallVector<Value> position;
      if (tensorType.getRank() == 1)
        position.push_back(arith::ConstantIndexOp::create(b, i));
      scalars->push_back(tensor::ExtractOp::create(b, value, position));
    }
  }
  SmallVector<OpFoldResult> indices;
  for (Value scalar : *scalars) {
    if (auto cast = scalar.getDefiningOp<arith::IndexCastOp>()) {
      indices.push_back(getAsOpFoldResult(cast.getIn()));
      continue;
    }
    indices.push_back(getAsOpFoldResult(castToIndex(b, scalar)));
  }
  return indices;
}

FailureOr<OpFoldResult> NodeContext::getIndex(size_t index) {
  FailureOr<Value> only = getOnlyElement(index);
  if (failed(only))
    return failure();
  if (failed(requireKind(index, kinds::Float | kinds::Integer)))
    return failure();
  std::optional<SmallVector<Value>> known = getScalars(*only);
  Value scalar = known ? known->front()
                       : tensor::ExtractOp::create(b, *only, ValueRange());
  if (auto cast = scalar.getDefiningOp<arith::IndexCastOp>())
    return getAsOpFoldResult(cast.getIn());
  if (isa<FloatType>(scalar.getType()))
    scalar = b.createOrFold<CastOp>(scalar, b.getI64Type());
  return getAsOpFoldResult(castToIndex(b, scalar));
}

FailureOr<SmallVector<OpFoldResult>> NodeContext::getShapeInput(size_t index) {
  std::optional<SmallVector<OpFoldResult>> shape = getIndices(index);
  if (!shape)
    return unsupported("input " + Twine(index) +
                       " must have a static number of elements");
  if (static_cast<int64_t>(shape->size()) > kMaxDimensions)
    return unsupported("a shape must have at most " + Twine(kMaxDimensions) +
                       " sizes, but got " + Twine(shape->size()));
  return std::move(*shape);
}

/// `fold` computes the sum or product of two constants and returns whether it
/// overflows.
static OpFoldResult combineSizes(NodeContext &context, int64_t neutral,
                                 ArrayRef<OpFoldResult> sizes, AffineExpr expr,
                                 bool (*fold)(int64_t, int64_t, int64_t &),
                                 StringRef what) {
  int64_t constant = neutral;
  SmallVector<OpFoldResult> others;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known) {
      others.push_back(size);
    } else if (fold(constant, *known, constant)) {
      (void)context.unsupported("the sizes have a " + what +
                                " of more than 64 bits");
      return context.b.getIndexAttr(0);
    }
  }
  OpFoldResult result = context.b.getIndexAttr(constant);
  for (OpFoldResult size : others)
    result = computeIndex(context.b, expr, {result, size});
  return result;
}

OpFoldResult NodeContext::computeSum(ArrayRef<OpFoldResult> sizes) {
  return combineSizes(
      *this, 0, sizes, b.getAffineSymbolExpr(0) + b.getAffineSymbolExpr(1),
      [](int64_t lhs, int64_t rhs, int64_t &sum) -> bool {
        return llvm::AddOverflow(lhs, rhs, sum);
      },
      "sum");
}

OpFoldResult NodeContext::computeProduct(ArrayRef<OpFoldResult> sizes) {
  auto isZero = [](OpFoldResult size) { return isConstantIntValue(size, 0); };
  if (llvm::any_of(sizes, isZero))
    return b.getIndexAttr(0);
  return combineSizes(
      *this, 1, sizes, b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1),
      [](int64_t lhs, int64_t rhs, int64_t &product) -> bool {
        return llvm::MulOverflow(lhs, rhs, product);
      },
      "product");
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

FailureOr<int64_t> NodeContext::normalizeAxis(int64_t axis, int64_t rank) {
  if (rank == 0)
    return unsupported("a scalar has no axis " + Twine(axis));
  if (axis < -rank || axis >= rank)
    return unsupported("axis must be between " + Twine(-rank) + " and " +
                       Twine(rank - 1) + ", but got " + Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<OpFoldResult> NodeContext::normalizeAxis(OpFoldResult axis,
                                                   int64_t rank) {
  if (std::optional<int64_t> constant = getConstantIntValue(axis)) {
    FailureOr<int64_t> normalized = normalizeAxis(*constant, rank);
    if (failed(normalized))
      return failure();
    return OpFoldResult(b.getIndexAttr(*normalized));
  }
  if (failed(requireAtLeast(-rank, axis, "axis")) ||
      failed(requireAtMost(b.getIndexAttr(rank - 1), axis, "axis")))
    return failure();
  Value size = arith::ConstantIndexOp::create(b, rank);
  return OpFoldResult(normalizeIndex(b, makeIndex(b, axis), size));
}

FailureOr<SmallVector<int64_t>>
NodeContext::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> normalized;
  for (int64_t axis : axes) {
    FailureOr<int64_t> one = normalizeAxis(axis, rank);
    if (failed(one))
      return failure();
    if (llvm::is_contained(normalized, *one))
      return unsupported("axis " + Twine(axis) + " is specified twice");
    normalized.push_back(*one);
  }
  return normalized;
}

FailureOr<SmallVector<OpFoldResult>>
NodeContext::normalizeAxes(ArrayRef<OpFoldResult> axes, int64_t rank) {
  if (auto constants = getConstantIntValues(axes)) {
    auto normalized = normalizeAxes(*constants, rank);
    if (failed(normalized))
      return failure();
    return getAsIndexOpFoldResult(b.getContext(), *normalized);
  }
  if (static_cast<int64_t>(axes.size()) > rank)
    return unsupported("expected at most " + Twine(rank) + " axes, but got " +
                       Twine(axes.size()));
  SmallVector<OpFoldResult> normalized;
  Value areDistinct;
  for (OpFoldResult value : axes) {
    FailureOr<OpFoldResult> axis = normalizeAxis(value, rank);
    if (failed(axis))
      return failure();
    for (OpFoldResult other : normalized) {
      Value differs = b.createOrFold<arith::CmpIOp>(
          arith::CmpIPredicate::ne, makeIndex(b, *axis), makeIndex(b, other));
      areDistinct = areDistinct
                        ? b.createOrFold<arith::AndIOp>(areDistinct, differs)
                        : differs;
    }
    normalized.push_back(*axis);
  }
  if (areDistinct)
    requireTrue(areDistinct, "no axis may be specified twice");
  return normalized;
}

std::string onnx_nodes::show(Type type) {
  std::string printed;
  llvm::raw_string_ostream(printed) << "'" << type << "'";
  return printed;
}

static unsigned getKind(Type elementType) {
  if (elementType.isInteger(1))
    return kinds::Bool;
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (isa<IntegerType>(elementType))
    return width < 8 ? 0 : width == 8 ? kinds::Byte : kinds::WideInteger;
  if (isa<Float64Type>(elementType))
    return kinds::Double;
  if (isFloat8(elementType))
    return kinds::Float8;
  return isa<Float16Type, BFloat16Type, Float32Type>(elementType)
             ? kinds::Single
             : 0;
}

bool onnx_nodes::isKind(Type elementType, unsigned kinds) {
  return getKind(elementType) & kinds;
}

bool NodeContext::hasKind(size_t index, unsigned kinds) const {
  return isKind(elementType(index), kinds);
}

LogicalResult NodeContext::requireKind(size_t index, unsigned kinds) {
  if (hasKind(index, kinds))
    return success();
  std::string which =
      index == 0 ? "" : "input " + std::to_string(index) + " has ";
  return unsupported(which + "elements of type " + show(elementType(index)));
}

LogicalResult NodeContext::requireElementType(size_t index, Type expected) {
  if (elementType(index) == expected)
    return success();
  return unsupported("input " + Twine(index) + " must have elements of type " +
                     show(expected) + ", but got " + show(elementType(index)));
}

LogicalResult NodeContext::requireRange(StringRef attribute, int64_t value,
                                        int64_t min) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (value >= min && value <= kMax)
    return success();
  return unsupported("values of attribute '" + attribute +
                     "' must be between " + Twine(min) + " and " + Twine(kMax) +
                     ", but got " + Twine(value));
}

LogicalResult NodeContext::requireInput(size_t index) {
  if (input(index))
    return success();
  return unsupported("input " + Twine(index) + " is absent");
}

LogicalResult NodeContext::requireNoPoint(size_t index) {
  Value zeroPoint = input(index);
  std::optional<std::string> error =
      zeroPoint ? findZeroPointError(zeroPoint) : std::nullopt;
  return error ? unsupported(*error) : success();
}

LogicalResult NodeContext::requireSameType(size_t first) {
  Type expected = elementType(first);
  for (size_t i = first; i < inputs.size(); ++i)
    if (inputs[i] && elementType(i) != expected)
      return unsupported(
          "inputs must have elements of the same type, but got " +
          show(expected) + " and " + show(elementType(i)));
  return success();
}

void NodeContext::requireTrue(Value condition, const Twine &message) {
  StringRef name = node.getNodeName().value_or("");
  cf::AssertOp::create(b, condition,
                       (name.empty() ? node.getOpType().str()
                                     : "node '" + name.str() + "' (" +
                                           node.getOpType().str() + ")") +
                           ": " + message.str());
}

LogicalResult NodeContext::requireAtLeast(int64_t min, OpFoldResult actual,
                                          const Twine &what) {
  std::optional<int64_t> constant = getConstantIntValue(actual);
  if (constant && *constant < min)
    return unsupported(what + " must be at least " + Twine(min) + ", but got " +
                       Twine(*constant));
  // The size of a tensor is never negative.
  Value value = dyn_cast<Value>(actual);
  if (constant || (min <= 0 && value && value.getDefiningOp<tensor::DimOp>()))
    return success();
  requireTrue(arith::CmpIOp::create(b, arith::CmpIPredicate::sge, value,
                                    arith::ConstantIndexOp::create(b, min)),
              what + " must be at least " + Twine(min));
  return success();
}

LogicalResult NodeContext::requireAtMost(OpFoldResult max, OpFoldResult actual,
                                         const Twine &what) {
  if (isEqualConstantIntOrValue(max, actual))
    return success();
  std::optional<int64_t> a = getConstantIntValue(max);
  std::optional<int64_t> c = getConstantIntValue(actual);
  if (a && c && *c > *a)
    return unsupported(what + " must be at most " + Twine(*a) + ", but got " +
                       Twine(*c));
  if (!a || !c)
    requireTrue(arith::CmpIOp::create(
                    b, arith::CmpIPredicate::sle,
                    getValueOrCreateConstantIndexOp(b, b.getLoc(), actual),
                    getValueOrCreateConstantIndexOp(b, b.getLoc(), max)),
                a ? what + " must be at most " + Twine(*a)
                  : what + " must not exceed the corresponding size");
  return success();
}

LogicalResult NodeContext::requireEqual(OpFoldResult expected,
                                        OpFoldResult actual, const Twine &what,
                                        StringRef must) {
  if (isEqualConstantIntOrValue(expected, actual))
    return success();
  std::optional<int64_t> a = getConstantIntValue(expected);
  std::optional<int64_t> c = getConstantIntValue(actual);
  if (a && c)
    return unsupported(what + " must be " + Twine(*a) + ", but got " +
                       Twine(*c));
  Value isEqual = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      getValueOrCreateConstantIndexOp(b, b.getLoc(), expected),
      getValueOrCreateConstantIndexOp(b, b.getLoc(), actual));
  requireTrue(isEqual, what + " " + must);
  return success();
}

LogicalResult NodeContext::requireElements(int64_t axis, OpFoldResult size,
                                           OpFoldResult taken) {
  std::string what = "the size of axis " + std::to_string(axis);
  if (std::optional<int64_t> count = getConstantIntValue(taken))
    return requireAtLeast(std::min<int64_t>(*count, 1), size, what);
  if (getConstantIntValue(size).value_or(0) > 0)
    return success();
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value min = arith::MinUIOp::create(b, one, cast<Value>(taken)).getResult();
  requireTrue(arith::CmpIOp::create(
                  b, arith::CmpIPredicate::uge,
                  getValueOrCreateConstantIndexOp(b, b.getLoc(), size), min),
              what + " must be at least 1");
  return success();
}

LogicalResult NodeContext::unsupported(const Twine &reason) {
  if (problem.empty())
    problem = reason.str();
  return failure();
}
