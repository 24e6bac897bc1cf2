//===- CPUPipeline.cpp - From tensors to LLVM for CPUs --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Compiler/CPUPipeline.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Compiler/NVVMPipeline.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/Emulation/EmulationTarget.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/TargetCpu.h"
#include "quant-float/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::quant_float;

void quant_float::buildConvertNodesPipeline(OpPassManager &manager,
                                            bool islands, bool onDevice) {
  // Upstream's casts of narrow floats have no lowering but ours.
  manager.addPass(createQuantFloatLegalizeArithPass());
  ConvertOpenVinoNodesToOnnxPassOptions layers;
  layers.allowUnsupported = islands;
  manager.addPass(createConvertOpenVinoNodesToOnnxPass(layers));
  // Calls would hide where the sizes of results come from.
  // All functions are simplified below.
  manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  ConvertOnnxNodesToLinalgPassOptions nodes;
  nodes.allowUnsupported = islands;
  nodes.onDevice = onDevice;
  manager.addPass(createConvertOnnxNodesToLinalgPass(nodes));
  if (islands)
    manager.addPass(createQuantFloatOutlineIslandsPass());
}

/// Whether a buffer may be on the stack.
static bool isSmall(Value buffer) {
  constexpr uint64_t kMostBytes = 256;
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  return alloc && alloc.getType().hasStaticShape() &&
         getStaticBytes(alloc.getType()) <= kMostBytes;
}

void quant_float::buildBufferizePipeline(OpPassManager &manager, bool islands,
                                         const TargetCpu *cpu, unsigned threads,
                                         Activations activations, bool explains,
                                         Sums sums) {
  bool onDevice = !cpu;
  if (!onDevice) {
    QuantFloatEliminateQdqPassOptions elimination;
    elimination.requantize = RequantizationForm::None;
    // Trying more takes longer than what it saves.
    elimination.codeBits = 8;
    elimination.remarks = false;
    manager.addPass(createQuantFloatEliminateQdqPass(elimination));
    manager.addNestedPass<func::FuncOp>(createQuantFloatQuantizePartsPass());
  }
  manager.addNestedPass<func::FuncOp>(createQuantFloatMultiplyCodesPass());
  manager.addNestedPass<func::FuncOp>(createQuantFloatTransposeWeightsPass());
  buildConvertNodesPipeline(manager, islands, onDevice);
  manager.addPass(createQuantFloatDecomposeQdqPass());
  manager.addPass(createConvertQuantFloatToLinalgPass());
  QuantFloatMakeEntryPointsPassOptions entryPoints;
  entryPoints.share = !explains;
  // Branches that only count have no place on a device.
  entryPoints.cutBranches = !onDevice;
  manager.addPass(createQuantFloatMakeEntryPointsPass(entryPoints));
  OpPassManager &function = manager.nest<func::FuncOp>();
  // Asking a result for its sizes is a use that would be in the way of fusion.
  function.addPass(memref::createResolveShapedTypeResultDimsPass());
  function.addPass(createQuantFloatFuseElementwisePass());
  if (!onDevice)
    function.addPass(createQuantFloatFlattenWindowsPass());
  QuantFloatFuseWeightsPassOptions weights;
  weights.xBits = activations == Activations::Int8    ? 8
                  : activations == Activations::Int16 ? 16
                                                      : 0;
  function.addPass(createQuantFloatFuseWeightsPass(weights));
  if (onDevice) {
    if (sums == Sums::Fast)
      function.addPass(createQuantFloatPadCodesPass());
    // Sums of weights have their order by now.
    QuantFloatFuseElementwisePassOptions fusion;
    fusion.products = true;
    function.addPass(createQuantFloatFuseElementwisePass(fusion));
  } else {
    function.addPass(createQuantFloatPropagateTransposesPass());
    function.addPass(createQuantFloatFuseAttentionPass());
    QuantFloatPackDotsPassOptions dots;
    dots.cpu = cpu->cpu;
    dots.triple = cpu->triple;
    dots.features = cpu->features;
    function.addPass(createQuantFloatPackDotsPass(dots));
    function.addPass(createQuantFloatWidenFactorsPass());
    function.addPass(createQuantFloatTileContractionsPass());
  }
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (!onDevice)
    manager.addNestedPass<func::FuncOp>(createQuantFloatPadInPlacePass());
  QuantFloatSeparateInitsPassOptions inits;
  inits.empty = !onDevice;
  manager.addNestedPass<func::FuncOp>(createQuantFloatSeparateInitsPass(inits));
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions oneShot;
  oneShot.bufferizeFunctionBoundaries = true;
  // A model's loops may make new tensors in every step.
  oneShot.allowReturnAllocsFromLoops = true;
  oneShot.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(oneShot));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());

  // Buffers for what networks compute on the way. Large ones are on the heap
  // for as long as they are needed, those inside loops are made before them.
  OpPassManager allocations(ModuleOp::getOperationName());
  OpPassManager &buffers = allocations.nest<func::FuncOp>();
  buffers.addPass(bufferization::createBufferHoistingPass());
  buffers.addPass(bufferization::createBufferLoopHoistingPass());
  // The pass's own sizes of bytes wrap around.
  if (!onDevice)
    buffers.addPass(bufferization::createPromoteBuffersToStackPass(isSmall));
  bufferization::buildBufferDeallocationPipeline(allocations);
  manager.addPass(createQuantFloatIfPresentPass(
      {"memref.alloc", "memref.realloc", "bufferization", "func.call"},
      std::move(allocations)));
  if (!onDevice) {
    QuantFloatLowerProductsPassOptions products;
    products.cpu = cpu->cpu;
    products.triple = cpu->triple;
    products.features = cpu->features;
    products.threads = threads;
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatLowerProductsPass(products));
  }
  manager.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
  if (!onDevice) {
    // Threads share sums, not what follows them.
    if (threads == 1) {
      QuantFloatFuseEpiloguesPassOptions epilogues;
      epilogues.vectorBytes = EmulationTarget::get(*cpu).vectorBytes;
      manager.addNestedPass<func::FuncOp>(
          createQuantFloatFuseEpiloguesPass(epilogues));
    }
    manager.addNestedPass<func::FuncOp>(createQuantFloatPlanBuffersPass());
  }
  if (onDevice) {
    manager.addNestedPass<func::FuncOp>(createQuantFloatCopyMeasurementsPass());
    QuantFloatMapScalarsToGpuPassOptions scalars;
    scalars.module = kKernelModuleName;
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatMapScalarsToGpuPass(scalars));
  }
  manager.addPass(createQuantFloatGuardKernelsPass());
  QuantFloatLowerTextsPassOptions texts;
  texts.onDevice = onDevice;
  manager.addPass(createQuantFloatLowerTextsPass(texts));
}

