//===- ParseModel.h - Messages of protobuf from strangers -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_PARSEMODEL_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_PARSEMODEL_H

#include "Diagnostics.h"
#include <onnx/onnx_pb.h>

namespace mlir::quant_float::onnx_import {

/// The messages that have messages in them, and all the others.
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

/// The message in a field of a message; None where it is none. What is compiled
/// of the schema does not tell at run time.
Message getMessage(Message parent, uint64_t number);

/// Parses a model that takes all of the bytes, fewer than 2^31. Messages
/// nested deeper than protobuf's limit, 100, are refused, so recursion over
/// what was parsed is bounded.
LogicalResult parseModel(StringRef bytes, ::onnx::ModelProto &model,
                         const Subject &subject);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_PARSEMODEL_H
