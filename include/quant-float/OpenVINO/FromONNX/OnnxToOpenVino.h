//===- OnnxToOpenVino.h - ONNX to OpenVINO conversion -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_OPENVINO_FROMONNX_ONNXTOOPENVINO_H
#define QUANT_FLOAT_OPENVINO_FROMONNX_ONNXTOOPENVINO_H

#include "quant-float/ONNX/Import/Import.h"

namespace mlir::quant_float {

/// Converts an imported model, or weights, to OpenVINO layers for
/// exportOpenVino. First converts it to the opset that the pass accepts, and
/// expands operators that OpenVINO lacks to functions. Fails after an error for
/// each node that has no conversion.
LogicalResult convertOnnxToOpenVino(ModuleOp module);

/// Imports the model in the file `path` and converts it. Returns null after
/// errors.
OwningOpRef<ModuleOp> importOnnxAsOpenVino(StringRef path, MLIRContext *context,
                                           OnnxImportOptions options = {});

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_OPENVINO_FROMONNX_ONNXTOOPENVINO_H
