//===- OnnxNodesToOpenVino.h - ONNX to OpenVINO -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-onnx-nodes-to-openvino` converts ONNX models to OpenVINO.
// It accepts nodes of one opset, to which ConvertOpset.h converts other models.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_OPENVINO_FROMONNX_ONNXNODESTOOPENVINO_H
#define QUANT_FLOAT_OPENVINO_FROMONNX_ONNXNODESTOOPENVINO_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::quant_float {

/// The opset of the nodes that the pass accepts.
constexpr int64_t kOnnxOpsetOfForms = 21;

/// Whether the pass converts the operator. It accepts other operators only if
/// they are first expanded to the functions that define them.
bool hasOpenVinoForm(llvm::StringRef domain, llvm::StringRef opType);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_OPENVINO_FROMONNX_ONNXNODESTOOPENVINO_H
