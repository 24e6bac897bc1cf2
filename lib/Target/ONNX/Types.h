//===- Types.h - ONNX types to MLIR types -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_TYPES_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_TYPES_H

#include "../Common/Elements.h"
#include "Diagnostics.h"
#include "mlir/IR/BuiltinTypes.h"
#include <onnx/onnx_pb.h>

namespace mlir::quant_float::onnx_import {

/// The element type with that ONNX number, complex ones included; null for
/// UNDEFINED and unknown numbers.
Type getElementType(MLIRContext *context, int32_t dataType);

/// The way back; none for types that ONNX lacks.
std::optional<int32_t> getOnnxNumber(Type elementType);

/// "tensor(float)", "seq(tensor(int64))", as ONNX spells types.
std::string spell(MLIRContext *context, const ::onnx::TypeProto &type);

/// The type of a value: tensors become tensors, what has no counterpart an
/// `!quant_float.opaque`, and what the file does not tell
/// `!quant_float.unknown`.
FailureOr<Type> convertType(const ::onnx::TypeProto &type,
                            const Subject &subject);

/// Back to ONNX; no value where nothing is known.
::onnx::TypeProto exportType(Type type);

/// The element type of a tensor; null for anything else.
Type getTensorElementType(Type type);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_TYPES_H
