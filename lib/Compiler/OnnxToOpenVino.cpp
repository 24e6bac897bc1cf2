//===- OnnxToOpenVino.cpp - Models of ONNX as OpenVINO's ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Compiler/OnnxToOpenVino.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/Conversion/OnnxNodesToOpenVino.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/Target/ONNX/ConvertOpset.h"

using namespace mlir;
using namespace mlir::quant_float;

OwningOpRef<ModuleOp>
quant_float::importOnnxAsOpenVino(StringRef path, MLIRContext *context,
                                  OnnxImportOptions options) {
  options.keepsSource = true;
  options.expandsFunctions = true;
  OwningOpRef<ModuleOp> module = importOnnx(path, context, options);
  if (!module)
    return nullptr;
  OpsetOptions opset;
  opset.opset = kOnnxOpsetOfForms;
  opset.lacksOperator = [](NodeOp node) {
    return !node.getDomain().empty() || !hasOpenVinoForm(node.getOpType());
  };
  // Convert rounds twice, by way of f16.
  opset.withoutRounding = {"float8e4m3fn", "float8e5m2", "float8e4m3fnuz",
                           "float8e5m2fnuz"};
  OpsetConversion conversion;
  if (failed(convertOpset(*module, opset, conversion)))
    return nullptr;
  PassManager manager(context);
  manager.addPass(createConvertOnnxNodesToOpenVinoPass());
  if (failed(manager.run(*module)))
    return nullptr;
  return module;
}
