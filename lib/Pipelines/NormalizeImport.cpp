//===- NormalizeImport.cpp - One form for imported models -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:     functions on tensors with ONNX nodes, OpenVINO layers, quant_float
//            ops, and ops of upstream dialects, onnx-mlir, StableHLO, torch,
//            TOSA and IREE.
// Output:    the same functions, without ops of onnx-mlir, StableHLO, torch,
//            TOSA and IREE, OpenVINO layers, arith casts of narrow floats and
//            calls, except those with `no_inline`.
// Invariant: an ONNX node or a quant_float op is the only form of a
//            quantization, so that the rewrites that follow match one form.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/OpenVINO/ToONNX/Passes.h"
#include "quant-float/Pipelines/Passes.h"
#include "quant-float/Pipelines/Stages.h"

using namespace mlir;
using namespace mlir::quant_float;

void quant_float::buildImportOps(OpPassManager &manager) {
  manager.addPass(createConvertIreeLinalgExtToQuantFloatPass());
  manager.addPass(createConvertOnnxMlirToOnnxPass());
  manager.addPass(createConvertStablehloToOnnxPass());
  manager.addPass(createConvertTorchToOnnxPass());
  // Upstream's canonicalization removes quantizations of the quant dialect, and
  // upstream has no lowering of TOSA's block-scaled ops.
  QuantFloatLegalizeArithPassOptions quant;
  quant.requireQuant = true;
  manager.addPass(createQuantFloatLegalizeArithPass(quant));
  manager.addPass(createQuantFloatLowerTosaPass());
}

void quant_float::buildNormalizeImport(OpPassManager &manager,
                                       const StageOptions &options) {
  buildImportOps(manager);
  manager.addPass(createQuantFloatLegalizeArithPass());
  ConvertOpenVinoNodesToOnnxPassOptions layers;
  layers.allowUnsupported = options.partition;
  manager.addPass(createConvertOpenVinoNodesToOnnxPass(layers));
  // Shape inference does not look into callees. The inliner simplifies nothing:
  // LowerNodesToLinalg does that for all functions.
  manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  manager.addPass(createSymbolDCEPass());
  manager.addNestedPass<func::FuncOp>(createQuantFloatHoistAssertsPass());
}
