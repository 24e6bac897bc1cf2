//===- Attributes.h - Node attributes ---------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_ATTRIBUTES_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_ATTRIBUTES_H

#include "TensorDecoder.h"

namespace mlir::quant_float::onnx_import {

using AttributeKind = ::onnx::AttributeProto::AttributeType;

/// "an int", "a list of floats": how diagnostics call the kinds.
StringRef getKindName(AttributeKind kind);

/// The kind of value that the attribute declares, which has to be the kind it
/// holds. Files older than the type field are judged by what they hold.
FailureOr<AttributeKind> getKind(const ::onnx::AttributeProto &attribute,
                                 const Subject &subject);

/// The value of an attribute that is not a graph:
/// int: i64 attribute; float: f32; string: string; tensor: elements; type:
/// type; sparse tensor: a dictionary of `dims`, `indices` and `values`; ints
/// and floats: dense arrays; other lists: arrays.
FailureOr<Attribute> importAttribute(::onnx::AttributeProto &attribute,
                                     AttributeKind kind, TensorDecoder &decoder,
                                     const Subject &subject);

/// Gives `proto` the value where that is a number, a string or a list of
/// numbers; false otherwise.
bool exportPlainAttribute(Attribute value, ::onnx::AttributeProto &proto);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_ATTRIBUTES_H
