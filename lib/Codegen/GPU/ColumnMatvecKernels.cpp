//===- ColumnMatvecKernels.cpp - Column matvecs on GPUs -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matvecs whose weights are contiguous along the channels. K is divided into
// blocks, whose partial sums are accumulated in order (R7). Each warp computes
// one block at a time:
//
//   for each 8 blocks of K:
//     each warp, for one of the blocks, a byte of channels per thread:
//       for k in block: acc += decode(load w[k, n]) * x[k]
//       to workgroup memory: scale * (acc - offset * (sum of x))
//     barrier
//     a thread for each channel: accumulates the blocks in order
//     barrier
//
//===----------------------------------------------------------------------===//

#include "MatvecKernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class ColumnMatvecKernel final : public MatvecKernel {
public:
  using MatvecKernel::MatvecKernel;
  void emit() override;

private:
  static constexpr int64_t kGroups = 8, kThreads = kWarpSize * kGroups;
  /// The number of elements of K per iteration.
  static constexpr int64_t kUnroll = 8;

  /// The number of channels per thread.
  int64_t getShare() const {
    return contraction.isPacked() ? 8 / contraction.bits : 1;
  }
  int64_t getColumns() const { return kWarpSize * getShare(); }
  int64_t getBlocks() const {
    return llvm::divideCeil(contraction.getDepth(), order.terms);
  }
  void emitBlock(Value block);
  SmallVector<Value> decode();
  /// Returns, for each channel of the thread, the power of two that CPU code
  /// leaves in the decoded value (see WeightDecoding), or its inverse.
  SmallVector<Value> getPowers(bool isInverse);

  /// The partial sums of the blocks, indexed by warp, vector and column.
  Value partials;
  Value group, column, first;
  SmallVector<Value> powers, inverses;
};
} // namespace

/// The power depends on the position of the channel in its packed i32, which
/// is known only at run time, so this selects among the possible ones.
SmallVector<Value> ColumnMatvecKernel::getPowers(bool isInverse) {
  SmallVector<Value> powers;
  int64_t count = terms->getCount(), share = getShare();
  Value inLane = modulo(first, count);
  for (int64_t i = 0; i < share; ++i) {
    Value power;
    for (int64_t field = i; field < count; field += share) {
      int exponent = terms->getExponent(field);
      Value here = number(std::ldexp(1.0, isInverse ? -exponent : exponent));
      power = power ? Value(arith::SelectOp::create(
                          b,
                          arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                inLane, index(field - i)),
                          here, power))
                    : here;
    }
    powers.push_back(power);
  }
  return powers;
}

SmallVector<Value> ColumnMatvecKernel::decode() {
  position[contraction.channel] = first;
  if (!terms) {
    Value value = toFloat(buildScalar(contraction.decoded));
    if (contraction.point)
      value = arith::SubFOp::create(b, value,
                                    toFloat(buildScalar(contraction.point)));
    return {value};
  }
  Type element = getElementTypeOrSelf(contraction.quantized->get());
  auto load = vector::LoadOp::create(b, vectorOf(getShare(), element),
                                     contraction.quantized->get(),
                                     getIndices(contraction.quantized));
  load.setAlignment(1);
  Value byte = vector::ExtractOp::create(
      b, vector::BitCastOp::create(b, vectorOf(1, b.getI8Type()), load), 0);
  Value packed = arith::ExtUIOp::create(b, b.getI32Type(), byte);
  SmallVector<Value> values =
      decodeFields(packed, getShare(), [](unsigned) { return 0; });
  for (auto [value, power] : llvm::zip_equal(values, powers))
    value = multiply(value, power);
  return values;
}

