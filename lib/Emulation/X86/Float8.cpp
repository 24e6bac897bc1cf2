//===- Float8.cpp - Instructions of AVX10.2 for float8 --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AVX10.2 converts f16 to f8E4M3FN and f8E5M2, and f8E4M3FN back. They round
// once, whatever the caller's rounding mode, and know of subnormals. From f32
// two roundings are one if the first is to odd: toward zero, and the lowest bit
// says that something was lost. That bit is one of f32 here:
//
//   x = (x & 0x3FFFF) ? x | 0x40000 : x      (18 bits and the one above)
//   vcvt2ps2phx {rz}, vcvtph2hf8             (32 elements)
//
// f16 keeps 10 bits of the mantissa, the upper ones, and the bit is the fifth
// of them from above: f8E5M2 has subnormals where f16 has less than that, too,
// and with a bit further down some would be lost there.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The 32 elements that an intrinsic gives.
static Value call(Lanes &lanes, const Twine &name, Type element,
                  ArrayRef<Value> operands) {
  OpBuilder &builder = lanes.getBuilder();
  return LLVM::CallIntrinsicOp::create(builder, lanes.getLoc(),
                                       VectorType::get(32, element),
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

/// What goes where the mask says so, which is nowhere, and the mask.
static SmallVector<Value, 2> getUnmasked(Lanes &lanes, Type element) {
  OpBuilder &builder = lanes.getBuilder();
  return {lanes.make<arith::ConstantOp>(
              builder.getZeroAttr(VectorType::get(32, element))),
          lanes.make<arith::ConstantOp>(builder.getI32IntegerAttr(-1))};
}

Value x86::encodeHalf(Lanes &lanes, Value half, const Conversion &conversion) {
  StringRef format = isa<Float8E5M2Type>(conversion.to) ? "bf8" : "hf8";
  StringRef saturation = conversion.semantics.saturate ? "s" : "";
  SmallVector<Value> operands = {half};
  operands.append(getUnmasked(lanes, lanes.getInt(8)));
  return call(
      lanes,
      ("llvm.x86.avx10.mask.vcvtph2" + format + saturation + "512").str(),
      lanes.getInt(8), operands);
}

Value x86::encodeSingle(Lanes &lanes, Value value,
                        const Conversion &conversion) {
  OpBuilder &builder = lanes.getBuilder();
  auto getHalf = [&](int64_t offset) -> Value {
    Value part =
        lanes.make<vector::ExtractStridedSliceOp>(value, offset, 16, 1);
    // What f16 holds above its subnormals, and of these what f8 may be halfway
    // between.
    if (conversion.significantBits <= 8)
      return part;
    Lanes l = lanes.withShapeOf(part);
    Value bits = l.toBits(part);
    Value isInexact =
        l.compare(arith::CmpIPredicate::ne, l.bitAnd(bits, 0x3FFFF), 0);
    bits = l.select(isInexact, l.bitOr(bits, 0x40000), bits);
    return l.bitcast(bits, builder.getF32Type());
  };
  // The last is the lower one.
  Value low = getHalf(0), high = getHalf(16);
  constexpr int32_t kTowardZeroSilently = 11;
  SmallVector<Value> operands = {high, low};
  operands.append(getUnmasked(lanes, builder.getF16Type()));
  operands.push_back(lanes.make<arith::ConstantOp>(
      builder.getI32IntegerAttr(kTowardZeroSilently)));
  Value half = call(lanes, "llvm.x86.avx10.mask.vcvt2ps2phx.512",
                    builder.getF16Type(), operands);
  return encodeHalf(lanes, half, conversion);
}

/// What is above `nan`, of either sign, becomes it: all of these are NaNs.
static Value canonicalizeNaNs(Lanes &lanes, Value bits, uint64_t nan) {
  uint64_t sign = uint64_t(1) << (Lanes::getWidth(bits) - 1);
  bits = lanes.make<arith::MinSIOp>(bits, lanes.integer(bits, nan));
  return lanes.make<arith::MinUIOp>(bits, lanes.integer(bits, sign | nan));
}

Value x86::finishBFloat8(Lanes &lanes, Convert convert, Value value,
                         const Conversion &conversion) {
  Value codes = convert(value);
  if (conversion.nans != NaNs::Any || !conversion.nanMatters)
    return codes;
  return canonicalizeNaNs(lanes, codes, FloatFormat(conversion.to).nanCode);
}

Value x86::decodeHalfFloat8(Lanes &lanes, Value codes, const Conversion &) {
  SmallVector<Value> operands = {codes};
  Type f16 = lanes.getBuilder().getF16Type();
  operands.append(getUnmasked(lanes, f16));
  return call(lanes, "llvm.x86.avx10.mask.vcvthf82ph512", f16, operands);
}

Value x86::finishHalf(Lanes &lanes, Convert convert, Value codes,
                      const Conversion &conversion) {
  Value half = convert(codes);
  if (conversion.nanMatters) {
    auto f16 = cast<FloatType>(getElementTypeOrSelf(half));
    half = lanes.bitcast(
        canonicalizeNaNs(lanes, lanes.toBits(half), FloatFormat(f16).nanCode),
        f16);
  }
  return widenHalf(lanes, half, conversion.to);
}
