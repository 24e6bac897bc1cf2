//===- Wire.cpp - The wire format of protobuf -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wire.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

static bool readVarint(llvm::StringRef bytes, size_t &at, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    uint8_t byte = bytes[at++];
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

bool onnx_import::readFieldHead(llvm::StringRef bytes, size_t &at,
                                FieldHead &head) {
  uint64_t tag;
  if (!readVarint(bytes, at, tag) || (tag & 7) > uint64_t(WireType::Fixed32))
    return false;
  head = {tag >> 3, static_cast<WireType>(tag & 7), 0, 0};
  switch (head.type) {
  case WireType::Varint:
    return readVarint(bytes, at, head.value);
  case WireType::Fixed64:
    head.size = 8;
    break;
  case WireType::Fixed32:
    head.size = 4;
    break;
  case WireType::Chunk:
    if (!readVarint(bytes, at, head.size))
      return false;
    break;
  case WireType::GroupBegin:
  case WireType::GroupEnd:
    break;
  }
  return head.size <= bytes.size() - at;
}

/// Advances `at` past the end of the group. Returns false if the bytes are
/// malformed.
static bool skipGroup(llvm::StringRef bytes, size_t &at, uint64_t number) {
  llvm::SmallVector<uint64_t> stack = {number};
  while (!stack.empty()) {
    FieldHead head;
    if (!readFieldHead(bytes, at, head))
      return false;
    at += head.size;
    if (head.type == WireType::GroupBegin)
      stack.push_back(head.number);
    else if (head.type == WireType::GroupEnd &&
             head.number != stack.pop_back_val())
      return false;
  }
  return true;
}

bool onnx_import::forEachField(llvm::StringRef bytes,
                               llvm::function_ref<bool(const Field &)> visit) {
  for (size_t at = 0; at < bytes.size();) {
    size_t begin = at;
    FieldHead head;
    if (!readFieldHead(bytes, at, head) || head.type == WireType::GroupEnd)
      return false;
    llvm::StringRef content = bytes.substr(at, head.size);
    at += head.size;
    if (head.type == WireType::GroupBegin && !skipGroup(bytes, at, head.number))
      return false;
    Field field{head.number, head.type == WireType::Chunk,
                bytes.slice(begin, at), content, head.value};
    if (!visit(field))
      return false;
  }
  return true;
}

void onnx_import::appendChunkHead(std::string &out, uint64_t number,
                                  uint64_t size) {
  auto appendVarint = [&](uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  };
  appendVarint(number << 3 | static_cast<uint64_t>(WireType::Chunk));
  appendVarint(size);
}

void onnx_import::appendChunk(std::string &out, uint64_t number,
                              llvm::StringRef content) {
  appendChunkHead(out, number, content.size());
  out += content;
}
