//===- TransposeInRegisters.h - Transpose square blocks ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_TRANSPOSEINREGISTERS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_TRANSPOSEINREGISTERS_H

#include "mlir/IR/Builders.h"

namespace mlir::quant_float {

/// Transposes the square matrix with these rows, which are vectors of a power
/// of two elements. Each of the log2(n) steps has a shuffle for each vector.
/// For elements of 8 bits or more, this is one instruction on x86: it
/// interleaves elements within 16 bytes, or moves blocks of 16 bytes.
SmallVector<Value> transposeInRegisters(OpBuilder &builder, Location loc,
                                        ValueRange rows);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_TRANSPOSEINREGISTERS_H
