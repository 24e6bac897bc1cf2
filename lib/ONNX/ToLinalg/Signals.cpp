//===- Signals.cpp - Lowering of DFT and STFT -----------------------------===//
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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"
#include <complex>
#include <vector>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

namespace {
/// A complex number in a body. The imaginary part of a real number is null.
struct ComplexValue {
  Value real, imaginary;
};

/// A discrete Fourier transform. If `length` is a constant of at most 2^20,
/// KnownTransform computes it. Otherwise it is evaluated by its definition, a
/// sum of `inputs` elements multiplied by roots of unity.
struct Transform {
  NodeContext &context;
  Type type;
  OpFoldResult length, inputs;
  /// Whether the input has imaginary parts.
  bool isComplex = false;
  bool isInverse = false;
  /// Whether the transform is the inverse of one-sided frequencies, with a real
  /// result.
  bool isHalf = false;
  /// A table of cos and sin of the multiples of 2 pi / length.
  Value roots = {};

  using GetElement = llvm::function_ref<ComplexValue(ImplicitLocOpBuilder &,
                                                     ArrayRef<Value>, Value)>;

  /// Builds the transform. `to` is the shape of the result, with the
  /// frequencies along `axis` and the real and imaginary parts last.
  /// `getElement` returns the input at this index of the transform that
  /// the result at these indices belongs to.
  Value build(ArrayRef<OpFoldResult> to, int64_t axis, GetElement getElement);

private:
  void buildRoots();
  /// The same for a length that is a constant.
  Value buildKnown(ArrayRef<OpFoldResult> to, int64_t axis, int64_t known,
                   GetElement getElement);
  /// Normalizes a sum if the transform is inverse, and converts it to
  /// `elementType`.
  Value finish(ImplicitLocOpBuilder &b, Value sum, Type elementType);
};
} // namespace

void Transform::buildRoots() {
  ImplicitLocOpBuilder &b = context.b;
  constexpr double kCircle = 6.283185307179586;
  // Compute the angles in f64. In f32, the sine of the rounded pi is -8.7e-8
  // instead of 0.
  Type wide = b.getF64Type();
  roots = buildParallel(
      b, {length, b.getIndexAttr(2)}, type, {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
        auto toFloat = [&](Value index) -> Value {
          return arith::SIToFPOp::create(
              b, wide, arith::IndexCastOp::create(b, b.getI64Type(), index));
        };
        Value share =
            arith::DivFOp::create(b, toFloat(linalg::IndexOp::create(b, 0)),
                                  toFloat(makeIndex(b, length)));
        Value angle =
            arith::MulFOp::create(b, makeNumber(b, wide, kCircle), share);
        Value isSine = arith::CmpIOp::create(
            b, arith::CmpIPredicate::ne, linalg::IndexOp::create(b, 1),
            arith::ConstantIndexOp::create(b, 0));
        Value root =
            arith::SelectOp::create(b, isSine, math::SinOp::create(b, angle),
                                    math::CosOp::create(b, angle));
        return b.createOrFold<CastOp>(root, type);
      });
}

