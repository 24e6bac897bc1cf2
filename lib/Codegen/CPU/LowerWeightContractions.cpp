//===- LowerWeightContractions.cpp - Lower matmuls with low-bit weights ---===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are three loop nests. Those for at most four vectors differ in which
// dimension of the weights is contiguous.
//
// If K is contiguous (RowContraction), several channels are computed together
// along K. Each has 16 accumulators, in one or more registers:
//
//   for n by rows:
//     for chunk of k:
//       for part of the lanes, row:
//         quantized = load w[n + row, chunk]
//         acc = -offset * (sums of x)
//         for term: acc += term(quantized) * x[chunk, term]     // x is packed
//         lanes[row] += scale * acc
//     y[n + row] = sum of lanes
//
// If the channels are contiguous (ColumnContraction), vectors of channels are
// accumulated for one block of K:
//
//   for block of k:
//     for n by vectors:
//       for k in block: for term: acc[term] += term(load w[k, n]) * x[k]
//       y[n] += scale * (acc - offset * (sum of x))
//
// If K is contiguous and the reduction schedule requests it, x is quantized to
// integers in blocks with a scale each, and `acc` is an integer. Otherwise `+=`
// of a product is a fused multiply-add on every target, so the result does not
// depend on it.
//
// More vectors than four are always quantized. IntegerPanelContraction.cpp
// describes their loops.
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "../Common/WeightContractionLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Lowering/LoweringTarget.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERWEIGHTCONTRACTIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-lower-weight-contractions"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

namespace {
struct LowerWeightContractions final
    : quant_float::impl::QuantFloatLowerWeightContractionsPassBase<
          LowerWeightContractions> {
  using QuantFloatLowerWeightContractionsPassBase::
      QuantFloatLowerWeightContractionsPassBase;

  void runOnOperation() override {
    LoweringTarget target = LoweringTarget::lookup(getOperation());
    SmallVector<GenericOp> ops =
        collectGenericOps(getOperation(), [](GenericOp op) {
          return op->hasAttr(kReductionScheduleAttrName);
        });
    for (GenericOp op : ops) {
      std::optional<ReductionSchedule> order = ReductionSchedule::get(op);
      std::optional<WeightContraction> contraction =
          WeightContraction::get(op, order && order->xBits);
      if (!contraction || !order ||
          *order != contraction->getOrder(order->xBits) ||
          !(op.hasPureBufferSemantics() && hasContiguousOperands(op))) {
        op.emitOpError("has no lowering that preserves its accumulation order");
        return signalPassFailure();
      }
      auto make = !contraction->isAlongDepth ? makeColumnContraction
                  : !contraction->isMatvec() ? makeIntegerPanelContraction
                  : order->xBits             ? makeIntegerRowContraction
                                             : makeFloatRowContraction;
      LDBG() << "lowering the contraction at " << op.getLoc() << " with "
             << (contraction->isAlongDepth ? "K" : "the channels")
             << " contiguous, x of " << order->xBits << " bits";
      make(*contraction, *order, target, threads != 1)->emit();
      op.erase();
      ++numLowered;
    }
  }
};
} // namespace
