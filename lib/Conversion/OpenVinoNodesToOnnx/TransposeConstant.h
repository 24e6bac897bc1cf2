//===- TransposeConstant.h - Weights turned around --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_TRANSPOSECONSTANT_H
#define QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_TRANSPOSECONSTANT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace mlir::quant_float::openvino_layers {

/// The elements of a constant with its last two axes exchanged; null where it
/// is none, or of a type that does not have whole bytes.
ElementsAttr transposeConstant(Value value);

} // namespace mlir::quant_float::openvino_layers

#endif // QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_TRANSPOSECONSTANT_H
