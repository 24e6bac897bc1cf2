//===- Random.cpp - Random number ops -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX does not specify the generator. A compiled function is a pure function
// of its inputs, so the numbers depend only on the seed of the node and the
// index of the element (S6). They are the same in every call, on every target,
// and in any order of evaluation.
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Random integers and fractions
//===----------------------------------------------------------------------===//

/// Nodes without a seed get a key that has this bit and the index of the node.
static constexpr uint64_t kNoSeed = uint64_t(1) << 63;
/// A node that needs several 32-bit random integers per element takes them from
/// separate streams. Each stream starts its counter at another quarter of the
/// generator's range.
static constexpr unsigned kStreamShift = 62;

/// Returns the key of the generator: the bits of the attribute, or a unique key
/// if there is none.
static uint64_t getKey(NodeContext &context) {
  Attribute seed = context.getAttribute("seed");
  if (auto number = dyn_cast_or_null<FloatAttr>(seed))
    return llvm::bit_cast<uint32_t>(
        static_cast<float>(number.getValueAsDouble()));
  if (auto number = dyn_cast_or_null<IntegerAttr>(seed))
    return number.getValue().getZExtValue();
  return kNoSeed + (*context.numUnseeded)++;
}

/// Rejects nodes in loop bodies, because all iterations would get the same
/// numbers.
static LogicalResult requireNoLoop(NodeContext &context) {
  for (Operation *op = context.node->getParentOp(); op; op = op->getParentOp())
    if (auto node = dyn_cast<NodeOp>(op);
        node &&
        llvm::is_contained({NodeKind::Loop, NodeKind::Scan}, getNodeKind(node)))
      return context.unsupported(
          "in a loop body, every iteration would get the same random numbers");
  return success();
}

namespace {
/// Builds one element of the result from the 32-bit random integers of that
/// element and from the elements of the inputs.
using RandomBody = llvm::function_ref<Value(
    ImplicitLocOpBuilder &, ArrayRef<Value> randomBits, ValueRange inputs)>;
} // namespace

/// Builds a tensor of random elements, with `numIntegers` random integers each.
static Value buildRandom(NodeContext &context, ArrayRef<OpFoldResult> sizes,
                         Type elementType, unsigned numIntegers,
                         ValueRange inputs, ArrayRef<AffineMap> inputMaps,
                         RandomBody body) {
  ImplicitLocOpBuilder &b = context.b;
  uint64_t key = getKey(context);
  auto makeCount = [&](uint64_t value) -> Value {
    auto type = RankedTensorType::get({}, b.getI64Type());
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, APInt(64, value)));
  };
  Value empty = tensor::EmptyOp::create(b, sizes, b.getI8Type());
  auto type =
      RankedTensorType::get(getShape(sizes), b.getIntegerType(32, false));
  SmallVector<Value> operands;
  for (uint64_t stream = 0; stream < numIntegers; ++stream)
    operands.push_back(PhiloxOp::create(
        b, type, makeCount(key), makeCount(stream << kStreamShift), empty));
  SmallVector<AffineMap> maps(numIntegers,
                              b.getMultiDimIdentityMap(sizes.size()));
  llvm::append_range(operands, inputs);
  llvm::append_range(maps, inputMaps);
  return buildParallel(b, sizes, elementType, operands, maps,
                       [&](ImplicitLocOpBuilder &b, ValueRange args) {
                         SmallVector<Value> randomBits;
                         for (Value raw : args.take_front(numIntegers))
                           randomBits.push_back(toCompute(b, raw));
                         return body(b, randomBits,
                                     args.drop_front(numIntegers));
                       });
}

/// The number of 32-bit random integers in a fraction of the compute type.
static unsigned getNumIntegers(Type type) { return type.isF64() ? 2 : 1; }

