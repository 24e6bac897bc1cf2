//===- ParseModel.h - Parsing of untrusted models ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_IMPORT_PARSEMODEL_H
#define QUANT_FLOAT_LIB_ONNX_IMPORT_PARSEMODEL_H

#include "../Common/Diagnostics.h"
#include <onnx/onnx_pb.h>

namespace mlir::quant_float::onnx_import {

/// The kinds of protobuf messages. A `Leaf` is any message that contains no
/// messages.
enum class Message {
  None,
  Leaf,
  Model,
  Training,
  Function,
  Graph,
  Node,
  Devices,
  Sharding,
  ShardedDim,
  Attribute,
  Tensor,
  Sparse,
  Annotation,
  Value,
  Type,
  TensorType,
  Shape,
  Sequence,
  Map,
};

/// Returns the kind of the message in a field, or None if the field is no
/// message. The lite runtime of protobuf has no reflection.
Message getMessage(Message parent, uint64_t number);

/// Parses `bytes`, of which there are fewer than 2^31, as a model. Fails after
/// an error if the bytes are malformed or messages are nested deeper than
/// protobuf's limit of 100. The limit bounds recursion over the parsed model.
LogicalResult parseModel(StringRef bytes, ::onnx::ModelProto &model,
                         const Subject &subject);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_IMPORT_PARSEMODEL_H
