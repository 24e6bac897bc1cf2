//===- MicrosoftFunctions.h - Operators of ONNX Runtime ------- -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with exceptions, as Schemas.cpp, which catches them.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_MICROSOFTFUNCTIONS_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_MICROSOFTFUNCTIONS_H

#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// Whether the operator, which ONNX has no schema for, is one that is defined
/// here by ONNX's: of com.microsoft, or of ONNX in an older version.
bool hasMicrosoftFunction(const std::string &opType, const std::string &domain);

/// Its definition for the node, in ONNX's newest opset that it needs. Throws
/// what the node has that there is no definition for.
::onnx::FunctionProto
buildMicrosoftFunction(const ::onnx::NodeProto &node,
                       const std::vector<::onnx::TypeProto> &inputTypes);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_MICROSOFTFUNCTIONS_H
