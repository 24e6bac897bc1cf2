//===- MatvecLimit.h - Matmuls with few rows --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_MATVECLIMIT_H
#define QUANT_FLOAT_LIB_TRANSFORMS_MATVECLIMIT_H

#include <cstdint>

namespace mlir::quant_float {

/// Matmuls with at most this many rows decode their weights while they
/// multiply. With more rows, decoding each weight into a buffer once is faster.
constexpr int64_t kMaxMatvecRows = 4;

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_MATVECLIMIT_H
