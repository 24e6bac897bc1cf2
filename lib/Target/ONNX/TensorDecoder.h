//===- TensorDecoder.h - Stored tensors to attributes -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_TENSORDECODER_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_TENSORDECODER_H

#include "../Common/Elements.h"
#include "ExternalData.h"

namespace mlir::quant_float::onnx_import {

/// Reads TensorProto and SparseTensorProto, whatever form the payload has.
class TensorDecoder {
public:
  explicit TensorDecoder(ExternalData &externalData)
      : externalData(externalData) {}

  /// The tensor as an attribute; small ones hold their elements, large ones
  /// refer to a resource blob called `name`. With `consume` the payload may be
  /// moved out of `tensor`.
  FailureOr<ElementsAttr> decode(::onnx::TensorProto &tensor, StringRef name,
                                 const Subject &subject, bool consume);

  /// The same for a sparse tensor, made dense.
  FailureOr<ElementsAttr> decodeSparse(::onnx::SparseTensorProto &tensor,
                                       StringRef name, const Subject &subject);

  /// The raw_data of `tensor` is this one, which was kept out of it.
  void keepPayload(const ::onnx::TensorProto &tensor, SharedBytes bytes) {
    keptPayloads[&tensor] = std::move(bytes);
  }

private:
  FailureOr<DecodedTensor> decodeElements(::onnx::TensorProto &tensor,
                                          const Subject &subject, bool consume,
                                          bool mayStayPacked);

  ExternalData &externalData;
  /// Of all sparse tensors so far, made dense.
  int64_t sparseBytes = 0;
  llvm::DenseMap<const ::onnx::TensorProto *, SharedBytes> keptPayloads;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_TENSORDECODER_H
