//===- BufferSize.h - Sizes that may not fit into 64 bits -------*- C++ -*-===//
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

/// Tensors of more dimensions are no network's (numpy has as many); loops over
/// them would nest without end.
constexpr int64_t kMostDimensions = 64;

/// Number of elements; none when it does not fit into an int64_t. The sizes
/// other than zeros must fit even if the product is zero, because MLIR
/// multiplies them in order. A dynamic size counts as one.
std::optional<int64_t> countElements(ArrayRef<int64_t> sizes);

/// Bytes from one element of a buffer to the next.
int64_t getStrideBytes(Type elementType);

/// The bytes of a buffer whose dynamic sizes are all 1; 2^64 - 1 where there
/// are more.
uint64_t getStaticBytes(MemRefType type);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_BUFFERSIZE_H
