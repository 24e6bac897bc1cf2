//===- Types.h - Types and attributes in the words of files -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_TYPES_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_TYPES_H
#include "../Common/Elements.h"
#include "Diagnostics.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <pugixml.hpp>

namespace mlir::quant_float::openvino_import {

/// How a constant's bytes hold the elements: each in bytes of its own, several
/// in a byte with the first one in the low or the high bits, as the codes of
/// nf4, or in a way that is not read.
enum class Storage { Whole, LowFirst, HighFirst, Nf4, Texts, None };

struct ElementType {
  /// What attributes of layers and ports call it.
  StringRef name, precision;
  Storage storage;
  /// Null where MLIR has none.
  Type type;
};

/// The element type of that name, which the attribute called `attribute` has.
FailureOr<ElementType> parseElementType(StringRef attribute, StringRef text,
                                        const Subject &subject);

/// Of all element types that have this one in MLIR the plainest; none where
/// OpenVINO has no such type.
std::optional<ElementType> findElementType(Type type);

struct Shape {
  bool isRanked = true;
  SmallVector<int64_t> dims;
  /// Whether a size has bounds other than 0 and infinity.
  bool hasBounds = false;
};

/// "2,3", "?,-1", "1..10", "...", "" (a scalar).
FailureOr<Shape> parseShape(StringRef text, const Subject &subject);

/// The same in a file's words: "2,?,-1", "..." without a rank.
std::string writeShape(Type type);

/// The tensor type; `!quant_float.unknown` without an element type.
FailureOr<Type> makeTensorType(Type elementType, const Shape &shape,
                               const Subject &subject);

/// What Parameter and Const say of the tensor.
struct DataType {
  ElementType element;
  Shape shape;
  StringRef shapeText;
};

FailureOr<DataType> readDataType(pugi::xml_node data, const Subject &subject);

/// What the file declares of an output; where it has no dimensions, these are
/// those of a scalar if `knowsRank`.
FailureOr<Type> convertPort(pugi::xml_node port, bool knowsRank,
                            const Subject &subject);

/// The operator's name where the file's spelling differs: types are looked up
/// without regard to letter case. Other types stay as they are.
StringRef getCanonicalType(StringRef type);

/// The attributes in a layer's element `data`. Those of known operators have
/// types: i64, f64, i1, lists of i64, element types; others are strings.
FailureOr<DictionaryAttr> importAttributes(StringRef layerType,
                                           pugi::xml_node data,
                                           const Subject &subject);

/// The value in a file's words; none where a layer has no such attribute.
std::optional<std::string> writeAttribute(Attribute value);

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_TYPES_H
