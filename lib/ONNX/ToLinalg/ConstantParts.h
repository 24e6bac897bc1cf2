//===- ConstantParts.h - Concatenation of constants -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_TOLINALG_CONSTANTPARTS_H
#define QUANT_FLOAT_LIB_ONNX_TOLINALG_CONSTANTPARTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::quant_float::onnx_nodes {

/// Concatenates `parts` along `axis` to a constant. Returns null unless all
/// parts are constants or slices of constants, and these constants together are
/// at least as large as the result. The parts must have equal sizes along all
/// other axes.
Value joinConstants(ImplicitLocOpBuilder &b, ArrayRef<Value> parts,
                    int64_t axis);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_ONNX_TOLINALG_CONSTANTPARTS_H