static Value makeI32(ImplicitLocOpBuilder &b, int32_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

/// Returns the upper `bits` (fewer than 32) of a random integer as a float.
/// They are nonnegative as i32.
static Value buildUpperBits(ImplicitLocOpBuilder &b, Type type, Value raw,
                            unsigned bits) {
  Value upper = arith::ShRUIOp::create(b, raw, makeI32(b, 32 - bits));
  return arith::SIToFPOp::create(b, type, upper);
}

static Value multiply(ImplicitLocOpBuilder &b, Value value, double factor) {
  return arith::MulFOp::create(b, value,
                               makeNumber(b, value.getType(), factor));
}

static Value add(ImplicitLocOpBuilder &b, Value value, double term) {
  return arith::AddFOp::create(b, value, makeNumber(b, value.getType(), term));
}

/// Returns an integer that is uniform in [0, 2^24), or [0, 2^53) for f64, as a
/// float.
static Value buildInteger(ImplicitLocOpBuilder &b, Type type,
                          ArrayRef<Value> randomBits) {
  if (!type.isF64())
    return buildUpperBits(b, type, randomBits[0], 24);
  return arith::AddFOp::create(
      b, multiply(b, buildUpperBits(b, type, randomBits[0], 27), 0x1p26),
      buildUpperBits(b, type, randomBits[1], 26));
}

/// Returns a fraction that is uniform in [0, 1). It is exact.
static Value buildFraction(ImplicitLocOpBuilder &b, Type type,
                           ArrayRef<Value> randomBits) {
  return multiply(b, buildInteger(b, type, randomBits),
                  type.isF64() ? 0x1p-53 : 0x1p-24);
}

/// Returns a fraction in (0, 1]. For f32 it uses all 32 bits, because the
/// smallest fractions determine the tails of the normal distribution.
static Value buildPositiveFraction(ImplicitLocOpBuilder &b, Type type,
                                   ArrayRef<Value> randomBits) {
  if (type.isF64())
    return multiply(b, add(b, buildInteger(b, type, randomBits), 1), 0x1p-53);
  Value integer = arith::UIToFPOp::create(b, type, randomBits[0]);
  return multiply(b, add(b, integer, 1), 0x1p-32);
}

/// Returns cos(2 pi u) of a fraction u. The difference of u from the nearest
/// multiple of 1/4 is exact, and polynomials approximate its sine and cosine,
/// so that the result is the same on every target.
static Value buildCosineOfTurn(ImplicitLocOpBuilder &b, Value u) {
  bool isDouble = u.getType().isF64();
  // Coefficients of powers of x^2, from the highest power down (Cephes).
  static constexpr double kSine[][6] = {
      {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1},
      {1.58962301576546568060e-10, -2.50507477628578072866e-8,
       2.75573136213857245213e-6, -1.98412698295895385996e-4,
       8.33333333332211858878e-3, -1.66666666666666307295e-1}};
  static constexpr double kCosine[][6] = {
      {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2},
      {-1.13585365213876817300e-11, 2.08757008419747316778e-9,
       -2.75573141792967388112e-7, 2.48015872888517045348e-5,
       -1.38888888888730564116e-3, 4.16666666666665929218e-2}};
  Value quarter = math::FloorOp::create(b, add(b, multiply(b, u, 4), 0.5));
  Value rest = arith::SubFOp::create(b, u, multiply(b, quarter, 0.25));
  Value x = multiply(b, rest, 2 * llvm::numbers::pi);
  Value square = arith::MulFOp::create(b, x, x);
  auto evaluate = [&](const double (&coefficients)[6]) -> Value {
    Value result = makeNumber(b, u.getType(), coefficients[0]);
    for (double coefficient :
         ArrayRef<double>(coefficients).slice(1, isDouble ? 5 : 2))
      result = add(b, arith::MulFOp::create(b, result, square), coefficient);
    return arith::MulFOp::create(b, result, square);
  };
  Value sine = arith::MulFOp::create(b, evaluate(kSine[isDouble]), x);
  sine = arith::AddFOp::create(b, sine, x);
  Value cosine = arith::MulFOp::create(b, evaluate(kCosine[isDouble]), square);
  cosine =
      arith::AddFOp::create(b, cosine, add(b, multiply(b, square, -0.5), 1));
  auto isQuarter = [&](double number) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, quarter,
                                 makeNumber(b, u.getType(), number));
  };
  Value isFirst = isQuarter(1);
  Value isOdd = arith::OrIOp::create(b, isFirst, isQuarter(3));
  Value isNegative = arith::OrIOp::create(b, isFirst, isQuarter(2));
  Value result = arith::SelectOp::create(b, isOdd, sine, cosine);
  return arith::SelectOp::create(b, isNegative,
                                 arith::NegFOp::create(b, result), result);
}

