//===- GenerateCPUCode.cpp - Memrefs to the LLVM dialect on CPUs ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:     linalg, memref, scf and arith ops on memrefs.
// Output:    the LLVM dialect, with omp ops for threads.
// Invariant: conversions are instructions of the CPU or integer arithmetic. A
//            kernel that fails returns a status code and calls nothing that
//            aborts.
//
// A conversion is a single op until convert-quant-float-to-arith, which keeps
// the IR small for the passes before it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/Codegen/Math/Passes.h"
#include "quant-float/Codegen/SubByte/Passes.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/Lowering/LoweringTarget.h"
#include "quant-float/Pipelines/Stages.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Lowers contractions with low-bit weights, plans buffers, and converts
/// failures to status codes.
static void addBufferPasses(OpPassManager &manager, const StageOptions &options,
                            unsigned vectorBytes) {
  manager.addNestedPass<func::FuncOp>(createQuantFloatHoistFillsPass());
  QuantFloatLowerWeightContractionsPassOptions contractions;
  contractions.threads = options.threads;
  manager.addNestedPass<func::FuncOp>(
      createQuantFloatLowerWeightContractionsPass(contractions));
  manager.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
  // With several threads, a reduction is distributed without its epilogue.
  if (options.threads == 1) {
    QuantFloatFuseEpiloguesPassOptions epilogues;
    epilogues.vectorBytes = vectorBytes;
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatFuseEpiloguesPass(epilogues));
  }
  manager.addNestedPass<func::FuncOp>(createQuantFloatPlanBuffersPass());
  manager.addPass(createQuantFloatConvertAssertsToStatusPass());
  manager.addPass(createQuantFloatLowerStringsPass());
}

void quant_float::buildGenerateCPUCode(OpPassManager &manager,
                                       const StageOptions &options) {
  const TargetCpu &cpu = options.cpu;
  LoweringTarget target = LoweringTarget::get(cpu);
  unsigned vectorBytes = target.vectorBytes;
  addBufferPasses(manager, options, vectorBytes);
  QuantFloatTileAndVectorizePassOptions tiling;
  // A tile of bytes, the narrowest elements, fills one register.
  tiling.tileSize = vectorBytes;
  // AVX-512BW, which has registers of 64 bytes, also has masks for bytes.
  tiling.maskedTail = vectorBytes == 64;
  tiling.parallel = options.threads != 1;

  QuantFloatConfigureReductionsPassOptions configuration;
  configuration.vectorBytes = vectorBytes;
  configuration.registers = target.vectorRegisters;
  QuantFloatVectorizeReductionsPassOptions reductions;
  reductions.vectorBytes = vectorBytes;
  reductions.registers = target.vectorRegisters;

  // Each remark names the op of one conversion, so ops must not share code.
  if (!options.explains) {
    QuantFloatOutlineDuplicateReductionsPassOptions duplicates;
    // A dynamic extent counts as one iteration, so merged reductions would not
    // be distributed among threads.
    if (options.threads != 1)
      duplicates.mergeThreshold = 0;
    manager.addPass(createQuantFloatOutlineDuplicateReductionsPass(duplicates));
    QuantFloatOutlineKernelsPassOptions kernels;
    // quant-float-fuse-parallel-regions fuses only the regions of one function.
    if (options.threads != 1)
      kernels.minDuplicates = 8;
    manager.addPass(createQuantFloatOutlineKernelsPass(kernels));
  }
  if (target.machine == Machine::X86) {
    QuantFloatFlushSubnormalsPassOptions flushing;
    flushing.preserveF16Subnormals = cpu.has("avx10.2");
    manager.addPass(createQuantFloatFlushSubnormalsPass(flushing));
  }
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(createQuantFloatLowerCopiesPass());
  QuantFloatDeinterleaveStridedCopiesPassOptions deinterleaving;
  deinterleaving.vectorBytes = vectorBytes;
  function.addPass(
      createQuantFloatDeinterleaveStridedCopiesPass(deinterleaving));
  if (options.threads != 1) {
    QuantFloatDistributeReductionsPassOptions distribution;
    distribution.threads = options.threads;
    function.addPass(createQuantFloatDistributeReductionsPass(distribution));
  }
  function.addPass(createQuantFloatConfigureReductionsPass(configuration));
  function.addPass(createQuantFloatVectorizeReductionsPass(reductions));
  // RISC-V has strided loads instead of shuffles of two registers.
  if (target.machine != Machine::RISCV) {
    QuantFloatVectorizeTransposesPassOptions transposes;
    transposes.vectorBytes = vectorBytes;
    transposes.parallel = options.threads != 1;
    function.addPass(createQuantFloatVectorizeTransposesPass(transposes));
  }
  function.addPass(createQuantFloatTileAndVectorizePass(tiling));
  function.addPass(createQuantFloatLowerLinalgToLoopsPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  function.addPass(createQuantFloatLowerStridedTransfersPass());
  manager.addPass(createQuantFloatUseNontemporalStoresPass());
  QuantFloatLowerPackedElementsPassOptions packed;
  packed.permutes = target.has(ConversionFeature::Avx512Vbmi);
  if (target.has(ConversionFeature::Avx2))
    packed.registerBytes = vectorBytes;
  manager.addPass(createQuantFloatLowerPackedElementsPass(packed));
  manager.addNestedPass<func::FuncOp>(
      createQuantFloatLowerVectorTransfersPass());

  if (options.threads != 1) {
    manager.addNestedPass<func::FuncOp>(createForallToParallelLoopPass());
    ConvertSCFToOpenMPPassOptions openMP;
    openMP.numThreads = options.threads;
    manager.addPass(createConvertSCFToOpenMPPass(openMP));
    // Inlines each memref.alloca_scope that has no allocas.
    manager.addPass(createCanonicalizerPass());
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatFuseParallelRegionsPass());
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatLowerAllocaScopesPass());
  }
  if (target.machine == Machine::X86) {
    QuantFloatLowerMinMaxPassOptions minMax;
    minMax.vectorBytes = vectorBytes;
    minMax.range = cpu.has("avx512dq") && cpu.has("avx512vl");
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatLowerMinMaxPass(minMax));
  }
  QuantFloatLowerMathPassOptions math;
  math.fma = target.hasFma;
  manager.addPass(createQuantFloatLowerMathPass(math));
  // Arm's FP8 conversions read a mode register, which is set before the loop.
  // Outlined casts would set it in each iteration.
  if (!options.explains && !target.has(ConversionFeature::Fp8))
    manager.addPass(createQuantFloatOutlineDuplicateCastsPass());
  OpPassManager &low = manager.nest<func::FuncOp>();
  low.addPass(createQuantFloatLowerReshapesPass());
  low.addPass(createQuantFloatExpandMemrefViewsPass());
  low.addPass(createLowerAffinePass());
  low.addPass(createConvertQuantFloatToArithPass());
  // The conversion never fails halfway, so it does not need to record changes
  // for a rollback.
  SCFToControlFlowPassOptions toControlFlow;
  toControlFlow.allowPatternRollback = false;
  low.addPass(createSCFToControlFlowPass(toControlFlow));
  low.addPass(createCSEPass());
  QuantFloatRequireLoweredPassOptions requirement;
  requirement.target = cpu.cpu;
  low.addPass(createQuantFloatRequireLoweredPass(requirement));
  low.addPass(createQuantFloatLowerVectorOpsPass());
  manager.addPass(createQuantFloatConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}
