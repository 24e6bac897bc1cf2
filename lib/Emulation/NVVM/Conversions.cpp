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

/// The FNUZ types are made by way of their counterparts.
static FloatType getInstructionType(FloatType to) {
  if (isa<Float8E4M3FNUZType>(to))
    return Float8E4M3FNType::get(to.getContext());
  if (isa<Float8E5M2FNUZType>(to))
    return Float8E5M2Type::get(to.getContext());
  return to;
}

// PTX puts the first of two operands into the high half of the result.

static Value encodeByte(OpBuilder &builder, Location loc, Value pair,
                        FloatType to, RoundMode mode) {
  return NVVM::ConvertF32x2ToF8x2Op::create(
      builder, loc, builder.getI16Type(), extract(builder, loc, pair, 1),
      extract(builder, loc, pair, 0), getRounding(to, mode),
      NVVM::SaturationMode::SATFINITE, /*relu=*/false, getInstructionType(to));
}

static Value encodeFloat8FromHalf(OpBuilder &builder, Location loc, Value pair,
                                  FloatType to, RoundMode) {
  return NVVM::ConvertF16x2ToF8x2Op::create(builder, loc, builder.getI16Type(),
                                            pair, /*relu=*/false,
                                            getInstructionType(to));
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
// The table
//===----------------------------------------------------------------------===//

static ArrayRef<EncodeRow> getEncodeRows() {
  static const EncodeRow rows[] = {
#define QUANT_FLOAT_NVVM_ENCODE(From, To, Feature, Instruction, Build, Finish) \
  {TypeID::get<From##Type>(),                                                  \
   TypeID::get<To##Type>(),                                                    \
   NvidiaFeature::Feature,                                                     \
   Instruction,                                                                \
   Build,                                                                      \
   Finish},
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
        row.instruction.str().c_str(), mode == RoundMode::Up ? "rp" : "rz");
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

static constexpr StringLiteral kNoFixedSize =
    "neither a scalar nor a vector of fixed size";
static constexpr StringLiteral kNoNarrowFloat = "no narrow float";
static constexpr StringLiteral kRandomBits = "random bits decide";

static bool isTensorOrScalable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return isa<TensorType>(type) || (vector && vector.isScalable());
}

CastPlan quant_float::planCast(CastOp op, const NvidiaChip &chip) {
  Type from = getElementTypeOrSelf(op.getInput());
  Type to = getElementTypeOrSelf(op.getResult());
  CastPlan plan;
  if (isTensorOrScalable(op.getType())) {
    plan.reason = kNoFixedSize;
    return plan;
  }
  if (op.getRandom()) {
    plan.reason = kRandomBits;
    return plan;
  }
  if (!isNarrowFloat(from) && !isNarrowFloat(to)) {
    plan.reason = kNoNarrowFloat;
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

CastPlan quant_float::planQuantize(QuantizeElementsOp op,
                                   const NvidiaChip &chip) {
  Type to = getElementTypeOrSelf(op.getType());
  CastPlan plan;
  if (isTensorOrScalable(op.getType()))
    plan.reason = kNoFixedSize;
  else if (op.getRandom())
    plan.reason = kRandomBits;
  else if (!isNarrowFloat(to))
    plan.reason = kNoNarrowFloat;
  else
    plan =
        planEncode(Float32Type::get(op.getContext()), to, RoundMode::Up, chip);
  return plan;
}
