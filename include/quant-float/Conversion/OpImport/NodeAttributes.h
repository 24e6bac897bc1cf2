//===- NodeAttributes.h - Attributes of foreign ONNX ops --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_OPIMPORT_NODEATTRIBUTES_H
#define QUANT_FLOAT_CONVERSION_OPIMPORT_NODEATTRIBUTES_H

#include "mlir/IR/Builders.h"
#include <optional>

namespace mlir::quant_float {

/// Returns the integer, or none if the attribute is no integer or has more than
/// 64 bits.
std::optional<int64_t> readInteger(Attribute attribute);

/// Returns an attribute of an ONNX op of another dialect in the representation
/// of `quant_float.node`: integers have 64 bits, floats are f32, and types are
/// ONNX's numbers. Returns null for other kinds, and if the data of a resource
/// is missing.
Attribute importNodeAttribute(Attribute value);

/// Returns the value of ONNX's Constant, of which the only attribute is a
/// tensor, a number or a list of numbers. Returns null if it is none of these.
TypedAttr importConstantNode(Builder &b, ArrayRef<NamedAttribute> attributes);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_OPIMPORT_NODEATTRIBUTES_H
