//===- DecodeByTables.cpp - Narrow floats to wider ones by look-up --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AVX-512 VBMI looks 64 bytes up in a table of 128 with one instruction. So the
// bits of all results are made here, at compile time, and cut into tables, one
// for each of their bytes; what is left to do at run time is to look up and to
// bring the bytes of a result together:
//
//   codes  c0 c1 c2 ...  ->  byte 3 of each  h0 h1 h2 ...  \  f32: 0 0 l0 h0,
//                            byte 2 of each  l0 l1 l2 ...  /       0 0 l1 h1,
//                            ...
//
// No format has a path of its own: NaN, infinity, zero and the signs are
// entries like all others.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Bytes of a register, and of a 128-bit lane, which unpacks do not leave.
static constexpr int64_t kRegisterBytes = 64;
static constexpr int64_t kLaneBytes = 16;

/// One byte of what each of the 256 bytes decodes to.
using Table = std::array<uint8_t, 256>;

/// C2, C7, C10: the bits of a code's value in `to`.
static APInt decode(const FloatFormat &from, FloatType to, unsigned code) {
  APFloat value = from.getValue(code);
  bool losesInfo;
  value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.bitcastToAPInt();
}

/// From the lowest byte of the results to the highest. Bits of a byte beyond
/// those of its code do not count.
static SmallVector<Table> makeTables(const FloatFormat &from, FloatType to) {
  SmallVector<Table> tables(to.getWidth() / 8);
  unsigned mask = (1u << from.width) - 1;
  for (unsigned byte = 0; byte < 256; ++byte) {
    APInt bits = decode(from, to, byte & mask);
    for (auto [index, table] : llvm::enumerate(tables))
      table[byte] = bits.extractBitsAsZExtValue(8, 8 * index);
  }
  return tables;
}

namespace {
/// Works on registers of 64 bytes.
class ByteRegisters {
public:
  ByteRegisters(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc),
        type(VectorType::get(kRegisterBytes, builder.getI8Type())) {}

  /// The results for `codes` as registers, first elements first.
  SmallVector<Value> decode(ArrayRef<Table> tables, Value codes);

private:
  Value splat(uint8_t byte) {
    return constant(SmallVector<uint8_t>(kRegisterBytes, byte));
  }
  Value constant(ArrayRef<uint8_t> bytes) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::getFromRawBuffer(
            type, ArrayRef(reinterpret_cast<const char *>(bytes.data()),
                           bytes.size())));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, uint8_t b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, splat(b));
  }
  /// The vector of elements of `bytes` bytes each that has the same bits.
  Value withElements(Value value, int64_t bytes) {
    return vector::BitCastOp::create(
        builder, loc,
        VectorType::get(kRegisterBytes / bytes,
                        builder.getIntegerType(8 * bytes)),
        value);
  }

  Value lookUpHalf(ArrayRef<uint8_t> table, Value codes);
  Value lookUp(const Table &table, Value codes);
  Value spread(Value codes, int64_t resultBytes);
  Value unpack(Value low, Value high, int64_t bytes, bool second);

  OpBuilder &builder;
  Location loc;
  VectorType type;
};
} // namespace

/// A table of 128 entries; the top bit of a code does not count.
Value ByteRegisters::lookUpHalf(ArrayRef<uint8_t> table, Value codes) {
  Value first = constant(table.take_front(kRegisterBytes));
  Value second = constant(table.drop_front(kRegisterBytes));
  return LLVM::CallIntrinsicOp::create(
             builder, loc, type,
             builder.getStringAttr("llvm.x86.avx512.vpermi2var.qi.512"),
             ValueRange{first, codes, second})
      .getResult(0);
}

