//===- OptimizeTensors.cpp - Fusion, tiling and packing on tensors --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:     linalg, tensor, scf and arith ops on tensors.
// Output:    the same dialects, fused. For CPUs, contractions are tiled, and
//            their operands packed for dot-product instructions.
// Invariant: every op that overwrites a tensor has an init that no other op
//            writes, so that bufferization needs no copies.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/Codegen/GPU/Passes.h"
#include "quant-float/Pipelines/Stages.h"

using namespace mlir;
using namespace mlir::quant_float;

static QuantFloatFuseWeightDequantizationPassOptions
getWeightOptions(const StageOptions &options) {
  QuantFloatFuseWeightDequantizationPassOptions weights;
  weights.xBits = options.activations == Activations::Int8    ? 8
                  : options.activations == Activations::Int16 ? 16
                                                              : 0;
  weights.dynamicRows = true;
  return weights;
}

static void addCPUPasses(OpPassManager &function, const StageOptions &options) {
  QuantFloatTileWindowChannelsPassOptions channels;
  channels.parallel = options.threads != 1;
  function.addPass(createQuantFloatTileWindowChannelsPass(channels));
  function.addPass(createQuantFloatFlattenConvSpatialDimsPass());
  function.addPass(
      createQuantFloatFuseWeightDequantizationPass(getWeightOptions(options)));
  function.addPass(createQuantFloatPropagateTransposesPass());
  function.addPass(createQuantFloatFuseAttentionPass());
  function.addPass(createQuantFloatPackVnniOperandsPass());
  function.addPass(createQuantFloatHoistOperandUpcastsPass());
  QuantFloatTileContractionsPassOptions contractions;
  contractions.parallel = options.threads != 1;
  function.addPass(createQuantFloatTileContractionsPass(contractions));
  QuantFloatFuseBlockReductionsPassOptions reductions;
  reductions.parallel = options.threads != 1;
  function.addPass(createQuantFloatFuseBlockReductionsPass(reductions));
}

static void addGPUPasses(OpPassManager &function, const StageOptions &options) {
  function.addPass(
      createQuantFloatFuseWeightDequantizationPass(getWeightOptions(options)));
  if (options.accumulation == Accumulation::Reassociate)
    function.addPass(createQuantFloatCommutePadAndDequantizePass());
  // The previous pass has set the accumulation order of contractions with
  // low-bit weights, into which nothing is fused.
  QuantFloatFuseElementwisePassOptions fusion;
  fusion.contractions = true;
  function.addPass(createQuantFloatFuseElementwisePass(fusion));
}

void quant_float::buildOptimizeTensors(OpPassManager &manager,
                                       const StageOptions &options) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  // A tensor.dim of a result is a use, which would prevent fusion.
  function.addPass(memref::createResolveShapedTypeResultDimsPass());
  function.addPass(createQuantFloatFuseMultiplyAddPass());
  function.addPass(createQuantFloatFuseElementwisePass());
  if (options.onGPU)
    addGPUPasses(function, options);
  else
    addCPUPasses(function, options);
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (!options.onGPU)
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatPadIntoDestinationPass());
  QuantFloatPrivatizeDpsInitsPassOptions inits;
  inits.empty = !options.onGPU;
  manager.addNestedPass<func::FuncOp>(
      createQuantFloatPrivatizeDpsInitsPass(inits));
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
}
