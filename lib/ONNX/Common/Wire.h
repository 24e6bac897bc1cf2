//===- Wire.h - The wire format of protobuf ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_COMMON_WIRE_H
#define QUANT_FLOAT_LIB_ONNX_COMMON_WIRE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::quant_float::onnx_import {

/// The wire type: the lowest three bits of a field's tag. The other bits are
/// the field number. A `Chunk` is a length-delimited field.
enum class WireType {
  Varint,
  Fixed64,
  Chunk,
  GroupBegin,
  GroupEnd,
  Fixed32,
};

/// The head of a field: its tag, the length of a chunk, or the value of a
/// varint.
struct FieldHead {
  uint64_t number;
  WireType type;
  uint64_t size;
  /// The value of a varint.
  uint64_t value;
};

/// Reads the head of the field at `at` and advances `at` to its content.
/// Returns false if the bytes are malformed.
bool readFieldHead(llvm::StringRef bytes, size_t &at, FieldHead &head);

/// A field or a group. `all` includes the tag, `content` is that of a chunk,
/// and `value` is that of a varint.
struct Field {
  uint64_t number;
  bool isChunk;
  llvm::StringRef all, content;
  uint64_t value;
};

/// Calls `visit` on every field. Returns false if the bytes are malformed or a
/// call of `visit` returns false.
bool forEachField(llvm::StringRef bytes,
                  llvm::function_ref<bool(const Field &)> visit);

/// Appends the tag and the length of a chunk whose content has `size` bytes.
void appendChunkHead(std::string &out, uint64_t number, uint64_t size);
void appendChunk(std::string &out, uint64_t number, llvm::StringRef content);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_COMMON_WIRE_H