Value ByteRegisters::lookUp(const Table &table, Value codes) {
  if (llvm::all_equal(table))
    return splat(table.front());
  ArrayRef<uint8_t> low = ArrayRef(table).take_front(128);
  ArrayRef<uint8_t> high = ArrayRef(table).drop_front(128);
  Value result = lookUpHalf(low, codes);

  // The halves tend to differ by a sign bit, or by nothing, but for a NaN.
  uint8_t difference = low[1] ^ high[1];
  SmallVector<unsigned> exceptions;
  for (unsigned i = 0; i < 128; ++i)
    if ((low[i] ^ high[i]) != difference)
      exceptions.push_back(i);
  if (exceptions.size() > 1 || (difference != 0 && difference != 0x80)) {
    Value isHigh = compare(arith::CmpIPredicate::slt, codes, 0);
    return arith::SelectOp::create(builder, loc, isHigh,
                                   lookUpHalf(high, codes), result);
  }
  if (difference) {
    Value sign = arith::AndIOp::create(builder, loc, codes, splat(0x80));
    result = arith::XOrIOp::create(builder, loc, result, sign);
  }
  for (unsigned i : exceptions)
    result = arith::SelectOp::create(
        builder, loc, compare(arith::CmpIPredicate::eq, codes, 128 + i),
        splat(high[i]), result);
  return result;
}

/// Deals the codes out to the lanes so that unpacking, which doubles the size
/// of elements lane by lane, ends with all elements in order: the codes of the
/// j-th register of results are the j-th group of each lane.
Value ByteRegisters::spread(Value codes, int64_t resultBytes) {
  constexpr int64_t lanes = kRegisterBytes / kLaneBytes;
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t group = 0; group < resultBytes; ++group)
      mask.push_back(group * lanes + lane);
  Value groups = withElements(codes, kLaneBytes / resultBytes);
  return withElements(
      vector::ShuffleOp::create(builder, loc, groups, groups, mask), 1);
}

/// Pairs of elements of `bytes` bytes from the first or the second half of each
/// lane.
Value ByteRegisters::unpack(Value low, Value high, int64_t bytes, bool second) {
  int64_t size = kRegisterBytes / bytes, laneSize = kLaneBytes / bytes;
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < size; lane += laneSize)
    for (int64_t i = 0; i < laneSize / 2; ++i) {
      int64_t element = lane + i + (second ? laneSize / 2 : 0);
      mask.append({element, size + element});
    }
  return vector::ShuffleOp::create(builder, loc, withElements(low, bytes),
                                   withElements(high, bytes), mask);
}

SmallVector<Value> ByteRegisters::decode(ArrayRef<Table> tables, Value codes) {
  codes = spread(codes, tables.size());
  // For each byte of the results, or each group of neighbouring bytes, the
  // registers that hold it.
  SmallVector<SmallVector<Value>> parts;
  for (const Table &table : tables)
    parts.push_back({lookUp(table, codes)});
  for (int64_t bytes = 1; parts.size() > 1; bytes *= 2) {
    SmallVector<SmallVector<Value>> joined;
    for (size_t i = 0; i < parts.size(); i += 2) {
      joined.emplace_back();
      for (auto [low, high] : llvm::zip_equal(parts[i], parts[i + 1]))
        for (bool second : {false, true})
          joined.back().push_back(unpack(low, high, bytes, second));
    }
    parts = std::move(joined);
  }
  return parts.front();
}

Value x86::decodeByTables(Lanes &lanes, Value codes,
                          const Conversion &conversion) {
  auto to = cast<FloatType>(conversion.to);
  SmallVector<Table> tables = makeTables(FloatFormat(conversion.from), to);
  auto partType = VectorType::get(kRegisterBytes * 8 / to.getWidth(), to);
  OpBuilder &builder = lanes.getBuilder();
  Value result = lanes.make<arith::ConstantOp>(
      builder.getZeroAttr(VectorType::get(kRegisterBytes, to)));
  int64_t offset = 0;
  for (Value part :
       ByteRegisters(builder, lanes.getLoc()).decode(tables, codes)) {
    part = lanes.make<vector::BitCastOp>(partType, part);
    result = lanes.make<vector::InsertStridedSliceOp>(part, result, offset, 1);
    offset += partType.getDimSize(0);
  }
  return result;
}
