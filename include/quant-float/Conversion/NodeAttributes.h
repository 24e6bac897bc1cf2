//===- NodeAttributes.h - Attributes of nodes -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What attributes a node may have is data: rows of OnnxNodes.def and
// OpenVinoLayers.def. A node is held against its rows once; what reads the
// attributes then finds each as its row has it, or the default.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_NODEATTRIBUTES_H
#define QUANT_FLOAT_CONVERSION_NODEATTRIBUTES_H

#include "quant-float/IR/QuantFloatOps.h"
#include <limits>
#include <optional>
#include <string>

namespace mlir::quant_float {

/// What an attribute holds. `Any` is for one that changes no value: it is
/// taken whatever it holds.
enum class AttributeKind {
  Any,
  Int,
  /// An int that is 0 or 1.
  Flag,
  /// An int that is ONNX's number of an element type; 0 for none.
  DataType,
  Ints,
  Float,
  Floats,
  String,
  /// A string that is one of those listed.
  Choice,
  Tensor,
  /// OpenVINO's true and false, and its element types.
  Boolean,
  ElementType,
};

/// An attribute that a node may have. Ints, floats, flags and data types have a
/// default; a choice is made of what `choices` lists, with | between, the first
/// of which is the default. With a | at its end the empty string stands for it,
/// too.
struct AttributeRow {
  AttributeKind kind;
  StringLiteral name;
  double number = 0;
  StringLiteral choices = "";
  bool isRequired = false;
  /// The opsets that have it, as far as the versions that the row is for have
  /// it only in part: from `since` on, and before `before`.
  int64_t since = 0;
  int64_t before = std::numeric_limits<int64_t>::max();
};

/// How rows are written.
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

/// Reads the attributes of a node. Nothing is taken for granted before `read`
/// has found nothing wrong.
class NodeAttributes {
public:
  explicit NodeAttributes(NodeOp node) : node(node) {}

  NodeOp node;

  /// Holds the node against its rows, which have to outlive this. Returns what
  /// is wrong: "attribute 'axis': expected an int, but got a string". Other
  /// attributes are wrong unless `ignoresOthers`.
  std::optional<std::string> read(ArrayRef<AttributeRow> rows,
                                  bool ignoresOthers = false);

  bool has(StringRef name) const { return bool(getAttribute(name)); }
  /// Null where the node has none.
  Attribute getAttribute(StringRef name) const {
    return NodeOp(node).getNodeAttributes().get(name);
  }

  // The attribute, else `value` if it is given, else the default of the row; 0
  // or nothing where it has none, or there is no row.
  int64_t getInt(StringRef name, std::optional<int64_t> value = {}) const;
  double getFloat(StringRef name) const;
  /// Of Flag and Boolean.
  bool getFlag(StringRef name) const;
  SmallVector<int64_t> getInts(StringRef name,
                               ArrayRef<int64_t> value = {}) const;
  SmallVector<float> getFloats(StringRef name) const;
  /// A choice as its row spells it.
  StringRef getString(StringRef name) const;
  /// The choice as an enumerator: they are in the order of the row.
  template <typename EnumT> EnumT getChoice(StringRef name) const {
    return static_cast<EnumT>(getChoiceIndex(name));
  }
  /// Of DataType and ElementType; null for none, and for what MLIR lacks.
  Type getType(StringRef name) const;

private:
  const AttributeRow *findRow(StringRef name) const;
  std::optional<std::string> findError(const AttributeRow &row,
                                       Attribute value) const;
  size_t getChoiceIndex(StringRef name) const;

  ArrayRef<AttributeRow> rows;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_NODEATTRIBUTES_H
