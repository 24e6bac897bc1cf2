//===- Conversions.cpp - Conversion instructions --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static Value extract(OpBuilder &builder, Location loc, Value pair,
                     int64_t index) {
  return vector::ExtractOp::create(builder, loc, pair, index);
}

/// f8E8M0FNU is rounded up or toward zero, all others to nearest even.
static NVVM::FPRoundingMode getRounding(FloatType to, RoundMode mode) {
  if (!isa<Float8E8M0FNUType>(to))
    return NVVM::FPRoundingMode::RN;
  return mode == RoundMode::Up ? NVVM::FPRoundingMode::RP
                               : NVVM::FPRoundingMode::RZ;
}

// PTX puts the first of two operands into the high half of the result.

static Value encodeByte(OpBuilder &builder, Location loc, Value pair,
                        FloatType to, RoundMode mode) {
  return NVVM::ConvertF32x2ToF8x2Op::create(
      builder, loc, builder.getI16Type(), extract(builder, loc, pair, 1),
      extract(builder, loc, pair, 0), getRounding(to, mode),
      NVVM::SaturationMode::SATFINITE, /*relu=*/false, to);
}

static Value encodeFloat8FromHalf(OpBuilder &builder, Location loc, Value pair,
                                  FloatType to, RoundMode) {
  return NVVM::ConvertF16x2ToF8x2Op::create(builder, loc, builder.getI16Type(),
                                            pair, /*relu=*/false, to);
}

static Value encodeScaleFromBFloat(OpBuilder &builder, Location loc, Value pair,
                                   FloatType to, RoundMode mode) {
  return NVVM::ConvertBF16x2ToF8x2Op::create(
      builder, loc, builder.getI16Type(), pair, getRounding(to, mode),
      NVVM::SaturationMode::SATFINITE, to);
}

static Value encodeFloat6(OpBuilder &builder, Location loc, Value pair,
                          FloatType to, RoundMode) {
  return NVVM::ConvertF32x2ToF6x2Op::create(
      builder, loc, builder.getI16Type(), extract(builder, loc, pair, 1),
      extract(builder, loc, pair, 0), /*relu=*/false, to);
}

/// The instruction packs both codes into one byte.
static Value encodeFloat4(OpBuilder &builder, Location loc, Value pair,
                          FloatType to, RoundMode) {
  Value packed = NVVM::ConvertF32x2ToF4x2Op::create(
      builder, loc, builder.getI8Type(), extract(builder, loc, pair, 1),
      extract(builder, loc, pair, 0), /*relu=*/false, to);
  static const TargetCpu none;
  Lanes scalar(builder, loc, packed, none);
  Value wide = scalar.resize(packed, 16);
  return scalar.bitAnd(scalar.make<arith::OrIOp>(wide, scalar.shl(wide, 4)),
                       0x0F0F);
}

static Value toBytes(OpBuilder &builder, Location loc, Value codes) {
  auto type = VectorType::get(2, builder.getI8Type());
  return LLVM::BitcastOp::create(builder, loc, type, codes);
}

template <typename OpTy>
static Value decodeByte(OpBuilder &builder, Location loc, Value codes,
                        FloatType from) {
  auto type = VectorType::get(2, builder.getF16Type());
  return OpTy::create(builder, loc, type, toBytes(builder, loc, codes),
                      /*relu=*/false, from);
}

static Value decodeScale(OpBuilder &builder, Location loc, Value codes,
                         FloatType from) {
  auto type = VectorType::get(2, builder.getBF16Type());
  return NVVM::ConvertF8x2ToBF16x2Op::create(
      builder, loc, type, toBytes(builder, loc, codes), from);
}

static Value decodeFloat4(OpBuilder &builder, Location loc, Value codes,
                          FloatType from) {
  static const TargetCpu none;
  Lanes scalar(builder, loc, codes, none);
  Value packed =
      scalar.resize(scalar.make<arith::OrIOp>(codes, scalar.shrU(codes, 4)), 8);
  auto type = VectorType::get(2, builder.getF16Type());
  return NVVM::ConvertF4x2ToF16x2Op::create(builder, loc, type, packed,
                                            /*relu=*/false, from);
}

//===----------------------------------------------------------------------===//
// Corrections
//===----------------------------------------------------------------------===//

/// The sign bit of each element, where the sign of a code is.
static Value getSign(Lanes &lanes, Value value, const FloatFormat &to) {
  Value bits = lanes.toBits(value);
  Value top = lanes.shrU(bits, Lanes::getWidth(value) - to.width);
  return lanes.bitAnd(lanes.resize(top, 8), to.signMask());
}

