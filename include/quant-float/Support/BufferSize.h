//===- BufferSize.h - Bytes of buffers --------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_BUFFERSIZE_H
#define QUANT_FLOAT_SUPPORT_BUFFERSIZE_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::quant_float {

/// The bytes of a buffer whose dynamic sizes are all 1; 2^64 - 1 where there
/// are more.
uint64_t getStaticBytes(MemRefType type);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_BUFFERSIZE_H