Value Transform::build(ArrayRef<OpFoldResult> to, int64_t axis,
                       GetElement getElement) {
  ImplicitLocOpBuilder &b = context.b;
  // The tables of longer transforms would be too large.
  constexpr int64_t kMaxLength = 1 << 20;
  std::optional<int64_t> known = getConstantIntValue(length);
  if (known && *known > 0 && *known <= kMaxLength)
    return buildKnown(to, axis, *known, getElement);
  buildRoots();
  int64_t rank = to.size();
  // The window tensor is never read. It defines the trip count of the
  // reduction.
  Value window = tensor::EmptyOp::create(b, inputs, b.getI8Type());
  AffineMap loops = b.getMultiDimIdentityMap(rank + 1);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange,
                  ValueRange accumulators) -> SmallVector<Value> {
    SmallVector<Value> indices;
    for (int64_t i = 0; i < rank; ++i)
      indices.push_back(linalg::IndexOp::create(b, i));
    Value input = linalg::IndexOp::create(b, rank);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    ComplexValue x = getElement(b, indices, input);
    Value turns = arith::RemUIOp::create(
        b, arith::MulIOp::create(b, indices[axis], input),
        makeIndex(b, length));
    Value cosine = tensor::ExtractOp::create(b, roots, ValueRange{turns, zero});
    Value sine = tensor::ExtractOp::create(b, roots, ValueRange{turns, one});
    if (!isInverse)
      sine = arith::NegFOp::create(b, sine);
    auto mul = [&](Value x, Value y) -> Value {
      return arith::MulFOp::create(b, x, y);
    };
    Value part = mul(x.real, cosine);
    if (x.imaginary)
      part = arith::SubFOp::create(b, part, mul(x.imaginary, sine));
    if (isHalf) {
      // All frequencies count twice, except for the first one and, if the
      // length is even, the last one.
      Value twice = arith::AddIOp::create(b, input, input);
      Value isSingle = arith::OrIOp::create(
          b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, input, zero),
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, twice,
                                makeIndex(b, length)));
      part =
          mul(part, arith::SelectOp::create(b, isSingle, makeNumber(b, type, 1),
                                            makeNumber(b, type, 2)));
    } else {
      Value other = mul(x.real, sine);
      if (x.imaginary)
        other = arith::AddFOp::create(b, other, mul(x.imaginary, cosine));
      Value isReal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                           indices.back(), zero);
      part = arith::SelectOp::create(b, isReal, part, other);
    }
    return {arith::AddFOp::create(b, accumulators[0], part)};
  };
  Value sums = buildReduction(b, window, loops.getMinorSubMap(1),
                              buildFilled(b, to, makeNumber(b, type, 0)),
                              loops.getMajorSubMap(rank), body)
                   .front();
  Type elementType = context.elementType(0);
  return buildParallel(b, to, elementType, sums, b.getMultiDimIdentityMap(rank),
                       [&](ImplicitLocOpBuilder &b, ValueRange args) {
                         return finish(b, args[0], elementType);
                       });
}

Value Transform::finish(ImplicitLocOpBuilder &b, Value sum, Type elementType) {
  if (isInverse) {
    Value count =
        arith::IndexCastOp::create(b, b.getI64Type(), makeIndex(b, length));
    sum =
        arith::DivFOp::create(b, sum, arith::SIToFPOp::create(b, type, count));
  }
  return fromCompute(b, sum, elementType);
}

//===----------------------------------------------------------------------===//
// Transforms of constant length
//===----------------------------------------------------------------------===//

namespace {
/// The real and imaginary parts of tensors [batch, length, inner]. `imaginary`
/// is null if all numbers are real.
struct Planes {
  Value real, imaginary;
};

/// A forward Fourier transform of constant length, by a mixed-radix Stockham
/// algorithm. Each factor of the length is a matmul with a constant matrix,
/// whose results are already in order. If the remaining length has no factor of
/// at most 64, Bluestein's convolution computes it.
struct KnownTransform {
  NodeContext &context;
  Type type;
  OpFoldResult batch;

  Planes build(Planes x, int64_t length, OpFoldResult inner);

private:
  using Table = std::vector<std::complex<double>>;

  /// Returns constants of the real and the imaginary parts of a table.
  Planes makeTable(const Table &table, ArrayRef<int64_t> shape);
  /// Multiplies x, a tensor [batch, rest..., inner], elementwise by a table of
  /// shape `rest`.
  Planes multiply(Planes x, const Table &table, ArrayRef<int64_t> rest,
                  OpFoldResult inner);
  /// Transforms x, as [batch, factor, rest, inner], along `factor`. The result
  /// is [batch, rest, factor, inner].
  Planes transform(Planes x, int64_t factor, int64_t rest, OpFoldResult inner);
  Planes convolve(Planes x, int64_t length, OpFoldResult inner);
  /// Reshapes both parts.
  Planes reshape(Planes x, ArrayRef<OpFoldResult> sizes);
};
} // namespace

