//===- Bufferize.cpp - Tensors to memrefs ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:     linalg, tensor, scf and arith ops on tensors.
// Output:    linalg, memref, scf and arith ops on memrefs.
// Invariant: there are no tensors. Allocations are freed where they are last
//            used, and those of constant size in loops are hoisted.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/Pipelines/Stages.h"
#include "quant-float/Support/BufferSize.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether a buffer may be on the stack. Upstream's own limit multiplies sizes
/// in 32 bits.
static bool isSmall(Value buffer) {
  constexpr uint64_t kMaxBytes = 256;
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  return alloc && alloc.getType().hasStaticShape() &&
         getStaticBytes(alloc.getType()) <= kMaxBytes;
}

void quant_float::buildBufferize(OpPassManager &manager,
                                 const StageOptions &options) {
  bufferization::OneShotBufferizePassOptions oneShot;
  oneShot.bufferizeFunctionBoundaries = true;
  // The body of a model's loop may return a new tensor in each iteration.
  oneShot.allowReturnAllocsFromLoops = true;
  oneShot.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(oneShot));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());

  OpPassManager allocations(ModuleOp::getOperationName());
  OpPassManager &buffers = allocations.nest<func::FuncOp>();
  buffers.addPass(bufferization::createBufferHoistingPass());
  buffers.addPass(bufferization::createBufferLoopHoistingPass());
  if (!options.onGPU)
    buffers.addPass(bufferization::createPromoteBuffersToStackPass(isSmall));
  bufferization::buildBufferDeallocationPipeline(allocations);
  manager.addPass(createQuantFloatIfPresentPass(
      {"memref.alloc", "memref.realloc", "bufferization", "func.call"},
      std::move(allocations)));
}
