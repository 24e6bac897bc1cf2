//===- NVVMPipeline.cpp - From tensors to kernels for GPUs ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Compiler/NVVMPipeline.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Compiler/CPUPipeline.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/Support/NvidiaChip.h"
#include "quant-float/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::quant_float;

void quant_float::buildOutlineKernelsPipeline(OpPassManager &manager,
                                              const LowerToNVVMOptions &options,
                                              bool explains) {
  buildBufferizePipeline(manager, options.islands, /*cpu=*/nullptr,
                         /*threads=*/1, Activations::Float, explains,
                         options.sums);
  QuantFloatMapToGpuPassOptions mapping;
  mapping.module = kKernelModuleName;
  mapping.chip = options.chip;
  mapping.ptx = options.features;
  mapping.fastSums = options.sums == Sums::Fast;
  OpPassManager &function = manager.nest<func::FuncOp>();
  if (mapping.fastSums)
    function.addPass(createQuantFloatContractSumsPass());
  function.addPass(createQuantFloatMapToGpuPass(mapping));
  // Erases dead reads as well, which the next pass refuses.
  function.addPass(createConvertLinalgToLoopsPass());
  QuantFloatLowerPackedElementsPassOptions packed;
  packed.inOrder = true;
  manager.addPass(createQuantFloatLowerPackedElementsPass(packed));
  manager.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  QuantFloatLowerMathPassOptions math;
  math.libm = false;
  manager.addPass(createQuantFloatLowerMathPass(math));
  // Constants and sizes are the kernels' own, rather than arguments.
  manager.addPass(createGpuLaunchSinkIndexComputationsPass());
  manager.addPass(createGpuKernelOutliningPass());
  manager.addPass(createCanonicalizerPass());
}

/// To blocks and plain addresses.
static void flatten(OpPassManager &function) {
  function.addPass(createQuantFloatLowerReshapesPass());
  function.addPass(memref::createExpandStridedMetadataPass());
  function.addPass(createLowerAffinePass());
  function.addPass(createSCFToControlFlowPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
}

void quant_float::buildLowerKernelsPipeline(OpPassManager &manager,
                                            const LowerToNVVMOptions &options) {
  // Says what is wrong with the names before LLVM could abort.
  ConvertQuantFloatToNVVMPassOptions conversion;
  conversion.chip = options.chip.empty() ? "''" : options.chip.getValue();
  conversion.ptx = options.features;
  manager.addPass(createConvertQuantFloatToNVVMPass(conversion));
  llvm::Expected<NvidiaChip> chip =
      NvidiaChip::get(options.chip, options.features);
  if (!chip) {
    llvm::consumeError(chip.takeError());
    return;
  }

  OpPassManager &device = manager.nest<gpu::GPUModuleOp>();
  OpPassManager &kernel = device.nest<gpu::GPUFuncOp>();
  flatten(kernel);
  kernel.addPass(createQuantFloatAlignSharedPass());
  QuantFloatRequireLoweredPassOptions requirement;
  requirement.target = chip->name;
  device.addPass(createQuantFloatRequireLoweredPass(requirement));
  GpuNVVMAttachTargetOptions target;
  target.chip = chip->name;
  target.features = chip->getFeatures();
  target.optLevel = 3;
  manager.addPass(createGpuNVVMAttachTarget(target));
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());

  OpPassManager &host = manager.nest<func::FuncOp>();
  host.addPass(createGpuAsyncRegionPass());
  flatten(host);
  // The conversion simplifies blocks in no more than ten rounds, and fails
  // without a word where that leaves something to do.
  GreedyRewriteConfig simplification;
  simplification.setMaxIterations(GreedyRewriteConfig::kNoLimit);
  simplification.setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Aggressive);
  host.addPass(createCanonicalizerPass(simplification));
  manager.addPass(createGpuToLLVMConversionPass());
  GpuModuleToBinaryPassOptions binary;
  // Upstream's names, in the order of KernelFormat.
  static constexpr const char *kFormats[] = {"isa", "bin", "fatbin", "llvm"};
  binary.compilationTarget = kFormats[static_cast<unsigned>(
      static_cast<KernelFormat>(options.format))];
  binary.toolkitPath = options.toolkit;
  manager.addPass(createGpuModuleToBinaryPass(binary));
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createQuantFloatFreeOnFailurePass());
  manager.addPass(createQuantFloatEmitCWrappersPass());
}

void quant_float::registerNVVMPipelines() {
  PassPipelineRegistration<LowerToNVVMOptions>(
      "quant-float-lower-to-nvvm",
      "lower quant_float on tensors to kernels for NVIDIA GPUs with C entry "
      "points that launch them",
      [](OpPassManager &manager, const LowerToNVVMOptions &options) {
        buildOutlineKernelsPipeline(manager, options);
        buildLowerKernelsPipeline(manager, options);
      });
}
