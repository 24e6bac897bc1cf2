//===- TorchTypes.h - !torch.vtensor without the torch dialect --*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_OPIMPORT_TORCHTYPES_H
#define QUANT_FLOAT_CONVERSION_OPIMPORT_TORCHTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::quant_float {

/// Whether `type` is a `!torch.vtensor` with any parameters. The functions
/// below parse the printed form of types, because the torch dialect need not be
/// loaded.
bool isTorchTensor(Type type);

/// Returns the tensor type in the representation of ONNX's types (`si8` becomes
/// `i8`, `ui8` remains), or null if the torch type has no element type.
TensorType getTensorOfTorch(Type type);

/// Convert a torch tensor to a builtin tensor and back, with torch-mlir's own
/// ops. Because these use signless integers, casts that preserve the bits are
/// added.
Value createToBuiltinTensor(OpBuilder &builder, Location loc, Value value);
Value createFromBuiltinTensor(OpBuilder &builder, Location loc, Type torchType,
                              Value tensor);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_OPIMPORT_TORCHTYPES_H
