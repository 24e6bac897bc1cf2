//===- Attributes.h - Node attributes ---------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_COMMON_ATTRIBUTES_H
#define QUANT_FLOAT_LIB_ONNX_COMMON_ATTRIBUTES_H

#include "TensorDecoder.h"

namespace mlir::quant_float::onnx_import {

using AttributeKind = ::onnx::AttributeProto::AttributeType;

/// Returns the name of the kind in diagnostics: "an int", "a list of floats".
StringRef getKindName(AttributeKind kind);

/// Returns the declared kind of the attribute. Fails after an error if the
/// attribute holds a value of another kind. If the attribute has no `type`
/// field (old files), the kind follows from the value.
FailureOr<AttributeKind> getKind(const ::onnx::AttributeProto &attribute,
                                 const Subject &subject);

/// Imports the value of an attribute that is not a graph. The results are:
///
/// - int: an i64 attribute; float: an f32 attribute; string: a string
///   attribute;
/// - tensor: an elements attribute; type: a type attribute;
/// - sparse tensor: a dictionary of `dims`, `indices` and `values`;
/// - ints and floats: dense arrays; other lists: arrays.
FailureOr<Attribute> importAttribute(::onnx::AttributeProto &attribute,
                                     AttributeKind kind, TensorDecoder &decoder,
                                     const Subject &subject);

/// Stores `value` in `proto` if it is a number, a string, or a list of numbers.
/// Returns false otherwise.
bool exportPlainAttribute(Attribute value, ::onnx::AttributeProto &proto);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_COMMON_ATTRIBUTES_H
