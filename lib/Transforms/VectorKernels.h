//===- VectorKernels.h - Products of few vectors on GPUs ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_VECTORKERNELS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_VECTORKERNELS_H

#include "KernelLaunches.h"
#include "ProductLoops.h"

namespace mlir::quant_float {

/// What kernels of both forms share.
class VectorKernel : public ProductLoops {
public:
  VectorKernel(KernelLaunches &launches, const WeightProduct &product,
               const SumOrder &order, const EmulationTarget &target)
      : ProductLoops(product, order, target, /*parallel=*/false),
        launches(launches) {}

protected:
  void beginBlocks(int64_t blocks, int64_t threads) {
    block = launches.beginBlocks(launches.index(blocks), threads);
    thread = launches.launch.getThreadIds().x;
    b.restoreInsertionPoint(launches.rewriter.saveInsertionPoint());
  }
  /// An array that the threads of a block share.
  Value share(ArrayRef<int64_t> shape, Type element);
  Value view(Value shared, ArrayRef<int64_t> shape, Type element);

  Value plusValue(Value one, Value other) {
    return b.createOrFold<arith::AddIOp>(one, other);
  }
  Value timesValue(Value one, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(one, index(factor));
  }
  Value divide(Value one, int64_t by) {
    return b.createOrFold<arith::DivUIOp>(one, index(by));
  }
  Value modulo(Value one, int64_t by) {
    return b.createOrFold<arith::RemUIOp>(one, index(by));
  }
  Value isBelow(Value one, int64_t limit) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, one,
                                 index(limit));
  }
  /// The index, or the last one there is.
  Value clamp(Value one, int64_t count) {
    return arith::MinUIOp::create(b, one, index(count - 1));
  }
  void barrier() { gpu::BarrierOp::create(b); }
  /// Runs `body` if the condition, or always without one.
  void ifThere(Value condition, llvm::function_ref<void()> body);
  /// What `body` makes if the condition, or always without one, and else what
  /// `otherwise` makes.
  Value select(Value condition, Type type, llvm::function_ref<Value()> body,
               llvm::function_ref<Value()> otherwise);
  Value zero(Type type) {
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }
  /// Runs `body` for each of `count` numbers, `threads` at once.
  void forEachOf(int64_t count, int64_t threads,
                 llvm::function_ref<void(Value)> body);
  /// A loop; `body` makes the next values of those of an iteration.
  SmallVector<Value>
  loop(Value from, Value to, int64_t step, ValueRange values,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body);
  /// The same for `many` iterations at once, whose loads are not waited for one
  /// by one, and for each of those that are left; none are if `isWhole`.
  SmallVector<Value> loopByMany(
      Value from, Value to, int64_t many, bool isWhole, ValueRange values,
      llvm::function_ref<SmallVector<Value>(Value, int64_t, ValueRange)> body);

  Value word(uint32_t value) {
    return arith::ConstantIntOp::create(b, int64_t(int32_t(value)), 32);
  }
  /// The bytes that stand for the codes of a word, in order: those of its lower
  /// and of its upper half.
  std::pair<Value, Value> lookUp(Value codes);
  /// A part of a word times a power of two, as a float.
  Value toFactor(Value source, unsigned shift, unsigned bits, int exponent);
  /// The factors of the first codes of a word, times powers of two.
  SmallVector<Value> getFactors(Value codes, unsigned count,
                                llvm::function_ref<int(unsigned)> getExponent);

  KernelLaunches &launches;
  Value block, thread;
};

/// Summed elements are next to each other, or channels are.
std::unique_ptr<ProductLoops> makeVectorRows(KernelLaunches &launches,
                                             const WeightProduct &product,
                                             const SumOrder &order,
                                             const EmulationTarget &target);
std::unique_ptr<ProductLoops> makeVectorColumns(KernelLaunches &launches,
                                                const WeightProduct &product,
                                                const SumOrder &order,
                                                const EmulationTarget &target);

/// A kernel that reads weights once, and whose sums have the product's order.
void buildVectorKernel(KernelLaunches &launches, const WeightProduct &product,
                       const SumOrder &order);

/// What became of the product.
std::string describeVectorKernel(const WeightProduct &product);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_VECTORKERNELS_H