/// Returns exp(-2 pi i * index / length). Multiples of a quarter turn are
/// exact.
static std::complex<double> getRoot(uint64_t index, uint64_t length) {
  constexpr double kQuarter = 1.5707963267948966;
  uint64_t quarters = 4 * (index % length);
  double angle = kQuarter * (quarters % length) / length;
  std::complex<double> root(std::cos(angle), -std::sin(angle));
  for (uint64_t i = quarters / length; i; --i)
    root = {root.imag(), -root.real()};
  return root;
}

/// Returns the largest factor of the length that is at most `max`.
static int64_t findFactor(int64_t length, int64_t max) {
  for (int64_t factor = std::min(max, length); factor > 1; --factor)
    if (length % factor == 0)
      return factor;
  return 1;
}

Planes KnownTransform::makeTable(const Table &table, ArrayRef<int64_t> shape) {
  ImplicitLocOpBuilder &b = context.b;
  auto tensor = RankedTensorType::get(shape, type);
  auto make = [&](auto getPart) -> Value {
    SmallVector<Attribute> numbers;
    for (std::complex<double> number : table)
      numbers.push_back(b.getFloatAttr(type, getPart(number)));
    return arith::ConstantOp::create(b,
                                     DenseElementsAttr::get(tensor, numbers));
  };
  return {make([](std::complex<double> number) { return number.real(); }),
          make([](std::complex<double> number) { return number.imag(); })};
}

Planes KnownTransform::reshape(Planes x, ArrayRef<OpFoldResult> sizes) {
  x.real = context.reshape(x.real, sizes);
  if (x.imaginary)
    x.imaginary = context.reshape(x.imaginary, sizes);
  return x;
}

Planes KnownTransform::multiply(Planes x, const Table &table,
                                ArrayRef<int64_t> rest, OpFoldResult inner) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = {batch};
  for (int64_t size : rest)
    sizes.push_back(b.getIndexAttr(size));
  sizes.push_back(inner);
  Planes factors = makeTable(table, rest);
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  AffineMap inMiddle =
      identity.dropResults({0, static_cast<int64_t>(sizes.size()) - 1});
  SmallVector<Value> inputs = {x.real, factors.real, factors.imaginary};
  SmallVector<AffineMap> maps = {identity, inMiddle, inMiddle};
  if (x.imaginary) {
    inputs.push_back(x.imaginary);
    maps.push_back(identity);
  }
  auto make = [&](bool isReal) {
    return buildParallel(
        b, sizes, type, inputs, maps,
        [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          Value first = arith::MulFOp::create(b, args[0], args[isReal ? 1 : 2]);
          if (!x.imaginary)
            return first;
          Value second =
              arith::MulFOp::create(b, args[3], args[isReal ? 2 : 1]);
          if (isReal)
            return arith::SubFOp::create(b, first, second);
          return arith::AddFOp::create(b, first, second);
        });
  };
  return {make(/*isReal=*/true), make(/*isReal=*/false)};
}

