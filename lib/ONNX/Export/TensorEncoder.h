//===- TensorEncoder.h - Attributes to stored tensors -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_EXPORT_TENSORENCODER_H
#define QUANT_FLOAT_LIB_ONNX_EXPORT_TENSORENCODER_H

#include "../Common/Diagnostics.h"
#include "PayloadWriter.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "quant-float/ONNX/Export/Export.h"

namespace mlir::quant_float::onnx_import {

/// Encodes TensorProto messages; the counterpart of TensorDecoder.
class TensorEncoder {
public:
  TensorEncoder(const OnnxExportOptions &options) : options(options) {}

  /// Sets the shape, the type and the elements of `tensor`. Large payloads go
  /// to the payload writer, or to external data if `mayBeExternal`, which
  /// tensors in attributes are not.
  LogicalResult encode(ElementsAttr elements, ::onnx::TensorProto &tensor,
                       const Subject &subject, bool mayBeExternal);

  PayloadWriter &getWriter() { return writer; }

private:
  LogicalResult writeExternal(::onnx::TensorProto &tensor, ArrayRef<char> bytes,
                              const Subject &subject);

  const OnnxExportOptions &options;
  PayloadWriter writer;
  uint64_t externalSize = 0;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_EXPORT_TENSORENCODER_H
