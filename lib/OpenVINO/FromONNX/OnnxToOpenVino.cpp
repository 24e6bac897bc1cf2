//===- OnnxToOpenVino.cpp - ONNX models to OpenVINO -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/OpenVINO/FromONNX/OnnxToOpenVino.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/ONNX/Opsets/ConvertOpset.h"
#include "quant-float/OpenVINO/FromONNX/OnnxNodesToOpenVino.h"
#include "quant-float/OpenVINO/FromONNX/Passes.h"
#include "quant-float/Transforms/UnpackWeights.h"

using namespace mlir;
using namespace mlir::quant_float;

LogicalResult quant_float::convertOnnxToOpenVino(ModuleOp module) {
  OpsetOptions opset;
  opset.opset = kOnnxOpsetOfForms;
  opset.lacksOperator = [](NodeOp node) {
    return !hasOpenVinoForm(node.getDomain(), node.getOpType());
  };
  // OpenVINO's Convert rounds twice, through f16.
  opset.withoutRounding = {"float8e4m3fn", "float8e5m2", "float8e4m3fnuz",
                           "float8e5m2fnuz"};
  opset.keepsDequantize = [](DequantizeOp op) {
    Type f32 = Float32Type::get(op.getContext());
    return llvm::all_of(op->getOperandTypes(), [&](Type type) {
      return getOpenVinoConversion(getElementTypeOrSelf(type), f32) ==
             OpenVinoConversion::Casts;
    });
  };
  // The functions of these operators convert bytes to floats, which only works
  // for constants in OpenVINO.
  unpackFloatWeights(module);
  OpsetConversion conversion;
  if (failed(convertOpset(module, opset, conversion)))
    return failure();
  PassManager manager(module.getContext());
  manager.addPass(createConvertOnnxNodesToOpenVinoPass());
  return manager.run(module);
}

OwningOpRef<ModuleOp>
quant_float::importOnnxAsOpenVino(StringRef path, MLIRContext *context,
                                  OnnxImportOptions options) {
  options.keepsSource = true;
  options.isConverted = true;
  options.expandsFunctions = true;
  OwningOpRef<ModuleOp> module = importOnnx(path, context, options);
  if (!module || failed(convertOnnxToOpenVino(*module)))
    return nullptr;
  return module;
}
