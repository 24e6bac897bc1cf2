//===- ParseMessage.cpp - Messages of protobuf from strangers -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParseMessage.h"
#include "Wire.h"
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// A message, or a group that its schema does not know, that is being read.
struct Level {
  /// Null in a group.
  const google::protobuf::Descriptor *descriptor;
  size_t end;
  /// The field number of a group, which its end has, too.
  uint64_t group = 0;
};
} // namespace

/// Whether the first thing wrong with the bytes, which protobuf does not tell,
/// is how deep messages are nested. Does not call itself.
static bool isTooDeep(StringRef bytes, const google::protobuf::Message &message,
                      size_t limit) {
  SmallVector<Level> levels = {{message.GetDescriptor(), bytes.size()}};
  for (size_t at = 0; !levels.empty();) {
    Level level = levels.back();
    if (at == level.end && !level.group) {
      levels.pop_back();
      continue;
    }
    FieldHead head;
    if (!readFieldHead(bytes.take_front(level.end), at, head) ||
        head.number == 0 ||
        head.number > google::protobuf::FieldDescriptor::kMaxNumber)
      return false;
    if (head.type == WireType::GroupEnd) {
      if (head.number != level.group)
        return false;
      levels.pop_back();
      continue;
    }
    const google::protobuf::FieldDescriptor *field =
        level.descriptor && head.type == WireType::Chunk
            ? level.descriptor->FindFieldByNumber(static_cast<int>(head.number))
            : nullptr;
    bool isGroup = head.type == WireType::GroupBegin;
    if (!isGroup && !(field && field->message_type())) {
      at += head.size;
      continue;
    }
    if (levels.size() > limit)
      return true;
    if (isGroup)
      levels.push_back({nullptr, level.end, head.number});
    else
      levels.push_back({field->message_type(), at + head.size});
  }
  return false;
}

LogicalResult onnx_import::parseMessage(StringRef bytes,
                                        google::protobuf::Message &message,
                                        const Subject &subject) {
  google::protobuf::io::CodedInputStream stream(bytes.bytes_begin(),
                                                static_cast<int>(bytes.size()));
  if (message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage())
    return success();
  int limit =
      google::protobuf::io::CodedInputStream::GetDefaultRecursionLimit();
  if (isTooDeep(bytes, message, limit))
    return diagnose(subject, Diag::DeepMessages, limit);
  return diagnose(subject, Diag::Malformed);
}
