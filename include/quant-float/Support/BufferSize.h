//===- BufferSize.h - Sizes of tensors and buffers --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_BUFFERSIZE_H
#define QUANT_FLOAT_SUPPORT_BUFFERSIZE_H

#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace mlir::quant_float {

/// The maximum rank of a tensor, as in NumPy. It limits the depth of loop
/// nests.
constexpr int64_t kMaxDimensions = 64;

/// Returns the number of elements, or nullopt if it overflows int64_t. The
/// product of the nonzero sizes must not overflow even if a size is zero,
/// because MLIR multiplies them in order. A dynamic size counts as one.
std::optional<int64_t> countElements(ArrayRef<int64_t> sizes);

/// Returns the distance in bytes between consecutive elements of a buffer.
int64_t getStrideBytes(Type elementType);

/// Returns the size in bytes of a buffer whose dynamic sizes count as 1;
/// saturates at 2^64 - 1.
uint64_t getStaticBytes(MemRefType type);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_BUFFERSIZE_H
