//===- CastsToNVVM.cpp - Casts to conversion instructions -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Instructions convert two elements at a time. A vector goes by pairs:
//
//   %x : vector<4xf32>  ->  (x0, x1)  (x2, x3)
//                             cvt        cvt
//                             i16        i16     ->  vector<4xi8>
//
// and codes come the same way back. Both are put together and taken apart as
// integers: shuffles of bytes cost instructions of their own.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// Vectors of one dimension as pairs of elements.
class Pairs {
public:
  Pairs(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// Pairs as integers; an odd last element has a zero beside it.
  SmallVector<Value> split(Value vector);
  /// The first `count` elements of pairs given as integers.
  Value join(ArrayRef<Value> pairs, Type element, int64_t count);

private:
  Value bitcast(Value value, int64_t count, Type element) {
    return vector::BitCastOp::create(builder, loc,
                                     VectorType::get(count, element), value);
  }

  OpBuilder &builder;
  Location loc;
};
} // namespace

SmallVector<Value> Pairs::split(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  int64_t count = type.getNumElements();
  unsigned width = type.getElementTypeBitWidth();
  if (count % 2) {
    Value zeros = arith::ConstantOp::create(
        builder, loc,
        builder.getZeroAttr(VectorType::get(count + 1, type.getElementType())));
    vector = vector::InsertStridedSliceOp::create(builder, loc, vector, zeros,
                                                  /*offsets=*/0, /*strides=*/1);
    ++count;
  }
  // Bytes four at a time, a register: of the halves of vectors LLVM makes
  // single bytes.
  auto pairType = builder.getIntegerType(2 * width);
  bool byFours = width == 8 && count % 4 == 0;
  int64_t step = byFours ? 4 : 2;
  Value groups =
      bitcast(vector, count / step, builder.getIntegerType(step * width));
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < count / step; ++i) {
    Value group = vector::ExtractOp::create(builder, loc, groups, i);
    if (!byFours) {
      pairs.push_back(group);
      continue;
    }
    pairs.push_back(arith::TruncIOp::create(builder, loc, pairType, group));
    Value shift = arith::ConstantIntOp::create(builder, loc, 16, 32);
    Value high = arith::ShRUIOp::create(builder, loc, group, shift);
    pairs.push_back(arith::TruncIOp::create(builder, loc, pairType, high));
  }
  return pairs;
}

Value Pairs::join(ArrayRef<Value> pairs, Type element, int64_t count) {
  int64_t size = pairs.size();
  auto type = VectorType::get(size, pairs.front().getType());
  Value all = vector::FromElementsOp::create(builder, loc, type, pairs);
  Value result = bitcast(all, 2 * size, element);
  if (count == 2 * size)
    return result;
  return vector::ExtractStridedSliceOp::create(builder, loc, result,
                                               /*offsets=*/0, count,
                                               /*strides=*/1);
}

/// `value` with one dimension.
static Value flatten(OpBuilder &builder, Location loc, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return vector::FromElementsOp::create(
        builder, loc, VectorType::get(1, value.getType()), value);
  if (type.getRank() == 1)
    return value;
  return vector::ShapeCastOp::create(
      builder, loc,
      VectorType::get(type.getNumElements(), type.getElementType()), value);
}

/// The shape of `like` for what has been flattened.
static Value unflatten(OpBuilder &builder, Location loc, Value value,
                       Type like) {
  auto type = dyn_cast<VectorType>(like);
  if (!type)
    return vector::ExtractOp::create(builder, loc, value, 0);
  if (type.getRank() == 1)
    return value;
  Type element = getElementTypeOrSelf(value);
  return vector::ShapeCastOp::create(
      builder, loc, VectorType::get(type.getShape(), element), value);
}

/// D8: NaNs of arithmetic have no specified sign.
static bool isArithmetic(Operation *op) {
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                         arith::DivFOp, math::FmaOp>(op);
}

static Value encode(OpBuilder &builder, CastOp op, Value storage,
                    const EncodeRow &row) {
  Location loc = op.getLoc();
  Type from = getElementTypeOrSelf(op.getInput());
  auto to = cast<FloatType>(getElementTypeOrSelf(op.getResult()));
  CastSemantics semantics = op.getSemantics();
  TargetCpu cpu = getNvidiaCpu();
  Lanes lanes(builder, loc, storage, cpu);
  Carrier carrier = row.from == from.getTypeID()
                        ? Carrier{lanes.bitcast(storage, from)}
                        : convertToCarrier(lanes, storage, from, to);

  Pairs pairs(builder, loc);
  auto type = cast<VectorType>(carrier.value.getType());
  auto pairType = VectorType::get(2, type.getElementType());
  SmallVector<Value> codes;
  for (Value pair : pairs.split(carrier.value))
    codes.push_back(row.build(
        builder, loc, LLVM::BitcastOp::create(builder, loc, pairType, pair), to,
        semantics.roundMode));
  Value result = pairs.join(codes, builder.getI8Type(), type.getNumElements());
  bool nanMatters = !isArithmetic(op.getInput().getDefiningOp());
  return row.correct(lanes, result, carrier, to, semantics, nanMatters);
}

