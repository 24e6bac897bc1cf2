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

#include "../Registers/Unpack.h"
#include "Instructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::registers;

static constexpr int64_t kRegisterBytes = 64;

/// One byte of what each of the 256 bytes decodes to.
using Table = std::array<uint8_t, 256>;

/// From the lowest byte of the results to the highest. Bits of a byte beyond
/// those of its code do not count.
static SmallVector<Table> makeTables(const FloatFormat &from, FloatType to) {
  SmallVector<Table> tables(to.getWidth() / 8);
  unsigned mask = (1u << from.width) - 1;
  for (unsigned byte = 0; byte < 256; ++byte) {
    APInt bits = decodeCode(from, to, byte & mask);
    for (auto [index, table] : llvm::enumerate(tables))
      table[byte] = bits.extractBitsAsZExtValue(8, 8 * index);
  }
  return tables;
}

/// A table of 128 entries; the top bit of a code does not count.
static Value lookUpHalf(Lanes &lanes, ArrayRef<uint8_t> table, Value codes) {
  Unpacker unpacker(lanes, codes);
  Value first = unpacker.constant(table.take_front(kRegisterBytes));
  Value second = unpacker.constant(table.drop_front(kRegisterBytes));
  OpBuilder &builder = lanes.getBuilder();
  return LLVM::CallIntrinsicOp::create(
             builder, lanes.getLoc(), codes.getType(),
             builder.getStringAttr("llvm.x86.avx512.vpermi2var.qi.512"),
             ValueRange{first, codes, second})
      .getResult(0);
}

static Value lookUp(Lanes &lanes, const Table &table, Value codes) {
  if (llvm::all_equal(table))
    return lanes.integer(codes, table.front());
  ArrayRef<uint8_t> low = ArrayRef(table).take_front(128);
  ArrayRef<uint8_t> high = ArrayRef(table).drop_front(128);
  Value result = lookUpHalf(lanes, low, codes);

  // The halves tend to differ by a sign bit, or by nothing, but for a NaN.
  uint8_t difference = low[1] ^ high[1];
  SmallVector<unsigned> exceptions;
  for (unsigned i = 0; i < 128; ++i)
    if ((low[i] ^ high[i]) != difference)
      exceptions.push_back(i);
  if (exceptions.size() > 1 || (difference != 0 && difference != 0x80)) {
    Value isHigh = lanes.compare(arith::CmpIPredicate::slt, codes, 0);
    return lanes.select(isHigh, lookUpHalf(lanes, high, codes), result);
  }
  if (difference)
    result = lanes.make<arith::XOrIOp>(result, lanes.bitAnd(codes, 0x80));
  for (unsigned i : exceptions)
    result =
        lanes.select(lanes.compare(arith::CmpIPredicate::eq, codes, 128 + i),
                     high[i], result);
  return result;
}

Value x86::decodeByTables(Lanes &whole, Value codes,
                          const Conversion &conversion) {
  Lanes lanes = whole.withShapeOf(codes);
  auto to = cast<FloatType>(conversion.to);
  SmallVector<Table> tables = makeTables(FloatFormat(conversion.from), to);
  Unpacker unpacker(lanes, codes);
  codes = unpacker.deal(codes, tables.size());
  // For each byte of the results, or each group of neighbouring bytes, the
  // registers that hold it.
  SmallVector<SmallVector<Value>> parts;
  for (const Table &table : tables)
    parts.push_back({lookUp(lanes, table, codes)});
  for (int64_t bytes = 1; parts.size() > 1; bytes *= 2) {
    SmallVector<SmallVector<Value>> joined;
    for (size_t i = 0; i < parts.size(); i += 2) {
      joined.emplace_back();
      for (auto [low, high] : llvm::zip_equal(parts[i], parts[i + 1]))
        llvm::append_range(joined.back(), unpacker.unpack(low, high, bytes));
    }
    parts = std::move(joined);
  }
  return unpacker.join(parts.front(), to);
}
