//===- Types.h - ONNX types to MLIR types -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_COMMON_TYPES_H
#define QUANT_FLOAT_LIB_ONNX_COMMON_TYPES_H

#include "../../Interchange/Elements.h"
#include "Diagnostics.h"
#include "mlir/IR/BuiltinTypes.h"
#include <onnx/onnx_pb.h>

namespace mlir::quant_float::onnx_import {

/// Returns the element type with this TensorProto.DataType, including
/// complex types. Returns null for UNDEFINED and unknown numbers.
Type getElementType(MLIRContext *context, int32_t dataType);

/// Returns the TensorProto.DataType of an element type, or nullopt if ONNX
/// lacks the type.
std::optional<int32_t> getOnnxNumber(Type elementType);

/// Spells a type as ONNX does: "tensor(float)", "seq(tensor(int64))".
std::string spell(MLIRContext *context, const ::onnx::TypeProto &type);

/// Returns the type of a value: a tensor type, `!quant_float.opaque` if MLIR
/// has no counterpart of the type, or `!quant_float.unknown` if the file does
/// not declare it.
FailureOr<Type> convertType(const ::onnx::TypeProto &type,
                            const Subject &subject);

/// Converts a type to ONNX. The result has no value if the type is unknown or
/// ONNX lacks it.
::onnx::TypeProto exportType(Type type);

/// Returns the element type of a tensor, or null if `type` is not a tensor.
Type getTensorElementType(Type type);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_COMMON_TYPES_H
