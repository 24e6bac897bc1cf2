//===- Wire.cpp - The encoding of protobuf --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wire.h"

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
