//===- Conversions.h - Conversions of torch ops -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_CONVERSIONS_H
#define QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_CONVERSIONS_H

#include "TorchMath.h"

namespace mlir::quant_float::torch_ops {

// Declares the conversions of all rows.
#define QUANT_FLOAT_TORCH(Name, MinOperands, MaxOperands, Results, Conversion) \
  NodeResults Conversion(OpImporter &op);
#define QUANT_FLOAT_TORCH_NODE(Name, Operands, Conversion, OnnxType)           \
  NodeResults Conversion(OpImporter &op);
#include "quant-float/Conversion/TorchToOnnx/TorchOps.def"

/// Converts a `torch.operator` of torch-mlir's ONNX importer to a node. Emits
/// an error if that is not possible.
LogicalResult importOnnxOperator(UnregisteredOp op);

} // namespace mlir::quant_float::torch_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_CONVERSIONS_H
