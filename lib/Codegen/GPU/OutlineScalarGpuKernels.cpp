//===- OutlineScalarGpuKernels.cpp - Single-thread GPU kernels ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outlines scalar code to kernels of one thread:
//
//   %0 = memref.load %x[%i]
//   %1 = arith.addi %0, %j
//   memref.store %1, %y[%i]
//   %2 = arith.cmpi slt, %1, %n
//   scf.if %2 { linalg.generic ... }
//
// becomes
//
//   gpu.launch (one thread) {
//     the four ops; memref.store %2, %device[1]; memref.store 1, %device[0]
//   }
//   gpu.memcpy %host, %device
//   cf.assert that %host[0] is 1
//   %2 = memref.load %host[1]
//   scf.if %2 { linalg.generic ... }
//
//===----------------------------------------------------------------------===//

#include "KernelLaunches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "quant-float/Codegen/GPU/Passes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATOUTLINESCALARGPUKERNELSPASS
#include "quant-float/Codegen/GPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-outline-scalar-gpu-kernels"

using namespace mlir;
using namespace mlir::quant_float;

/// The maximum size of the parameters of a kernel that combines several ops.
/// Every chip supports 4 KiB.
static constexpr unsigned kMaxParameterBytes = 3072;

/// Whether a value of this type fits into a 64-bit integer that the host reads.
static bool isScalar(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

static bool areScalars(TypeRange types) {
  return llvm::all_of(types, isScalar);
}

/// Whether the op is a load or a store, or a loop or branch that contains
/// nothing else with side effects.
static bool isSingleThreaded(Operation *op) {
  if (isa<memref::LoadOp, memref::StoreOp>(op))
    return true;
  if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op) ||
      !areScalars(op->getResultTypes()))
    return false;
  bool hasAccess = false;
  WalkResult result = op->walk([&](Operation *nested) {
    bool isAccess = isa<memref::LoadOp, memref::StoreOp>(nested);
    hasAccess |= isAccess;
    bool isKnown = nested->getNumRegions()
                       ? isa<scf::ForOp, scf::IfOp, scf::WhileOp>(nested)
                       : isAccess || isMemoryEffectFree(nested);
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return hasAccess && !result.wasInterrupted();
}

static unsigned getParameterBytes(Value value) {
  auto buffer = dyn_cast<MemRefType>(value.getType());
  return buffer ? (3 + 2 * buffer.getRank()) * 8 : 8;
}

namespace {

/// The ops that become one kernel.
struct Group {
  /// Loads, stores, loops and branches, in program order.
  SetVector<Operation *> accesses;
  /// The values from outside of the group that the ops use.
  DenseSet<Value> taken;
  unsigned parameterBytes = 0;

  bool add(Operation *op);
};

/// Builds the kernels of one function.
class ScalarKernels {
public:
  ScalarKernels(FunctionOpInterface function, StringRef module)
      : function(function), module(module), rewriter(function.getContext()),
        canFail(function->hasAttr(kEntryPointAttrName)) {}

  void map(Block &block);
  void finish();
  unsigned getNumLaunches() const { return numLaunches; }

private:
  /// A device buffer, and the host buffer that it is copied to.
  struct HostBuffers {
    Value onDevice, onHost;
  };

  void build(Block &block, const Group &group);
  /// Collects the ops that depend on results of the group: those between
  /// the ops of the group, and those after it that the kernel can compute as
  /// well.
  void collectDependent(Block &block, const Group &group,
                        SmallVectorImpl<Operation *> &dependent,
                        SmallVectorImpl<Operation *> &trailing);
  /// Copies values of a kernel to the host after the launch. `inside` are the
  /// corresponding values in the kernel.
  void read(gpu::LaunchOp launch, ArrayRef<Value> values,
            ArrayRef<Value> inside);
  HostBuffers getHostBuffers(unsigned count);

  FunctionOpInterface function;
  StringRef module;
  IRRewriter rewriter;
  /// Whether the function is an entry point, which reports device failures.
  bool canFail;
  unsigned numLaunches = 0;
  llvm::SmallMapVector<unsigned, HostBuffers, 4> hostBuffers;
};
} // namespace

/// Whether a call, a select, a region branch or a terminator uses the buffer or
/// a view of it.
static bool isForwarded(Value buffer) {
  return llvm::any_of(buffer.getUses(), [](OpOperand &use) {
    Operation *op = use.getOwner();
    if (isa<ViewLikeOpInterface>(op))
      return isForwarded(op->getResult(0));
    return isa<RegionBranchOpInterface, arith::SelectOp, func::CallOp>(op) ||
           op->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Copies constants that the host passes on to device memory. Kernels reference
/// all other constants directly.
static void copyConstants(FunctionOpInterface function) {
  SmallVector<memref::GetGlobalOp> constants;
  function.walk([&](memref::GetGlobalOp op) {
    if (isForwarded(op))
      constants.push_back(op);
  });
  for (memref::GetGlobalOp op : constants) {
    auto b = OpBuilder::atBlockBegin(&function.getFunctionBody().front());
    op->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
    b.setInsertionPointAfter(op);
    Location loc = op.getLoc();
    Value copy = memref::AllocOp::create(b, loc, op.getType());
    op.getResult().replaceAllUsesWith(copy);
    memref::CopyOp::create(b, loc, op, copy);
    for (Block &block : function.getFunctionBody())
      if (block.mightHaveTerminator() &&
          block.getTerminator()->hasTrait<OpTrait::ReturnLike>()) {
        b.setInsertionPoint(block.getTerminator());
        memref::DeallocOp::create(b, loc, copy);
      }
  }
}

namespace {
struct OutlineScalarGpuKernels final
    : quant_float::impl::QuantFloatOutlineScalarGpuKernelsPassBase<
          OutlineScalarGpuKernels> {
  using QuantFloatOutlineScalarGpuKernelsPassBase::
      QuantFloatOutlineScalarGpuKernelsPassBase;

  void runOnOperation() override {
    FunctionOpInterface function = getOperation();
    copyConstants(function);
    ScalarKernels kernels(function, module);
    for (Block &block : function.getFunctionBody())
      kernels.map(block);
    kernels.finish();
    numKernels += kernels.getNumLaunches();
  }
};
} // namespace

/// Adds an op to the group. Returns false if the kernel would have too many
/// parameters.
bool Group::add(Operation *op) {
  SmallVector<Value> values;
  unsigned bytes = parameterBytes;
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      Region *from = operand.getParentRegion();
      if (matchPattern(operand, m_Constant()) || taken.contains(operand) ||
          (from != op->getParentRegion() &&
           op->isAncestor(from->getParentOp())) ||
          (definition && accesses.contains(definition)))
        continue;
      values.push_back(operand);
      bytes += getParameterBytes(operand);
    }
  });
  if (!accesses.empty() && bytes > kMaxParameterBytes)
    return false;
  taken.insert_range(values);
  parameterBytes = bytes;
  accesses.insert(op);
  return true;
}

//===----------------------------------------------------------------------===//
// Values that the host reads
//===----------------------------------------------------------------------===//

static Value toI64(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType(), i64 = b.getI64Type();
  if (type.isIndex())
    return arith::IndexCastOp::create(b, i64, value);
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  if (type != bits)
    value = arith::BitcastOp::create(b, bits, value);
  return bits == i64 ? value : arith::ExtUIOp::create(b, i64, value);
}

static Value fromI64(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, value);
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  if (bits != value.getType())
    value = arith::TruncIOp::create(b, bits, value);
  return bits == type ? value : arith::BitcastOp::create(b, type, value);
}

