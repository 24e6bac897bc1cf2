//===- CastsToNVVM.cpp - Casts to conversion instructions -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "Pairs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

Value quant_float::encodeByInstruction(Lanes &lanes, const EncodeRow &row,
                                       const Carrier &carrier, FloatType to,
                                       const CastSemantics &semantics,
                                       bool nanMatters) {
  OpBuilder &builder = lanes.getBuilder();
  Location loc = lanes.getLoc();
  auto type = cast<VectorType>(carrier.value.getType());
  auto pairType = VectorType::get(2, type.getElementType());
  Pairs pairs(builder, loc);
  auto convert = [&](Value value) {
    SmallVector<Value> codes;
    for (Value pair : pairs.split(value))
      codes.push_back(row.build(
          builder, loc, LLVM::BitcastOp::create(builder, loc, pairType, pair),
          to, semantics.roundMode));
    return pairs.join(codes, builder.getI8Type(), type.getNumElements());
  };
  return row.finish(lanes, convert, carrier, to, semantics, nanMatters);
}

static Value encode(Lanes &lanes, CastOp op, Value storage,
                    const EncodeRow &row) {
  Type from = getElementTypeOrSelf(op.getInput());
  auto to = cast<FloatType>(getElementTypeOrSelf(op.getResult()));
  Carrier carrier = row.from == from.getTypeID()
                        ? Carrier{lanes.bitcast(storage, from)}
                        : convertToCarrier(lanes, storage, from, to);
  bool nanMatters = !isArithmetic(op.getInput().getDefiningOp());
  return encodeByInstruction(lanes, row, carrier, to, op.getSemantics(),
                             nanMatters);
}

/// C7: NaN is canonical and has the sign of the code, where the instruction
/// drops the sign.
static Value correctNaNs(Lanes &lanes, Value value, Value codes,
                         FloatType from) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  FloatFormat format(type);
  Value bits =
      lanes.select(lanes.isNaN(value), format.nanCode, lanes.toBits(value));
  if (FloatFormat(from).isSigned) {
    Value top = format.width == 32
                    ? moveToTop(lanes, codes, from.getWidth())
                    : lanes.shl(lanes.resize(codes, format.width),
                                format.width - from.getWidth());
    Value sign = lanes.bitAnd(top, format.signMask());
    bits = lanes.make<arith::OrIOp>(bits, sign);
  }
  return lanes.bitcast(bits, type);
}

static Value decode(Lanes &lanes, CastOp op, Value storage,
                    const DecodeRow &row) {
  OpBuilder &builder = lanes.getBuilder();
  Location loc = op.getLoc();
  auto from = cast<FloatType>(getElementTypeOrSelf(op.getInput()));
  auto to = cast<FloatType>(getElementTypeOrSelf(op.getResult()));
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

  // To bf16 by f32, of which the high half is enough.
  bool byHighHalf = half.isF16() && to.isBF16();
  FloatType wide = byHighHalf ? builder.getF32Type() : to;
  if (half != wide)
    value = lanes.convert<arith::ExtFOp>(value, wide);
  bool nanMatters =
      FloatFormat(from).hasNaN && !llvm::all_of(op->getUsers(), isArithmetic);
  if (nanMatters)
    value = correctNaNs(lanes, value, codes, from);
  if (!byHighHalf)
    return value;
  Value high = lanes.shrU(lanes.toBits(value), 16);
  return lanes.bitcast(lanes.resize(high, 16), to);
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
    TargetCpu cpu = getNvidiaCpu(chip);
    Lanes lanes(rewriter, loc, storage, cpu);
    Value result = plan.encode ? encode(lanes, op, storage, *plan.encode)
                               : decode(lanes, op, storage, *plan.decode);
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

TargetCpu quant_float::getNvidiaCpu(const NvidiaChip &chip) {
  TargetCpu cpu;
  cpu.hasFma = cpu.hasHalfConversions = cpu.hasLongConversions = true;
  cpu.keepsSubnormals = cpu.packsBytes = true;
  cpu.hasMinimum = chip.has(NvidiaFeature::Minimum);
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
  populateQuantizeToNVVMPatterns(chip, patterns);
}