//===----------------------------------------------------------------------===//
// RandomUniform, RandomNormal, RandomUniformLike, RandomNormalLike
//===----------------------------------------------------------------------===//

namespace {
/// The shape and element type of a random tensor.
struct RandomTensor {
  SmallVector<OpFoldResult> sizes;
  Type elementType;
};
} // namespace

/// Reads the shape from the input, if there is one, or else from the attribute
/// 'shape'.
static FailureOr<RandomTensor> getRandomTensor(NodeContext &context) {
  RandomTensor result;
  result.elementType = context.getType("dtype");
  if (Value input = context.input(0)) {
    result.sizes = context.getSizes(input);
    if (!result.elementType)
      result.elementType = context.elementType(0);
  } else {
    for (int64_t size : context.getInts("shape")) {
      if (size < 0)
        return context.unsupported(
            "attribute 'shape' must not have sizes below 0, but has " +
            Twine(size));
      result.sizes.push_back(context.b.getIndexAttr(size));
    }
    if (result.sizes.size() > kMaxDimensions)
      return context.unsupported("attribute 'shape' must have at most " +
                                 Twine(kMaxDimensions) + " sizes, but has " +
                                 Twine(result.sizes.size()));
  }
  if (!isKind(result.elementType, kinds::Float))
    return context.unsupported(
        "random numbers must have type f16, bf16, f32 or "
        "f64, but got " +
        show(result.elementType));
  return result;
}

/// Returns the value of a float attribute, which must be finite.
static FailureOr<double> getFinite(NodeContext &context, StringRef name) {
  double value = context.getFloat(name);
  if (!std::isfinite(value))
    return context.unsupported("attribute '" + name + "' must be finite");
  return value;
}

NodeResults onnx_nodes::convertRandomUniform(NodeContext &context) {
  FailureOr<RandomTensor> tensor = getRandomTensor(context);
  FailureOr<double> low = getFinite(context, "low");
  FailureOr<double> high = getFinite(context, "high");
  if (failed(tensor) || failed(low) || failed(high) ||
      failed(requireNoLoop(context)))
    return failure();
  Type type = getComputeType(tensor->elementType);
  double span = *high - *low;
  if (!(span >= 0 && std::isfinite(type.isF64() ? span : float(span))))
    return context.unsupported("attribute 'high' must not be below attribute "
                               "'low', and their difference must be finite");
  return SmallVector<Value>{buildRandom(
      context, tensor->sizes, tensor->elementType, getNumIntegers(type), {}, {},
      [&](ImplicitLocOpBuilder &b, ArrayRef<Value> randomBits, ValueRange) {
        Value fraction = buildFraction(b, type, randomBits);
        return fromCompute(b, add(b, multiply(b, fraction, span), *low),
                           tensor->elementType);
      })};
}

