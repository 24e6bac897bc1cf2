//===- PayloadWriter.cpp - Writing of models with large payloads ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PayloadWriter.h"
#include "../Common/Wire.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
constexpr uint64_t kRawDataField = 9;
/// The largest possible field number, which no schema uses. A field with this
/// number marks the position of the payload whose index it holds.
constexpr uint64_t kMarkerField = (1u << 29) - 1;
} // namespace

void PayloadWriter::add(::onnx::TensorProto &tensor,
                        target::SharedBytes bytes) {
  appendChunk(*tensor.mutable_unknown_fields(), kMarkerField,
              std::to_string(payloads.size()));
  payloads.push_back(std::move(bytes));
}

/// Whether messages of this kind can contain payloads.
static bool mayHoldPayloads(Message message) {
  return message == Message::Graph || message == Message::Node ||
         message == Message::Attribute || message == Message::Tensor ||
         message == Message::Sparse;
}

/// Copies `bytes` to pieces, replaces the markers with payloads, and adjusts
/// the sizes of all enclosing messages. Returns the size with the payloads. The
/// recursion is bounded, because the importer bounds the nesting of graphs.
uint64_t PayloadWriter::layOutMessage(StringRef bytes, Message message,
                                      Pieces &into) const {
  uint64_t size = 0;
  auto append = [&](StringRef part) {
    if (into.empty() || into.back().payload)
      into.emplace_back();
    into.back().bytes += part;
    size += part.size();
  };
  (void)forEachField(bytes, [&](const Field &field) {
    Message inner = getMessage(message, field.number);
    size_t index;
    if (field.number == kMarkerField &&
        !field.content.getAsInteger(10, index) && index < payloads.size()) {
      const target::SharedBytes &payload = payloads[index];
      std::string head;
      appendChunkHead(head, kRawDataField, payload.data.size());
      append(head);
      into.back().payload = &payload;
      size += payload.data.size();
    } else if (!field.isChunk || !mayHoldPayloads(inner)) {
      append(field.all);
    } else {
      Pieces content;
      uint64_t contentSize = layOutMessage(field.content, inner, content);
      std::string head;
      appendChunkHead(head, field.number, contentSize);
      append(head);
      size += contentSize;
      for (Piece &piece : content) {
        into.back().bytes += piece.bytes;
        into.back().payload = piece.payload;
        if (piece.payload)
          into.emplace_back();
      }
    }
    return true;
  });
  return size;
}

uint64_t PayloadWriter::layOut(const ::onnx::ModelProto &model) {
  pieces.clear();
  std::string skeleton;
  model.SerializeToString(&skeleton);
  return layOutMessage(skeleton, Message::Model, pieces);
}

void PayloadWriter::write(
    raw_ostream &os,
    const std::function<void(ArrayRef<char>)> &onWritten) const {
  constexpr size_t kStep = size_t(1) << 25;
  for (const Piece &piece : pieces) {
    os << piece.bytes;
    if (!piece.payload)
      continue;
    for (ArrayRef<char> rest = piece.payload->data; !rest.empty();) {
      ArrayRef<char> step = rest.take_front(kStep);
      os << StringRef(step.data(), step.size());
      rest = rest.drop_front(step.size());
      if (onWritten)
        onWritten(step);
    }
  }
}
