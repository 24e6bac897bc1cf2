//===- OutlineKernels.cpp - Outline the kernels of large functions --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several of LLVM's passes are quadratic in the size of a function, and
// networks repeat subgraphs: an object detector, for example, selects boxes for
// each of its classes. In functions with many kernels, this pass outlines each
// kernel to a function and merges equal ones.
//
//===----------------------------------------------------------------------===//

#include "../Common/BufferAccesses.h"
#include "SharedFunctions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/EqualFunctions.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATOUTLINEKERNELSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-outline-kernels"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the op of the value is cloned into the outlined function instead of
/// passing the value as an argument: constants, and small constant buffers,
/// whose loads LLVM folds.
static bool isRepeated(Value value) {
  if (matchPattern(value, m_Constant()))
    return true;
  constexpr uint64_t kMaxBytes = 64;
  return value.getDefiningOp<memref::GetGlobalOp>() &&
         getStaticBytes(cast<MemRefType>(value.getType())) <= kMaxBytes;
}

/// Whether no type in `op` depends on the type of the buffer.
static bool isOnlyAccessed(Value buffer, Operation *op) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    return !op->isAncestor(use.getOwner()) ||
           isa<linalg::LinalgOp, memref::LoadOp, memref::StoreOp,
               memref::CopyOp, memref::DimOp>(use.getOwner());
  });
}

static bool isScalar(Type type) {
  return type.isIndex() || (type.isInteger() && !isPackedElementType(type)) ||
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

namespace {
/// An op in the body of a function that is outlined.
struct Kernel {
  Operation *op;
  llvm::SetVector<Value> arguments, repeated;

  explicit Kernel(Operation *op) : op(op) {}

  /// Whether the op can be outlined. Collects the values that it uses.
  bool analyze();
  func::FuncOp makeFunction();
  /// Replaces the uses of the op by the results of a call, without erasing the
  /// op. `results` maps results of replaced ops to results of calls, for the
  /// arguments of other kernels.
  void replaceByCall(func::FuncOp function, IRMapping &results);
};

struct OutlineKernels final
    : quant_float::impl::QuantFloatOutlineKernelsPassBase<OutlineKernels> {
  using QuantFloatOutlineKernelsPassBase::QuantFloatOutlineKernelsPassBase;

  void runOnOperation() override;
};
} // namespace

bool Kernel::analyze() {
  // For a single element, the call would take longer than the op.
  if (auto generic = dyn_cast<linalg::LinalgOp>(op)) {
    if (!generic.hasPureBufferSemantics() ||
        llvm::all_of(generic.getStaticLoopRanges(),
                     [](int64_t range) { return range == 1; }))
      return false;
  } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    // A copy between contiguous buffers is already a single call of memcpy.
    if (llvm::all_of(copy->getOperandTypes(), [](Type type) {
          auto buffer = dyn_cast<MemRefType>(type);
          return buffer && buffer.getLayout().isIdentity();
        }))
      return false;
  } else if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op)) {
    return false;
  }
  if (!llvm::all_of(op->getResultTypes(), isScalar))
    return false;
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    if (isRepeated(value))
      repeated.insert(value);
    else if (isScalar(value.getType()) || getBufferArgumentType(value))
      arguments.insert(value);
    else
      return false;
  }
  // An outlined function cannot return the status of the function it is called
  // from. ConvertAssertsToStatus has already lowered failures to a status.
  return !op->walk([](Operation *inner) {
              return isa<memref::AllocOp, memref::DeallocOp, func::ReturnOp,
                         cf::AssertOp>(inner)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

func::FuncOp Kernel::makeFunction() {
  SmallVector<Type> types;
  for (Value value : arguments)
    types.push_back(isa<MemRefType>(value.getType()) &&
                            isOnlyAccessed(value, op)
                        ? getBufferArgumentType(value)
                        : value.getType());
  func::FuncOp function = makeInternalFunction(op->getLoc(), "shared.kernel",
                                               types, op->getResultTypes());
  BufferAccesses accesses(op);
  if (accesses.areDisjoint(arguments.getArrayRef()))
    function->setAttr(kNoAliasAttrName, UnitAttr::get(op->getContext()));
  IRMapping mapping;
  mapping.map(arguments, function.getArguments());
  OpBuilder builder(function.getBody());
  for (Value value : repeated)
    builder.clone(*value.getDefiningOp(), mapping);
  Operation *copy = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  return function;
}

void Kernel::replaceByCall(func::FuncOp function, IRMapping &results) {
  OpBuilder builder(op);
  auto operands = llvm::map_to_vector(
      arguments, [&](Value value) { return results.lookupOrDefault(value); });
  func::CallOp call = callWithCasts(builder, op->getLoc(), function, operands);
  results.map(op->getResults(), call.getResults());
  op->replaceAllUsesWith(call);
}

void OutlineKernels::runOnOperation() {
  SmallVector<Kernel> kernels;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (!function->hasAttr(kEntryPointAttrName))
      continue;
    size_t before = kernels.size();
    for (Operation &op : function.getBody().getOps())
      if (Kernel kernel(&op); kernel.analyze())
        kernels.push_back(std::move(kernel));
    if (kernels.size() - before <= kernelThreshold) {
      LDBG() << "the " << kernels.size() - before << " kernels of "
             << function.getName() << " stay in place";
      kernels.erase(kernels.begin() + before, kernels.end());
    }
  }
  auto functions = llvm::map_to_vector(
      kernels, [](Kernel &kernel) { return kernel.makeFunction(); });
  SymbolTable symbols(getOperation());
  IRMapping results;
  SmallVector<Operation *> replaced;
  for (ArrayRef<size_t> group : groupEqualFunctions(functions)) {
    if (group.size() < minDuplicates)
      continue;
    func::FuncOp &function = functions[group.front()];
    symbols.insert(function);
    LDBG() << function.getName() << " replaces " << group.size() << " kernels";
    ++numFunctions;
    numOutlined += group.size();
    for (size_t index : group) {
      kernels[index].replaceByCall(function, results);
      replaced.push_back(kernels[index].op);
    }
    function = nullptr;
  }
  for (Operation *op : replaced)
    op->erase();
  for (func::FuncOp function : functions)
    if (function)
      function.erase();
}