void quant_float::buildLowerToCPUPipeline(OpPassManager &manager,
                                          const TargetCpu &cpu,
                                          unsigned threads, bool islands,
                                          Sums sums, Activations activations,
                                          bool explains) {
  buildBufferizePipeline(manager, islands, &cpu, threads, activations,
                         explains);

  EmulationTarget target = EmulationTarget::get(cpu);
  unsigned vectorBytes = target.vectorBytes;
  QuantFloatTileAndVectorizePassOptions tiling;
  // One register of bytes, the narrowest elements there are.
  tiling.tileSize = vectorBytes;
  // Masks on bytes are instructions where byte vectors of 64 are.
  tiling.maskedTail = vectorBytes == 64;
  tiling.parallel = threads != 1;
  ConvertQuantFloatToArithPassOptions expansion;
  expansion.cpu = cpu.cpu;
  expansion.triple = cpu.triple;
  expansion.features = cpu.features;

  QuantFloatVectorizeReductionsPassOptions reductions;
  reductions.vectorBytes = vectorBytes;
  reductions.registers = target.vectorRegisters;
  reductions.cpu = cpu.cpu;
  reductions.triple = cpu.triple;
  reductions.features = cpu.features;

  // What is said of a conversion names the op that it is for.
  if (!explains) {
    QuantFloatShareReductionsPassOptions sharing;
    // Sums of unknown length may be too short for several threads.
    if (threads != 1)
      sharing.lengths = 0;
    manager.addPass(createQuantFloatShareReductionsPass(sharing));
    QuantFloatOutlineKernelsPassOptions outlining;
    // Threads share what stands side by side in one function.
    if (threads != 1)
      outlining.least = 8;
    manager.addPass(createQuantFloatOutlineKernelsPass(outlining));
  }
  if (target.machine == Machine::X86) {
    QuantFloatFlushSubnormalsPassOptions flushing;
    flushing.hasHalfArithmetic = cpu.has("avx512fp16");
    manager.addPass(createQuantFloatFlushSubnormalsPass(flushing));
  }
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(createQuantFloatLowerCopiesPass());
  QuantFloatLowerPhasesPassOptions phases;
  phases.vectorBytes = vectorBytes;
  function.addPass(createQuantFloatLowerPhasesPass(phases));
  if (threads != 1) {
    QuantFloatDistributeReductionsPassOptions shares;
    shares.threads = threads;
    function.addPass(createQuantFloatDistributeReductionsPass(shares));
  }
  function.addPass(createQuantFloatVectorizeReductionsPass(reductions));
  if (sums == Sums::Fast)
    function.addPass(createQuantFloatContractSumsPass());
  function.addPass(createQuantFloatTileAndVectorizePass(tiling));
  function.addPass(createQuantFloatLowerLinalgToLoopsPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  function.addPass(createQuantFloatLowerStridedTransfersPass());
  manager.addPass(createQuantFloatStreamStoresPass());
  QuantFloatLowerPackedElementsPassOptions packed;
  packed.permutes = target.has(ConversionFeature::Avx512Vbmi);
  if (target.has(ConversionFeature::Avx2))
    packed.registerBytes = vectorBytes;
  manager.addPass(createQuantFloatLowerPackedElementsPass(packed));
  manager.addNestedPass<func::FuncOp>(createQuantFloatLowerTransfersPass());

  if (threads != 1) {
    manager.addNestedPass<func::FuncOp>(createForallToParallelLoopPass());
    ConvertSCFToOpenMPPassOptions openMP;
    openMP.numThreads = threads;
    manager.addPass(createConvertSCFToOpenMPPass(openMP));
    // Drops scopes without allocas.
    manager.addPass(createCanonicalizerPass());
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatMergeParallelRegionsPass());
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatLowerAllocaScopesPass());
  }
  manager.addPass(createQuantFloatLowerMathPass());
  // Modes that conversions set in a register are set in front of loops: not
  // within a function.
  if (!explains && !target.has(ConversionFeature::Fp8))
    manager.addPass(createQuantFloatShareCastsPass());
  OpPassManager &low = manager.nest<func::FuncOp>();
  low.addPass(createQuantFloatLowerReshapesPass());
  low.addPass(createQuantFloatExpandViewsPass());
  low.addPass(createLowerAffinePass());
  // A cast is one op until here, which the passes above are quick about.
  low.addPass(createConvertQuantFloatToArithPass(expansion));
  // What a conversion has no pattern for stays as it is: nothing has to be
  // taken back, which upstream would keep books for.
  SCFToControlFlowPassOptions toControlFlow;
  toControlFlow.allowPatternRollback = false;
  low.addPass(createSCFToControlFlowPass(toControlFlow));
  low.addPass(createCSEPass());
  QuantFloatRequireLoweredPassOptions requirement;
  requirement.target = cpu.cpu;
  low.addPass(createQuantFloatRequireLoweredPass(requirement));
  low.addPass(createQuantFloatLowerVectorsPass());
  manager.addPass(createQuantFloatConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createQuantFloatFreeOnFailurePass());
  manager.addPass(createQuantFloatAssumeNoAlignmentPass());
  if (target.machine == Machine::X86 && vectorBytes == 64)
    manager.addPass(createQuantFloatBroadcastFromMemoryPass());
  // What is said of memory above is seen within one function.
  if (threads != 1)
    manager.addPass(createQuantFloatPropagateFloatControlPass());
  manager.addPass(createQuantFloatEmitCWrappersPass());
}

void quant_float::registerCPUPipelines() {
  PassPipelineRegistration<LowerToCPUOptions>(
      "quant-float-lower-to-cpu",
      "lower quant_float on tensors to vectorized LLVM dialect with C entry "
      "points",
      [](OpPassManager &manager, const LowerToCPUOptions &options) {
        TargetCpu target;
        if (auto cpu = TargetCpu::get(options.triple, options.cpu)) {
          target = *cpu;
        } else {
          // A pipeline builder has no way to fail: the expansion pass gets the
          // same names, says what is wrong with them and fails.
          llvm::consumeError(cpu.takeError());
          target.triple = options.triple;
          target.cpu = options.cpu;
        }
        buildLowerToCPUPipeline(manager, target, options.threads,
                                options.islands, options.sums,
                                options.activations);
      });
}