Planes KnownTransform::transform(Planes x, int64_t factor, int64_t rest,
                                 OpFoldResult inner) {
  ImplicitLocOpBuilder &b = context.b;
  // Omit loops with one iteration, because the last parallel loop is
  // vectorized.
  enum Loop { Batch, Rest, To, Inner, From };
  OpFoldResult sizes[] = {batch, b.getIndexAttr(rest), b.getIndexAttr(factor),
                          inner, b.getIndexAttr(factor)};
  SmallVector<AffineExpr> dims(5, b.getAffineConstantExpr(0));
  unsigned numLoops = 0;
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (loop == To || loop == From || !isConstantIntValue(size, 1))
      dims[loop] = b.getAffineDimExpr(numLoops++);
  auto getMap = [&](ArrayRef<int> loops, SmallVector<OpFoldResult> *shape) {
    SmallVector<AffineExpr> exprs;
    for (int loop : loops) {
      if (!isa<AffineDimExpr>(dims[loop]))
        continue;
      exprs.push_back(dims[loop]);
      if (shape)
        shape->push_back(sizes[loop]);
    }
    return AffineMap::get(numLoops, 0, exprs, b.getContext());
  };
  SmallVector<OpFoldResult> from, to;
  AffineMap inMap = getMap({Batch, From, Rest, Inner}, &from);
  AffineMap outMap = getMap({Batch, Rest, To, Inner}, &to);
  AffineMap tableMap = getMap({From, To}, nullptr);
  Table table;
  for (int64_t i = 0; i < factor; ++i)
    for (int64_t j = 0; j < factor; ++j)
      table.push_back(getRoot(i * j, factor));
  Planes roots = makeTable(table, {factor, factor});
  x = reshape(x, from);
  SmallVector<Value> inputs = {roots.real, roots.imaginary, x.real};
  SmallVector<AffineMap> maps = {tableMap, tableMap, inMap};
  if (x.imaginary) {
    inputs.push_back(x.imaginary);
    maps.push_back(inMap);
  }
  Value zero = makeNumber(b, type, 0);
  Value inits[] = {buildFilled(b, to, zero), buildFilled(b, to, zero)};
  SmallVector<Value> sums = buildReduction(
      b, inputs, maps, inits, outMap,
      [&](ImplicitLocOpBuilder &b, ValueRange x,
          ValueRange accumulators) -> SmallVector<Value> {
        auto mul = [&](Value x, Value y) -> Value {
          return arith::MulFOp::create(b, x, y);
        };
        Value real = mul(x[2], x[0]), imaginary = mul(x[2], x[1]);
        if (x.size() == 4) {
          real = arith::SubFOp::create(b, real, mul(x[3], x[1]));
          imaginary = arith::AddFOp::create(b, imaginary, mul(x[3], x[0]));
        }
        return {arith::AddFOp::create(b, accumulators[0], real),
                arith::AddFOp::create(b, accumulators[1], imaginary)};
      });
  return reshape({sums[0], sums[1]}, {batch, sizes[Rest], sizes[To], inner});
}

/// Computes the forward transform of an array in place, at compile time. The
/// length is a power of two.
static void transformTable(std::vector<std::complex<double>> &table) {
  size_t length = table.size();
  if (length == 1)
    return;
  std::vector<std::complex<double>> parts[2];
  for (size_t i = 0; i < length; ++i)
    parts[i % 2].push_back(table[i]);
  for (std::vector<std::complex<double>> &part : parts)
    transformTable(part);
  for (size_t i = 0; i < length / 2; ++i) {
    std::complex<double> other = getRoot(i, length) * parts[1][i];
    table[i] = parts[0][i] + other;
    table[i + length / 2] = parts[0][i] - other;
  }
}

/// Bluestein's algorithm: since i * j = (i^2 + j^2 - (i - j)^2) / 2, the
/// transform is a convolution, which two transforms of a power of two compute.
Planes KnownTransform::convolve(Planes x, int64_t length, OpFoldResult inner) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t room = llvm::PowerOf2Ceil(2 * length - 1);
  Table chirp(length), filter(room);
  for (int64_t i = 0; i < length; ++i) {
    chirp[i] = getRoot(i * i, 2 * length);
    filter[i] = filter[(room - i) % room] = std::conj(chirp[i]);
  }
  transformTable(filter);
  SmallVector<OpFoldResult> sizes = {batch, b.getIndexAttr(length), inner};
  x = multiply(x, chirp, length, inner);
  SmallVector<OpFoldResult> low(3, b.getIndexAttr(0)), high = low;
  SmallVector<OpFoldResult> strides(3, b.getIndexAttr(1));
  high[1] = b.getIndexAttr(room - length);
  Value zero = makeNumber(b, type, 0);
  x = {buildPadded(context, x.real, zero, low, high),
       buildPadded(context, x.imaginary, zero, low, high)};
  x = multiply(build(x, room, inner), filter, room, inner);
  // Swapping the real and imaginary parts before and after the transform
  // inverts it, without the normalization.
  x = build({x.imaginary, x.real}, room, inner);
  x = {buildSlice(b, x.imaginary, low, sizes, strides),
       buildSlice(b, x.real, low, sizes, strides)};
  for (std::complex<double> &root : chirp)
    root /= room;
  return multiply(x, chirp, length, inner);
}

