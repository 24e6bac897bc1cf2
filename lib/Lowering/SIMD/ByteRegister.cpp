//===- ByteRegister.cpp - Encodings in a register of bytes ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr int64_t kLaneBytes = 16;

static Value callIntrinsic(VectorBuilder &lanes, const Twine &name, Type type,
                           ValueRange operands) {
  OpBuilder &builder = lanes.getBuilder();
  return LLVM::CallIntrinsicOp::create(builder, lanes.getLoc(), type,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

/// Repeats the bytes to fill the vector.
static Value repeat(VectorBuilder &lanes, ArrayRef<uint8_t> bytes,
                    VectorType type) {
  SmallVector<char> repeated;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    repeated.push_back(bytes[i % bytes.size()]);
  return lanes.make<arith::ConstantOp>(
      DenseElementsAttr::getFromRawBuffer(type, repeated));
}

Value simd::lookUp(VectorBuilder &lanes, ArrayRef<uint8_t> table,
                   Value indices) {
  auto type = cast<VectorType>(indices.getType());
  int64_t size = type.getNumElements();
  StringRef name = isNeon(lanes) ? "llvm.aarch64.neon.tbl1"
                   : size == 64  ? "llvm.x86.avx512.pshuf.b.512"
                   : size == 32  ? "llvm.x86.avx2.pshuf.b"
                                 : "llvm.x86.ssse3.pshuf.b.128";
  return callIntrinsic(lanes, name, type,
                       {repeat(lanes, table, type), indices});
}

Value simd::lookUpOver(VectorBuilder &lanes, Value bytes, uint8_t entry,
                       Value indices) {
  auto type = cast<VectorType>(indices.getType());
  return callIntrinsic(lanes, "llvm.aarch64.neon.tbx1", type,
                       {bytes, repeat(lanes, entry, type), indices});
}

Value simd::pickHalves(VectorBuilder &lanes, ArrayRef<Value> pair,
                       bool isUpper) {
  int64_t count = cast<VectorType>(pair[0].getType()).getNumElements();
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < 2 * count; ++i)
    mask.push_back(2 * i + isUpper);
  auto type = VectorType::get(
      2 * count, lanes.getInt(VectorBuilder::getWidth(pair[0]) / 2));
  return lanes.make<vector::ShuffleOp>(
      lanes.make<vector::BitCastOp>(type, pair[0]),
      lanes.make<vector::BitCastOp>(type, pair[1]), mask);
}

simd::ByteRegister::ByteRegister(VectorBuilder &lanes, Value wide)
    : ByteRegister(lanes, wide,
                   cast<VectorType>(wide.getType()).getNumElements()) {}

simd::ByteRegister::ByteRegister(VectorBuilder &lanes, Value wide, int64_t size)
    : bytes(lanes.withShapeOf(wide)), size(size) {}

SmallVector<Value, 4> simd::ByteRegister::split(Value wide) {
  int64_t elements = size * 8 / VectorBuilder::getWidth(wide);
  int64_t count = cast<VectorType>(wide.getType()).getNumElements();
  SmallVector<Value, 4> registers;
  for (int64_t i = 0; i < count; i += elements)
    registers.push_back(
        bytes.make<vector::ExtractStridedSliceOp>(wide, i, elements, 1));
  return registers;
}

Value simd::ByteRegister::call(StringRef name, Type type, ValueRange operands) {
  StringRef extension = size == 64 ? "avx512." : size == 32 ? "avx2." : "sse2.";
  bool isNamedOnce = name == "pmadd.wd" && size == 16;
  StringRef suffix = size == 64                  ? ".512"
                     : size == 32 || isNamedOnce ? ""
                                                 : ".128";
  if (name == "pmadd.wd" && size == 64)
    name = "pmaddw.d";
  return callIntrinsic(bytes, "llvm.x86." + extension + name + suffix, type,
                       operands);
}

Value simd::ByteRegister::packToI16(ArrayRef<Value> pair) {
  return call("packssdw", VectorType::get(size / 2, bytes.getInt(16)), pair);
}

Value simd::ByteRegister::packUpperToI16(ArrayRef<Value> pair) {
  VectorBuilder lanes = bytes.withShapeOf(pair[0]);
  return packToI16({lanes.shrS(pair[0], 16), lanes.shrS(pair[1], 16)});
}

Value simd::ByteRegister::pack(ArrayRef<Value> registers, bool isUnsigned) {
  if (registers.size() == 2)
    return call(isUnsigned ? "packuswb" : "packsswb",
                VectorType::get(size, bytes.getInt(8)), registers);
  return pack(
      {packToI16(registers.take_front(2)), packToI16(registers.drop_front(2))},
      isUnsigned);
}

/// Concatenates two registers of half the size.
static Value concatenate(VectorBuilder &lanes, Value low, Value high) {
  int64_t count = cast<VectorType>(low.getType()).getNumElements();
  return lanes.make<vector::ShuffleOp>(
      low, high, llvm::to_vector(llvm::seq<int64_t>(2 * count)));
}

Value simd::ByteRegister::narrow(ArrayRef<Value> i16Vectors, unsigned shift) {
  VectorBuilder lanes = bytes.withShapeOf(i16Vectors[0]);
  if (!isNeon()) {
    if (shift == 0)
      return pack(i16Vectors, /*isUnsigned=*/true);
    return pack(
        {lanes.shrU(i16Vectors[0], shift), lanes.shrU(i16Vectors[1], shift)},
        /*isUnsigned=*/true);
  }
  if (shift >= 8) {
    Value upper = pickHalves(lanes, i16Vectors, /*isUpper=*/true);
    return shift == 8 ? upper : bytes.withShapeOf(upper).shrU(upper, shift - 8);
  }
  SmallVector<Value, 2> halves;
  auto type = VectorType::get(size / 2, bytes.getInt(8));
  for (Value i16Vector : i16Vectors) {
    if (shift == 0) {
      halves.push_back(
          callIntrinsic(lanes, "llvm.aarch64.neon.uqxtn", type, i16Vector));
      continue;
    }
    Value count = lanes.make<arith::ConstantOp>(
        lanes.getBuilder().getI32IntegerAttr(shift));
    halves.push_back(callIntrinsic(lanes, "llvm.aarch64.neon.uqshrn", type,
                                   {i16Vector, count}));
  }
  return concatenate(bytes, halves[0], halves[1]);
}

Value simd::ByteRegister::packToUnsignedI16(ArrayRef<Value> pair) {
  return call("packusdw", VectorType::get(size / 2, bytes.getInt(16)), pair);
}

Value simd::ByteRegister::pickUpperInOrder(ArrayRef<Value> i16Vectors) {
  constexpr int64_t kRegisters = 4;
  int64_t elements = size / kRegisters;
  constexpr int64_t kLaneElements = kLaneBytes / kRegisters;
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < size; ++i) {
    int64_t source = i / elements, index = i % elements;
    // Each 128-bit lane has elements of the first and of the second register.
    int64_t lane = index / kLaneElements;
    int64_t word =
        (2 * lane + source % 2) * kLaneElements + index % kLaneElements;
    mask.push_back(source / 2 * size + 2 * word + 1);
  }
  auto type = VectorType::get(size, bytes.getInt(8));
  return bytes.make<vector::ShuffleOp>(
      bytes.make<vector::BitCastOp>(type, i16Vectors[0]),
      bytes.make<vector::BitCastOp>(type, i16Vectors[1]), mask);
}

