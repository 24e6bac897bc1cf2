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

/// Emits the loops of the plan. If the plan has an alternative for few rows,
/// emits both versions; the number of rows selects one at run time.
static void emitLoops(const ReductionPlan &plan,
                      const ReductionContext &context) {
  ImplicitLocOpBuilder &builder = context.builder;
  std::unique_ptr<ReductionLoops> loops = ReductionLoops::create(plan, context);
  if (!plan.otherwise)
    return loops->emit();
  Value minRows =
      arith::ConstantIndexOp::create(builder, reduction_limits::kMinPanelReuse);
  Value hasEnoughRows =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                            context.sizes[*plan.rowLoop], minRows);
  auto ifOp =
      scf::IfOp::create(builder, hasEnoughRows, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  loops->emit();
  builder.setInsertionPointToStart(ifOp.elseBlock());
  emitLoops(*plan.otherwise, context);
}

/// Lowers the op of the plan to loops in front of it. Erases the op that
/// initializes the accumulators if the loops do so instead.
static void emitLoops(const ReductionPlan &plan,
                      llvm::function_ref<Value()> getPanelBuffer) {
  GenericOp op = plan.op;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  SmallVector<Value> sizes;
  for (Range range : cast<linalg::LinalgOp>(op.getOperation())
                         .createLoopRanges(builder, op.getLoc()))
    sizes.push_back(
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), range.size));
  auto accumulatorInit = AccumulatorInit::find(op, plan.vectorLoop);
  emitLoops(plan,
            ReductionContext{builder, sizes, accumulatorInit, getPanelBuffer});
  if (accumulatorInit)
    accumulatorInit->erase();
}

/// Returns the memory for panels. All reductions of a function share one
/// buffer, as do all reductions of one iteration of a parallel loop.
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
    FailureOr<VectorRegisters> vectors =
        VectorRegisters::get(getOperation(), vectorBytes, registers);
    if (failed(vectors))
      return signalPassFailure();
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (isVectorizableReduction(op))
        ops.push_back(op);
    });
    llvm::SmallDenseMap<Operation *, Value> panelBuffers;
    auto hasTileUnit = [](const MatrixInstruction &row) {
      return row.unit == MatrixUnit::Tiles;
    };
    bool hasTileRegisters =
        chooseMatrixInstruction(target.cpu.get(), hasTileUnit).instruction;
    int64_t panelBytes = reduction_limits::kPanelBytes +
                         (hasTileRegisters ? kTileConfigBytes : 0);
    for (GenericOp op : ops) {
      auto getPanel = [&] {
        return getPanelBuffer(op, panelBytes, panelBuffers);
      };
      auto config =
          op->getAttrOfType<LoweringConfigAttr>(kLoweringConfigAttrName);
      FailureOr<ReductionPlan> plan =
          config ? ReductionPlan::get(op, config, target, *vectors)
                 : ReductionPlan::choose(op, target, *vectors);
      if (failed(plan))
        return signalPassFailure();
      LDBG() << "reduction at " << op.getLoc() << ": " << plan->getConfig();
      emitLoops(*plan, getPanel);
      ++(plan->getLaneLoop() ? numVectorized : numScalar);
      op.erase();
    }
  }
};
} // namespace