ScalarKernels::HostBuffers ScalarKernels::getHostBuffers(unsigned count) {
  HostBuffers &buffers = hostBuffers[count];
  if (buffers.onHost)
    return buffers;
  Block &entry = function.getFunctionBody().front();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&entry);
  auto type = MemRefType::get({count}, rewriter.getI64Type());
  Location loc = function.getLoc();
  buffers.onDevice = memref::AllocOp::create(rewriter, loc, type);
  buffers.onHost = memref::AllocaOp::create(rewriter, loc, type);
  return buffers;
}

void ScalarKernels::finish() {
  SmallVector<Operation *> returns;
  for (Block &block : function.getFunctionBody())
    if (block.mightHaveTerminator() &&
        block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
      returns.push_back(block.getTerminator());
  for (auto &[count, pair] : hostBuffers)
    for (Operation *op : returns) {
      rewriter.setInsertionPoint(op);
      memref::DeallocOp::create(rewriter, op->getLoc(), pair.onDevice);
    }
}

void ScalarKernels::read(gpu::LaunchOp launch, ArrayRef<Value> values,
                         ArrayRef<Value> inside) {
  HostBuffers buffers = getHostBuffers(values.size() + 1);
  ImplicitLocOpBuilder b(launch.getLoc(), rewriter);
  auto index = [&](int64_t i) -> Value {
    return arith::ConstantIndexOp::create(b, i);
  };
  auto number = [&](int64_t i) -> Value {
    return arith::ConstantIntOp::create(b, i, 64);
  };
  b.setInsertionPoint(launch.getBody().front().getTerminator());
  memref::StoreOp::create(b, number(1), buffers.onDevice, index(0));
  for (auto [i, value] : llvm::enumerate(inside))
    memref::StoreOp::create(b, toI64(b, value), buffers.onDevice, index(i + 1));

  b.setInsertionPointAfter(launch);
  // If the device fails, the host reads these values, so that its loops
  // terminate.
  for (size_t i = 0, e = canFail ? 1 : values.size() + 1; i < e; ++i)
    memref::StoreOp::create(b, number(0), buffers.onHost, index(i));
  gpu::MemcpyOp::create(b, /*asyncToken=*/Type(), ValueRange(), buffers.onHost,
                        buffers.onDevice);
  if (canFail) {
    Value first = memref::LoadOp::create(b, buffers.onHost, index(0));
    Value isRead =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, first, number(0));
    cf::AssertOp::create(b, isRead, "the device has failed");
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    Value raw = memref::LoadOp::create(b, buffers.onHost, index(i + 1));
    rewriter.replaceAllUsesWith(value, fromI64(b, raw, value.getType()));
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void ScalarKernels::collectDependent(Block &block, const Group &group,
                                     SmallVectorImpl<Operation *> &dependent,
                                     SmallVectorImpl<Operation *> &trailing) {
  Operation *last = group.accesses.back();
  // Ops that the kernel computes, and ops after it that it does not.
  DenseSet<Operation *> inside(group.accesses.begin(), group.accesses.end());
  DenseSet<Operation *> late;
  bool isAfterGroup = false;
  for (Operation &op :
       llvm::make_range(group.accesses.front()->getIterator(), block.end())) {
    isAfterGroup |= &op == last;
    if (inside.contains(&op))
      continue;
    bool depends = false, isKnown = true;
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *definition = operand.getDefiningOp();
        if (!definition || op.isAncestor(definition))
          continue;
        depends |= inside.contains(definition);
        isKnown &= !late.contains(definition);
      }
    });
    if (!isAfterGroup) {
      if (depends) {
        inside.insert(&op);
        dependent.push_back(&op);
      }
      continue;
    }
    if (depends && isKnown && op.getNumRegions() == 0 && isPure(&op) &&
        areScalars(op.getResultTypes())) {
      inside.insert(&op);
      trailing.push_back(&op);
    } else {
      late.insert(&op);
    }
  }
}

