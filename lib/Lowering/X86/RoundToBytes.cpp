//===- RoundToBytes.cpp - Round quotients to bytes ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvtps2dq rounds to nearest even, and packs and additions of i16 saturate.
// Because large values have been capped before, no other clamping is necessary.
// For values below the range of i32, cvtps2dq produces the minimum, which is
// correct. It also does so for NaN, which AVX-512 corrects by a mask, and other
// CPUs in an unlikely branch.
//
//===----------------------------------------------------------------------===//

#include "../SIMD/ByteRegister.h"
#include "Instructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::simd;

/// Converts a register of f32 to i32, to nearest even.
static Value roundToIntegers(VectorBuilder &lanes, Value values) {
  OpBuilder &builder = lanes.getBuilder();
  Type type = lanes.getType(lanes.getInt(32));
  SmallVector<Value, 4> operands = {values};
  StringRef name = "llvm.x86.sse2.cvtps2dq";
  switch (cast<VectorType>(type).getNumElements()) {
  case 8:
    name = "llvm.x86.avx.cvt.ps2dq.256";
    break;
  case 16:
    name = "llvm.x86.avx512.mask.cvtps2dq.512";
    // The pass-through operand, which is unused, a mask that selects all
    // elements, and the current rounding mode.
    operands.append(
        {lanes.make<arith::ConstantOp>(builder.getZeroAttr(type)),
         lanes.make<arith::ConstantOp>(builder.getI16IntegerAttr(-1)),
         lanes.make<arith::ConstantOp>(builder.getI32IntegerAttr(4))});
  }
  return LLVM::CallIntrinsicOp::create(builder, lanes.getLoc(), type,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

static Value isNumber(VectorBuilder &lanes, Value dividend) {
  return lanes.compare(arith::CmpFPredicate::ORD, dividend, dividend);
}

namespace {
/// Computes a register of quantized values, or half of one.
class IntegerRounder : ByteRegister {
public:
  using ByteRegister::ByteRegister;

  Value round(Value values, const Conversion &conversion);

private:
  SmallVector<Value, 2> spreadZeroPoint(Value zeroPoint, bool isUnsigned,
                                        VectorBuilder &i16Vectors);
};
} // namespace

/// Returns the zero point as i16, in the order of the packed values. The result
/// is one register if all elements are equal.
SmallVector<Value, 2>
IntegerRounder::spreadZeroPoint(Value zeroPoint, bool isUnsigned,
                                VectorBuilder &i16Vectors) {
  auto extend = [&](Value value) {
    return bytes.withShapeOf(value).resize(value, 16, !isUnsigned);
  };
  auto type = dyn_cast<VectorType>(zeroPoint.getType());
  if (!type)
    return {i16Vectors.spread(extend(zeroPoint))};
  int64_t count = cast<VectorType>(i16Vectors.getType(i16Vectors.getInt(16)))
                      .getNumElements();
  // Groups of four elements, alternately of both registers.
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < count; ++i)
    mask.push_back(i / 8 * 4 + i % 4 + i / 4 % 2 * (count / 2));
  SmallVector<Value, 2> result;
  for (int64_t i = 0; i < type.getNumElements(); i += count) {
    Value part = extend(
        i16Vectors.make<vector::ExtractStridedSliceOp>(zeroPoint, i, count, 1));
    result.push_back(i16Vectors.make<vector::ShuffleOp>(part, part, mask));
  }
  return result;
}

Value IntegerRounder::round(Value values, const Conversion &conversion) {
  auto to = cast<IntegerType>(conversion.to);
  SmallVector<Value, 4> integers, dividends = split(conversion.dividend);
  bool hasMasks = bytes.getTarget().has(ConversionFeature::Avx512bw);
  for (auto [part, dividend] : llvm::zip_equal(split(values), dividends)) {
    VectorBuilder lanes = bytes.withShapeOf(part);
    Value integer = roundToIntegers(lanes, part);
    if (hasMasks)
      integer = lanes.select(isNumber(lanes, dividend), integer,
                             lanes.integer(integer, 0));
    integers.push_back(integer);
  }
  auto packAll = [&](ArrayRef<Value> parts) {
    SmallVector<Value> i16Vectors;
    for (size_t i = 0; i < parts.size(); i += 2)
      i16Vectors.push_back(packToI16(parts.slice(i, 2)));
    return i16Vectors;
  };
  SmallVector<Value> i16Vectors = packAll(integers);
  VectorBuilder lanes = bytes.withShapeOf(i16Vectors[0]);
  if (!hasMasks)
    i16Vectors = replaceRarely(bytes, anyUnordered(dividends), i16Vectors, [&] {
      SmallVector<Value, 4> masks;
      for (Value dividend : dividends) {
        VectorBuilder lanes = bytes.withShapeOf(dividend);
        masks.push_back(lanes.convert<arith::ExtSIOp>(isNumber(lanes, dividend),
                                                      lanes.getInt(32)));
      }
      SmallVector<Value> numbers = packAll(masks);
      for (auto [number, i16Vector] : llvm::zip_equal(numbers, i16Vectors))
        number = lanes.make<arith::AndIOp>(number, i16Vector);
      return numbers;
    });
  if (conversion.zeroPoint) {
    SmallVector<Value, 2> zeroPoint =
        spreadZeroPoint(conversion.zeroPoint, to.isUnsigned(), lanes);
    for (auto [i, i16Vector] : llvm::enumerate(i16Vectors))
      i16Vector = lanes.make<LLVM::SAddSat>(i16Vector.getType(), i16Vector,
                                            zeroPoint[i % zeroPoint.size()]);
  }
  Value quantized =
      pack({i16Vectors.front(), i16Vectors.back()}, to.isUnsigned());
  VectorBuilder packed = bytes.withShapeOf(quantized);
  unsigned width = to.getWidth();
  if (width < 8 && to.isUnsigned()) {
    quantized = packed.make<arith::MinUIOp>(
        quantized, packed.integer(quantized, (1 << width) - 1));
  } else if (width < 8) {
    int64_t end = int64_t(1) << (width - 1);
    quantized = packed.make<arith::MinSIOp>(quantized,
                                            packed.integer(quantized, end - 1));
    quantized =
        packed.make<arith::MaxSIOp>(quantized, packed.integer(quantized, -end));
  }
  return inOrder(quantized, 4, integers.size());
}

Value x86::roundToBytes(VectorBuilder &lanes, Value part,
                        const Conversion &conversion) {
  // Full registers of f32 may fill only half a register of bytes.
  int64_t count = cast<VectorType>(part.getType()).getNumElements();
  int64_t size = count < lanes.getTarget().vectorBytes ? 2 * count : count;
  return IntegerRounder(lanes, part, size).round(part, conversion);
}
