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

/// Returns the kind of `elementType`, if it is an element type.
std::optional<ElementKind> getElementKind(Type elementType);

/// Returns the qf_dtype of `elementType`, if it has one: ONNX's number or one
/// of this project.
std::optional<int32_t> getDataType(Type elementType);

/// Returns the element type with this number. Null for an unknown number, and
/// for the dialect's types if the dialect is not loaded.
Type getTypeFromDataType(MLIRContext *context, int32_t dataType);

/// Returns the ONNX DataType number of `elementType`, if it has one.
std::optional<int32_t> getOnnxDataType(Type elementType);

/// Returns the element type with this ONNX DataType number. Null for an unknown
/// number and for complex types.
Type getTypeFromOnnxDataType(MLIRContext *context, int32_t dataType);

/// Returns the ONNX name of `elementType`, as in "tensor(float8e4m3fn)". The
/// types of this project have names in the same style. Empty if the type has no
/// name.
StringRef getOnnxTypeName(Type elementType);

/// Returns the type of the dialect for a builtin float type that only newer
/// versions of MLIR have: `!quant_float.f8UE5M3` for `f8E5M3FNU`, since
/// MLIR 24. Null for all other types.
Type getDialectFloatType(Type builtinType);

/// Returns the builtin type for which getDialectFloatType returns
/// `dialectType`, or null.
Type getBuiltinFloatType(Type dialectType);

/// Returns the storage type of an element in memory and registers: a signless
/// integer of at least 8 bits for unsigned and sub-byte types and for floats
/// that MLIR lacks; i64, the address, for strings; the type itself for all
/// others.
Type getStorageElementType(Type elementType);

/// Returns `type` (a scalar, vector or tensor) with its storage element type.
Type getStorageType(Type type);

/// Returns the element type of tensors and memrefs of packed elements of
/// `elementType`: a signless integer of the same width. Null for types without
/// a packed layout.
Type getPackedElementType(Type elementType);

/// Returns whether `type` is a result of getPackedElementType. After the
/// conversion to storage types, only packed tensors and memrefs have such
/// elements.
bool isPackedElementType(Type type);

/// Returns whether the constant is packed, which is the case if it has fewer
/// bytes than elements. Other constants of sub-byte types have one byte per
/// element.
bool isPacked(DenseResourceElementsAttr elements);

/// Returns `type` (a scalar, vector or tensor) with the element type
/// `elementType`.
Type withElementType(Type type, Type elementType);

/// Returns whether the types are compatible: they are equal, one is unknown, or
/// both are tensors with the same element type and compatible shapes.
bool areCompatible(Type a, Type b);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_ELEMENTTYPES_H
