//===- VectorizeReductions.cpp - Lower reductions to vector loops ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's vectorizer rejects indexing maps of convolutions such as (d2 * 2 +
// d5), and creates vector reductions, whose accumulation order would depend on
// the target. This pass accumulates each element in the order of the op's loops
// on every target, and vectorizes across output elements.
//
//===----------------------------------------------------------------------===//

#include "MatmulPanels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATVECTORIZEREDUCTIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-vectorize-reductions"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Emits the loops of the plan, and of its alternative, between which the
/// number of rows decides at run time.
static void emitLoops(const ReductionPlan &plan,
                      llvm::function_ref<Value()> getPanelBuffer) {
  GenericOp op = plan.op;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  SmallVector<Value> sizes;
  for (Range range : cast<linalg::LinalgOp>(op.getOperation())
                         .createLoopRanges(builder, op.getLoc()))
    sizes.push_back(
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), range.size));
  auto start = AccumulatorInit::find(op, plan.vectorLoop);
  ReductionContext context{builder, sizes, start, getPanelBuffer};
  std::unique_ptr<ReductionLoops> loops = ReductionLoops::create(plan, context);
  if (plan.otherwise) {
    Value minRows =
        arith::ConstantIndexOp::create(builder, reduction_limits::kMinSharing);
    Value areMany = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                                          sizes[*plan.rowLoop], minRows);
    auto branch = scf::IfOp::create(builder, areMany, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    ReductionLoops::create(*plan.otherwise, context)->emit();
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  loops->emit();
  if (start)
    start->erase();
}

/// Requires that all outputs have the same indexing map, unlike those of a scan
/// and its final state, which are written in different loops.
static bool isReduction(GenericOp op) {
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return op.hasPureBufferSemantics() && op.getNumReductionLoops() > 0 &&
         llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &init) {
                        return op.getMatchingIndexingMap(&init) == output;
                      }) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return isa<MemRefType>(operand.getType()) ||
                  operand.getType().isIntOrIndexOrFloat();
         });
}

/// Returns the memory for panels. All reductions of a function share one
/// buffer, as do all reductions of one thread's iteration of a parallel loop.
static Value getPanelBuffer(GenericOp op, int64_t bytes,
                            llvm::SmallDenseMap<Operation *, Value> &buffers) {
  Operation *scope = op->getParentOp();
  while (!isa<FunctionOpInterface, scf::ForallOp>(scope))
    scope = scope->getParentOp();
  Value &buffer = buffers[scope];
  if (!buffer) {
    auto builder = OpBuilder::atBlockBegin(&scope->getRegion(0).front());
    buffer = memref::AllocaOp::create(
        builder, op.getLoc(), MemRefType::get({bytes}, builder.getI8Type()),
        builder.getI64IntegerAttr(64));
  }
  return buffer;
}

namespace {
struct VectorizeReductions final
    : quant_float::impl::QuantFloatVectorizeReductionsPassBase<
          VectorizeReductions> {
  using QuantFloatVectorizeReductionsPassBase::
      QuantFloatVectorizeReductionsPassBase;

  void runOnOperation() override {
    LoweringTarget target = LoweringTarget::lookup(getOperation());
    // The size of the code is proportional to the product of both.
    constexpr int64_t kMax = 1024;
    auto requireRange = [&](StringRef name, int64_t value) {
      bool isInRange = value >= 1 && value <= kMax;
      if (!isInRange)
        getOperation()->emitError()
            << name << ": expected 1 to " << kMax << ", but got " << value;
      return success(isInRange);
    };
    if (failed(requireRange("vector-bytes", vectorBytes)) ||
        failed(requireRange("registers", registers)))
      return signalPassFailure();
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (isReduction(op))
        ops.push_back(op);
    });
    llvm::SmallDenseMap<Operation *, Value> panels;
    bool hasTiles = target.has(ConversionFeature::AmxInt8);
    int64_t bytes =
        reduction_limits::kPanelBytes + (hasTiles ? kTileSizesBytes : 0);
    for (GenericOp op : ops) {
      auto getPanel = [&] { return getPanelBuffer(op, bytes, panels); };
      ReductionPlan plan =
          ReductionPlan::get(op, target, {vectorBytes, registers});
      LDBG() << "reduction at " << op.getLoc() << ": vectors along loop "
             << plan.getLaneLoop() << ", rows along loop " << plan.rowLoop
             << (plan.panel ? ", with a panel" : "");
      emitLoops(plan, getPanel);
      ++(plan.getLaneLoop() ? numVectorized : numScalar);
      op.erase();
    }
  }
};
} // namespace
