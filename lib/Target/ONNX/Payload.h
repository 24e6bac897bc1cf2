//===- Payload.h - The payload forms of a TensorProto -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_PAYLOAD_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_PAYLOAD_H

#include "TensorDecoder.h"

namespace mlir::quant_float::onnx_import {

/// The typed field (float_data, ...) that the standard prescribes for the type.
StringRef getTypedField(Type elementType);

/// The names of the payload forms that the tensor fills.
SmallVector<StringRef> getFilledPayloads(const ::onnx::TensorProto &tensor);

/// Slots from the typed field; `tensor` fills no other one. Strings go to
/// `decoded.strings`, which refer to `tensor`.
LogicalResult decodeTypedField(const ::onnx::TensorProto &tensor,
                               DecodedTensor &decoded, const Subject &subject);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_PAYLOAD_H