Value simd::ByteRegister::getLowest(ArrayRef<Value> i16Vectors,
                                    unsigned count) {
  VectorBuilder lanes = bytes.withShapeOf(i16Vectors[0]);
  uint64_t mask = (1u << count) - 1;
  if (!isNeon())
    return pack(
        {lanes.bitAnd(i16Vectors[0], mask), lanes.bitAnd(i16Vectors[1], mask)},
        /*isUnsigned=*/true);
  Value lower = pickHalves(lanes, i16Vectors, /*isUpper=*/false);
  return count == 8 ? lower : bytes.bitAnd(lower, mask);
}

Value simd::ByteRegister::packMasks(SmallVector<Value, 4> masks) {
  if (!isNeon())
    return pack(masks, /*isUnsigned=*/false);
  for (; masks.size() > 1; masks.resize(masks.size() / 2))
    for (size_t i = 0; i < masks.size() / 2; ++i)
      masks[i] = pickHalves(bytes, ArrayRef(masks).slice(2 * i, 2),
                            /*isUpper=*/false);
  return masks[0];
}

Value simd::ByteRegister::packSigns(SmallVector<Value, 4> registers) {
  if (!isNeon())
    return pack(registers, /*isUnsigned=*/false);
  for (; registers.size() > 1; registers.resize(registers.size() / 2))
    for (size_t i = 0; i < registers.size() / 2; ++i)
      registers[i] = pickHalves(bytes, ArrayRef(registers).slice(2 * i, 2),
                                /*isUpper=*/true);
  return registers[0];
}

