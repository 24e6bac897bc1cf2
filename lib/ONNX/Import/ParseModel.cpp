//===- ParseModel.cpp - Parsing of untrusted models -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParseModel.h"
#include "../Common/Wire.h"
#include <google/protobuf/io/coded_stream.h>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// A message that is being read. None represents a group, which the schema does
/// not define.
struct Level {
  Message message;
  size_t end;
  /// The field number of a group; the tag of its end has the same number.
  uint64_t group = 0;
};
} // namespace

Message onnx_import::getMessage(Message parent, uint64_t number) {
  struct Row {
    Message parent;
    uint64_t number;
    Message child;
  };
  static constexpr Row kRows[] = {
      {Message::Model, 7, Message::Graph},
      {Message::Model, 8, Message::Leaf},
      {Message::Model, 14, Message::Leaf},
      {Message::Model, 20, Message::Training},
      {Message::Model, 25, Message::Function},
      {Message::Model, 26, Message::Leaf},
      {Message::Training, 1, Message::Graph},
      {Message::Training, 2, Message::Graph},
      {Message::Training, 3, Message::Leaf},
      {Message::Training, 4, Message::Leaf},
      {Message::Function, 7, Message::Node},
      {Message::Function, 9, Message::Leaf},
      {Message::Function, 11, Message::Attribute},
      {Message::Function, 12, Message::Value},
      {Message::Function, 14, Message::Leaf},
      {Message::Graph, 1, Message::Node},
      {Message::Graph, 5, Message::Tensor},
      {Message::Graph, 11, Message::Value},
      {Message::Graph, 12, Message::Value},
      {Message::Graph, 13, Message::Value},
      {Message::Graph, 14, Message::Annotation},
      {Message::Graph, 15, Message::Sparse},
      {Message::Graph, 16, Message::Leaf},
      {Message::Node, 5, Message::Attribute},
      {Message::Node, 9, Message::Leaf},
      {Message::Node, 10, Message::Devices},
      {Message::Devices, 2, Message::Sharding},
      {Message::Sharding, 3, Message::Leaf},
      {Message::Sharding, 4, Message::ShardedDim},
      {Message::ShardedDim, 2, Message::Leaf},
      {Message::Attribute, 5, Message::Tensor},
      {Message::Attribute, 6, Message::Graph},
      {Message::Attribute, 10, Message::Tensor},
      {Message::Attribute, 11, Message::Graph},
      {Message::Attribute, 14, Message::Type},
      {Message::Attribute, 15, Message::Type},
      {Message::Attribute, 22, Message::Sparse},
      {Message::Attribute, 23, Message::Sparse},
      {Message::Tensor, 3, Message::Leaf},
      {Message::Tensor, 13, Message::Leaf},
      {Message::Tensor, 16, Message::Leaf},
      {Message::Sparse, 1, Message::Tensor},
      {Message::Sparse, 2, Message::Tensor},
      {Message::Annotation, 2, Message::Leaf},
      {Message::Value, 2, Message::Type},
      {Message::Value, 4, Message::Leaf},
      {Message::Type, 1, Message::TensorType},
      {Message::Type, 4, Message::Sequence},
      {Message::Type, 5, Message::Map},
      {Message::Type, 7, Message::Leaf},
      {Message::Type, 8, Message::TensorType},
      // Optional has the same fields as Sequence.
      {Message::Type, 9, Message::Sequence},
      {Message::TensorType, 2, Message::Shape},
      {Message::Shape, 1, Message::Leaf},
      {Message::Sequence, 1, Message::Type},
      {Message::Map, 2, Message::Type},
  };
  for (const Row &row : kRows)
    if (row.parent == parent && row.number == number)
      return row.child;
  return Message::None;
}

/// Whether the first error in `bytes` is that messages are nested deeper than
/// `limit`. Protobuf does not report the reason of a failure. Not recursive,
/// because the nesting is unbounded.
static bool isTooDeep(StringRef bytes, size_t limit) {
  constexpr uint64_t kLargestFieldNumber = (1u << 29) - 1;
  SmallVector<Level> levels = {{Message::Model, bytes.size()}};
  for (size_t at = 0; !levels.empty();) {
    Level level = levels.back();
    if (at == level.end && !level.group) {
      levels.pop_back();
      continue;
    }
    FieldHead head;
    if (!readFieldHead(bytes.take_front(level.end), at, head) ||
        head.number == 0 || head.number > kLargestFieldNumber)
      return false;
    if (head.type == WireType::GroupEnd) {
      if (head.number != level.group)
        return false;
      levels.pop_back();
      continue;
    }
    Message message = head.type == WireType::Chunk
                          ? getMessage(level.message, head.number)
                          : Message::None;
    bool isGroup = head.type == WireType::GroupBegin;
    if (!isGroup && message == Message::None) {
      at += head.size;
      continue;
    }
    if (levels.size() > limit)
      return true;
    if (isGroup)
      levels.push_back({Message::None, level.end, head.number});
    else
      levels.push_back({message, at + head.size});
  }
  return false;
}

LogicalResult onnx_import::parseModel(StringRef bytes,
                                      ::onnx::ModelProto &model,
                                      const Subject &subject) {
  google::protobuf::io::CodedInputStream stream(bytes.bytes_begin(),
                                                static_cast<int>(bytes.size()));
  if (model.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage())
    return success();
  int limit =
      google::protobuf::io::CodedInputStream::GetDefaultRecursionLimit();
  if (isTooDeep(bytes, limit))
    return diagnose(subject, Diag::DeepMessages, limit);
  return diagnose(subject, Diag::Malformed);
}
