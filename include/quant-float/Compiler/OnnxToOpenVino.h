//===- OnnxToOpenVino.h - ONNX to OpenVINO conversion -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_COMPILER_ONNXTOOPENVINO_H
#define QUANT_FLOAT_COMPILER_ONNXTOOPENVINO_H

#include "quant-float/Target/ONNX/Import.h"

namespace mlir::quant_float {

/// Says an imported model, or weights, in the opset whose nodes have forms in
/// OpenVINO, with functions for operators that have none, and converts them to
/// layers, for exportOpenVino. Fails after an error for each node that has no
/// form.
LogicalResult convertOnnxToOpenVino(ModuleOp module);

/// Imports the model in the file `path` and converts it. Returns null after
/// errors.
OwningOpRef<ModuleOp> importOnnxAsOpenVino(StringRef path, MLIRContext *context,
                                           OnnxImportOptions options = {});

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_ONNXTOOPENVINO_H
