//===- FreeOnFailure.cpp - Free buffers on failure paths ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which buffers are live at a failing check is tracked at run time, in a table,
// so that the code that frees them is one loop. Separate code for each failure
// path would grow with the number of checks times the number of buffers.
//
// The status of a failure is passed to the common exit in memory. As a block
// argument it would be a phi of constants in LLVM IR. For such a phi, LLVM's
// code generator splits the edge of each check, so that the live ranges of the
// kernel's values have a gap at each check. Its time and memory would grow with
// the number of values times the number of checks.
//
//===----------------------------------------------------------------------===//

#include "InsertedValue.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/Support/RuntimeFunction.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFREEONFAILUREPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// The maximum number of slots of a table, which is on the stack.
static constexpr int64_t kMaxSlots = 4096;

namespace {
/// The names of a function that allocates memory and of the one that frees it.
struct Allocator {
  StringRef allocate, free;
};
constexpr Allocator kAllocators[] = {{"malloc", "free"},
                                     {"mgpuMemAlloc", "mgpuMemFree"}};

/// The functions that the pass calls: three of the entry runtime, and `free` of
/// the allocator.
struct Functions {
  LLVM::LLVMFuncOp keep, drop, take, free;
};

/// The calls of one allocator's functions in a kernel.
struct Calls {
  SmallVector<LLVM::CallOp> allocations, frees;
};

struct FreeOnFailure final
    : quant_float::impl::QuantFloatFreeOnFailurePassBase<FreeOnFailure> {
  void runOnOperation() override;

private:
  FailureOr<Functions> declare(const Allocator &allocator);
};
} // namespace

/// Collects the calls of the allocator's functions. Allocations in nested
/// regions (`omp` regions) belong to a thread and not to the kernel, so they
/// are left out.
static FailureOr<Calls> findCalls(LLVM::LLVMFuncOp kernel,
                                  const Allocator &allocator) {
  Calls calls;
  WalkResult result = kernel.walk([&](LLVM::CallOp call) {
    std::optional<StringRef> callee = call.getCallee();
    if (callee == allocator.allocate) {
      if (call.getNumResults() != 1 ||
          !isa<LLVM::LLVMPointerType>(call.getResult().getType())) {
        call.emitOpError() << "expected '" << allocator.allocate
                           << "' to return a pointer";
        return WalkResult::interrupt();
      }
      if (call->getParentOp() == kernel)
        calls.allocations.push_back(call);
    } else if (callee == allocator.free) {
      if (call.getArgOperands().empty() ||
          !isa<LLVM::LLVMPointerType>(call.getArgOperands()[0].getType())) {
        call.emitOpError() << "expected '" << allocator.free
                           << "' to take a pointer";
        return WalkResult::interrupt();
      }
      calls.frees.push_back(call);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return calls;
}

/// Returns the call that `pointer` comes from, or null if it is not found, for
/// example if `pointer` is a block argument.
static LLVM::CallOp findAllocation(Value pointer) {
  if (auto extract = pointer.getDefiningOp<LLVM::ExtractValueOp>())
    pointer = findInserted(extract.getContainer(), extract.getPosition());
  return pointer ? pointer.getDefiningOp<LLVM::CallOp>() : LLVM::CallOp();
}

static bool isDone(LLVM::ReturnOp op) {
  APInt status;
  return matchPattern(op.getArg(), m_ConstantInt(&status)) &&
         status == kKernelDone;
}

/// Replaces the argument of the block that returns it by a variable, which the
/// predecessors store.
static void passInMemory(ImplicitLocOpBuilder &b, LLVM::ReturnOp end) {
  auto status = dyn_cast<BlockArgument>(end.getArg());
  Block *exit = end->getBlock();
  if (!status || status.getOwner() != exit || exit->isEntryBlock())
    return;
  SmallVector<SuccessorOperands> passed;
  SmallVector<Operation *> branches;
  for (BlockOperand &use : exit->getUses()) {
    auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
    // A branch with two edges to the block can pass two values.
    if (!branch || llvm::is_contained(branches, use.getOwner()))
      return;
    passed.push_back(branch.getSuccessorOperands(use.getOperandNumber()));
    if (passed.back().isOperandProduced(status.getArgNumber()))
      return;
    branches.push_back(branch);
  }
  b.setInsertionPointToStart(&end->getParentRegion()->front());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value one = LLVM::ConstantOp::create(b, b.getI64Type(), 1);
  Value variable = LLVM::AllocaOp::create(b, pointer, status.getType(), one);
  // LLVM's passes promote variables to phis, except volatile ones.
  constexpr bool isVolatile = true;
  for (auto [operands, branch] : llvm::zip_equal(passed, branches)) {
    b.setInsertionPoint(branch);
    LLVM::StoreOp::create(b, operands[status.getArgNumber()], variable,
                          /*alignment=*/0, isVolatile);
    operands.erase(status.getArgNumber());
  }
  b.setInsertionPointToStart(exit);
  status.replaceAllUsesWith(LLVM::LoadOp::create(b, status.getType(), variable,
                                                 /*alignment=*/0, isVolatile)
                                .getResult());
  exit->eraseArgument(status.getArgNumber());
}

/// Frees all buffers of the table before `end`.
static void freeAll(ImplicitLocOpBuilder &b, LLVM::ReturnOp end,
                    Functions &functions, Value table, Value size) {
  Block *before = end->getBlock();
  Block *after = before->splitBlock(end);
  Block *next = b.createBlock(after);
  Block *one = b.createBlock(after);
  b.setInsertionPointToEnd(before);
  LLVM::BrOp::create(b, ValueRange(), next);
  b.setInsertionPointToEnd(next);
  Value buffer =
      LLVM::CallOp::create(b, functions.take, ValueRange{table, size})
          .getResult();
  Value null = LLVM::ZeroOp::create(b, buffer.getType());
  Value isAllocated =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, buffer, null);
  LLVM::CondBrOp::create(b, isAllocated, one, after);
  b.setInsertionPointToEnd(one);
  SmallVector<Value> arguments = {buffer};
  // The stream. It is null, because the free does not wait for other work.
  if (functions.free.getNumArguments() == 2)
    arguments.push_back(null);
  LLVM::CallOp::create(b, functions.free, arguments);
  LLVM::BrOp::create(b, ValueRange(), next);
}

static void track(LLVM::LLVMFuncOp kernel, Calls &calls, Functions &functions) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel.getContext());
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto constant = [&](int64_t value) {
    return LLVM::ConstantOp::create(b, b.getI64Type(), value);
  };
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  // A loop may carry the buffer of one iteration to the next, which allocates
  // again. So there are two slots for each allocation.
  int64_t numSlots = std::min<int64_t>(2 * calls.allocations.size(), kMaxSlots);
  Value size = constant(numSlots);
  Value table = LLVM::AllocaOp::create(b, pointer, pointer, size);
  Value zero = LLVM::ConstantOp::create(b, b.getI8Type(), 0);
  LLVM::MemsetOp::create(b, table, zero, constant(numSlots * sizeof(int64_t)),
                         /*isVolatile=*/false);
  DenseMap<Operation *, int64_t> slots;
  for (auto [index, call] : llvm::enumerate(calls.allocations)) {
    b.setInsertionPointAfter(call);
    int64_t slot = slots[call] = index % numSlots;
    LLVM::CallOp::create(
        b, functions.keep,
        ValueRange{table, size, constant(slot), call.getResult()});
  }
  for (LLVM::CallOp call : calls.frees) {
    Value buffer = call.getArgOperands()[0];
    LLVM::CallOp allocation = findAllocation(buffer);
    auto found = slots.find(allocation);
    // A thread allocated the buffer in an `omp` region.
    if (allocation && found == slots.end())
      continue;
    b.setInsertionPoint(call);
    LLVM::CallOp::create(b, functions.drop,
                         ValueRange{table, size,
                                    constant(allocation ? found->second : 0),
                                    buffer});
  }
  for (auto end : llvm::to_vector(kernel.getBody().getOps<LLVM::ReturnOp>()))
    if (!isDone(end)) {
      passInMemory(b, end);
      freeAll(b, end, functions, table, size);
    }
}