Planes KnownTransform::build(Planes x, int64_t length, OpFoldResult inner) {
  ImplicitLocOpBuilder &b = context.b;
  // Code is vectorized along `inner` or, if that is 1, along the frequencies of
  // the first factor. That factor is a multiple of 16 if possible.
  bool isFlat = isConstantIntValue(inner, 1);
  constexpr int64_t kMaxFactor = 16, kMaxPrime = 64;
  int64_t factor = findFactor(length, isFlat ? 2 * kMaxFactor : kMaxFactor);
  if (isFlat && length % kMaxFactor == 0 && factor % kMaxFactor)
    factor = kMaxFactor;
  // Without a small factor, use a larger one. A prime length is its own factor.
  if (factor == 1)
    factor = findFactor(length, kMaxPrime);
  if (factor == 1 && length > 1)
    return convolve(x, length, inner);
  int64_t rest = length / factor;
  x = transform(x, factor, rest, inner);
  if (rest > 1) {
    Table table;
    for (int64_t i = 0; i < rest; ++i)
      for (int64_t j = 0; j < factor; ++j)
        table.push_back(getRoot(i * j, length));
    x = multiply(x, table, {rest, factor}, inner);
    OpFoldResult wide =
        computeIndex(b, b.getAffineSymbolExpr(0) * factor, inner);
    x = build(reshape(x, {batch, b.getIndexAttr(rest), wide}), rest, wide);
  }
  return reshape(x, {batch, b.getIndexAttr(length), inner});
}

Value Transform::buildKnown(ArrayRef<OpFoldResult> to, int64_t axis,
                            int64_t known, GetElement getElement) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes(to.drop_back());
  sizes[axis] = b.getIndexAttr(known);
  int64_t rank = sizes.size();
  // Read the elements, followed by zeros. Mirror and conjugate one-sided
  // frequencies.
  auto readPart = [&](bool isReal) -> Value {
    return buildParallel(
        b, sizes, type, {}, {},
        [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
          SmallVector<Value> indices;
          for (int64_t i = 0; i < rank; ++i)
            indices.push_back(linalg::IndexOp::create(b, i));
          Value index = indices[axis], zero = makeNumber(b, type, 0),
                isMirrored;
          indices.emplace_back();
          if (isHalf) {
            Value mirrored = arith::SubIOp::create(
                b, arith::ConstantIndexOp::create(b, known), index);
            isMirrored = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                               mirrored, index);
            index = arith::SelectOp::create(b, isMirrored, mirrored, index);
          }
          Value isInside;
          if (!isConstantIntValue(inputs, isHalf ? known / 2 + 1 : known)) {
            Value end = makeIndex(b, inputs);
            Value last = arith::SubIOp::create(
                b, end, arith::ConstantIndexOp::create(b, 1));
            isInside =
                arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, end);
            index = arith::MinSIOp::create(b, index, last);
          }
          ComplexValue x = getElement(b, indices, index);
          Value part = isReal ? x.real : x.imaginary;
          if (isHalf && !isReal)
            part = arith::SelectOp::create(
                b, isMirrored, arith::NegFOp::create(b, part), part);
          return isInside ? arith::SelectOp::create(b, isInside, part, zero)
                                .getResult()
                          : part;
        });
  };
  OpFoldResult batch = context.computeProduct(ArrayRef(sizes).take_front(axis));
  OpFoldResult inner =
      context.computeProduct(ArrayRef(sizes).drop_front(axis + 1));
  SmallVector<OpFoldResult> flat = {batch, sizes[axis], inner};
  Planes x = {context.reshape(readPart(/*isReal=*/true), flat), {}};
  if (isComplex)
    x.imaginary = context.reshape(readPart(/*isReal=*/false), flat);
  // Swapping the real and imaginary parts before and after the transform
  // inverts it.
  if (isInverse) {
    if (!x.imaginary)
      x.imaginary = buildFilled(b, flat, makeNumber(b, type, 0));
    std::swap(x.real, x.imaginary);
  }
  KnownTransform transform{context, type, batch};
  Planes result = transform.build(x, known, inner);
  if (isInverse)
    std::swap(result.real, result.imaginary);
  SmallVector<Value> parts = {result.real, result.imaginary};
  if (isHalf)
    parts.pop_back();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
  for (Value &part : parts)
    part = buildSlice(b, context.reshape(part, sizes), offsets, to.drop_back(),
                      strides);
  Type elementType = context.elementType(0);
  AffineMap map = b.getMultiDimIdentityMap(rank + 1).dropResult(rank);
  return buildParallel(
      b, to, elementType, parts, SmallVector<AffineMap>(parts.size(), map),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value sum = args[0];
        if (args.size() == 2) {
          Value isReal = arith::CmpIOp::create(
              b, arith::CmpIPredicate::eq, linalg::IndexOp::create(b, rank),
              arith::ConstantIndexOp::create(b, 0));
          sum = arith::SelectOp::create(b, isReal, args[0], args[1]);
        }
        return finish(b, sum, elementType);
      });
}

