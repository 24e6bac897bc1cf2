//===- GenerateGPUCode.cpp - Memrefs to GPU kernels -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:     linalg, memref, scf and arith ops on memrefs.
// Output:    host functions in the LLVM dialect, and one gpu.binary with all
//            kernels.
// Invariant: conversions are instructions of the chip or arithmetic. Host code
//            allocates buffers and launches kernels. Of device memory, it
//            reads only sizes, conditions and iteration counts.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/NVVM/Passes.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/Codegen/GPU/Passes.h"
#include "quant-float/Codegen/Math/Passes.h"
#include "quant-float/Codegen/SubByte/Passes.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/Pipelines/Stages.h"
#include "quant-float/TargetInfo/NvidiaChip.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Lowers structured control flow to blocks, and views to addresses.
static void lowerControlFlowAndViews(OpPassManager &function) {
  function.addPass(createQuantFloatLowerReshapesPass());
  function.addPass(memref::createExpandStridedMetadataPass());
  function.addPass(createLowerAffinePass());
  function.addPass(createSCFToControlFlowPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
}

/// Outlines kernels.
static void addKernelPasses(OpPassManager &manager,
                            const StageOptions &options) {
  manager.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
  manager.addNestedPass<func::FuncOp>(createQuantFloatCopyShapesToHostPass());
  QuantFloatOutlineScalarGpuKernelsPassOptions scalars;
  scalars.module = kKernelModuleName;
  manager.addNestedPass<func::FuncOp>(
      createQuantFloatOutlineScalarGpuKernelsPass(scalars));
  QuantFloatConfigureGpuKernelsPassOptions choice;
  choice.reassociate = options.accumulation == Accumulation::Reassociate;
  manager.addNestedPass<func::FuncOp>(
      createQuantFloatConfigureGpuKernelsPass(choice));
  QuantFloatFuseGpuReductionsPassOptions reductions;
  reductions.module = kKernelModuleName;
  reductions.reassociate = options.accumulation == Accumulation::Reassociate;
  manager.addNestedPass<func::FuncOp>(
      createQuantFloatFuseGpuReductionsPass(reductions));
  manager.addPass(createQuantFloatConvertAssertsToStatusPass());
  QuantFloatLowerStringsPassOptions strings;
  strings.onDevice = true;
  manager.addPass(createQuantFloatLowerStringsPass(strings));
  QuantFloatOutlineGpuKernelsPassOptions mapping;
  mapping.module = kKernelModuleName;
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(createQuantFloatOutlineGpuKernelsPass(mapping));
  // Also erases dead reads, which the next pass rejects.
  function.addPass(createConvertLinalgToLoopsPass());
  QuantFloatLowerPackedElementsPassOptions packed;
  packed.inOrder = true;
  manager.addPass(createQuantFloatLowerPackedElementsPass(packed));
  manager.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  QuantFloatLowerMathPassOptions math;
  math.libm = false;
  manager.addPass(createQuantFloatLowerMathPass(math));
  // Kernels compute constants and sizes themselves instead of taking them as
  // arguments.
  manager.addPass(createGpuLaunchSinkIndexComputationsPass());
  manager.addPass(createGpuKernelOutliningPass());
  manager.addPass(createCanonicalizerPass());
}

void quant_float::buildGenerateGPUCode(OpPassManager &manager,
                                       const StageOptions &options) {
  addKernelPasses(manager, options);
  manager.addPass(createConvertQuantFloatToNVVMPass());
  llvm::Expected<NvidiaChip> chip = NvidiaChip::get(options.chip, options.ptx);
  // quant-float-set-target reports invalid names.
  if (!chip) {
    llvm::consumeError(chip.takeError());
    return;
  }

  OpPassManager &device = manager.nest<gpu::GPUModuleOp>();
  OpPassManager &kernel = device.nest<gpu::GPUFuncOp>();
  lowerControlFlowAndViews(kernel);
  kernel.addPass(createQuantFloatAlignWorkgroupMemoryPass());
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
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createQuantFloatLowerTensorMapsPass());

  OpPassManager &host = manager.nest<func::FuncOp>();
  host.addPass(createGpuAsyncRegionPass());
  lowerControlFlowAndViews(host);
  // By default, the conversion simplifies blocks in at most ten iterations,
  // and fails silently if these are not sufficient.
  GreedyRewriteConfig simplification;
  simplification.setMaxIterations(GreedyRewriteConfig::kNoLimit);
  simplification.setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Aggressive);
  host.addPass(createCanonicalizerPass(simplification));
  manager.addPass(createGpuToLLVMConversionPass());
  GpuModuleToBinaryPassOptions binary;
  // Upstream's names, in the order of KernelFormat.
  static constexpr const char *kFormats[] = {"isa", "bin", "fatbin", "llvm"};
  binary.compilationTarget = kFormats[static_cast<unsigned>(options.format)];
  binary.toolkitPath = options.toolkit;
  manager.addPass(createGpuModuleToBinaryPass(binary));
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
}
