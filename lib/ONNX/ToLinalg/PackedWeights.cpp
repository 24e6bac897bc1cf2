//===- PackedWeights.cpp - Ops with weights packed in bytes ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Extracts a quantized value that is packed in a byte, with the first value in
/// the lowest bits. `position` is the index of the value, `byte` the byte that
/// contains it.
static Value buildUnpacked(ImplicitLocOpBuilder &b, Value byte, Value position,
                           int64_t bits) {
  if (bits == 8)
    return byte;
  Type type = b.getI8Type();
  Value perByte = arith::ConstantIndexOp::create(b, 8 / bits);
  Value field = arith::RemUIOp::create(b, position, perByte);
  Value shift =
      arith::MulIOp::create(b, field, arith::ConstantIndexOp::create(b, bits));
  Value quantized = b.createOrFold<arith::ShRUIOp>(
      b.createOrFold<StorageCastOp>(type, byte),
      arith::IndexCastOp::create(b, type, shift));
  quantized = b.createOrFold<arith::AndIOp>(
      quantized, makeNumber(b, type, (1 << bits) - 1));
  return b.createOrFold<StorageCastOp>(byte.getType(), quantized);
}

/// Returns the implicit zero point of quantized values in bytes, 2^(bits - 1)
/// (R5).
static Value buildMiddle(ImplicitLocOpBuilder &b, Type elementType,
                         int64_t bits) {
  return createConstant(b, b.getIntegerAttr(elementType, 1 << (bits - 1)));
}

/// Dequantizes one element (D5), rounded once to `elementType`.
static Value buildDequantized(ImplicitLocOpBuilder &b, Value quantized,
                              Value scale, Value zeroPoint, Type elementType) {
  return DequantizeOp::create(b, elementType, quantized, scale, zeroPoint,
                              kNewestOpset, /*domain=*/StringAttr(),
                              /*axis=*/IntegerAttr(),
                              /*block_size=*/IntegerAttr(),
                              /*ignored_attributes=*/ArrayAttr());
}

static LogicalResult requireBits(NodeContext &context) {
  int64_t bits = context.getInt("bits");
  if (bits == 2 || bits == 4 || bits == 8)
    return success();
  return context.unsupported("attribute 'bits' must be 2, 4 or 8, but got " +
                             Twine(bits));
}

static LogicalResult requireBlockSize(NodeContext &context) {
  int64_t size = context.getInt("block_size");
  if (size < 16 || size > std::numeric_limits<int32_t>::max() ||
      !llvm::isPowerOf2_64(size))
    return context.unsupported("attribute 'block_size' must be a power of two "
                               "from 16 on, but got " +
                               Twine(size));
  return success();
}

//===----------------------------------------------------------------------===//
// MatMulNBits
//===----------------------------------------------------------------------===//

namespace {
/// Computes A * dequantize(B)^T + bias, where B has N rows and K columns.
class PackedMatmul {
public:
  explicit PackedMatmul(NodeContext &context)
      : context(context), b(context.b), bits(context.getInt("bits")),
        blockSize(context.getInt("block_size")), rows(context.getInt("N")),
        depth(context.getInt("K")), elementType(context.elementType(kA)) {}

  LogicalResult analyze();
  /// Returns the dequantized weights in f32.
  Value decode();
  FailureOr<Value> multiply(Value weights);

private:
  enum : size_t { kA, kB, kScales, kZeroPoints, kGroups, kBias };

  /// Requires an input to have `columns` elements per row and reshapes it to a
  /// matrix. The input may be a vector or have more axes.
  LogicalResult requireRows(size_t index, int64_t columns);
  /// Returns the zero points of all blocks, one per byte.
  Value unpackPoints();
  /// Expands a tensor with one element per block to one element per weight,
  /// where the group index (g_idx) selects the block.
  Value gatherGroups(Value perBlock);

  NodeContext &context;
  ImplicitLocOpBuilder &b;
  int64_t bits, blockSize, rows, depth;
  Type elementType;
  int64_t blocks = 0;
  bool hasPackedPoints = false;
};
} // namespace