/// Uses the Box-Muller transform.
NodeResults onnx_nodes::convertRandomNormal(NodeContext &context) {
  FailureOr<RandomTensor> tensor = getRandomTensor(context);
  FailureOr<double> mean = getFinite(context, "mean");
  FailureOr<double> scale = getFinite(context, "scale");
  if (failed(tensor) || failed(mean) || failed(scale) ||
      failed(requireNoLoop(context)))
    return failure();
  Type type = getComputeType(tensor->elementType);
  unsigned count = getNumIntegers(type);
  return SmallVector<Value>{buildRandom(
      context, tensor->sizes, tensor->elementType, 2 * count, {}, {},
      [&](ImplicitLocOpBuilder &b, ArrayRef<Value> randomBits, ValueRange) {
        Value logarithm = math::LogOp::create(
            b, buildPositiveFraction(b, type, randomBits.take_front(count)));
        Value length = math::SqrtOp::create(b, multiply(b, logarithm, -2));
        Value cosine = buildCosineOfTurn(
            b, buildFraction(b, type, randomBits.drop_front(count)));
        Value normal = arith::MulFOp::create(b, length, cosine);
        return fromCompute(b, add(b, multiply(b, normal, *scale), *mean),
                           tensor->elementType);
      })};
}

//===----------------------------------------------------------------------===//
// Bernoulli, Dropout in training
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertBernoulli(NodeContext &context) {
  Type elementType = context.getType("dtype");
  if (!elementType)
    elementType = context.elementType(0);
  if (!isKind(elementType, kinds::Float | kinds::Integer | kinds::Bool))
    return context.unsupported("unsupported element type " + show(elementType));
  if (failed(requireNoLoop(context)))
    return failure();
  Type type = getComputeType(context.elementType(0));
  Type resultType = getComputeType(elementType);
  Value input = context.input(0);
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  return SmallVector<Value>{buildRandom(
      context, sizes, elementType, getNumIntegers(type), input,
      context.b.getMultiDimIdentityMap(sizes.size()),
      [&](ImplicitLocOpBuilder &b, ArrayRef<Value> randomBits,
          ValueRange inputs) {
        Value isOne = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                                            buildFraction(b, type, randomBits),
                                            toCompute(b, inputs[0]));
        Value element =
            arith::SelectOp::create(b, isOne, makeNumber(b, resultType, 1),
                                    makeNumber(b, resultType, 0));
        return fromCompute(b, element, elementType);
      })};
}

NodeResults onnx_nodes::buildTrainingDropout(NodeContext &context,
                                             Value isTraining) {
  ImplicitLocOpBuilder &b = context.b;
  if (failed(requireNoLoop(context)))
    return failure();
  Value input = context.input(0);
  Type elementType = context.elementType(0);
  Type type = getComputeType(elementType);
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  AffineMap only = AffineMap::get(sizes.size(), 0, b.getContext());
  // The default ratio is 0.5. Outside of training, nothing is dropped.
  SmallVector<Value> scalarInputs = {isTraining};
  if (context.input(1)) {
    FailureOr<Value> ratio = context.getOnlyElement(1);
    if (failed(ratio) || failed(context.requireKind(1, kinds::Float)))
      return failure();
    scalarInputs.push_back(*ratio);
  }
  Value ratio = buildParallel(
      b, {}, type, scalarInputs,
      SmallVector<AffineMap>(scalarInputs.size(), b.getMultiDimIdentityMap(0)),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value ratio = makeNumber(b, type, 0.5);
        if (args.size() > 1)
          ratio = b.createOrFold<CastOp>(args[1], type);
        return arith::SelectOp::create(b, args[0], ratio,
                                       makeNumber(b, type, 0));
      });
  Value mask = buildRandom(
      context, sizes, b.getI1Type(), getNumIntegers(type), ratio, only,
      [&](ImplicitLocOpBuilder &b, ArrayRef<Value> randomBits,
          ValueRange inputs) -> Value {
        return arith::CmpFOp::create(b, arith::CmpFPredicate::OGE,
                                     buildFraction(b, type, randomBits),
                                     inputs[0]);
      });
  Value result = buildParallel(
      b, sizes, elementType, {input, mask, ratio}, {identity, identity, only},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value one = makeNumber(b, type, 1);
        Value scale = arith::DivFOp::create(
            b, one, arith::SubFOp::create(b, one, args[2]));
        Value scaled = arith::MulFOp::create(b, toCompute(b, args[0]), scale);
        Value element =
            arith::SelectOp::create(b, args[1], scaled, makeNumber(b, type, 0));
        return fromCompute(b, element, elementType);
      });
  return SmallVector<Value>{result, mask};
}

