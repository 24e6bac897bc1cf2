//===- LowerNodesToLinalg.cpp - Models to linalg on tensors ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:     ONNX nodes and quant_float ops on tensors.
// Output:    linalg, tensor, scf and arith ops on tensors, with scalar ops of
//            quant_float in the bodies of linalg.generic. Functions are
//            kernels: they write to buffers that the caller provides, and have
//            the attribute quant_float.entry_point.
// Invariant: the elements of all tensors have storage types, and the sizes of
//            results are computed by shape functions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/ONNX/ToLinalg/Passes.h"
#include "quant-float/Pipelines/Stages.h"
#include "quant-float/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Lowers ONNX nodes. With `partition`, nodes without a lowering stay outside
/// of the subgraphs that are outlined.
static void convertNodes(OpPassManager &manager, const StageOptions &options) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  ConvertOnnxNodesToLinalgPassOptions nodes;
  nodes.allowUnsupported = options.partition;
  nodes.onDevice = options.onGPU;
  manager.addPass(createConvertOnnxNodesToLinalgPass(nodes));
  if (options.partition)
    manager.addPass(createQuantFloatOutlineSupportedSubgraphsPass());
}

void quant_float::buildPartition(OpPassManager &manager,
                                 const StageOptions &options) {
  buildNormalizeImport(manager, options);
  convertNodes(manager, options);
}

/// Lowers ONNX nodes and tensor ops of quant_float.
static void convertToLinalg(OpPassManager &manager,
                            const StageOptions &options) {
  convertNodes(manager, options);
  manager.addPass(createQuantFloatDecomposeQdqPass());
  if (!options.onGPU)
    manager.addPass(createQuantFloatSplitPartialBlocksPass());
  manager.addPass(createConvertQuantFloatToLinalgPass());
}

void quant_float::buildLowerToUpstream(OpPassManager &manager,
                                       const StageOptions &options) {
  buildNormalizeImport(manager, options);
  buildRewriteQuantization(manager, options);
  convertToLinalg(manager, options);
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(createConvertQuantFloatToArithPass());
  function.addPass(createQuantFloatRequireLoweredPass());
  // Removes casts to unsigned integers and back.
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createQuantFloatStripAttributesPass());
}

void quant_float::buildLowerNodesToLinalg(OpPassManager &manager,
                                          const StageOptions &options) {
  convertToLinalg(manager, options);
  QuantFloatMakeEntryPointsPassOptions entryPoints;
  // Each remark names the op of one conversion, so functions must not share a
  // kernel.
  entryPoints.share = !options.explains;
  manager.addPass(createQuantFloatMakeEntryPointsPass(entryPoints));
}