LogicalResult PackedMatmul::requireRows(size_t index, int64_t columns) {
  Value input = context.input(index);
  if (!input)
    return success();
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  OpFoldResult all =
      context.computeProduct({b.getIndexAttr(rows), b.getIndexAttr(columns)});
  std::string what = "the number of elements of input " + std::to_string(index);
  if ((sizes.size() > 1 &&
       failed(context.requireEqual(b.getIndexAttr(rows), sizes.front(),
                                   "the first size of input " + Twine(index),
                                   "must be attribute 'N'"))) ||
      failed(context.requireEqual(all, context.computeProduct(sizes), what,
                                  "must match the number of blocks")))
    return failure();
  context.inputs[index] =
      context.reshape(input, {b.getIndexAttr(rows), b.getIndexAttr(columns)});
  return success();
}

LogicalResult PackedMatmul::analyze() {
  if (failed(requireBits(context)) || failed(requireBlockSize(context)) ||
      failed(context.requireRange("K", depth, 1)) ||
      failed(context.requireRange("N", rows, 1)))
    return failure();
  if (int64_t layout = context.getInt("weight_prepacked"))
    return context.unsupported(
        "attribute 'weight_prepacked' must be 0, but got " + Twine(layout));
  Type bytes = b.getIntegerType(8, /*isSigned=*/false);
  if (failed(context.requireElementType(kB, bytes)) ||
      failed(context.requireElementType(kScales, elementType)) ||
      (context.input(kGroups) &&
       failed(context.requireElementType(kGroups, b.getI32Type()))) ||
      (context.input(kBias) &&
       failed(context.requireElementType(kBias, elementType))))
    return failure();
  hasPackedPoints =
      context.input(kZeroPoints) && context.elementType(kZeroPoints) == bytes;
  if (context.input(kZeroPoints) && !hasPackedPoints &&
      failed(context.requireElementType(kZeroPoints, elementType)))
    return failure();

  blocks = llvm::divideCeil(depth, blockSize);
  if (failed(requireRows(kB, blocks * (blockSize / 8 * bits))) ||
      failed(requireRows(kScales, blocks)) ||
      failed(requireRows(kZeroPoints, hasPackedPoints
                                          ? llvm::divideCeil(blocks * bits, 8)
                                          : blocks)))
    return failure();
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(kA));
  if (sizes.empty())
    return context.unsupported(
        "an operand must have rank 1 or more, but got a scalar");
  if (failed(context.requireEqual(b.getIndexAttr(depth), sizes.back(),
                                  "the size of the reduction axis",
                                  "must be attribute 'K'")))
    return failure();
  if (!context.input(kGroups))
    return success();
  // Elements beyond K, which pad the last block, are not read.
  if (context.type(kGroups).getRank() != 1)
    return context.unsupported("input 4 must have rank 1, but got " +
                               Twine(context.type(kGroups).getRank()));
  return context.requireAtLeast(
      depth, context.getSizes(context.input(kGroups)).front(),
      "the size of input 4");
}

Value PackedMatmul::unpackPoints() {
  AffineExpr row = b.getAffineDimExpr(0), block = b.getAffineDimExpr(1);
  return buildParallel(
      b, {b.getIndexAttr(rows), b.getIndexAttr(blocks)},
      context.elementType(kZeroPoints), context.input(kZeroPoints),
      AffineMap::get(2, 0, {row, block.floorDiv(8 / bits)}, b.getContext()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        return buildUnpacked(b, args[0], linalg::IndexOp::create(b, 1), bits);
      });
}

Value PackedMatmul::gatherGroups(Value perBlock) {
  return buildParallel(
      b, {b.getIndexAttr(rows), b.getIndexAttr(depth)},
      getElementTypeOrSelf(perBlock), context.input(kGroups),
      AffineMap::get(2, 0, b.getAffineDimExpr(1), b.getContext()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value group = arith::IndexCastOp::create(b, b.getIndexType(), args[0]);
        group =
            normalizeIndex(b, group, arith::ConstantIndexOp::create(b, blocks));
        return tensor::ExtractOp::create(
            b, perBlock, ValueRange{linalg::IndexOp::create(b, 0), group});
      });
}

