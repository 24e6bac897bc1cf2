//===- RewriteQuantization.cpp - Rewrites of QDQ models -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:     ONNX nodes and quant_float ops on tensors.
// Output:    the same dialects. QDQ matmuls and convolutions that meet the
//            conditions of R7 are integer nodes. Constant weights of matmuls of
//            at most four rows, or of any number if activations are quantized,
//            are K-contiguous. For CPUs, quantized values stay quantized across
//            ops that only move elements.
// Invariant: results keep their bits, except that QDQ matmuls and convolutions
//            become integer ones (R7), with the same bits on every target.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/Pipelines/Stages.h"
#include "quant-float/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::quant_float;

void quant_float::buildRewriteQuantization(OpPassManager &manager,
                                           const StageOptions &options) {
  if (!options.onGPU) {
    QuantFloatEliminateQdqPassOptions elimination;
    elimination.requantize = RequantizationKind::None;
    // A search over more encodings takes longer than it saves.
    elimination.maxEncodingWidth = 8;
    elimination.remarks = false;
    manager.addPass(createQuantFloatEliminateQdqPass(elimination));
    manager.addNestedPass<func::FuncOp>(
        createQuantFloatSinkQuantizeThroughConcatPass());
  }
  manager.addNestedPass<func::FuncOp>(createQuantFloatQdqToIntegerMatmulPass());
  QuantFloatTransposeWeightsPassOptions transposition;
  transposition.anyRows = options.activations != Activations::Float;
  manager.addNestedPass<func::FuncOp>(
      createQuantFloatTransposeWeightsPass(transposition));
}
