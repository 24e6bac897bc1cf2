//===- PhiloxBody.cpp - Philox random bits for one element ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhiloxBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class PhiloxBuilder {
public:
  PhiloxBuilder(OpBuilder &builder, Location loc) : b(loc, builder) {}

  /// Returns the 32-bit integer, one of the four of a Philox block, of the
  /// element at `index` (S3).
  Value getRandomInteger(Value seed, Value offset, Value index);

private:
  Value constant(unsigned width, uint64_t number) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(b.getIntegerType(width), APInt(width, number)));
  }
  Value low(Value value) {
    return arith::TruncIOp::create(b, b.getI32Type(), value);
  }
  Value high(Value value) {
    return arith::ShRUIOp::create(b, value, constant(64, 32));
  }
  /// Multiplies the low 32 bits of `integer`.
  Value multiply(Value integer, uint64_t factor) {
    return arith::MulIOp::create(
        b, arith::ExtUIOp::create(b, b.getI64Type(), low(integer)),
        constant(64, factor));
  }
  Value exclusiveOr(Value a, Value c, Value d) {
    return arith::XOrIOp::create(b, arith::XOrIOp::create(b, a, c), d);
  }

  ImplicitLocOpBuilder b;
};
} // namespace

Value PhiloxBuilder::getRandomInteger(Value seed, Value offset, Value index) {
  Value block = arith::AddIOp::create(
      b, offset, arith::ShRUIOp::create(b, index, constant(64, 2)));
  // The four 32-bit integers of the state and the key are the low halves of
  // i64. Vectors multiply these, and no elements have to be moved between
  // vectors of 32-bit and 64-bit elements.
  Value zero = constant(64, 0);
  Value key0 = seed, key1 = high(seed);
  Value counters[4] = {block, high(block), zero, zero};
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    Value product0 = multiply(counters[0], 0xD2511F53);
    Value product1 = multiply(counters[2], 0xCD9E8D57);
    counters[0] = exclusiveOr(high(product1), counters[1], key0);
    counters[1] = product1;
    counters[2] = exclusiveOr(high(product0), counters[3], key1);
    counters[3] = product0;
    key0 = arith::AddIOp::create(b, key0, constant(64, 0x9E3779B9));
    key1 = arith::AddIOp::create(b, key1, constant(64, 0xBB67AE85));
  }
  auto hasBit = [&](unsigned bit) -> Value {
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, index, constant(64, bit)), zero);
  };
  Value isOdd = hasBit(1);
  Value first = arith::SelectOp::create(b, isOdd, counters[1], counters[0]);
  Value second = arith::SelectOp::create(b, isOdd, counters[3], counters[2]);
  return low(arith::SelectOp::create(b, hasBit(2), second, first));
}

Value quant_float::buildPhilox(OpBuilder &builder, Location loc, Value seed,
                               Value offset, Value index, unsigned width) {
  Value integer =
      PhiloxBuilder(builder, loc).getRandomInteger(seed, offset, index);
  if (width < 32) {
    Value count = arith::ConstantIntOp::create(builder, loc, 32 - width, 32);
    integer = arith::ShRUIOp::create(builder, loc, integer, count);
  }
  unsigned storage = std::max(width, 8u);
  if (storage == 32)
    return integer;
  return arith::TruncIOp::create(builder, loc, builder.getIntegerType(storage),
                                 integer);
}