static Value getMagnitude(Lanes &lanes, Value value) {
  Value bits = lanes.toBits(value);
  APInt mask = APInt::getSignedMaxValue(Lanes::getWidth(value));
  return lanes.bitcast(lanes.bitAnd(bits, mask.getZExtValue()),
                       getElementTypeOrSelf(value));
}

/// C3: what overflows has the code after the largest value's, infinity or NaN,
/// where the instruction gives the largest value.
static Value correctOverflow(Lanes &lanes, Value codes, Value value,
                             const FloatFormat &to) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  // Halfway to the next value; the tie goes to the even code.
  APFloat unit =
      scalbn(APFloat(1.0f), to.maxExponent - int(to.mantissaBits) - 1,
             APFloat::rmNearestTiesToEven);
  APFloat threshold(to.maxValue.convertToDouble() + unit.convertToDouble());
  CmpFPredicate isBeyond =
      to.maxCode & 1 ? CmpFPredicate::OGE : CmpFPredicate::OGT;
  Value isOver = lanes.compare(isBeyond, getMagnitude(lanes, value),
                               lanes.number(type, threshold));
  uint64_t overflowCode = to.hasInfinity ? to.infinityCode : to.nanCode;
  Value change =
      lanes.select(isOver, to.maxCode ^ overflowCode, lanes.integer(codes, 0));
  return lanes.make<arith::XOrIOp>(codes, change);
}

/// C5: 0x7E for NaN, where the instruction gives 0x7F and infinity nowhere.
/// What the correction of an overflow gives is below that, too. As many codes
/// as fit a register go at once: the carry of an addition, which ends in the
/// sign bit of a byte, tells 0x7F from the others.
static Value correctNaNCode(Lanes &lanes, Value codes) {
  auto type = cast<VectorType>(codes.getType());
  int64_t count = type.getNumElements();
  unsigned bytes = count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1;
  Value packed = lanes.make<vector::BitCastOp>(
      VectorType::get(count / bytes, lanes.getInt(8 * bytes)), codes);
  Lanes registers = lanes.withShapeOf(packed);
  auto each = [&](uint64_t byte) { return byte * 0x01010101; };
  Value carry = registers.add(registers.bitAnd(packed, each(0x7F)), each(1));
  Value isNaN = registers.shrU(registers.bitAnd(carry, each(0x80)), 7);
  Value changed = registers.make<arith::XOrIOp>(packed, isNaN);
  return lanes.make<vector::BitCastOp>(type, changed);
}

/// C5: NaN keeps its sign, where the instruction gives 0x7F.
static Value correctFloat8(Lanes &lanes, Value codes, const Carrier &carrier,
                           FloatType type, const CastSemantics &semantics,
                           bool nanMatters) {
  FloatFormat to(type);
  Value value = carrier.value;
  if (!semantics.saturate)
    codes = correctOverflow(lanes, codes, value, to);
  if (carrier.nans == NaNs::None || !nanMatters)
    return codes;
  if (to.nanCode != to.magnitudeMask())
    codes = correctNaNCode(lanes, codes);
  // All other codes have their sign.
  return lanes.make<arith::OrIOp>(codes, getSign(lanes, value, to));
}

/// C8: NaN is the zero of the other sign, where the instruction gives the
/// largest value.
static Value correctGrid(Lanes &lanes, Value codes, const Carrier &carrier,
                         FloatType type, const CastSemantics &, bool) {
  if (carrier.nans == NaNs::None)
    return codes;
  FloatFormat to(type);
  Value sign = getSign(lanes, carrier.value, to);
  Value zero =
      lanes.make<arith::XOrIOp>(sign, lanes.integer(sign, to.signMask()));
  return lanes.select(lanes.isNaN(carrier.value), zero, codes);
}

/// C9: the instruction takes the magnitude of negative numbers, and saturates.
static Value correctScale(Lanes &lanes, Value codes, const Carrier &carrier,
                          FloatType type, const CastSemantics &semantics,
                          bool) {
  Value value = carrier.value;
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  if (semantics.saturate) {
    Value zero = lanes.number(from, APFloat(0.0f));
    return lanes.select(lanes.compare(CmpFPredicate::OLT, value, zero), 0,
                        codes);
  }
  Value isInside = lanes.make<arith::AndIOp>(
      lanes.compare(CmpFPredicate::OGE, value, lanes.powerOfTwo(from, -127)),
      lanes.compare(CmpFPredicate::OLE, value, lanes.powerOfTwo(from, 127)));
  return lanes.select(isInside, codes, lanes.integer(codes, 0xFF));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static ArrayRef<EncodeRow> getEncodeRows() {
  static const EncodeRow rows[] = {
#define QUANT_FLOAT_NVVM_ENCODE(From, To, Feature, Instruction, Build,         \
                                Correct)                                       \
  {TypeID::get<From##Type>(),                                                  \
   TypeID::get<To##Type>(),                                                    \
   NvidiaFeature::Feature,                                                     \
   Instruction,                                                                \
   Build,                                                                      \
   Correct},
#include "Conversions.def"
  };
  return rows;
}

