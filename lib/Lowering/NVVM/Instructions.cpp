//===- Instructions.cpp - Conversion instructions of PTX ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "quant-float/Support/LlvmCompat.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Rounds to f8E8M0FNU up or toward zero, and to all others to nearest even.
static NVVM::FPRoundingMode getRounding(const Conversion &conversion) {
  if (!isa<Float8E8M0FNUType>(conversion.to))
    return NVVM::FPRoundingMode::RN;
  return conversion.semantics.roundMode == RoundMode::Up
             ? NVVM::FPRoundingMode::RP
             : NVVM::FPRoundingMode::RZ;
}

/// FNUZ types are converted by the instructions for their counterparts.
static Type getInstructionType(Type to) {
  if (isa<Float8E4M3FNUZType>(to))
    return Float8E4M3FNType::get(to.getContext());
  if (isa<Float8E5M2FNUZType>(to))
    return Float8E5M2Type::get(to.getContext());
  return to;
}

static Value extract(VectorBuilder &lanes, Value pair, int64_t index) {
  return lanes.make<vector::ExtractOp>(pair, index);
}

// PTX puts the first of two operands in the upper half of the result.

Value nvvm::encodeByte(VectorBuilder &lanes, Value pair,
                       const Conversion &conversion) {
  return lanes.make<NVVM::ConvertF32x2ToF8x2Op>(
      lanes.getInt(16), extract(lanes, pair, 1), extract(lanes, pair, 0),
      getRounding(conversion), NVVM::SaturationMode::SATFINITE,
      /*relu=*/false, getInstructionType(conversion.to));
}

Value nvvm::encodeFloat8FromHalf(VectorBuilder &lanes, Value pair,
                                 const Conversion &conversion) {
  return lanes.make<NVVM::ConvertF16x2ToF8x2Op>(
      lanes.getInt(16), pair, /*relu=*/false,
      getInstructionType(conversion.to));
}

Value nvvm::encodeScaleFromBFloat(VectorBuilder &lanes, Value pair,
                                  const Conversion &conversion) {
  return makeFromBFloatPair<NVVM::ConvertBF16x2ToF8x2Op>(
      lanes, lanes.getInt(16), pair, getRounding(conversion),
      NVVM::SaturationMode::SATFINITE, conversion.to);
}

Value nvvm::encodeFloat6(VectorBuilder &lanes, Value pair,
                         const Conversion &conversion) {
  return lanes.make<NVVM::ConvertF32x2ToF6x2Op>(
      lanes.getInt(16), extract(lanes, pair, 1), extract(lanes, pair, 0),
      /*relu=*/false, conversion.to);
}

/// The instruction packs both encodings in one byte.
Value nvvm::encodeFloat4(VectorBuilder &lanes, Value pair,
                         const Conversion &conversion) {
  Value packed = lanes.make<NVVM::ConvertF32x2ToF4x2Op>(
      lanes.getInt(8), extract(lanes, pair, 1), extract(lanes, pair, 0),
      /*relu=*/false, conversion.to);
  VectorBuilder scalar = lanes.withShapeOf(packed);
  Value wide = scalar.resize(packed, 16);
  return scalar.bitAnd(scalar.make<arith::OrIOp>(wide, scalar.shl(wide, 4)),
                       0x0F0F);
}

/// Decodes a pair by `OpTy` from a vector of two bytes or from one byte.
template <typename OpTy>
static Value decode(VectorBuilder &lanes, Value encodings, FloatType to,
                    Type from) {
  auto type = VectorType::get(2, to);
  if (VectorBuilder::getWidth(encodings) == 16)
    encodings = lanes.make<LLVM::BitcastOp>(VectorType::get(2, lanes.getInt(8)),
                                            encodings);
  if constexpr (std::is_same_v<OpTy, NVVM::ConvertF8x2ToBF16x2Op>)
    return makeFromScalePair<OpTy>(lanes, type, encodings, from);
  else
    return makeFromNarrowPair<OpTy>(lanes, type, encodings, from);
}

static FloatType getHalf(const Conversion &conversion) {
  return Float16Type::get(conversion.from.getContext());
}

Value nvvm::decodeFloat8(VectorBuilder &lanes, Value encodings,
                         const Conversion &conversion) {
  return decode<NVVM::ConvertF8x2ToF16x2Op>(
      lanes, encodings, getHalf(conversion), conversion.from);
}

Value nvvm::decodeScale(VectorBuilder &lanes, Value encodings,
                        const Conversion &conversion) {
  return decode<NVVM::ConvertF8x2ToBF16x2Op>(
      lanes, encodings, BFloat16Type::get(conversion.from.getContext()),
      conversion.from);
}

Value nvvm::decodeFloat6(VectorBuilder &lanes, Value encodings,
                         const Conversion &conversion) {
  return decode<NVVM::ConvertF6x2ToF16x2Op>(
      lanes, encodings, getHalf(conversion), conversion.from);
}

Value nvvm::decodeFloat4(VectorBuilder &lanes, Value encodings,
                         const Conversion &conversion) {
  VectorBuilder scalar = lanes.withShapeOf(encodings);
  Value packed = scalar.resize(
      scalar.make<arith::OrIOp>(encodings, scalar.shrU(encodings, 4)), 8);
  return decode<NVVM::ConvertF4x2ToF16x2Op>(lanes, packed, getHalf(conversion),
                                            conversion.from);
}
