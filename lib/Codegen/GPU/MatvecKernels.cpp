//===- MatvecKernels.cpp - Matvecs on GPUs --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatvecKernels.h"
#include "../Common/LinalgUtils.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::quant_float;

Value MatvecKernel::share(ArrayRef<int64_t> shape, Type element) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  for (int64_t size : shape)
    bytes *= size;
  return view(launches.allocateWorkgroupMemory(bytes), shape, element);
}

void MatvecKernel::forEachElement(int64_t count, int64_t threads,
                                  llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, thread, index(count), index(threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

SmallVector<Value> MatvecKernel::loop(
    Value from, Value to, int64_t step, ValueRange values,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, from, to, index(step), values);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b,
                       body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return loop.getResults();
}

SmallVector<Value> MatvecKernel::unrolledLoop(
    Value from, Value to, int64_t factor, bool isDivisible, ValueRange values,
    llvm::function_ref<SmallVector<Value>(Value, int64_t, ValueRange)> body) {
  auto makeBody = [&](int64_t number) {
    return [&body, number](Value first, ValueRange values) {
      return body(first, number, values);
    };
  };
  if (isDivisible)
    return loop(from, to, factor, values, makeBody(factor));
  Value count = arith::SubIOp::create(b, to, from);
  Value full = timesValue(divide(count, factor), factor);
  Value rest = plusValue(from, full);
  SmallVector<Value> before =
      loop(from, rest, factor, values, makeBody(factor));
  return loop(rest, to, 1, before, makeBody(1));
}

/// Looks up 4-bit encodings in a table of 16 bytes. prmt selects bytes by the
/// lower 3 bits of each of four encodings; the fourth bit selects the half of
/// the table.
std::pair<Value, Value> MatvecKernel::lookUp(Value packed) {
  ArrayRef<uint8_t> integers = contraction.values.integers;
  Type i32 = b.getI32Type();
  auto permute = [&](Value low, Value high, Value selector) -> Value {
    return LLVM::CallIntrinsicOp::create(b, i32,
                                         b.getStringAttr("llvm.nvvm.prmt"),
                                         ValueRange{low, high, selector})
        .getResult(0);
  };
  auto getEntries = [&](unsigned first) {
    uint32_t bytes = 0;
    for (unsigned i = 0; i < 4; ++i)
      bytes |= uint32_t(integers[first + i]) << (8 * i);
    return i32Constant(bytes);
  };
  Value numbers = arith::AndIOp::create(b, packed, i32Constant(0x77777777));
  Value halves = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, packed, i32Constant(3)),
      i32Constant(0x11111111));
  auto lookUpHalf = [&](unsigned shift) -> Value {
    auto cut = [&](Value value) -> Value {
      return shift ? arith::ShRUIOp::create(b, value, i32Constant(shift))
                         .getResult()
                   : value;
    };
    Value low = permute(getEntries(0), getEntries(4), cut(numbers));
    Value high = permute(getEntries(8), getEntries(12), cut(numbers));
    Value isHigh = permute(i32Constant(0xff00), i32Constant(0), cut(halves));
    Value isLow = arith::XOrIOp::create(b, isHigh, i32Constant(~0u));
    return arith::OrIOp::create(b, arith::AndIOp::create(b, low, isLow),
                                arith::AndIOp::create(b, high, isHigh));
  };
  return {lookUpHalf(0), lookUpHalf(16)};
}

/// Puts the bits into the low mantissa bits of a power of two, then subtracts
/// the power of two. Both steps are exact.
Value MatvecKernel::extractField(Value source, unsigned shift, unsigned bits,
                                 int exponent) {
  constexpr unsigned kMantissaBits = 23, kBias = 127, kI32Bits = 32;
  int power = kMantissaBits;
  uint32_t mask = llvm::maskTrailingOnes<uint32_t>(bits);
  bool isInPlace = int(shift) == exponent && shift + bits <= kMantissaBits;
  if (isInPlace) {
    mask <<= shift;
  } else {
    if (shift)
      source = arith::ShRUIOp::create(b, source, i32Constant(shift));
    power += exponent;
  }
  if (isInPlace || shift + bits < kI32Bits)
    source = arith::AndIOp::create(b, source, i32Constant(mask));
  source = arith::OrIOp::create(
      b, source, i32Constant(uint32_t(kBias + power) << kMantissaBits));
  return arith::SubFOp::create(
      b, arith::BitcastOp::create(b, b.getF32Type(), source),
      number(std::ldexp(1.0, power)));
}

SmallVector<Value>
MatvecKernel::decodeFields(Value packed, unsigned count,
                           llvm::function_ref<int(unsigned)> getExponent) {
  const EncodingValues &values = contraction.values;
  unsigned bits = contraction.bits;
  SmallVector<Value> results;
  if (values.isEncoding) {
    if (values.flip) {
      uint32_t all = 0;
      for (unsigned bit = 0; bit < 32; bit += bits)
        all |= uint32_t(values.flip) << bit;
      packed = arith::XOrIOp::create(b, packed, i32Constant(all));
    }
    for (unsigned i = 0; i < count; ++i)
      results.push_back(extractField(packed, bits * i, bits, getExponent(i)));
    return results;
  }
  auto [low, high] = lookUp(packed);
  for (unsigned i = 0; i < count; ++i)
    results.push_back(
        extractField(i < 4 ? low : high, 8 * (i % 4), 8, getExponent(i)));
  return results;
}

std::optional<WeightContraction>
quant_float::getMatvec(linalg::LinalgOp linalgOp) {
  auto op = dyn_cast<linalg::GenericOp>(linalgOp.getOperation());
  if (!op)
    return std::nullopt;
  std::optional<ReductionSchedule> order = ReductionSchedule::get(op);
  std::optional<WeightContraction> contraction = WeightContraction::get(op);
  return order && contraction && *order == contraction->getOrder() &&
                 hasContiguousOperands(op)
             ? contraction
             : std::nullopt;
}

LoweringStrategy
quant_float::getStrategy(const WeightContraction &contraction) {
  return contraction.isAlongDepth ? LoweringStrategy::RowMatvec
                                  : LoweringStrategy::ColumnMatvec;
}

void quant_float::buildMatvecKernel(KernelLaunches &launches,
                                    const WeightContraction &contraction) {
  ReductionSchedule order = contraction.getOrder();
  // Vectors have as many lanes as the reduction schedule.
  LoweringTarget target;
  target.vectorBytes = 4 * order.lanes;
  auto make = contraction.isAlongDepth ? makeVectorRows : makeVectorColumns;
  make(launches, contraction, order, target)->emit();
  launches.endLaunch();
}