Value PackedMatmul::decode() {
  AffineExpr row = b.getAffineDimExpr(0), column = b.getAffineDimExpr(1);
  auto getMap = [&](int64_t perElement) {
    return AffineMap::get(2, 0, {row, column.floorDiv(perElement)},
                          b.getContext());
  };
  int64_t perByte = 8 / bits;
  Value scales = context.input(kScales), points = context.input(kZeroPoints);
  bool isGrouped = context.input(kGroups) != nullptr;
  int64_t perScale = blockSize, perPoint = blockSize;
  if (isGrouped) {
    if (points)
      points = gatherGroups(hasPackedPoints ? unpackPoints() : points);
    scales = gatherGroups(scales);
    perScale = perPoint = 1;
  } else if (hasPackedPoints) {
    perPoint *= perByte;
  }
  Value bytes = context.input(kB);
  // If a byte holds one value, its map is the identity, and linalg infers the
  // loop ranges from the bytes. Slice them to K columns, because they are
  // padded to full blocks.
  if (perByte == 1) {
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    OpFoldResult sizes[] = {b.getIndexAttr(rows), b.getIndexAttr(depth)};
    bytes = b.createOrFold<tensor::ExtractSliceOp>(bytes, ArrayRef{zero, zero},
                                                   sizes, ArrayRef{one, one});
  }
  SmallVector<Value> inputs = {bytes, scales};
  SmallVector<AffineMap> maps = {getMap(perByte), getMap(perScale)};
  if (points) {
    inputs.push_back(points);
    maps.push_back(getMap(perPoint));
  }
  Type type = b.getF32Type();
  return buildParallel(
      b, {b.getIndexAttr(rows), b.getIndexAttr(depth)}, type, inputs, maps,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value position = linalg::IndexOp::create(b, 1);
        Value quantized = buildUnpacked(b, args[0], position, bits);
        if (points && !hasPackedPoints) {
          Value difference = b.createOrFold<arith::SubFOp>(
              toSingle(b, quantized), toSingle(b, args[2]));
          return b.createOrFold<arith::MulFOp>(difference,
                                               toSingle(b, args[1]));
        }
        Value point;
        if (!points) {
          point = buildMiddle(b, quantized.getType(), bits);
        } else if (isGrouped) {
          point = args[2];
        } else {
          Value size = arith::ConstantIndexOp::create(b, blockSize);
          point = buildUnpacked(
              b, args[2], arith::DivUIOp::create(b, position, size), bits);
        }
        return buildDequantized(b, quantized, args[1], point, type);
      });
}

FailureOr<Value> PackedMatmul::multiply(Value weights) {
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(kA));
  unsigned rank = sizes.size();
  // Loops: the axes of A without the last, the rows of the weights, the last
  // axis of A.
  SmallVector<AffineExpr> left, right, result;
  for (unsigned i = 0; i <= rank; ++i) {
    if (i != rank - 1)
      left.push_back(b.getAffineDimExpr(i));
    if (i >= rank - 1)
      right.push_back(b.getAffineDimExpr(i));
    if (i != rank)
      result.push_back(b.getAffineDimExpr(i));
  }
  auto getMap = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(rank + 1, 0, exprs, b.getContext());
  };
  sizes.back() = b.getIndexAttr(rows);
  Value init = buildFilled(b, sizes, makeNumber(b, b.getF32Type(), 0));
  auto body = [](ImplicitLocOpBuilder &b, ValueRange elements,
                 ValueRange accumulators) {
    return multiplyAndAdd(b, elements, accumulators);
  };
  Value matmulResult =
      buildReduction(b, {context.input(kA), weights},
                     {getMap(left), getMap(right)}, init, getMap(result), body)
          .front();
  if (!context.input(kBias))
    return convertFromCompute(context, matmulResult, elementType);
  FailureOr<AffineMap> map = getBiasMap(context, kBias, sizes);
  if (failed(map))
    return failure();
  return buildParallel(
      b, sizes, elementType, {matmulResult, context.input(kBias)},
      {b.getMultiDimIdentityMap(rank), *map},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        return fromCompute(
            b, b.createOrFold<arith::AddFOp>(args[0], toSingle(b, args[1])),
            elementType);
      });
}

/// accuracy_level permits a lower precision of the matmul. It is ignored.
NodeResults onnx_nodes::convertMatMulNBits(NodeContext &context) {
  PackedMatmul matmul(context);
  if (failed(matmul.analyze()) || !context.getProblem().empty())
    return failure();
  FailureOr<Value> result = matmul.multiply(matmul.decode());
  if (failed(result))
    return failure();
  return SmallVector<Value>{*result};
}

//===----------------------------------------------------------------------===//
// GatherBlockQuantized
//===----------------------------------------------------------------------===//