static ArrayRef<DecodeRow> getDecodeRows() {
  static const DecodeRow rows[] = {
#define QUANT_FLOAT_NVVM_DECODE(From, To, Feature, Instruction, Build)         \
  {TypeID::get<From##Type>(), TypeID::get<To##Type>(), NvidiaFeature::Feature, \
   Instruction, Build},
#include "Conversions.def"
  };
  return rows;
}

/// Why the chip has no such instruction; empty if it has.
static std::string getObstacle(const NvidiaChip &chip, NvidiaFeature feature,
                               StringRef instruction) {
  if (chip.has(feature))
    return {};
  unsigned ptx = chip.getLeastPtx(feature);
  if (!ptx)
    return llvm::formatv("{0} has no {1}", chip.name, instruction);
  return llvm::formatv("{0} needs PTX {1}, but got {2}", instruction,
                       getPtxName(ptx), getPtxName(chip.ptx));
}

/// Whether all values of an instruction's result are values of `to`, too.
static bool holds(Type to, TypeID result) {
  return to.getTypeID() == result || to.isF32() || to.isF64() ||
         (to.isBF16() && result == TypeID::get<Float16Type>());
}

static CastPlan planDecode(Type from, Type to, const NvidiaChip &chip) {
  CastPlan plan;
  for (const DecodeRow &row : getDecodeRows()) {
    if (row.from != from.getTypeID())
      continue;
    plan.reason = getObstacle(chip, row.feature, row.instruction);
    if (!plan.reason.empty())
      return plan;
    plan.reason = row.instruction;
    plan.isSplit = !holds(to, row.to);
    if (!plan.isSplit)
      plan.decode = &row;
    return plan;
  }
  return plan;
}

static CastPlan planEncode(Type from, Type to, RoundMode mode,
                           const NvidiaChip &chip) {
  CastPlan plan;
  for (const EncodeRow &row : getEncodeRows()) {
    if (row.to != to.getTypeID() || (row.from != from.getTypeID() &&
                                     row.from != TypeID::get<Float32Type>()))
      continue;
    std::string instruction = llvm::formatv(
        row.instruction.data(), mode == RoundMode::Up ? "rp" : "rz");
    if (isa<Float8E8M0FNUType>(to) && mode == RoundMode::Nearest) {
      plan.reason = "no instruction rounds scales to nearest";
      return plan;
    }
    plan.reason = getObstacle(chip, row.feature, instruction);
    if (!plan.reason.empty())
      return plan;
    plan.reason = instruction;
    plan.encode = &row;
    return plan;
  }
  return plan;
}

CastPlan quant_float::planCast(CastOp op, const NvidiaChip &chip) {
  Type from = getElementTypeOrSelf(op.getInput());
  Type to = getElementTypeOrSelf(op.getResult());
  CastPlan plan;
  auto vector = dyn_cast<VectorType>(op.getType());
  if (isa<TensorType>(op.getType()) || (vector && vector.isScalable())) {
    plan.reason = "neither a scalar nor a vector of fixed size";
    return plan;
  }
  if (!isNarrowFloat(from) && !isNarrowFloat(to)) {
    plan.reason = "no narrow float";
    return plan;
  }
  // V7, C13: bits are enough.
  if (from == to || to.isInteger(1)) {
    plan.reason = "no number is converted";
    return plan;
  }
  std::string obstacle;
  if (isNarrowFloat(from)) {
    plan = planDecode(from, to, chip);
    if (plan.decode || plan.isSplit)
      return plan;
    obstacle = plan.reason;
  }
  if (isNarrowFloat(to)) {
    plan = planEncode(from, to, op.getSemantics().roundMode, chip);
    if (plan.encode)
      return plan;
  }
  if (plan.reason.empty())
    plan.reason = obstacle;
  if (plan.reason.empty())
    plan.reason = "no chip has an instruction";
  return plan;
}
