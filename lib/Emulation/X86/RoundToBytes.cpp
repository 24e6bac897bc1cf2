//===- RoundToBytes.cpp - Quotients to integers of at most 8 bits ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvtps2dq rounds to nearest even, packs saturate, and so do additions of
// words: nothing has to be clamped before. Of NaN and of everything beyond 32
// bits cvtps2dq makes the lowest integer, which becomes the lowest word, and
// that is looked for, once for two registers of words.
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"
#include "Instructions.h"
#include "Unpack.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::x86;
using arith::CmpIPredicate;

/// What is no word of a quotient that is known.
static constexpr uint64_t kLowestWord = 0x8000;

/// A register of f32 to i32, to nearest even.
static Value roundToIntegers(Lanes &lanes, Value values) {
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
    // What goes where the mask says so, which is nowhere, the mask, and the
    // rounding that is set.
    operands.append(
        {lanes.make<arith::ConstantOp>(builder.getZeroAttr(type)),
         lanes.make<arith::ConstantOp>(builder.getI16IntegerAttr(-1)),
         lanes.make<arith::ConstantOp>(builder.getI32IntegerAttr(4))});
  }
  return LLVM::CallIntrinsicOp::create(builder, lanes.getLoc(), type,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

namespace {
/// Works on a register of codes.
class IntegerRounder : ByteRegister {
public:
  using ByteRegister::ByteRegister;

  Value round(Value values, const Conversion &conversion);

private:
  std::array<Value, 2> spreadZeroPoint(Value zeroPoint, bool isUnsigned,
                                       Lanes &words);
};
} // namespace

/// As words, in the order of packed ones.
std::array<Value, 2> IntegerRounder::spreadZeroPoint(Value zeroPoint,
                                                     bool isUnsigned,
                                                     Lanes &words) {
  auto extend = [&](Lanes &lanes, Value value) {
    return lanes.resize(value, 16, /*isSigned=*/!isUnsigned);
  };
  if (!isa<VectorType>(zeroPoint.getType())) {
    Lanes scalar = bytes.withShapeOf(zeroPoint);
    Value word = words.spread(extend(scalar, zeroPoint));
    return {word, word};
  }
  Unpacker unpacker(bytes, zeroPoint);
  Value dealt = unpacker.deal(zeroPoint, /*resultBytes=*/4);
  Value upper = bytes.integer(dealt, 0);
  if (!isUnsigned)
    upper = bytes.convert<arith::ExtSIOp>(
        bytes.compare(CmpIPredicate::slt, dealt, 0), bytes.getInt(8));
  std::array<Value, 2> halves = unpacker.unpack(dealt, upper, 1);
  for (Value &half : halves)
    half = unpacker.withElements(half, 2);
  return halves;
}

Value IntegerRounder::round(Value values, const Conversion &conversion) {
  auto to = cast<IntegerType>(conversion.to);
  SmallVector<Value, 4> integers;
  for (Value part : split(values)) {
    Lanes lanes = bytes.withShapeOf(part);
    integers.push_back(roundToIntegers(lanes, part));
  }
  std::array<Value, 2> words = {packWords(ArrayRef(integers).take_front(2)),
                                packWords(ArrayRef(integers).drop_front(2))};
  Lanes lanes = bytes.withShapeOf(words[0]);
  conversion.failures->push_back(any(lanes.compare(
      CmpIPredicate::eq, lanes.make<arith::MinSIOp>(words[0], words[1]),
      kLowestWord)));
  if (conversion.zeroPoint) {
    std::array<Value, 2> zeroPoint =
        spreadZeroPoint(conversion.zeroPoint, to.isUnsigned(), lanes);
    for (auto [word, addend] : llvm::zip_equal(words, zeroPoint))
      word = lanes.make<LLVM::SAddSat>(word.getType(), word, addend);
  }
  Value codes = pack(words, to.isUnsigned());
  unsigned width = to.getWidth();
  if (width < 8 && to.isUnsigned()) {
    codes = bytes.make<arith::MinUIOp>(codes,
                                       bytes.integer(codes, (1 << width) - 1));
  } else if (width < 8) {
    int64_t end = int64_t(1) << (width - 1);
    codes = bytes.make<arith::MinSIOp>(codes, bytes.integer(codes, end - 1));
    codes = bytes.make<arith::MaxSIOp>(codes, bytes.integer(codes, -end));
  }
  return inOrder(codes, integers.size());
}

Value x86::roundToBytes(Lanes &lanes, Value part,
                        const Conversion &conversion) {
  return IntegerRounder(lanes, part).round(part, conversion);
}
