//===- Bytes.h - Tensor data ------------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_INTERCHANGE_BYTES_H
#define QUANT_FLOAT_LIB_INTERCHANGE_BYTES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace mlir::quant_float::target {

/// Bytes and the owner of their memory.
struct SharedBytes {
  ArrayRef<char> data;
  std::shared_ptr<const void> owner;
  /// Whether the bytes are part of a mapped file, whose pages can be dropped
  /// after the bytes are copied.
  bool isMapped = false;
};

inline bool isMapped(const llvm::MemoryBuffer &buffer) {
  return buffer.getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap;
}

/// Allocates `size` bytes. Returns the buffer and a pointer for writing. If
/// there is not enough memory, the pointer is null and the buffer is empty. The
/// functions below that return SharedBytes also return no bytes in this case.
std::pair<SharedBytes, char *> allocateBytes(size_t size);

/// Removes the pages of a mapped file from memory. A later read loads them
/// again.
void dropPages(const SharedBytes &bytes);

/// Returns a copy of the bytes. Drops the pages of a mapped file while it
/// copies, so that the data is never in memory twice.
SharedBytes copyBytes(const SharedBytes &bytes);

/// Unpacks packed 2-, 4- and 6-bit elements to one byte each, sign-extended for
/// signless integers (P1). `packed` holds at least `count` elements.
SharedBytes unpack(ArrayRef<char> packed, Type elementType, int64_t count);

/// Converts every nonzero byte to 1, because readers of `i1` storage units rely
/// on 0 and 1.
SharedBytes normalizeBooleans(ArrayRef<char> bytes);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_INTERCHANGE_BYTES_H
