//===- EmitABI.cpp - C functions around kernels ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:     kernels in the LLVM dialect.
// Output:    the same, and for each entry point the C functions of
//            quant-float-c/EntryPoint.h, which check arguments, compute shapes
//            and call the kernel.
// Invariant: the module translates to LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/Lowering/LoweringTarget.h"
#include "quant-float/Pipelines/Stages.h"

using namespace mlir;
using namespace mlir::quant_float;

void quant_float::buildEmitABI(OpPassManager &manager,
                               const StageOptions &options) {
  manager.addPass(createQuantFloatFreeOnFailurePass());
  if (!options.onGPU) {
    manager.addPass(createQuantFloatAssumeNoAlignmentPass());
    LoweringTarget target = LoweringTarget::get(options.cpu);
    if (target.machine == Machine::X86 && target.vectorBytes == 64)
      manager.addPass(createQuantFloatBroadcastFromMemoryPass());
    // The passes above analyze memory within one function.
    if (options.threads != 1)
      manager.addPass(createQuantFloatPropagateFloatControlPass());
  }
  manager.addPass(createQuantFloatEmitCWrappersPass());
}
