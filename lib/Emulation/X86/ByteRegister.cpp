//===- ByteRegister.cpp - Codes in a register of bytes --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr int64_t kLaneBytes = 16;

x86::ByteRegister::ByteRegister(Lanes &lanes, Value wide)
    : ByteRegister(lanes, wide,
                   cast<VectorType>(wide.getType()).getNumElements()) {}

x86::ByteRegister::ByteRegister(Lanes &lanes, Value wide, int64_t size)
    : bytes(lanes.withShapeOf(wide)), size(size) {}

SmallVector<Value, 4> x86::ByteRegister::split(Value wide) {
  int64_t elements = size * 8 / Lanes::getWidth(wide);
  int64_t count = cast<VectorType>(wide.getType()).getNumElements();
  SmallVector<Value, 4> registers;
  for (int64_t i = 0; i < count; i += elements)
    registers.push_back(
        bytes.make<vector::ExtractStridedSliceOp>(wide, i, elements, 1));
  return registers;
}

Value x86::ByteRegister::call(StringRef name, Type type, ValueRange operands) {
  OpBuilder &builder = bytes.getBuilder();
  StringRef extension = size == 64          ? "avx512"
                        : size == 32        ? "avx2"
                        : name == "pshuf.b" ? "ssse3"
                                            : "sse2";
  bool isNamedOnce = name == "pmadd.wd" && size == 16;
  StringRef suffix = size == 64                  ? ".512"
                     : size == 32 || isNamedOnce ? ""
                                                 : ".128";
  if (name == "pmadd.wd" && size == 64)
    name = "pmaddw.d";
  return LLVM::CallIntrinsicOp::create(builder, bytes.getLoc(), type,
                                       builder.getStringAttr("llvm.x86." +
                                                             extension + "." +
                                                             name + suffix),
                                       operands)
      .getResult(0);
}

Value x86::ByteRegister::packWords(ArrayRef<Value> pair) {
  return call("packssdw", VectorType::get(size / 2, bytes.getInt(16)), pair);
}

Value x86::ByteRegister::pack(ArrayRef<Value> registers, bool isUnsigned) {
  if (registers.size() == 2)
    return call(isUnsigned ? "packuswb" : "packsswb",
                VectorType::get(size, bytes.getInt(8)), registers);
  return pack(
      {packWords(registers.take_front(2)), packWords(registers.drop_front(2))},
      isUnsigned);
}

Value x86::ByteRegister::inOrder(Value packed, int64_t registers) {
  return inOrder(packed, registers, registers);
}

Value x86::ByteRegister::inOrder(Value packed, int64_t registers,
                                 int64_t taken) {
  int64_t lanes = size / kLaneBytes, groups = lanes * registers;
  if (lanes == 1)
    return packed;
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < taken; ++i)
    for (int64_t lane = 0; lane < lanes; ++lane)
      mask.push_back(lane * registers + i);
  Value wide = bytes.make<vector::BitCastOp>(
      VectorType::get(groups, bytes.getInt(8 * size / groups)), packed);
  return bytes.make<vector::BitCastOp>(
      VectorType::get(size * taken / registers, bytes.getInt(8)),
      bytes.make<vector::ShuffleOp>(wide, wide, mask));
}

Value x86::ByteRegister::any(Value condition) {
  int64_t count = cast<VectorType>(condition.getType()).getNumElements();
  Value bits = bytes.make<vector::ExtractOp>(
      bytes.make<vector::BitCastOp>(VectorType::get(1, bytes.getInt(count)),
                                    condition),
      0);
  return bytes.withShapeOf(bits).compare(arith::CmpIPredicate::ne, bits, 0);
}

Value x86::ByteRegister::anyUnordered(ArrayRef<Value> registers) {
  Value condition;
  Lanes lanes = bytes.withShapeOf(registers[0]);
  auto toFloat = [&](Value bits) {
    return lanes.bitcast(bits, lanes.getBuilder().getF32Type());
  };
  for (; !registers.empty(); registers = registers.drop_front(2)) {
    Value pair = lanes.compare(arith::CmpFPredicate::UNO, toFloat(registers[0]),
                               toFloat(registers[1]));
    condition = condition ? lanes.make<arith::OrIOp>(condition, pair) : pair;
  }
  return any(condition);
}

Value x86::ByteRegister::addWhere(Value isThere, Value codes, unsigned number) {
  if (number == 0)
    return codes;
  if (number == 1)
    return bytes.make<arith::SubIOp>(codes, isThere);
  return bytes.make<arith::AddIOp>(codes, bytes.bitAnd(isThere, number));
}

Value x86::ByteRegister::putSign(Value codes, unsigned excess,
                                 ArrayRef<Value> registers,
                                 const FloatFormat &to) {
  Value sign = pack(registers, /*isUnsigned=*/false);
  if (!to.isFNUZ && to.width == 8) {
    // One addition takes the excess away, or nearly, and puts the sign.
    codes = bytes.make<arith::AddIOp>(codes, bytes.bitOr(sign, 0x7F));
    return excess == 0x81 ? codes : bytes.add(codes, 0x81 - uint64_t(excess));
  }
  codes = bytes.add(codes, -uint64_t(excess));
  sign = bytes.bitAnd(to.width < 8 ? bytes.shrU(sign, 8 - to.width) : sign,
                      to.signMask());
  if (!to.isFNUZ)
    return bytes.make<arith::XOrIOp>(codes, sign);
  Value isZero = bytes.compare(arith::CmpIPredicate::eq, codes, 0);
  return bytes.select(isZero, codes, bytes.make<arith::OrIOp>(codes, sign));
}
