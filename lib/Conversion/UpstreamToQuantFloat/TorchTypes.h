//===- TorchTypes.h - !torch.vtensor without its dialect --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_TORCHTYPES_H
#define QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_TORCHTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::quant_float {

/// Whether `type` is `!torch.vtensor`, with whatever it says of itself. Types
/// are read by their text: the dialect need not be there.
bool isTorchTensor(Type type);

/// The tensor type that ONNX's types are here (`si8` is `i8`, `ui8` itself);
/// null where the text tells no element type.
TensorType getTensorOfTorch(Type type);

/// The value as a tensor, and back, by torch-mlir's own ops; these have no
/// signs, and casts of the same bits go between.
Value createToBuiltinTensor(OpBuilder &builder, Location loc, Value value);
Value createFromBuiltinTensor(OpBuilder &builder, Location loc, Type torchType,
                              Value tensor);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_TORCHTYPES_H
