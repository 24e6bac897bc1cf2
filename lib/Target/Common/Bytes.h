//===- Bytes.h - Payloads of tensors ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_COMMON_BYTES_H
#define QUANT_FLOAT_LIB_TARGET_COMMON_BYTES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace mlir::quant_float::target {

/// Bytes together with what keeps them alive.
struct SharedBytes {
  ArrayRef<char> data;
  std::shared_ptr<const void> owner;
  /// Whether they are part of a mapped file: once they are copied, its pages
  /// need not stay in memory.
  bool isMapped = false;
};

inline bool isMapped(const llvm::MemoryBuffer &buffer) {
  return buffer.getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap;
}

/// A buffer of `size` bytes and a pointer to write through, which is null where
/// there is no memory. So it is with all that is made here: no bytes, then.
std::pair<SharedBytes, char *> allocateBytes(size_t size);

/// Takes the pages of a mapped file out of memory; they come back when read.
void dropPages(const SharedBytes &bytes);

/// A copy of the bytes. A mapped file does not end up in memory twice.
SharedBytes copyBytes(const SharedBytes &bytes);

/// Spreads packed 2-, 4- and 6-bit codes into one byte each, sign-extended for
/// signed integers (P1). `packed` holds at least `count` codes.
SharedBytes unpack(ArrayRef<char> packed, Type elementType, int64_t count);

/// Any byte but 0 is true; what reads the slots may rely on 0 and 1.
SharedBytes normalizeBooleans(ArrayRef<char> bytes);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_TARGET_COMMON_BYTES_H
