//===- ConvertAssertsToStatus.cpp - Return status codes from kernels ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/Support/BufferSize.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCONVERTASSERTSTOSTATUSPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {

/// Makes one kernel return a status.
class Guard {
public:
  Guard(func::FuncOp kernel, EntryPointInfo &info)
      : kernel(kernel), info(info), builder(kernel.getContext()) {}

  void guard();

private:
  /// Returns the block that takes a status and returns it from the kernel.
  Block *getExit();
  /// Splits the block after the op that defines `condition`, and returns
  /// `status` from the kernel if the condition does not hold.
  void leaveUnless(Value condition, int64_t status);
  /// Returns from the kernel before an allocation whose number of bytes
  /// overflows, and after an allocation that fails.
  void guard(memref::AllocOp alloc);

  func::FuncOp kernel;
  EntryPointInfo &info;
  OpBuilder builder;
  Block *exit = nullptr;
};

struct ConvertAssertsToStatus final
    : quant_float::impl::QuantFloatConvertAssertsToStatusPassBase<
          ConvertAssertsToStatus> {
  void runOnOperation() override;
};

} // namespace

Block *Guard::getExit() {
  if (exit)
    return exit;
  OpBuilder::InsertionGuard guard(builder);
  exit = builder.createBlock(&kernel.getBody(), kernel.getBody().end(),
                             builder.getI64Type(), kernel.getLoc());
  func::ReturnOp::create(builder, kernel.getLoc(), exit->getArguments());
  return exit;
}

void Guard::leaveUnless(Value condition, int64_t status) {
  Location loc = condition.getLoc();
  Block *block = condition.getParentBlock();
  Block *rest = block->splitBlock(++condition.getDefiningOp()->getIterator());
  builder.setInsertionPointToEnd(block);
  Value code = arith::ConstantIntOp::create(builder, loc, status, 64);
  cf::CondBranchOp::create(builder, loc, condition, rest, ValueRange(),
                           getExit(), code);
}

void Guard::guard(memref::AllocOp alloc) {
  ImplicitLocOpBuilder b(alloc.getLoc(), alloc);
  // Leaves room for the bytes that malloc adds for alignment.
  constexpr uint64_t kMaxBytes = std::numeric_limits<int64_t>::max();
  uint64_t known = getStaticBytes(alloc.getType());
  if (known > kMaxBytes || !alloc.getDynamicSizes().empty()) {
    // The product saturates at the largest number. A later size of 0 still
    // makes it 0.
    Value max = arith::ConstantIndexOp::create(b, -1);
    Value bytes = arith::ConstantIndexOp::create(b, known);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    for (Value size : alloc.getDynamicSizes()) {
      auto product = arith::MulUIExtendedOp::create(b, bytes, size);
      Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                         product.getHigh(), zero);
      bytes = arith::SelectOp::create(b, fits, product.getLow(), max);
    }
    Value isSize =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, bytes, zero);
    leaveUnless(isSize, kKernelOutOfMemory);
  }
  b.setInsertionPointAfter(alloc);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, alloc);
  Value null = arith::ConstantIndexOp::create(b, 0);
  Value isAllocated =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, address, null);
  leaveUnless(isAllocated, kKernelOutOfMemory);
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// Whether the op can fail.
static bool canFail(Operation *op) {
  return isa<memref::AllocOp, cf::AssertOp>(op);
}

/// Converts the scf ops around ops that can fail to blocks, because a kernel
/// can only return from its own blocks. Ops in loops with independent
/// iterations are skipped: these loops cannot be left early.
static LogicalResult convertToBlocks(func::FuncOp kernel) {
  DenseSet<Operation *> around;
  kernel.walk([&](Operation *op) {
    if (!canFail(op))
      return;
    SmallVector<Operation *> parents;
    for (Operation *parent = op->getParentOp(); parent != kernel;
         parent = parent->getParentOp()) {
      if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(parent))
        return;
      parents.push_back(parent);
    }
    around.insert_range(parents);
  });
  if (around.empty())
    return success();
  RewritePatternSet patterns(kernel.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*kernel.getContext());
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return !around.contains(op); });
  return applyPartialConversion(kernel, target, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Guard
//===----------------------------------------------------------------------===//

void Guard::guard() {
  SmallVector<Operation *> ops;
  for (Block &block : kernel.getBody())
    for (Operation &op : block)
      ops.push_back(&op);
  if (llvm::none_of(ops, canFail))
    return;
  for (Operation *op : ops) {
    builder.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      guard(alloc);
    } else if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      // Defines the condition at this position, because `leaveUnless` splits
      // the block after the definition.
      Value truth = arith::ConstantIntOp::create(builder, loc, 1, 1);
      Value holds =
          arith::AndIOp::create(builder, loc, assertion.getArg(), truth);
      if (info.hasDataDependentSizes &&
          assertion.getMsg() == kSizesOnlyMessage) {
        leaveUnless(holds, kKernelSizesComputed);
      } else {
        leaveUnless(holds, kKernelMessages + info.messages.size());
        info.messages.push_back(assertion.getMsg().str());
      }
      assertion.erase();
    } else if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      builder.setInsertionPoint(op);
      Value code = arith::ConstantIntOp::create(builder, loc, kKernelDone, 64);
      returnOp.getOperandsMutable().assign(code);
    }
  }
  kernel.setFunctionType(FunctionType::get(
      kernel.getContext(), kernel.getArgumentTypes(), builder.getI64Type()));
  kernel->setAttr(kEntryPointAttrName, info.toAttribute(kernel.getContext()));
}

void ConvertAssertsToStatus::runOnOperation() {
  for (auto kernel : getOperation().getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(kEntryPointAttrName) ||
        !kernel.getBody().hasOneBlock() || kernel.getNumResults() != 0)
      continue;
    FailureOr<EntryPointInfo> info = EntryPointInfo::get(kernel);
    if (failed(info) || failed(convertToBlocks(kernel)))
      return signalPassFailure();
    Guard(kernel, *info).guard();
  }
  // The lowering of an assert would abort the program.
  bool isInvalid = false;
  getOperation().walk([&](cf::AssertOp assertion) {
    assertion.emitOpError() << "has no lowering in parallel loops, but got '"
                            << assertion.getMsg() << "'";
    isInvalid = true;
  });
  if (isInvalid)
    signalPassFailure();
}
