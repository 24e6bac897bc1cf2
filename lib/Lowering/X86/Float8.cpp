//===- Float8.cpp - Float8 instructions of AVX10.2 ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AVX10.2 converts f16 to f8E4M3FN and f8E5M2, and f8E4M3FN to f16. The
// instructions round once, independently of the caller's rounding mode, and
// support subnormals. For f32, two roundings are equivalent to one if the first
// is to odd: toward zero, with the lowest bit set if the result is inexact.
// Here, a bit of the f32 is set instead:
//
//   x = (x & 0x3FFFF) ? x | 0x40000 : x      (the 18 lowest bits)
//   vcvt2ps2phx {rz}, vcvtph2hf8             (32 elements)
//
// f16 keeps the upper 10 bits of the mantissa, and the bit is the fifth of
// these. A lower bit would not be sufficient: f8E5M2 has subnormals where f16
// is subnormal, too, and has fewer mantissa bits.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Calls an intrinsic that produces 32 elements.
static Value call(VectorBuilder &lanes, const Twine &name, Type element,
                  ArrayRef<Value> operands) {
  OpBuilder &builder = lanes.getBuilder();
  return LLVM::CallIntrinsicOp::create(builder, lanes.getLoc(),
                                       VectorType::get(32, element),
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

/// Returns the pass-through operand, which is unused, and a mask that selects
/// all elements.
static SmallVector<Value, 2> getUnmasked(VectorBuilder &lanes, Type element) {
  OpBuilder &builder = lanes.getBuilder();
  return {lanes.make<arith::ConstantOp>(
              builder.getZeroAttr(VectorType::get(32, element))),
          lanes.make<arith::ConstantOp>(builder.getI32IntegerAttr(-1))};
}

Value x86::encodeHalf(VectorBuilder &lanes, Value half,
                      const Conversion &conversion) {
  StringRef format = isa<Float8E5M2Type>(conversion.to) ? "bf8" : "hf8";
  StringRef saturation = conversion.semantics.saturate ? "s" : "";
  SmallVector<Value> operands = {half};
  operands.append(getUnmasked(lanes, lanes.getInt(8)));
  return call(
      lanes,
      ("llvm.x86.avx10.mask.vcvtph2" + format + saturation + "512").str(),
      lanes.getInt(8), operands);
}

Value x86::encodeSingle(VectorBuilder &lanes, Value value,
                        const Conversion &conversion) {
  OpBuilder &builder = lanes.getBuilder();
  auto getHalf = [&](int64_t offset) -> Value {
    Value part =
        lanes.make<vector::ExtractStridedSliceOp>(value, offset, 16, 1);
    // f16 represents these values exactly if they are normal in it. Of the
    // other ones it represents all that may be midpoints between values of
    // float8.
    if (conversion.significantBits <= 8)
      return part;
    VectorBuilder l = lanes.withShapeOf(part);
    Value bits = l.toBits(part);
    Value isInexact =
        l.compare(arith::CmpIPredicate::ne, l.bitAnd(bits, 0x3FFFF), 0);
    bits = l.select(isInexact, l.bitOr(bits, 0x40000), bits);
    return l.bitcast(bits, builder.getF32Type());
  };
  // The second operand provides the lower half of the result.
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

/// Replaces values above `nan`, of either sign, by `nan` with this sign. All of
/// these are NaNs.
static Value canonicalizeNaNs(VectorBuilder &lanes, Value bits, uint64_t nan) {
  uint64_t sign = uint64_t(1) << (VectorBuilder::getWidth(bits) - 1);
  bits = lanes.make<arith::MinSIOp>(bits, lanes.integer(bits, nan));
  return lanes.make<arith::MinUIOp>(bits, lanes.integer(bits, sign | nan));
}

Value x86::finishBFloat8(VectorBuilder &lanes, Convert convert, Value value,
                         const Conversion &conversion) {
  Value encodings = convert(value);
  if (conversion.nans != NaNs::Any || !conversion.nanMatters)
    return encodings;
  return canonicalizeNaNs(lanes, encodings,
                          FloatFormat(conversion.to).nanEncoding);
}

Value x86::decodeHalfFloat8(VectorBuilder &lanes, Value encodings,
                            const Conversion &) {
  SmallVector<Value> operands = {encodings};
  Type f16 = lanes.getBuilder().getF16Type();
  operands.append(getUnmasked(lanes, f16));
  return call(lanes, "llvm.x86.avx10.mask.vcvthf82ph512", f16, operands);
}

Value x86::finishHalf(VectorBuilder &lanes, Convert convert, Value encodings,
                      const Conversion &conversion) {
  Value half = convert(encodings);
  if (conversion.nanMatters) {
    auto f16 = cast<FloatType>(getElementTypeOrSelf(half));
    half = lanes.bitcast(canonicalizeNaNs(lanes, lanes.toBits(half),
                                          FloatFormat(f16).nanEncoding),
                         f16);
  }
  return widenHalf(lanes, half, conversion.to);
}