Value simd::ByteRegister::inOrder(Value packed, int64_t registers) {
  return inOrder(packed, registers, registers);
}

Value simd::ByteRegister::inOrder(Value packed, int64_t registers,
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

Value simd::ByteRegister::any(Value condition) {
  if (isNeon())
    return bytes.make<vector::ReductionOp>(vector::CombiningKind::OR,
                                           condition);
  int64_t count = cast<VectorType>(condition.getType()).getNumElements();
  Value bits = bytes.make<vector::ExtractOp>(
      bytes.make<vector::BitCastOp>(VectorType::get(1, bytes.getInt(count)),
                                    condition),
      0);
  return bytes.withShapeOf(bits).compare(arith::CmpIPredicate::ne, bits, 0);
}

Value simd::ByteRegister::anyUnordered(ArrayRef<Value> registers) {
  Value condition;
  VectorBuilder lanes = bytes.withShapeOf(registers[0]);
  auto toFloat = [&](Value bits) {
    return lanes.bitcast(bits, lanes.getBuilder().getF32Type());
  };
  if (isNeon()) {
    // The maximum is NaN if any element is.
    Value largest = toFloat(registers[0]);
    for (Value other : registers.drop_front())
      largest = lanes.make<arith::MaximumFOp>(largest, toFloat(other));
    largest = lanes.make<vector::ReductionOp>(vector::CombiningKind::MAXIMUMF,
                                              largest);
    return lanes.withShapeOf(largest).isNaN(largest);
  }
  for (; !registers.empty(); registers = registers.drop_front(2)) {
    Value pair = lanes.compare(arith::CmpFPredicate::UNO, toFloat(registers[0]),
                               toFloat(registers[1]));
    condition = condition ? lanes.make<arith::OrIOp>(condition, pair) : pair;
  }
  return any(condition);
}

Value simd::ByteRegister::addWhere(Value mask, Value encodings,
                                   unsigned number) {
  if (number == 0)
    return encodings;
  if (number == 1)
    return bytes.make<arith::SubIOp>(encodings, mask);
  return bytes.make<arith::AddIOp>(encodings, bytes.bitAnd(mask, number));
}

Value simd::ByteRegister::putSign(Value encodings, unsigned excess, Value sign,
                                  const FloatFormat &to) {
  if (!isNeon() && !to.isFNUZ && to.width == 8) {
    // One addition subtracts most of the excess and sets the sign.
    encodings = bytes.make<arith::AddIOp>(encodings, bytes.bitOr(sign, 0x7F));
    return excess == 0x81 ? encodings
                          : bytes.add(encodings, 0x81 - uint64_t(excess));
  }
  encodings = bytes.add(encodings, -uint64_t(excess));
  if (to.width < 8)
    sign = bytes.shrU(sign, 8 - to.width);
  sign = bytes.bitAnd(sign, to.signMask());
  if (to.isFNUZ) {
    Value isZero = bytes.compare(arith::CmpIPredicate::eq, encodings, 0);
    return bytes.select(isZero, encodings,
                        bytes.make<arith::OrIOp>(encodings, sign));
  }
  // If the bit is free, NEON can insert it with one instruction.
  if (isNeon() && to.hasNaN)
    return bytes.make<arith::OrIOp>(bytes.bitAnd(encodings, ~to.signMask()),
                                    sign);
  return bytes.make<arith::XOrIOp>(encodings, sign);
}

Value simd::ByteRegister::putSign(Value encodings, Value signs,
                                  const FloatFormat &to) {
  uint64_t magnitudes = to.magnitudeMask();
  if (size != 32)
    return bytes.make<arith::AndIOp>(
        encodings, bytes.bitOr(bytes.shrU(signs, 8 - to.width), magnitudes));
  Value positive = bytes.integer(encodings, magnitudes);
  Value negative = bytes.integer(encodings, magnitudes | to.signMask());
  return bytes.make<arith::AndIOp>(
      encodings,
      call("pblendvb", encodings.getType(), {positive, negative, signs}));
}
