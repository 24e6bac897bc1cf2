//===- TensorDecoder.h - Stored tensors to attributes -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_COMMON_TENSORDECODER_H
#define QUANT_FLOAT_LIB_ONNX_COMMON_TENSORDECODER_H

#include "../../Interchange/Elements.h"
#include "ExternalData.h"

namespace mlir::quant_float::onnx_import {

/// Decodes TensorProto and SparseTensorProto messages with any form of payload.
class TensorDecoder {
public:
  explicit TensorDecoder(ExternalData &externalData)
      : externalData(externalData) {}

  /// Returns the tensor as an attribute. The attribute holds the elements of a
  /// small tensor, and refers to a resource blob called `name` for a large one.
  /// With `consume`, the payload may be moved out of `tensor`.
  FailureOr<ElementsAttr> decode(::onnx::TensorProto &tensor, StringRef name,
                                 const Subject &subject, bool consume);

  /// Decodes a sparse tensor to a dense attribute.
  FailureOr<ElementsAttr> decodeSparse(::onnx::SparseTensorProto &tensor,
                                       StringRef name, const Subject &subject);

  /// Sets the raw_data of `tensor` to `bytes`, which were not parsed into the
  /// message.
  void keepPayload(const ::onnx::TensorProto &tensor, SharedBytes bytes) {
    cachedPayloads[&tensor] = std::move(bytes);
  }

private:
  FailureOr<DecodedTensor> decodeElements(::onnx::TensorProto &tensor,
                                          const Subject &subject, bool consume,
                                          bool mayStayPacked);

  ExternalData &externalData;
  /// The number of bytes of all sparse tensors decoded so far, as dense
  /// tensors.
  int64_t sparseBytes = 0;
  llvm::DenseMap<const ::onnx::TensorProto *, SharedBytes> cachedPayloads;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_COMMON_TENSORDECODER_H
