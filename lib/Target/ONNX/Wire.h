//===- Wire.h - The encoding of protobuf ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_WIRE_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_WIRE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::quant_float::onnx_import {

/// The lowest three bits of a field's tag; the others are its number.
enum class WireType {
  Varint,
  Fixed64,
  Chunk,
  GroupBegin,
  GroupEnd,
  Fixed32,
};

/// A field's tag, and how many bytes follow it, of a chunk those of its size
/// not counted.
struct FieldHead {
  uint64_t number;
  WireType type;
  uint64_t size;
  /// Of a varint.
  uint64_t value;
};

/// Reads up to the content of a field; false when the bytes are no field. A
/// varint is read, too.
bool readFieldHead(llvm::StringRef bytes, size_t &at, FieldHead &head);

/// One field of a message, or a group: `all` with its tag, `content` of a
/// chunk, `value` of a varint.
struct Field {
  uint64_t number;
  bool isChunk;
  llvm::StringRef all, content;
  uint64_t value;
};

/// Calls `visit` on every field; false when the bytes are no message or `visit`
/// gives up.
bool forEachField(llvm::StringRef bytes,
                  llvm::function_ref<bool(const Field &)> visit);

/// Appends what is before the content of a chunk of so many bytes.
void appendChunkHead(std::string &out, uint64_t number, uint64_t size);
void appendChunk(std::string &out, uint64_t number, llvm::StringRef content);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_WIRE_H
