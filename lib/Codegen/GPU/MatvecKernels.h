//===- MatvecKernels.h - Matvecs on GPUs ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_MATVECKERNELS_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_MATVECKERNELS_H

#include "../Common/Conditionals.h"
#include "../Common/WeightContractionLoops.h"
#include "KernelLaunches.h"
#include "quant-float/IR/QuantFloatAttributes.h"

namespace mlir::quant_float {

/// Base class of the row and column matvec kernels.
class MatvecKernel : public WeightContractionLoops {
public:
  MatvecKernel(KernelLaunches &launches, const WeightContraction &contraction,
               const ReductionSchedule &order, const LoweringTarget &target)
      : WeightContractionLoops(contraction, order, target, /*parallel=*/false),
        launches(launches) {}

protected:
  void beginBlocks(int64_t blocks, int64_t threads) {
    block = launches.beginBlocks(launches.index(blocks), threads);
    thread = launches.launch.getThreadIds().x;
    b.restoreInsertionPoint(launches.rewriter.saveInsertionPoint());
  }
  /// Allocates an array in workgroup memory.
  Value share(ArrayRef<int64_t> shape, Type element);
  Value view(Value shared, ArrayRef<int64_t> shape, Type element) {
    return viewWorkgroupMemory(b, b.getLoc(), shared, shape, element);
  }

  Value plusValue(Value lhs, Value rhs) {
    return b.createOrFold<arith::AddIOp>(lhs, rhs);
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
  /// Clamps an index to the last one.
  Value clamp(Value one, int64_t count) {
    return arith::MinUIOp::create(b, one, index(count - 1));
  }
  void barrier() { gpu::BarrierOp::create(b); }
  void emitIf(Value condition, llvm::function_ref<void()> body) {
    quant_float::emitIf(b, b.getLoc(), condition, body);
  }
  Value emitIfElse(Value condition, Type type,
                   llvm::function_ref<Value()> thenBody,
                   llvm::function_ref<Value()> elseBody) {
    return quant_float::emitIfElse(b, b.getLoc(), type, condition, thenBody,
                                   elseBody);
  }
  Value zero(Type type) {
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }
  /// Runs `body` for each index below `count`, distributed over `threads`
  /// threads.
  void forEachElement(int64_t count, int64_t threads,
                      llvm::function_ref<void(Value)> body);
  /// Emits a loop. `body` returns the values of the next iteration.
  SmallVector<Value>
  loop(Value from, Value to, int64_t step, ValueRange values,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body);
  /// Emits the same loop unrolled by `factor`, so that the loads of `factor`
  /// iterations overlap, followed by a remainder loop unless
  /// `isDivisible`.
  SmallVector<Value> unrolledLoop(
      Value from, Value to, int64_t factor, bool isDivisible, ValueRange values,
      llvm::function_ref<SmallVector<Value>(Value, int64_t, ValueRange)> body);

  Value i32Constant(uint32_t value) {
    return arith::ConstantIntOp::create(b, int64_t(int32_t(value)), 32);
  }
  /// Returns the table entries of the eight 4-bit encodings of an i32, in
  /// order: one byte each, those of the lower and of the upper half of the
  /// i32.
  std::pair<Value, Value> lookUp(Value packed);
  /// Returns a bit field of an i32, times 2^exponent, as a float.
  Value extractField(Value source, unsigned shift, unsigned bits, int exponent);
  /// Decodes the first `count` quantized values of an i32, each times a power
  /// of two.
  SmallVector<Value>
  decodeFields(Value packed, unsigned count,
               llvm::function_ref<int(unsigned)> getExponent);

  KernelLaunches &launches;
  Value block, thread;
};

/// Kernels for weights that are K-contiguous (rows), or contiguous along the
/// channels (columns).
std::unique_ptr<WeightContractionLoops>
makeVectorRows(KernelLaunches &launches, const WeightContraction &contraction,
               const ReductionSchedule &order, const LoweringTarget &target);
std::unique_ptr<WeightContractionLoops>
makeVectorColumns(KernelLaunches &launches,
                  const WeightContraction &contraction,
                  const ReductionSchedule &order, const LoweringTarget &target);

/// Builds a kernel that reads the weights once and preserves the order of
/// accumulation.
void buildMatvecKernel(KernelLaunches &launches,
                       const WeightContraction &contraction);

/// Returns the contraction if a kernel preserves its reduction schedule.
std::optional<WeightContraction> getMatvec(linalg::LinalgOp op);

/// Returns the strategy of the matvec's kernel.
LoweringStrategy getStrategy(const WeightContraction &contraction);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_MATVECKERNELS_H
