//===- OnnxNodesToOpenVino.h - ONNX to OpenVINO -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX models become OpenVINO's by a pass, `convert-onnx-nodes-to-openvino`,
// which takes nodes in the words of one opset. ConvertOpset.h says other models
// in it.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_ONNXNODESTOOPENVINO_H
#define QUANT_FLOAT_CONVERSION_ONNXNODESTOOPENVINO_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::quant_float {

/// The opset of the nodes that the pass takes.
constexpr int64_t kOnnxOpsetOfForms = 21;

/// Whether the pass knows the operator. Others it takes only as what defines
/// them.
bool hasOpenVinoForm(llvm::StringRef domain, llvm::StringRef opType);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_ONNXNODESTOOPENVINO_H
