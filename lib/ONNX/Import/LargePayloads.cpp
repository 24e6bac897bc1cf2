//===- LargePayloads.cpp - Large payloads left in the file ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargePayloads.h"
#include "../Common/Wire.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
// Field numbers of ModelProto, GraphProto and TensorProto.
constexpr uint64_t kGraphField = 7;
constexpr uint64_t kInitializerField = 5;
constexpr uint64_t kRawDataField = 9;
} // namespace

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
      // Protobuf uses the last of several raw_data fields; leave such a message
      // to it.
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
