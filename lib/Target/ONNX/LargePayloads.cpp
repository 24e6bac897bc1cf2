//===- LargePayloads.cpp - Large payloads left in the file ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargePayloads.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
// Field numbers of ModelProto, GraphProto and TensorProto.
constexpr uint64_t kGraphField = 7;
constexpr uint64_t kInitializerField = 5;
constexpr uint64_t kRawDataField = 9;

enum WireType { Varint = 0, Fixed64 = 1, Chunk = 2, Fixed32 = 5 };

/// One field of a message: `all` with its tag, `content` of a chunk.
struct Field {
  uint64_t number;
  bool isChunk;
  StringRef all, content;
};
} // namespace

static bool readVarint(StringRef bytes, size_t &at, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    uint8_t byte = bytes[at++];
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

/// Calls `visit` on every field; false when the bytes are no plain message or
/// `visit` gives up.
static bool forEachField(StringRef bytes,
                         llvm::function_ref<bool(const Field &)> visit) {
  for (size_t at = 0; at < bytes.size();) {
    size_t begin = at;
    uint64_t tag, size = 0;
    if (!readVarint(bytes, at, tag))
      return false;
    switch (tag & 7) {
    case Varint:
      if (uint64_t ignored; !readVarint(bytes, at, ignored))
        return false;
      break;
    case Fixed64:
      size = 8;
      break;
    case Fixed32:
      size = 4;
      break;
    case Chunk:
      if (!readVarint(bytes, at, size))
        return false;
      break;
    default:
      return false;
    }
    if (size > bytes.size() - at)
      return false;
    Field field{tag >> 3, (tag & 7) == Chunk, bytes.slice(begin, at + size),
                bytes.substr(at, size)};
    if (!visit(field))
      return false;
    at += size;
  }
  return true;
}

static void appendChunk(std::string &out, uint64_t number, StringRef content) {
  auto appendVarint = [&](uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out += char(value | 0x80);
    out += char(value);
  };
  appendVarint(number << 3 | Chunk);
  appendVarint(content.size());
  out += content;
}

std::optional<TrimmedModel> onnx_import::trimPayloads(StringRef model,
                                                      size_t smallestPayload) {
  TrimmedModel result;
  int initializers = 0;
  bool seenGraph = false;

  auto trimTensor = [&](const Field &tensor, std::string &graph) {
    std::string trimmed;
    std::optional<StringRef> payload;
    bool isPlain = forEachField(tensor.content, [&](const Field &field) {
      if (!field.isChunk || field.number != kRawDataField) {
        trimmed += field.all;
        return true;
      }
      // Of several the last would count.
      bool isFirst = !payload;
      payload = field.content;
      return isFirst;
    });
    if (!isPlain)
      return false;
    int index = initializers++;
    if (!payload || payload->size() < smallestPayload) {
      graph += tensor.all;
      return true;
    }
    result.payloads.push_back(
        {index, ArrayRef(payload->data(), payload->size())});
    appendChunk(trimmed, kRawDataField, "");
    appendChunk(graph, kInitializerField, trimmed);
    return true;
  };

  bool isPlain = forEachField(model, [&](const Field &field) {
    if (!field.isChunk || field.number != kGraphField) {
      result.bytes += field.all;
      return true;
    }
    std::string graph;
    bool isPlainGraph =
        !seenGraph && forEachField(field.content, [&](const Field &inner) {
          if (inner.isChunk && inner.number == kInitializerField)
            return trimTensor(inner, graph);
          graph += inner.all;
          return true;
        });
    seenGraph = true;
    appendChunk(result.bytes, kGraphField, graph);
    return isPlainGraph;
  });
  if (!isPlain || result.payloads.empty())
    return std::nullopt;
  return result;
}