/// Returns n / 2 + 1, the number of frequencies that determine those of a real
/// signal.
static OpFoldResult computeHalf(ImplicitLocOpBuilder &b, OpFoldResult length) {
  return computeIndex(b, b.getAffineSymbolExpr(0).floorDiv(2) + 1, length);
}

/// Returns the smaller of two sizes.
static OpFoldResult computeMin(ImplicitLocOpBuilder &b, OpFoldResult lhs,
                               OpFoldResult rhs) {
  return getAsOpFoldResult(
      b.createOrFold<arith::MinSIOp>(makeIndex(b, lhs), makeIndex(b, rhs)));
}

/// Whether the last axis of the input contains imaginary parts. Its size must
/// be 1 or 2.
static FailureOr<bool> readIsComplex(NodeContext &context) {
  std::optional<int64_t> parts =
      getConstantIntValue(context.getSizes(context.input(0)).back());
  if (!parts || (*parts != 1 && *parts != 2))
    return context.unsupported(
        "the size of the last axis must be known to be 1 or 2");
  return *parts == 2;
}

static NodeResults buildDFT(NodeContext &context, OpFoldResult axisOperand) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  SmallVector<OpFoldResult> to = context.getSizes(input);
  int64_t rank = to.size();
  if (rank < 2)
    return context.unsupported("the input must have rank 2 or more, but got " +
                               Twine(rank));
  FailureOr<OpFoldResult> specified = context.normalizeAxis(axisOperand, rank);
  FailureOr<bool> isComplex = readIsComplex(context);
  if (failed(specified) || failed(isComplex) ||
      failed(context.requireAtMost(b.getIndexAttr(rank - 2), *specified,
                                   "the axis, excluding the last one,")))
    return failure();
  SmallVector<OpFoldResult> resultSizes = to;
  TensorAxis known =
      makeAxisKnown(context, input, *specified, /*numTrailing=*/1);
  input = known.tensor;
  int64_t axis = known.axis;
  to = context.getSizes(input);
  bool isInverse = context.getFlag("inverse");
  bool isHalf = context.getFlag("onesided") && isInverse;
  OpFoldResult size = to[axis], length = size;
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  if (context.input(1)) {
    FailureOr<OpFoldResult> specified = context.getIndex(1);
    if (failed(specified))
      return failure();
    length = *specified;
  } else if (isHalf) {
    length = computeIndex(b, 2 * (s0 - 1), size);
  }
  // Reads beyond the end are clamped to the last element, so there must be one.
  if (failed(context.requireAtLeast(1, length, "the length of the signal")) ||
      failed(context.requireElements(axis, size, length)))
    return failure();
  // A shorter signal is padded with zeros, a longer one is truncated.
  OpFoldResult required = isHalf ? computeHalf(b, length) : length;
  Transform transform{context,    getComputeType(context.elementType(0)),
                      length,     computeMin(b, size, required),
                      *isComplex, isInverse,
                      isHalf};
  to[axis] = context.getFlag("onesided") && !isInverse ? computeHalf(b, length)
                                                       : length;
  setAxis(b, resultSizes, *specified, to[axis]);
  to.back() = resultSizes.back() = b.getIndexAttr(isHalf ? 1 : 2);
  Value result = transform.build(
      to, axis,
      [&](ImplicitLocOpBuilder &b, ArrayRef<Value> indices,
          Value index) -> ComplexValue {
        SmallVector<Value> from(indices);
        from[axis] = index;
        auto read = [&](int64_t part) -> Value {
          from.back() = arith::ConstantIndexOp::create(b, part);
          return toCompute(b, tensor::ExtractOp::create(b, input, from));
        };
        Value real = read(0);
        return {real, *isComplex ? read(1) : Value()};
      });
  return SmallVector<Value>{context.reshape(result, resultSizes)};
}