/// C7: NaN is canonical and has the sign of the code, where the instruction
/// drops the sign.
static Value correctNaNs(Lanes &lanes, Value value, Value codes,
                         FloatType from) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  FloatFormat format(type);
  Value bits =
      lanes.select(lanes.isNaN(value), format.nanCode, lanes.toBits(value));
  if (APFloat::semanticsHasSignedRepr(from.getFloatSemantics())) {
    Value sign = lanes.bitAnd(
        lanes.shl(lanes.resize(codes, format.width), format.width - 8),
        format.signMask());
    bits = lanes.make<arith::OrIOp>(bits, sign);
  }
  return lanes.bitcast(bits, type);
}

static Value decode(OpBuilder &builder, CastOp op, Value storage,
                    const DecodeRow &row) {
  Location loc = op.getLoc();
  auto from = cast<FloatType>(getElementTypeOrSelf(op.getInput()));
  auto to = cast<FloatType>(getElementTypeOrSelf(op.getResult()));
  TargetCpu cpu = getNvidiaCpu();
  Lanes lanes(builder, loc, storage, cpu);
  Value codes = lanes.bitcast(storage, builder.getI8Type());
  // P3: callers may leave anything in the bits above a code.
  if (from.getWidth() < 8)
    codes = lanes.bitAnd(codes, (1u << from.getWidth()) - 1);

  Pairs pairs(builder, loc);
  SmallVector<Value> halves;
  Type half;
  for (Value pair : pairs.split(codes)) {
    Value values = row.build(builder, loc, pair, from);
    half = getElementTypeOrSelf(values);
    halves.push_back(
        LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), values));
  }
  int64_t count = cast<VectorType>(codes.getType()).getNumElements();
  Value value = pairs.join(halves, half, count);

  // By f32 to bf16, exactly.
  if (half.isF16() && to.isBF16())
    value = lanes.convert<arith::ExtFOp>(value, builder.getF32Type());
  if (getElementTypeOrSelf(value).getIntOrFloatBitWidth() > to.getWidth())
    value = lanes.convert<arith::TruncFOp>(value, to);
  else if (getElementTypeOrSelf(value) != to)
    value = lanes.convert<arith::ExtFOp>(value, to);
  bool nanMatters =
      FloatFormat(from).hasNaN && !llvm::all_of(op->getUsers(), isArithmetic);
  return nanMatters ? correctNaNs(lanes, value, codes, from) : value;
}

namespace {
struct CastOpSplit final : OpRewritePattern<CastOp> {
  CastOpSplit(MLIRContext *context, const NvidiaChip &chip)
      : OpRewritePattern(context), chip(chip) {}

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    if (!planCast(op, chip).isSplit)
      return rewriter.notifyMatchFailure(op, "one step or none");
    Value middle = CastOp::create(rewriter, op.getLoc(), op.getInput(),
                                  rewriter.getF32Type());
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(middle); });
    return success();
  }

  NvidiaChip chip;
};

struct CastOpByInstruction final : OpRewritePattern<CastOp> {
  CastOpByInstruction(MLIRContext *context, const NvidiaChip &chip)
      : OpRewritePattern(context, PatternBenefit(2)), chip(chip) {}

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    CastPlan plan = planCast(op, chip);
    if (!plan.encode && !plan.decode)
      return rewriter.notifyMatchFailure(op, plan.reason);
    Location loc = op.getLoc();
    Value storage = rewriter.createOrFold<StorageCastOp>(
        loc, getStorageType(op.getInput().getType()), op.getInput());
    storage = flatten(rewriter, loc, storage);
    Value result = plan.encode ? encode(rewriter, op, storage, *plan.encode)
                               : decode(rewriter, op, storage, *plan.decode);
    TargetCpu cpu = getNvidiaCpu();
    Lanes lanes(rewriter, loc, result, cpu);
    result = lanes.bitcast(
        result, getStorageElementType(getElementTypeOrSelf(op.getType())));
    result = unflatten(rewriter, loc, result, op.getType());
    rewriter.replaceOp(
        op, rewriter.createOrFold<StorageCastOp>(loc, op.getType(), result));
    return success();
  }

  NvidiaChip chip;
};
} // namespace

TargetCpu quant_float::getNvidiaCpu() {
  TargetCpu cpu;
  cpu.hasFma = cpu.hasHalfConversions = cpu.hasLongConversions = true;
  // Each NaN that an instruction gives is 0x7FFFFFFF.
  cpu.makesCanonicalNaNs = false;
  return cpu;
}

void quant_float::populateSplitCastsForNVVMPatterns(
    const NvidiaChip &chip, RewritePatternSet &patterns) {
  patterns.add<CastOpSplit>(patterns.getContext(), chip);
}

void quant_float::populateQuantFloatToNVVMConversionPatterns(
    const NvidiaChip &chip, RewritePatternSet &patterns) {
  patterns.add<CastOpByInstruction>(patterns.getContext(), chip);
}