namespace {
/// A Gather of quantized values that dequantizes the gathered elements.
class BlockGather {
public:
  explicit BlockGather(NodeContext &context)
      : context(context), b(context.b),
        quantizedType(context.elementType(kData)),
        resultType(context.elementType(kScales)) {}

  LogicalResult analyze();
  Value build();

private:
  enum : size_t { kData, kIndices, kScales, kZeroPoints };

  LogicalResult analyzeTypes();
  LogicalResult requireScales();

  NodeContext &context;
  ImplicitLocOpBuilder &b;
  Type quantizedType, resultType;
  bool isPacked = false, isFloat = false;
  int64_t bits = 0, perByte = 1, gatherAxis = 0, quantizeAxis = 0;
  OpFoldResult blockSize;
  /// The sizes of the quantized values, not of the bytes that contain them.
  SmallVector<OpFoldResult> sizes;
  SmallVector<OpFoldResult> indexSizes;
  /// For each axis, whether all elements along it share a scale.
  SmallVector<bool> isShared;
};
} // namespace

LogicalResult BlockGather::analyzeTypes() {
  isFloat = isFloat8(quantizedType) || isa<Float4E2M1FNType>(quantizedType);
  isPacked = quantizedType.isUnsignedInteger(8);
  if (!isFloat && !isPacked && !quantizedType.isUnsignedInteger(4) &&
      !quantizedType.isSignlessInteger(4))
    return context.unsupported("elements of type " + show(quantizedType));
  Type indexType = context.elementType(kIndices);
  if (!indexType.isSignlessInteger(32) && !indexType.isSignlessInteger(64))
    return context.unsupported("input 1 must have elements of type 'i32' or "
                               "'i64', but got " +
                               show(indexType));
  if (failed(context.requireKind(kScales, kinds::Single)))
    return failure();
  if (context.input(kZeroPoints) &&
      (isFloat ||
       failed(context.requireElementType(kZeroPoints, quantizedType))))
    return isFloat ? context.unsupported("quantized floats have no zero points")
                   : failure();
  bits = context.getInt("bits");
  if (!isFloat && !isPacked && bits != 4)
    return context.unsupported(
        "attribute 'bits' must be 4 for elements of type " +
        show(quantizedType) + ", but got " + Twine(bits));
  bool isUnblocked = isFloat && context.getInt("block_size") == 0;
  if ((isPacked && failed(requireBits(context))) ||
      (!isUnblocked && failed(requireBlockSize(context))))
    return failure();
  perByte = isPacked ? 8 / bits : 1;
  return success();
}

LogicalResult BlockGather::analyze() {
  if (failed(analyzeTypes()))
    return failure();
  sizes = context.getSizes(context.input(kData));
  indexSizes = context.getSizes(context.input(kIndices));
  int64_t rank = sizes.size();
  FailureOr<int64_t> gathered =
      context.normalizeAxis(context.getInt("gather_axis"), rank);
  FailureOr<int64_t> quantized =
      context.normalizeAxis(context.getInt("quantize_axis"), rank);
  if (failed(gathered) || failed(quantized))
    return failure();
  gatherAxis = *gathered;
  quantizeAxis = *quantized;
  if (isPacked && (gatherAxis != 0 || quantizeAxis == 0))
    return context.unsupported("packed quantized values must be gathered along "
                               "axis 0 and quantized along another axis");
  if (failed(context.requireElements(gatherAxis, sizes[gatherAxis],
                                     context.computeProduct(indexSizes))))
    return failure();
  sizes.back() =
      context.computeProduct({sizes.back(), b.getIndexAttr(perByte)});
  int64_t blockSizeValue = context.getInt("block_size");
  blockSize = blockSizeValue == 0 ? sizes[quantizeAxis]
                                  : b.getIndexAttr(blockSizeValue);
  return requireScales();
}

