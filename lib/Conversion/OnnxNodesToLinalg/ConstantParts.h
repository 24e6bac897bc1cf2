//===- ConstantParts.h - Constants put together of constants ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_CONSTANTPARTS_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_CONSTANTPARTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::quant_float::onnx_nodes {

/// The tensors one behind the other along `axis` as a constant, where all are
/// constants or slices of some that hold no less together; null elsewhere. They
/// have the same sizes along all other axes.
Value joinConstants(ImplicitLocOpBuilder &b, ArrayRef<Value> parts,
                    int64_t axis);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_CONSTANTPARTS_H
