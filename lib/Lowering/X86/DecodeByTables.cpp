//===- DecodeByTables.cpp - Decode narrow floats by table lookup ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of AVX-512 VBMI looks up 64 bytes in a table of 128 bytes. The
// bits of all results are computed at compile time and split into tables, one
// for each of their bytes. At run time, the bytes are looked up and
// interleaved:
//
//   encodings e0 e1 e2 ... -> byte 3 of each  h0 h1 h2 ... \  f32: 0 0 l0 h0,
//                             byte 2 of each  l0 l1 l2 ... /       0 0 l1 h1,
//                                                                  ...
//
// No format needs special cases: NaN, infinity, zero and signs are entries like
// all others.
//
//===----------------------------------------------------------------------===//

#include "../SIMD/Unpack.h"
#include "Instructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::simd;

static constexpr int64_t kRegisterBytes = 64;

/// One byte of the results of all 256 bytes.
using Table = std::array<uint8_t, 256>;

/// Returns the tables from the lowest byte of the results to the highest. The
/// upper bits of a byte with a narrower encoding are ignored.
static SmallVector<Table> makeTables(const FloatFormat &from, FloatType to) {
  SmallVector<Table> tables(to.getWidth() / 8);
  unsigned mask = (1u << from.width) - 1;
  for (unsigned byte = 0; byte < 256; ++byte) {
    APInt bits = convertEncoding(from, to, byte & mask);
    for (auto [index, table] : llvm::enumerate(tables))
      table[byte] = bits.extractBitsAsZExtValue(8, 8 * index);
  }
  return tables;
}

/// Looks up a table of 128 entries. The top bit of an index is ignored.
static Value lookUpHalf(VectorBuilder &lanes, ArrayRef<uint8_t> table,
                        Value encodings) {
  Unpacker unpacker(lanes, encodings);
  Value first = unpacker.constant(table.take_front(kRegisterBytes));
  Value second = unpacker.constant(table.drop_front(kRegisterBytes));
  OpBuilder &builder = lanes.getBuilder();
  return LLVM::CallIntrinsicOp::create(
             builder, lanes.getLoc(), encodings.getType(),
             builder.getStringAttr("llvm.x86.avx512.vpermi2var.qi.512"),
             ValueRange{first, encodings, second})
      .getResult(0);
}

static Value lookUp(VectorBuilder &lanes, const Table &table, Value encodings) {
  if (llvm::all_equal(table))
    return lanes.integer(encodings, table.front());
  ArrayRef<uint8_t> low = ArrayRef(table).take_front(128);
  ArrayRef<uint8_t> high = ArrayRef(table).drop_front(128);
  Value result = lookUpHalf(lanes, low, encodings);

  // The halves usually differ by the sign bit or not at all, except for NaN.
  uint8_t difference = low[1] ^ high[1];
  SmallVector<unsigned> exceptions;
  for (unsigned i = 0; i < 128; ++i)
    if ((low[i] ^ high[i]) != difference)
      exceptions.push_back(i);
  if (exceptions.size() > 1 || (difference != 0 && difference != 0x80)) {
    Value isHigh = lanes.compare(arith::CmpIPredicate::slt, encodings, 0);
    return lanes.select(isHigh, lookUpHalf(lanes, high, encodings), result);
  }
  if (difference)
    result = lanes.make<arith::XOrIOp>(result, lanes.bitAnd(encodings, 0x80));
  for (unsigned i : exceptions)
    result = lanes.select(
        lanes.compare(arith::CmpIPredicate::eq, encodings, 128 + i), high[i],
        result);
  return result;
}

Value x86::decodeByTables(VectorBuilder &vectors, Value encodings,
                          const Conversion &conversion) {
  VectorBuilder lanes = vectors.withShapeOf(encodings);
  auto to = cast<FloatType>(conversion.to);
  SmallVector<Table> tables = makeTables(FloatFormat(conversion.from), to);
  Unpacker unpacker(lanes, encodings);
  encodings = unpacker.deal(encodings, tables.size());
  // For each byte of the results, and later for each group of adjacent bytes,
  // the registers that contain it.
  SmallVector<SmallVector<Value>> parts;
  for (const Table &table : tables)
    parts.push_back({lookUp(lanes, table, encodings)});
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
