//===- KernelLaunches.cpp - Create kernel launches ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLaunches.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::quant_float;

Value KernelLaunches::beginBlocks(Value blocks, int64_t threads,
                                  int64_t dynamicBytes) {
  Value one = index(1);
  Value size = index(threads);
  // The CUDA driver rejects empty grids.
  blocks = rewriter.createOrFold<arith::MaxUIOp>(loc, blocks, one);
  Value bytes;
  if (dynamicBytes)
    bytes = arith::ConstantIntOp::create(rewriter, loc, dynamicBytes, 32);
  launch = gpu::LaunchOp::create(rewriter, loc, blocks, one, one, size, one,
                                 one, bytes);
  launch.setModule(module);
  launch.setFunction((name + Twine(numLaunches++)).str());
  rewriter.setInsertionPointToStart(&launch.getBody().front());
  Operation *end = gpu::TerminatorOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  return launch.getBlockIds().x;
}

/// Clones views and references to globals, recursively to the entire buffer.
/// Returns null if `value` is neither.
static Value cloneView(OpBuilder &builder, Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<memref::GetGlobalOp>(op))
    return builder.clone(*op)->getResult(0);
  if (!isa_and_nonnull<ViewLikeOpInterface>(op) || !isMemoryEffectFree(op))
    return nullptr;
  IRMapping mapping;
  if (Value source = cloneView(builder, op->getOperand(0)))
    mapping.map(op->getOperand(0), source);
  return builder.clone(*op, mapping)->getResult(0);
}

void quant_float::sinkViews(RewriterBase &rewriter, gpu::LaunchOp launch) {
  OpBuilder::InsertionGuard guard(rewriter);
  SetVector<Value> outside;
  launch.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          !launch.getBody().isAncestor(operand.getParentRegion()))
        outside.insert(operand);
  });
  rewriter.setInsertionPointToStart(&launch.getBody().front());
  for (Value value : outside)
    if (Value view = cloneView(rewriter, value))
      rewriter.replaceUsesWithIf(value, view, [&](OpOperand &use) {
        return launch->isProperAncestor(use.getOwner());
      });
}

std::string quant_float::getKernelPrefix(StringRef function) {
  function.consume_back(".kernel");
  std::string prefix = function.str();
  // PTX identifiers have no dots. Other entry points' names have no dollars.
  llvm::replace(prefix, '.', '$');
  return prefix;
}

Value quant_float::viewWorkgroupMemory(OpBuilder &builder, Location loc,
                                       Value memory, ArrayRef<int64_t> shape,
                                       Type element) {
  Attribute space = cast<MemRefType>(memory.getType()).getMemorySpace();
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return memref::ViewOp::create(builder, loc, type, memory, zero, ValueRange());
}

Value KernelLaunches::allocateWorkgroupMemory(int64_t bytes) {
  auto space = gpu::AddressSpaceAttr::get(rewriter.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({bytes}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), Attribute(space));
  return launch.addWorkgroupAttribution(type, loc);
}

/// Whether the extents are static and so small that 32 bits can hold all
/// indices, including those in a partial last tile.
static bool fitIn32Bits(ArrayRef<Value> extents) {
  constexpr int64_t kMaxIndex = int64_t(1) << 31;
  int64_t count = 1;
  for (Value extent : extents) {
    std::optional<int64_t> size = getConstantIntValue(extent);
    if (!size || *size > kMaxIndex || (count *= *size) > kMaxIndex)
      return false;
  }
  return true;
}

SmallVector<Value> KernelLaunches::delinearize(Value number,
                                               ArrayRef<Value> extents) {
  SmallVector<Value> indices(extents.size());
  // A 64-bit division takes several times as many instructions.
  bool isShort = fitIn32Bits(extents);
  auto divide = [&](auto op, Value lhs, Value rhs) -> Value {
    using Op = decltype(op);
    if (!isShort)
      return Op::create(rewriter, loc, lhs, rhs);
    auto cast = [&](Type type, Value value) -> Value {
      return rewriter.createOrFold<arith::IndexCastUIOp>(loc, type, value);
    };
    Type i32 = rewriter.getI32Type();
    Value result = Op::create(rewriter, loc, cast(i32, lhs), cast(i32, rhs));
    return cast(rewriter.getIndexType(), result);
  };
  for (size_t i = extents.size(); i-- > 0;) {
    if (isConstantIntValue(getAsOpFoldResult(extents[i]), 1)) {
      indices[i] = index(0);
      continue;
    }
    bool isLast = llvm::all_of(ArrayRef(extents).take_front(i), [](Value e) {
      return isConstantIntValue(getAsOpFoldResult(e), 1);
    });
    if (isLast) {
      indices[i] = number;
      number = index(0);
      continue;
    }
    indices[i] = divide(arith::RemUIOp(), number, extents[i]);
    number = divide(arith::DivUIOp(), number, extents[i]);
  }
  return indices;
}