NodeResults onnx_nodes::convertFixedDFT(NodeContext &context) {
  return buildDFT(context, context.b.getIndexAttr(context.getInt("axis")));
}

NodeResults onnx_nodes::convertDFT(NodeContext &context) {
  FailureOr<OpFoldResult> axis(OpFoldResult(context.b.getIndexAttr(-2)));
  if (context.input(2))
    axis = context.getIndex(2);
  if (failed(axis))
    return failure();
  return buildDFT(context, *axis);
}

/// Transforms overlapping frames of a signal, each multiplied by the window.
NodeResults onnx_nodes::convertSTFT(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value signal = context.input(0), window = context.input(2);
  SmallVector<OpFoldResult> from = context.getSizes(signal);
  bool hasParts = from.size() == 3;
  if (!hasParts && from.size() != 2)
    return context.unsupported("the signal must have rank 2 or 3, but got " +
                               Twine(from.size()));
  FailureOr<bool> isComplex = hasParts ? readIsComplex(context) : false;
  FailureOr<OpFoldResult> step = context.getIndex(1);
  if (failed(isComplex) || failed(step))
    return failure();
  OpFoldResult length = from[1];
  if (window) {
    if (context.type(2).getRank() != 1)
      return context.unsupported("the window must have rank 1, but got " +
                                 Twine(context.type(2).getRank()));
    if (failed(context.requireElementType(2, context.elementType(0))))
      return failure();
    length = context.getSizes(window).front();
  }
  if (context.input(3)) {
    FailureOr<OpFoldResult> specified = context.getIndex(3);
    if (failed(specified) ||
        (window &&
         failed(context.requireEqual(length, *specified, "the frame length"))))
      return failure();
    length = *specified;
  }
  OpFoldResult room =
      computeIndex(b, b.getAffineSymbolExpr(0) - b.getAffineSymbolExpr(1),
                   {from[1], length});
  if (failed(context.requireAtLeast(1, *step, "the frame step")) ||
      failed(context.requireAtLeast(1, length, "the frame length")) ||
      failed(context.requireAtLeast(
          0, room, "the signal length minus the frame length")))
    return failure();
  // The size may be computed before the assertion rejects a step of 0. Avoid
  // the division by 0.
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value divisor = b.createOrFold<arith::MaxSIOp>(makeIndex(b, *step), one);
  Value frames = b.createOrFold<arith::AddIOp>(
      b.createOrFold<arith::DivUIOp>(makeIndex(b, room), divisor), one);
  Transform transform{context, getComputeType(context.elementType(0)), length,
                      length, *isComplex};
  SmallVector<OpFoldResult> to = {
      from[0], getAsOpFoldResult(frames),
      context.getFlag("onesided") ? computeHalf(b, length) : length,
      b.getIndexAttr(2)};
  return SmallVector<Value>{transform.build(
      to, /*axis=*/2,
      [&](ImplicitLocOpBuilder &b, ArrayRef<Value> indices,
          Value index) -> ComplexValue {
        Value begin = arith::MulIOp::create(b, indices[1], makeIndex(b, *step));
        SmallVector<Value> from = {indices[0],
                                   arith::AddIOp::create(b, begin, index)};
        Value weight;
        if (window)
          weight = toCompute(b, tensor::ExtractOp::create(b, window, index));
        if (hasParts)
          from.emplace_back();
        auto read = [&](int64_t part) -> Value {
          if (hasParts)
            from.back() = arith::ConstantIndexOp::create(b, part);
          Value x = toCompute(b, tensor::ExtractOp::create(b, signal, from));
          return weight ? Value(arith::MulFOp::create(b, x, weight)) : x;
        };
        Value real = read(0);
        return {real, *isComplex ? read(1) : Value()};
      })};
}