FailureOr<Functions> FreeOnFailure::declare(const Allocator &allocator) {
  ModuleOp module = getOperation();
  OpBuilder b(&getContext());
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  auto none = LLVM::LLVMVoidType::get(&getContext());
  Type i64 = b.getI64Type();
  SmallVector<Type> change = {pointer, i64, i64, pointer};
  SmallVector<Type> argumentTypes(&allocator == kAllocators ? 1 : 2, pointer);
  auto keep = declareFunction(b, module, "__qf_keep_buffer", change, none);
  auto drop = declareFunction(b, module, "__qf_drop_buffer", change, none);
  auto take =
      declareFunction(b, module, "__qf_take_buffer", {pointer, i64}, pointer);
  auto free = declareFunction(b, module, allocator.free, argumentTypes, none);
  if (failed(keep) || failed(drop) || failed(take) || failed(free))
    return failure();
  // These functions do not access the buffer.
  for (LLVM::LLVMFuncOp function : {*keep, *drop})
    function.setArgAttr(3, LLVM::LLVMDialect::getReadnoneAttrName(),
                        b.getUnitAttr());
  return Functions{*keep, *drop, *take, *free};
}

void FreeOnFailure::runOnOperation() {
  auto kernels = llvm::to_vector(llvm::make_filter_range(
      getOperation().getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
        return function->hasAttr(kEntryPointAttrName) &&
               !function.isExternal() &&
               function.getFunctionType().getReturnType().isInteger(64);
      }));
  for (const Allocator &allocator : kAllocators) {
    FailureOr<Functions> functions = Functions();
    for (LLVM::LLVMFuncOp kernel : kernels) {
      FailureOr<Calls> calls = findCalls(kernel, allocator);
      if (failed(calls))
        return signalPassFailure();
      if (calls->allocations.empty())
        continue;
      if (!functions->free)
        functions = declare(allocator);
      if (failed(functions))
        return signalPassFailure();
      track(kernel, *calls, *functions);
    }
  }
}
