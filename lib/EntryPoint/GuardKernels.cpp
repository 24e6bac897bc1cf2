//===- GuardKernels.cpp - Kernels that report failure ---------------------===//
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
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/DialectConversion.h"
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

/// Buffers that have to be freed when a kernel ends.
using Buffers = SetVector<Value>;

/// Gives one kernel a status to return.
class Guard {
public:
  Guard(func::FuncOp kernel, EntryPointInfo &info)
      : kernel(kernel), info(info), builder(kernel.getContext()) {}

  void guard();

private:
  /// A block that takes a status, frees what there is and returns the status.
  /// Each frees one buffer, and goes on to that of those allocated before: if
  /// each check freed all buffers by itself, the code would grow with the
  /// square of the number of checks.
  Block *getExit();
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
  Buffers live;
  /// Exits by their buffer and what they go on to.
  DenseMap<std::pair<Value, Block *>, Block *> exits;
};

struct GuardKernels final
    : quant_float::impl::QuantFloatGuardKernelsPassBase<GuardKernels> {
  void runOnOperation() override;
};

} // namespace

Block *Guard::getExit() {
  Block *next = nullptr;
  Location loc = kernel.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  for (Value buffer : live) {
    Block *&exit = exits[{buffer, next}];
    if (!exit) {
      exit = builder.createBlock(&kernel.getBody(), kernel.getBody().end(),
                                 builder.getI64Type(), loc);
      memref::DeallocOp::create(builder, loc, buffer);
      Value status = exit->getArgument(0);
      if (next)
        cf::BranchOp::create(builder, loc, next, status);
      else
        func::ReturnOp::create(builder, loc, status);
    }
    next = exit;
  }
  return next;
}

void Guard::leaveUnless(Operation *op, Value condition, int64_t status) {
  Location loc = op->getLoc();
  Block *block = condition.getParentBlock();
  Block *rest = block->splitBlock(++condition.getDefiningOp()->getIterator());
  // So few are freed with less code than a branch.
  constexpr size_t kMaxOwn = 2;
  if (live.size() > kMaxOwn) {
    Block *exit = getExit();
    builder.setInsertionPointToEnd(block);
    Value code = arith::ConstantIntOp::create(builder, loc, status, 64);
    cf::CondBranchOp::create(builder, loc, condition, rest, ValueRange(), exit,
                             code);
    return;
  }
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
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// Whether the op can end the kernel.
static bool canFail(Operation *op) {
  return isa<memref::AllocOp, cf::AssertOp>(op);
}

/// The kernel returns from within what is blocks of its own only. Loops whose
/// steps are independent stay: nothing can leave them.
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

/// The allocation that a buffer is or is a part of; null if that is not known.
static Value findAllocation(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (isa<memref::AllocOp>(op))
      return buffer;
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
      buffer = metadata.getSource();
    else if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      buffer = view.getViewSource();
    else
      break;
  }
  return {};
}

/// Changes `live` by what the op allocates and frees. What may be freed already
/// is not freed again, even if it is there still.
static void update(Buffers &live, Operation *op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    live.insert(alloc.getResult());
  op->walk([&](memref::DeallocOp dealloc) {
    if (Value buffer = findAllocation(dealloc.getMemref()))
      live.remove(buffer);
    else
      live.clear();
  });
}

/// What there is at the begin of each block, on whatever way it is reached.
static DenseMap<Block *, Buffers> findLiveBuffers(func::FuncOp kernel) {
  DenseMap<Block *, Buffers> begins;
  SmallVector<Block *> worklist = {&kernel.getBody().front()};
  begins[worklist.front()];
  while (!worklist.empty()) {
    Block *block = worklist.pop_back_val();
    Buffers live = begins[block];
    for (Operation &op : *block)
      update(live, &op);
    for (Block *next : block->getSuccessors()) {
      auto [place, isNew] = begins.insert({next, live});
      bool isLess = !isNew && place->second.remove_if([&](Value buffer) {
        return !live.contains(buffer);
      });
      if (isNew || isLess)
        worklist.push_back(next);
    }
  }
  return begins;
}

//===----------------------------------------------------------------------===//
// Guard
//===----------------------------------------------------------------------===//

void Guard::guard() {
  SmallVector<std::pair<Operation *, Block *>> ops;
  DenseMap<Block *, Buffers> begins = findLiveBuffers(kernel);
  for (Block &block : kernel.getBody())
    for (Operation &op : block)
      ops.push_back({&op, &block});
  if (llvm::none_of(ops, [](auto pair) { return canFail(pair.first); }))
    return;
  Block *current = nullptr;
  for (auto [op, block] : ops) {
    if (block != current)
      live = begins[block];
    current = block;
    builder.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      guard(alloc);
    } else if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      // A name of the condition's value here, so that the block ends here.
      Value truth = arith::ConstantIntOp::create(builder, loc, 1, 1);
      Value holds =
          arith::AndIOp::create(builder, loc, assertion.getArg(), truth);
      leaveUnless(op, holds, kKernelMessages + info.messages.size());
      info.messages.push_back(assertion.getMsg().str());
      assertion.erase();
      continue;
    } else if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      builder.setInsertionPoint(op);
      Value code = arith::ConstantIntOp::create(builder, loc, kKernelDone, 64);
      returnOp.getOperandsMutable().assign(code);
    }
    update(live, op);
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
    if (failed(info) || failed(convertToBlocks(kernel)))
      return signalPassFailure();
    Guard(kernel, *info).guard();
  }
  // The program would end instead.
  bool isInvalid = false;
  getOperation().walk([&](cf::AssertOp assertion) {
    assertion.emitOpError()
        << "has no lowering inside of parallel loops, but got '"
        << assertion.getMsg() << "'";
    isInvalid = true;
  });
  if (isInvalid)
    signalPassFailure();
}