//===----------------------------------------------------------------------===//
// Multinomial
//===----------------------------------------------------------------------===//

/// Scales a random fraction by the sum of all probabilities and finds its
/// position among the prefix sums.
NodeResults onnx_nodes::convertMultinomial(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  if (context.type(0).getRank() != 2)
    return context.unsupported("the input must have rank 2, but got " +
                               Twine(context.type(0).getRank()));
  Type resultType = context.getType("dtype");
  if (!resultType ||
      (!resultType.isSignlessInteger(32) && !resultType.isSignlessInteger(64)))
    return context.unsupported("attribute 'dtype' must be int32 or int64");
  if (failed(context.requireRange("sample_size", context.getInt("sample_size"),
                                  /*min=*/1)) ||
      failed(requireNoLoop(context)))
    return failure();
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  OpFoldResult samples = b.getIndexAttr(context.getInt("sample_size"));
  if (failed(context.requireAtLeast(1, sizes[1], "the number of classes")))
    return failure();
  Type type = getComputeType(context.elementType(0));
  // The input is logarithms. Scale the probabilities so that the largest of
  // each row is 1.
  Value largest = buildReductionOfAxes(context, input, {1}, Combine::Max);
  Value shares = buildAlongAxes(
      context, sizes, type, {input, largest}, {{0, 1}, {0}},
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        return math::ExpOp::create(
            b, arith::SubFOp::create(b, toCompute(b, args[0]), args[1]));
      });
  Value sums = buildRunning(context, shares, /*axis=*/1, Combine::Sum);
  SmallVector<OpFoldResult> offsets = {
      b.getIndexAttr(0),
      computeIndex(b, b.getAffineSymbolExpr(0) - 1, sizes[1])};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  Value totals = context.reshape(
      buildSlice(b, sums, offsets, {sizes[0], b.getIndexAttr(1)}, strides),
      sizes[0]);
  SmallVector<OpFoldResult> drawn = {sizes[0], samples};
  AffineMap rows = AffineMap::get(2, 0, b.getAffineDimExpr(0));
  Value points =
      buildRandom(context, drawn, type, getNumIntegers(type), totals, rows,
                  [&](ImplicitLocOpBuilder &b, ArrayRef<Value> randomBits,
                      ValueRange inputs) -> Value {
                    return arith::MulFOp::create(
                        b, buildFraction(b, type, randomBits), inputs[0]);
                  });
  // Count the prefix sums that are at most the random number. The last prefix
  // sum is the total, which is always above it.
  Value zero = buildFilled(b, drawn, makeNumber(b, resultType, 0));
  MLIRContext *mlir = b.getContext();
  AffineExpr row, sample, member;
  bindDims(mlir, row, sample, member);
  AffineMap prefixMap = AffineMap::get(3, 0, {row, member}, mlir);
  AffineMap ofPoints = AffineMap::get(3, 0, {row, sample}, mlir);
  return buildReduction(
      b, {points, sums}, {ofPoints, prefixMap}, zero, ofPoints,
      [&](ImplicitLocOpBuilder &b, ValueRange elements,
          ValueRange accumulators) -> SmallVector<Value> {
        Value isBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::OLE,
                                              elements[1], elements[0]);
        Value one = arith::ExtUIOp::create(b, resultType, isBelow);
        return {arith::AddIOp::create(b, accumulators[0], one)};
      });
}
