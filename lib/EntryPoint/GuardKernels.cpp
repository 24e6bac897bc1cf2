//===- GuardKernels.cpp - Kernels that report failure ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATGUARDKERNELSPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {

/// Gives one kernel a status to return.
class Guard {
public:
  Guard(func::FuncOp kernel, EntryPointInfo &info)
      : kernel(kernel), info(info), builder(kernel.getContext()) {}

  void guard();

private:
  /// Goes on after `op` if `condition`; frees what there is and returns
  /// `status` otherwise.
  void leaveUnless(Operation *op, Value condition, int64_t status);
  /// Leaves in front of an allocation whose number of bytes no size_t holds,
  /// and behind one that fails.
  void guard(memref::AllocOp alloc);

  func::FuncOp kernel;
  EntryPointInfo &info;
  OpBuilder builder;
  /// What is to be freed, at the op that the walk is at.
  SetVector<Value> live;
};

struct GuardKernels final
    : quant_float::impl::QuantFloatGuardKernelsPassBase<GuardKernels> {
  void runOnOperation() override;
};

} // namespace

void Guard::leaveUnless(Operation *op, Value condition, int64_t status) {
  Location loc = op->getLoc();
  Block *block = condition.getParentBlock();
  Block *rest = block->splitBlock(++condition.getDefiningOp()->getIterator());
  Block *exit = builder.createBlock(&kernel.getBody(), kernel.getBody().end());
  for (Value buffer : live)
    memref::DeallocOp::create(builder, loc, buffer);
  Value code = arith::ConstantIntOp::create(builder, loc, status, 64);
  func::ReturnOp::create(builder, loc, code);
  builder.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(builder, loc, condition, rest, exit);
}

void Guard::guard(memref::AllocOp alloc) {
  ImplicitLocOpBuilder b(alloc.getLoc(), alloc);
  // What malloc adds for an alignment has to fit, too.
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  uint64_t known = getStaticBytes(alloc.getType());
  if (known > kMost || !alloc.getDynamicSizes().empty()) {
    // Stops at the largest number: a size of 0 makes all of them 0.
    Value most = arith::ConstantIndexOp::create(b, -1);
    Value bytes = arith::ConstantIndexOp::create(b, known);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    for (Value size : alloc.getDynamicSizes()) {
      auto product = arith::MulUIExtendedOp::create(b, bytes, size);
      Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                         product.getHigh(), zero);
      bytes = arith::SelectOp::create(b, fits, product.getLow(), most);
    }
    Value isSize =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, bytes, zero);
    leaveUnless(alloc, isSize, kKernelOutOfMemory);
  }
  b.setInsertionPointAfter(alloc);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, alloc);
  Value null = arith::ConstantIndexOp::create(b, 0);
  Value isThere =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, address, null);
  leaveUnless(alloc, isThere, kKernelOutOfMemory);
  live.insert(alloc.getResult());
}

void Guard::guard() {
  SmallVector<Operation *> ops;
  bool canFail = false;
  for (Operation &op : kernel.getBody().front()) {
    canFail |= isa<memref::AllocOp, cf::AssertOp>(op);
    ops.push_back(&op);
  }
  if (!canFail)
    return;
  for (Operation *op : ops) {
    builder.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      live.remove(dealloc.getMemref());
    } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      guard(alloc);
    } else if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      // A name of the condition's value here, so that the block ends here.
      Value truth = arith::ConstantIntOp::create(builder, loc, 1, 1);
      Value holds =
          arith::AndIOp::create(builder, loc, assertion.getArg(), truth);
      leaveUnless(op, holds, kKernelMessages + info.messages.size());
      info.messages.push_back(assertion.getMsg().str());
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

void GuardKernels::runOnOperation() {
  for (auto kernel : getOperation().getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(kEntryPointAttrName) ||
        !kernel.getBody().hasOneBlock() || kernel.getNumResults() != 0)
      continue;
    FailureOr<EntryPointInfo> info = EntryPointInfo::get(kernel);
    if (failed(info))
      return signalPassFailure();
    Guard(kernel, *info).guard();
  }
  // The program would end instead.
  bool isInvalid = false;
  getOperation().walk([&](cf::AssertOp assertion) {
    assertion.emitOpError()
        << "has no lowering inside of loops and branches, but got '"
        << assertion.getMsg() << "'";
    isInvalid = true;
  });
  if (isInvalid)
    signalPassFailure();
}
