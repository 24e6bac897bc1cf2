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

/// A buffer of `size` bytes and a pointer to write through.
std::pair<SharedBytes, char *> allocateBytes(size_t size);

/// Takes the pages of a mapped file out of memory; they come back when read.
void dropPages(const SharedBytes &bytes);

/// A copy of the bytes. A mapped file does not end up in memory twice.
SharedBytes copyBytes(const SharedBytes &bytes);

/// Spreads packed 2-, 4- and 6-bit codes into one byte each, sign-extended for
/// signed integers (P1). `packed` holds at least `count` codes.
SharedBytes unpack(ArrayRef<char> packed, Type elementType, int64_t count);

/// Any byte but 0 is true; what reads the slots may rely on 0 and 1.
SharedBytes normalizeBooleans(ArrayRef<char> bytes);

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
