//===- NodeAttributes.h - Node attributes -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the attributes of a node as rows of OnnxNodes.def and
// OpenVinoLayers.def specify them. `read` verifies the node against its rows.
// The accessors then return the value of an attribute or its default.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_NODEATTRIBUTES_H
#define QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_NODEATTRIBUTES_H

#include "quant-float/IR/QuantFloatOps.h"
#include <limits>
#include <optional>
#include <string>

namespace mlir::quant_float {

/// The kind of value that an attribute holds. `Any` accepts every value, for
/// attributes that do not affect the result.
enum class AttributeKind {
  Any,
  Int,
  /// An int that is 0 or 1.
  Flag,
  /// An int that is ONNX's number of an element type, or 0 for none.
  DataType,
  Ints,
  Float,
  Floats,
  String,
  /// A string that is one of a list.
  Choice,
  Tensor,
  /// OpenVINO's `true` and `false`, and its element types.
  Boolean,
  ElementType,
};

/// An attribute that a node may have. Ints, floats, flags and data types have a
/// default. `choices` lists the values of a choice, separated by |; the first
/// one is the default. If the list ends in |, the empty string also selects the
/// default.
struct AttributeRow {
  AttributeKind kind;
  StringLiteral name;
  double number = 0;
  StringLiteral choices = "";
  bool isRequired = false;
  /// The opsets that have the attribute, if not all opsets of the node's row
  /// do: at least `since` and less than `before`.
  int64_t since = 0;
  int64_t before = std::numeric_limits<int64_t>::max();
};

/// Functions that create rows.
namespace attribute_rows {
#define QUANT_FLOAT_KIND(Function, Kind)                                       \
  constexpr AttributeRow Function(StringLiteral name) {                        \
    return {AttributeKind::Kind, name};                                        \
  }
QUANT_FLOAT_KIND(anything, Any)
QUANT_FLOAT_KIND(ints, Ints)
QUANT_FLOAT_KIND(floats, Floats)
QUANT_FLOAT_KIND(aString, String)
QUANT_FLOAT_KIND(aTensor, Tensor)
QUANT_FLOAT_KIND(anElementType, ElementType)
#undef QUANT_FLOAT_KIND
constexpr AttributeRow anInt(StringLiteral name, int64_t value = 0) {
  return {AttributeKind::Int, name, static_cast<double>(value)};
}
constexpr AttributeRow aDataType(StringLiteral name, int64_t value = 0) {
  return {AttributeKind::DataType, name, static_cast<double>(value)};
}
constexpr AttributeRow aFloat(StringLiteral name, double value = 0) {
  return {AttributeKind::Float, name, value};
}
constexpr AttributeRow aFlag(StringLiteral name, bool value) {
  return {AttributeKind::Flag, name, static_cast<double>(value)};
}
constexpr AttributeRow aBoolean(StringLiteral name, bool value) {
  return {AttributeKind::Boolean, name, static_cast<double>(value)};
}
constexpr AttributeRow aChoice(StringLiteral name, StringLiteral choices) {
  return {AttributeKind::Choice, name, 0, choices};
}
constexpr AttributeRow required(AttributeRow row) {
  row.isRequired = true;
  return row;
}
constexpr AttributeRow since(int64_t opset, AttributeRow row) {
  row.since = opset;
  return row;
}
constexpr AttributeRow before(int64_t opset, AttributeRow row) {
  row.before = opset;
  return row;
}
} // namespace attribute_rows

/// Reads the attributes of a node. `read` must succeed before any other
/// accessor than `has` and `getAttribute` is called.
class NodeAttributes {
public:
  explicit NodeAttributes(NodeOp node) : node(node) {}

  NodeOp node;

  /// Verifies the attributes of the node against `rows`, which must outlive
  /// this object. Returns an error such as "attribute 'axis': expected an int,
  /// but got a string", or none. Attributes without a row are errors unless
  /// `ignoresUnknown` is set.
  std::optional<std::string> read(ArrayRef<AttributeRow> rows,
                                  bool ignoresUnknown = false);

  bool has(StringRef name) const { return bool(getAttribute(name)); }
  /// Returns null if the node does not have the attribute.
  Attribute getAttribute(StringRef name) const {
    return NodeOp(node).getNodeAttributes().get(name);
  }

  // These return the attribute, or else `value` if it is specified, or else the
  // default of the row. Without a default or without a row they return 0 or an
  // empty list.
  int64_t getInt(StringRef name, std::optional<int64_t> value = {}) const;
  double getFloat(StringRef name) const;
  /// For the kinds Flag and Boolean.
  bool getFlag(StringRef name) const;
  SmallVector<int64_t> getInts(StringRef name,
                               ArrayRef<int64_t> value = {}) const;
  SmallVector<float> getFloats(StringRef name) const;
  /// Returns a choice in the spelling of its row.
  StringRef getString(StringRef name) const;
  /// Returns a choice as an enumerator. The enumerators are in the order of the
  /// row.
  template <typename EnumT> EnumT getChoice(StringRef name) const {
    return static_cast<EnumT>(getChoiceIndex(name));
  }
  /// For the kinds DataType and ElementType. Returns null for no type and for
  /// types that MLIR lacks.
  Type getType(StringRef name) const;

private:
  const AttributeRow *findRow(StringRef name) const;
  std::optional<std::string> findError(const AttributeRow &row,
                                       Attribute value) const;
  size_t getChoiceIndex(StringRef name) const;

  ArrayRef<AttributeRow> rows;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_NODEATTRIBUTES_H
