//===- PayloadWriter.h - Writing of models with large payloads --*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_EXPORT_PAYLOADWRITER_H
#define QUANT_FLOAT_LIB_ONNX_EXPORT_PAYLOADWRITER_H

#include "../../Interchange/Bytes.h"
#include "../Import/ParseModel.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <onnx/onnx_pb.h>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// Writes the large raw_data of a model directly from their buffers, because
/// protobuf would copy them several times.
class PayloadWriter {
public:
  /// Sets the raw_data of `tensor`, which has no payload yet, to `bytes`.
  void add(::onnx::TensorProto &tensor, target::SharedBytes bytes);

  /// Serializes the model around the payloads. Returns its size in bytes.
  uint64_t layOut(const ::onnx::ModelProto &model);

  /// Writes the serialized model. Calls `onWritten` with each part of a payload
  /// that is written.
  void write(raw_ostream &os,
             const std::function<void(ArrayRef<char>)> &onWritten) const;

private:
  /// A part of the serialized model, and the payload that follows it.
  struct Piece {
    std::string bytes;
    const target::SharedBytes *payload = nullptr;
  };
  using Pieces = std::vector<Piece>;

  uint64_t layOutMessage(StringRef bytes, Message message, Pieces &into) const;

  std::vector<target::SharedBytes> payloads;
  Pieces pieces;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_EXPORT_PAYLOADWRITER_H
