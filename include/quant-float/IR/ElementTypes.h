//===- ElementTypes.h - ONNX element types as MLIR types --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_ELEMENTTYPES_H
#define QUANT_FLOAT_IR_ELEMENTTYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"
#include <cstdint>
#include <optional>

namespace mlir::quant_float {

/// An element type; the value is its number in ElementTypes.def.
enum class ElementKind : int32_t {
#define QUANT_FLOAT_ELEMENT(Kind, Number, ...) Kind = Number,
#include "quant-float/Support/ElementTypes.def"
};

/// The kind of `elementType`, if it is one of these.
std::optional<ElementKind> getElementKind(Type elementType);

/// The qf_dtype of `elementType`, if it has one: ONNX's number or our own.
std::optional<int32_t> getDataType(Type elementType);

/// The element type with this number; null for an unknown one, and for the
/// dialect's own types in a context without it.
Type getTypeFromDataType(MLIRContext *context, int32_t dataType);

/// The ONNX DataType number of `elementType`, if it has one.
std::optional<int32_t> getOnnxDataType(Type elementType);

/// The element type with this ONNX DataType number; null for an unknown number
/// and for the complex types.
Type getTypeFromOnnxDataType(MLIRContext *context, int32_t dataType);

/// ONNX's name of `elementType`, as in "tensor(float8e4m3fn)"; what ONNX would
/// call one of our own; empty if it has none.
StringRef getOnnxTypeName(Type elementType);

/// The type that holds one element in memory and in registers below tensors:
/// a signless integer of at least a byte for unsigned and sub-byte types and
/// for floats that MLIR does not have, the address of a text, an i64, for
/// strings; the type itself for all others.
Type getStorageElementType(Type elementType);

/// `type` (a scalar, vector or tensor) with storage elements.
Type getStorageType(Type type);

/// The type of packed elements of `elementType` on tensors and buffers: a
/// signless integer of so many bits. Null for types without a packed form.
Type getPackedElementType(Type elementType);

/// Whether `type` is one of getPackedElementType's. No op on tensors and
/// buffers has such elements otherwise, once storage types are chosen.
bool isPackedElementType(Type type);

/// Whether the bytes of a constant are packed elements, which they are if there
/// are fewer bytes than elements; others have a byte for each element.
bool isPacked(DenseResourceElementsAttr elements);

/// `type` (a scalar, vector or tensor) with `elementType` in place of its own.
Type withElementType(Type type, Type elementType);

/// Whether a value can have both types: they are equal, one is unknown, or both
/// are tensors with the same element type and compatible shapes.
bool areCompatible(Type a, Type b);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_ELEMENTTYPES_H
