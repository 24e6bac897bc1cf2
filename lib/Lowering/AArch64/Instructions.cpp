//===- Instructions.cpp - Conversion instructions of Arm ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "Float8Mode.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::aarch64;

static Value call(VectorBuilder &lanes, StringRef intrinsic, Type type,
                  ValueRange operands) {
  OpBuilder &builder = lanes.getBuilder();
  return LLVM::CallIntrinsicOp::create(builder, lanes.getLoc(), type,
                                       builder.getStringAttr(intrinsic),
                                       operands)
      .getResult(0);
}

static Value slice(VectorBuilder &lanes, Value value, int64_t offset,
                   int64_t size) {
  return lanes.getBuilder().createOrFold<vector::ExtractStridedSliceOp>(
      lanes.getLoc(), value, offset, size, 1);
}

Value aarch64::encodeFloat8(VectorBuilder &lanes, Value part,
                            const Conversion &) {
  auto sixteen = VectorType::get(16, lanes.getInt(8));
  StringRef narrow = "llvm.aarch64.neon.fp8.fcvtn";
  if (getElementTypeOrSelf(part).isF16())
    return call(lanes, narrow, sixteen,
                {slice(lanes, part, 0, 8), slice(lanes, part, 8, 8)});
  Value low = call(lanes, narrow, VectorType::get(8, lanes.getInt(8)),
                   {slice(lanes, part, 0, 4), slice(lanes, part, 4, 4)});
  SmallVector<int64_t> mask(16, vector::ShuffleOp::kPoisonIndex);
  std::iota(mask.begin(), mask.begin() + 8, 0);
  low = lanes.make<vector::ShuffleOp>(low, low, mask);
  return call(lanes, "llvm.aarch64.neon.fp8.fcvtn2", sixteen,
              {low, slice(lanes, part, 8, 4), slice(lanes, part, 12, 4)});
}

/// The intrinsic operates on scalable vectors. Only their first 128 bits are
/// used. The results of the two operands are interleaved.
Value aarch64::encodeFloat8FromBFloat(VectorBuilder &lanes, Value part,
                                      const Conversion &) {
  OpBuilder &builder = lanes.getBuilder();
  auto getScalable = [](int64_t count, Type element) {
    return VectorType::get(count, element, /*scalableDims=*/true);
  };
  auto getEverySecond = [&](int64_t first) -> Value {
    SmallVector<int64_t> mask;
    for (int64_t i = first; i < 16; i += 2)
      mask.push_back(i);
    Value poison = LLVM::PoisonOp::create(
        builder, lanes.getLoc(), getScalable(8, getElementTypeOrSelf(part)));
    return lanes.make<vector::ScalableInsertOp>(
        lanes.make<vector::ShuffleOp>(part, part, mask), poison, 0);
  };
  Value encodings =
      call(lanes, "llvm.aarch64.sve.fp8.cvtn", getScalable(16, lanes.getInt(8)),
           {getEverySecond(0), getEverySecond(1)});
  return lanes.make<vector::ScalableExtractOp>(
      VectorType::get(16, lanes.getInt(8)), encodings, 0);
}

/// Returns the most significant byte of each float by halving the elements
/// repeatedly. Each step is one UZP2 of two registers.
static Value getTopBytes(VectorBuilder &lanes, Value value) {
  int64_t count = cast<VectorType>(value.getType()).getNumElements();
  SmallVector<int64_t> upper;
  for (int64_t i = 0; i < count; ++i)
    upper.push_back(2 * i + 1);
  for (unsigned width = VectorBuilder::getWidth(value) / 2; width >= 8;
       width /= 2) {
    value = lanes.make<vector::BitCastOp>(
        VectorType::get(2 * count, lanes.getInt(width)), value);
    value = lanes.make<vector::ShuffleOp>(value, value, upper);
  }
  return value;
}

/// If `value` is the product of an f32 and a positive power of two, returns the
/// f32 and sets `exponent`. A product that is rounded in f32 is so small that
/// its encoding is zero, so the rounding has no effect.
static Value dropPowerOfTwo(Value value, int &exponent) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  APFloat factor(0.0f);
  if (!product || !getElementTypeOrSelf(value).isF32() ||
      !matchPattern(product.getRhs(), m_ConstantFloat(&factor)) ||
      factor.isNegative() || factor.getExactLog2() == INT_MIN)
    return value;
  exponent = factor.getExactLog2();
  return product.getLhs();
}

Value aarch64::finishEncoded(VectorBuilder &lanes,
                             function_ref<Value(Value)> convert, Value value,
                             const Conversion &conversion) {
  int exponent = 0;
  value = dropPowerOfTwo(value, exponent);
  uint64_t mode = kSecondSourceIsE4M3 | getScaleOfResult(exponent);
  if (isa<Float8E4M3FNType>(conversion.to))
    mode |= kResultIsE4M3;
  if (conversion.semantics.saturate)
    mode |= kResultSaturates;
  setFloat8Mode(lanes.getBuilder(), lanes.getLoc(), mode);
  Value encodings = convert(value);
  if (conversion.nans == NaNs::None || !conversion.nanMatters)
    return encodings;
  // If the encoding of a NaN has a sign, it is the same one.
  Value sign = lanes.bitAnd(getTopBytes(lanes, value), 0x80);
  return lanes.make<arith::OrIOp>(lanes.bitAnd(encodings, 0x7F), sign);
}

/// The digit in the name selects the source format field of FPMR.
static Value decode(VectorBuilder &lanes, Value part,
                    const Conversion &conversion, Type half) {
  StringRef widen = isa<Float8E5M2Type>(conversion.from)
                        ? "llvm.aarch64.neon.fp8.cvtl1"
                        : "llvm.aarch64.neon.fp8.cvtl2";
  auto eight = VectorType::get(8, half);
  // The second instruction reads the upper half of the full register.
  Value low = call(lanes, widen, eight, slice(lanes, part, 0, 8));
  Value high = call(lanes, widen, eight, part);
  SmallVector<int64_t> mask(16);
  std::iota(mask.begin(), mask.end(), 0);
  return lanes.make<vector::ShuffleOp>(low, high, mask);
}

Value aarch64::decodeToHalf(VectorBuilder &lanes, Value part,
                            const Conversion &conversion) {
  return decode(lanes, part, conversion,
                Float16Type::get(conversion.from.getContext()));
}

Value aarch64::decodeToBFloat(VectorBuilder &lanes, Value part,
                              const Conversion &conversion) {
  return decode(lanes, part, conversion,
                BFloat16Type::get(conversion.from.getContext()));
}

Value aarch64::finishDecoded(VectorBuilder &lanes,
                             function_ref<Value(Value)> convert,
                             Value encodings, const Conversion &conversion) {
  setFloat8Mode(lanes.getBuilder(), lanes.getLoc(), kSecondSourceIsE4M3);
  Value value = convert(encodings);
  if (conversion.nanMatters) {
    Value sign = lanes.shl(lanes.resize(lanes.bitAnd(encodings, 0x80), 16), 8);
    value = lanes.bitcast(lanes.make<arith::OrIOp>(lanes.toBits(value), sign),
                          getElementTypeOrSelf(value));
  }
  return widenHalf(lanes, value, conversion.to);
}
