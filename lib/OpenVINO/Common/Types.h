//===- Types.h - Types and attributes in files ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_COMMON_TYPES_H
#define QUANT_FLOAT_LIB_OPENVINO_COMMON_TYPES_H
#include "../../Interchange/Elements.h"
#include "Diagnostics.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <pugixml.hpp>

namespace mlir::quant_float::openvino_import {

/// The storage of a constant's elements: each in full bytes, packed with the
/// first one in the low bits or in the high bits of a byte, encodings of nf4,
/// strings, or a layout that is not supported.
enum class Storage { Unpacked, LowFirst, HighFirst, Nf4, Strings, None };

struct ElementType {
  /// The names in attributes of layers and in ports.
  StringRef name, precision;
  Storage storage;
  /// Null if MLIR has no such type.
  Type type;
};

/// Returns the element type with this name. `attribute` is the name of the
/// attribute in diagnostics.
FailureOr<ElementType> parseElementType(StringRef attribute, StringRef spelling,
                                        const Subject &subject);

/// Returns an element type of OpenVINO that has this MLIR type, preferably one
/// without special storage, or nullopt if there is none.
std::optional<ElementType> findElementType(Type type);

struct Shape {
  bool isRanked = true;
  SmallVector<int64_t> dims;
  /// Whether a dimension has bounds other than 0 and infinity.
  bool hasBounds = false;
};

/// Parses a shape: "2,3", "?,-1", "1..10", "...", "" (a scalar).
FailureOr<Shape> parseShape(StringRef spelling, const Subject &subject);

/// Returns a shape as files have it: "2,?,3", or "..." for unranked tensors.
std::string writeShape(Type type);

/// Returns the tensor type, or `!quant_float.unknown` if the element type is
/// unknown.
FailureOr<Type> makeTensorType(Type elementType, const Shape &shape,
                               const Subject &subject);

/// The type that Parameter and Const specify.
struct DataType {
  ElementType element;
  Shape shape;
  StringRef shapeSpelling;
};

FailureOr<DataType> readDataType(pugi::xml_node data, const Subject &subject);

/// Returns the type that the file declares for an output port. A port without
/// dimensions is a scalar if `knowsRank`, and unranked otherwise.
FailureOr<Type> convertPort(pugi::xml_node port, bool knowsRank,
                            const Subject &subject);

/// Returns OpenVINO's name of an operator, which is looked up
/// case-insensitively. Returns other types unchanged.
StringRef getCanonicalType(StringRef type);

/// Imports the attributes of a layer's element `data`. Attributes of known
/// operators are i64, f64, i1, lists of i64 or f32, or element types. Others
/// are strings.
FailureOr<DictionaryAttr> importAttributes(StringRef layerType,
                                           pugi::xml_node data,
                                           const Subject &subject);

/// Returns the value as files have it, or nullopt if layers have no such
/// attributes.
std::optional<std::string> writeAttribute(Attribute value);

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_OPENVINO_COMMON_TYPES_H
