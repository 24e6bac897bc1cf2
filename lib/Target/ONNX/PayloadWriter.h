//===- PayloadWriter.h - Models written around their payloads ---*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_PAYLOADWRITER_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_PAYLOADWRITER_H

#include "../Common/Bytes.h"
#include "ParseModel.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <onnx/onnx_pb.h>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// The large raw_data of a model, which protobuf would copy several times. They
/// are written from where they are.
class PayloadWriter {
public:
  /// Has `tensor`, without a payload yet, be written with these bytes.
  void add(::onnx::TensorProto &tensor, target::SharedBytes bytes);

  /// The bytes that the model takes.
  uint64_t layOut(const ::onnx::ModelProto &model);

  /// Writes what was laid out; `onWritten` is told of each payload.
  void write(raw_ostream &os,
             const std::function<void(ArrayRef<char>)> &onWritten) const;

private:
  /// A part of the serialized model, and the payload behind it.
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

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_PAYLOADWRITER_H