/// Stores the partial sums of a block of K to workgroup memory.
void ColumnMatvecKernel::emitBlock(Value block) {
  Value from = timesValue(block, order.terms);
  Value end = plusValue(from, index(order.terms));
  if (contraction.getDepth() % order.terms != 0)
    end = arith::MinUIOp::create(b, end, index(contraction.getDepth()));
  int64_t vectors = contraction.vectors, share = getShare();
  SmallVector<Value> start(vectors * (share + needsInputSums()), number(0));
  bool isDivisible =
      order.terms % kUnroll == 0 && contraction.getDepth() % order.terms == 0;
  SmallVector<Value> all =
      unrolledLoop(from, end, kUnroll, isDivisible, start,
                   [&](Value k, int64_t number, ValueRange before) {
                     SmallVector<Value> next(before);
                     for (int64_t i = 0; i < number; ++i) {
                       position[contraction.depth] = plusValue(k, index(i));
                       SmallVector<Value> weights = decode();
                       Value *accumulator = next.begin();
                       for (int64_t vector = 0; vector < vectors; ++vector) {
                         Value input = x(vector);
                         for (Value weight : weights) {
                           *accumulator =
                               accumulate(*accumulator, weight, input);
                           ++accumulator;
                         }
                         if (needsInputSums()) {
                           *accumulator = add(*accumulator, input);
                           ++accumulator;
                         }
                       }
                     }
                     return next;
                   });
  position[contraction.depth] = from;
  ValueRange remaining(all);
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value inputSum = needsInputSums() ? remaining[share] : Value();
    for (int64_t i = 0; i < share; ++i) {
      Value accumulator = remaining[i];
      position[contraction.channel] = plusValue(first, index(i));
      if (terms)
        accumulator = multiply(accumulator, inverses[i]);
      if (inputSum) {
        Value point = contraction.point
                          ? toFloat(buildScalar(contraction.point))
                          : Value();
        Value correction =
            vector::ExtractOp::create(b, getCorrection(point, 1), 0);
        accumulator = accumulate(accumulator, correction, inputSum);
      }
      if (terms && contraction.values.unit != 1)
        accumulator = multiply(accumulator, number(contraction.values.unit));
      if (contraction.scale)
        accumulator =
            multiply(toFloat(buildScalar(contraction.scale)), accumulator);
      memref::StoreOp::create(
          b, accumulator, partials,
          ValueRange{group, index(vector), plusValue(column, index(i))});
    }
    remaining = remaining.drop_front(share + needsInputSums());
  }
}

void ColumnMatvecKernel::emit() {
  int64_t columns = getColumns(), channels = contraction.getChannels();
  beginBlocks(llvm::divideCeil(channels, columns), kThreads);
  group = divide(thread, kWarpSize);
  column = timesValue(modulo(thread, kWarpSize), getShare());
  Value firstOfBlock = timesValue(block, columns);
  first = plusValue(firstOfBlock, column);
  // Out-of-bounds threads recompute the last channels.
  if (channels % columns)
    first = arith::MinUIOp::create(b, first, index(channels - getShare()));
  if (terms) {
    powers = getPowers(/*isInverse=*/false);
    inverses = getPowers(/*isInverse=*/true);
  }
  partials = share({kGroups, contraction.vectors, columns}, b.getF32Type());

  // At the end, each thread computes at most one element of the result for each
  // vector. This suffices because a thread block has no more columns than
  // threads.
  Value own = plusValue(firstOfBlock, thread);
  Value isActive = isBelow(thread, columns);
  if (channels % columns)
    isActive = arith::AndIOp::create(b, isActive, isBelow(own, channels));
  OpOperand *init = op.getDpsInitOperand(0);
  auto forEachVector = [&](llvm::function_ref<void(int64_t)> body) {
    for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
      position[contraction.channel] = own;
      selectVector(vector);
      body(vector);
    }
  };
  Type f32 = b.getF32Type();
  SmallVector<Value> totals;
  forEachVector([&](int64_t) {
    totals.push_back(emitIfElse(
        isActive, f32, [&] { return load(init); }, [&] { return number(0); }));
  });
  int64_t blocks = getBlocks();
  bool isDivisible = blocks % kGroups == 0;
  Value rounds = index(llvm::divideCeil(blocks, kGroups));
  totals =
      loop(index(0), rounds, 1, totals, [&](Value round, ValueRange before) {
        Value number = timesValue(round, kGroups);
        Value groupBlock = plusValue(number, group);
        emitIf(isDivisible ? Value() : isBelow(groupBlock, blocks),
               [&] { emitBlock(groupBlock); });
        barrier();
        SmallVector<Value> next(before);
        for (int64_t other = 0; other < kGroups; ++other) {
          Value isInBounds = isActive;
          if (!isDivisible)
            isInBounds = arith::AndIOp::create(
                b, isInBounds,
                isBelow(plusValue(number, index(other)), blocks));
          for (int64_t vector = 0; vector < contraction.vectors; ++vector)
            next[vector] = emitIfElse(
                isInBounds, f32,
                [&] {
                  Value accumulator = memref::LoadOp::create(
                      b, partials,
                      ValueRange{index(other), index(vector), thread});
                  return add(next[vector], accumulator);
                },
                [&] { return next[vector]; });
        }
        barrier();
        return next;
      });
  emitIf(isActive, [&] {
    forEachVector([&](int64_t vector) {
      memref::StoreOp::create(b, totals[vector], init->get(), getIndices(init));
    });
  });
}

std::unique_ptr<WeightContractionLoops> quant_float::makeVectorColumns(
    KernelLaunches &launches, const WeightContraction &contraction,
    const ReductionSchedule &order, const LoweringTarget &target) {
  return std::make_unique<ColumnMatvecKernel>(launches, contraction, order,
                                              target);
}