LogicalResult BlockGather::requireScales() {
  SmallVector<OpFoldResult> scales = context.getSizes(context.input(kScales));
  if (scales.size() != sizes.size())
    return context.unsupported("input 2 must have rank " + Twine(sizes.size()) +
                               ", but got " + Twine(scales.size()));
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  for (auto [axis, size] : llvm::enumerate(scales)) {
    bool isBlocked = static_cast<int64_t>(axis) == quantizeAxis;
    isShared.push_back(!isBlocked && isFloat && isConstantIntValue(size, 1) &&
                       !isConstantIntValue(sizes[axis], 1));
    if (isShared.back())
      continue;
    OpFoldResult expected = sizes[axis];
    if (isBlocked)
      expected = context.getInt("block_size") == 0
                     ? OpFoldResult(b.getIndexAttr(1))
                     : computeIndex(b, s0.ceilDiv(context.getInt("block_size")),
                                    sizes[axis]);
    if (failed(context.requireEqual(expected, size,
                                    "size " + Twine(axis) + " of input 2",
                                    "must be the number of blocks")))
      return failure();
  }
  Value points = context.input(kZeroPoints);
  if (!points)
    return success();
  SmallVector<OpFoldResult> own = context.getSizes(points);
  if (own.size() != scales.size())
    return context.unsupported("input 3 must have rank " +
                               Twine(scales.size()) + ", but got " +
                               Twine(own.size()));
  scales.back() = computeIndex(b, s0.ceilDiv(perByte), scales.back());
  for (auto [axis, expected, size] : llvm::enumerate(scales, own))
    if (failed(context.requireEqual(expected, size,
                                    "size " + Twine(axis) + " of input 3",
                                    "must match the number of scales")))
      return failure();
  return success();
}

/// An index that is out of bounds gives zeros, unlike in Gather (R5).
Value BlockGather::build() {
  SmallVector<OpFoldResult> resultSizes;
  ArrayRef<OpFoldResult> all = sizes;
  llvm::append_range(resultSizes, all.take_front(gatherAxis));
  llvm::append_range(resultSizes, indexSizes);
  llvm::append_range(resultSizes, all.drop_front(gatherAxis + 1));
  SmallVector<AffineExpr> exprs;
  for (size_t i = 0; i < indexSizes.size(); ++i)
    exprs.push_back(b.getAffineDimExpr(gatherAxis + i));
  auto map = AffineMap::get(resultSizes.size(), 0, exprs, b.getContext());
  Value data = context.input(kData), scales = context.input(kScales);
  Value points = context.input(kZeroPoints);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
    auto toValue = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
    };
    Value index = b.createOrFold<arith::IndexCastOp>(b.getIndexType(), args[0]);
    Value end = toValue(sizes[gatherAxis]);
    // One unsigned comparison checks both bounds of [-size, size).
    Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                           arith::AddIOp::create(b, index, end),
                                           arith::AddIOp::create(b, end, end));
    SmallVector<Value> position, block;
    for (int64_t axis = 0, n = sizes.size(); axis < n; ++axis) {
      int64_t loop = axis < gatherAxis ? axis : axis + indexSizes.size() - 1;
      Value sourceIndex = axis == gatherAxis
                              ? normalizeIndex(b, index, end)
                              : Value(linalg::IndexOp::create(b, loop));
      position.push_back(sourceIndex);
      if (axis == quantizeAxis)
        sourceIndex =
            arith::DivUIOp::create(b, sourceIndex, toValue(blockSize));
      else if (isShared[axis])
        sourceIndex = arith::ConstantIndexOp::create(b, 0);
      block.push_back(sourceIndex);
    }
    auto extract = [&](Value tensor, SmallVector<Value> indices) {
      Value last = indices.back();
      if (perByte != 1)
        indices.back() = arith::DivUIOp::create(
            b, last, arith::ConstantIndexOp::create(b, perByte));
      Value quantized = tensor::ExtractOp::create(b, tensor, indices);
      return isPacked ? buildUnpacked(b, quantized, last, bits) : quantized;
    };
    Value point;
    if (points)
      point = extract(points, block);
    else if (isPacked)
      point = buildMiddle(b, quantizedType, bits);
    Value value = buildDequantized(b, extract(data, position),
                                   tensor::ExtractOp::create(b, scales, block),
                                   point, resultType);
    return b.createOrFold<arith::SelectOp>(isInside, value,
                                           makeNumber(b, resultType, 0));
  };
  return buildParallel(b, resultSizes, resultType, context.input(kIndices), map,
                       body);
}

NodeResults onnx_nodes::convertGatherBlockQuantized(NodeContext &context) {
  BlockGather gather(context);
  if (failed(gather.analyze()) || !context.getProblem().empty())
    return failure();
  return SmallVector<Value>{gather.build()};
}
