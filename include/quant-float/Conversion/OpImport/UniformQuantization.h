//===- UniformQuantization.h - quant.uniform of integers --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantization to the types of the quant dialect with integer storage: per
// tensor, per axis and sub-channel. A value is divided by the scale, rounded to
// nearest, ties to even, added to the zero point, and clamped to the range of
// the storage.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_OPIMPORT_UNIFORMQUANTIZATION_H
#define QUANT_FLOAT_CONVERSION_OPIMPORT_UNIFORMQUANTIZATION_H

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"

namespace mlir::quant_float {

/// Returns the element type if it is a uniform quantized type of any kind with
/// integer storage, or null.
quant::QuantizedType getUniformType(Type type);

/// Returns the type with the storage as element type: signless or unsigned
/// integers.
Type getQuantStorageType(Type type);

/// Convert between a ranked tensor of the expressed type and a tensor of the
/// storage. On failure, record the reason (see OnnxNodeBuilder::unsupported).
FailureOr<Value> quantizeUniform(OnnxNodeBuilder &builder, Value value,
                                 quant::QuantizedType type);
FailureOr<Value> dequantizeUniform(OnnxNodeBuilder &builder, Value storage,
                                   quant::QuantizedType type);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_OPIMPORT_UNIFORMQUANTIZATION_H