void ScalarKernels::build(Block &block, const Group &group) {
  SmallVector<Operation *> dependent, trailing;
  collectDependent(block, group, dependent, trailing);
  LDBG() << "one kernel for " << group.accesses.size() << " accesses, "
         << dependent.size() + trailing.size() << " dependent ops and "
         << group.parameterBytes << " bytes of parameters";
  Operation *last = group.accesses.back();
  Location loc = last->getLoc();
  rewriter.setInsertionPointAfter(last);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto launch =
      gpu::LaunchOp::create(rewriter, loc, one, one, one, one, one, one);
  launch.setModule(module);
  launch.setFunction(
      (getKernelPrefix(function.getName()) + "_scalars_" + Twine(numLaunches++))
          .str());

  SetVector<Operation *> cloned(group.accesses.begin(), group.accesses.end());
  cloned.insert_range(dependent);
  cloned.insert_range(trailing);
  SmallVector<Operation *> ordered = cloned.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  cloned.insert_range(ordered);
  IRMapping mapping;
  rewriter.setInsertionPointToStart(&launch.getBody().front());
  for (Operation *op : ordered)
    rewriter.clone(*op, mapping);
  gpu::TerminatorOp::create(rewriter, loc);

  // Ops that do not produce scalars, such as views, are also needed on the
  // host.
  Operation *previous = launch;
  for (Operation *op : dependent) {
    rewriter.moveOpAfter(op, previous);
    previous = op;
    if (!areScalars(op->getResultTypes()))
      cloned.remove(op);
  }
  SmallVector<Value> values, inside;
  for (Operation *op : ordered) {
    if (!cloned.contains(op))
      continue;
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *top = block.findAncestorOpInBlock(*user);
            return top != launch && !(top && cloned.contains(top));
          })) {
        values.push_back(result);
        inside.push_back(mapping.lookup(result));
      }
  }
  if (!values.empty())
    read(launch, values, inside);
  for (Operation *op : llvm::reverse(ordered))
    if (cloned.contains(op))
      rewriter.eraseOp(op);
  sinkViews(rewriter, launch);
}

void ScalarKernels::map(Block &block) {
  SmallVector<Group> groups(1);
  for (Operation &op : block) {
    if (isSingleThreaded(&op)) {
      if (!groups.back().add(&op)) {
        groups.emplace_back();
        groups.back().add(&op);
      }
      continue;
    }
    if (isMemoryEffectFree(&op) && op.getNumRegions() == 0)
      continue;
    if (!groups.back().accesses.empty())
      groups.emplace_back();
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        if (!isa<linalg::LinalgOp, gpu::LaunchOp>(&op))
          map(nested);
  }
  for (const Group &group : groups)
    if (!group.accesses.empty())
      build(block, group);
}
