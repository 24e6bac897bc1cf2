//===- TensorEncoder.h - Attributes to stored tensors -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_TENSORENCODER_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_TENSORENCODER_H

#include "Diagnostics.h"
#include "PayloadWriter.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "quant-float/Target/ONNX/Export.h"

namespace mlir::quant_float::onnx_import {

/// Writes TensorProto; the counterpart of TensorDecoder.
class TensorEncoder {
public:
  TensorEncoder(const OnnxExportOptions &options) : options(options) {}

  /// Gives `tensor` shape, type and elements. Large ones go to the writer of
  /// payloads, or to external data, as attributes cannot be everywhere.
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

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_TENSORENCODER_H
