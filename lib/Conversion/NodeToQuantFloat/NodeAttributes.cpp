//===- NodeAttributes.cpp - Attributes of nodes ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/NodeToQuantFloat/NodeAttributes.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;

using Kind = AttributeKind;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Returns "an int", "a list of floats" and so on.
static StringRef getKindName(Attribute value) {
  return llvm::TypeSwitch<Attribute, StringRef>(value)
      .Case<BoolAttr>([](Attribute) { return "a boolean"; })
      .Case<IntegerAttr>([](Attribute) { return "an int"; })
      .Case<FloatAttr>([](Attribute) { return "a float"; })
      .Case<StringAttr>([](Attribute) { return "a string"; })
      .Case<DenseI64ArrayAttr>([](Attribute) { return "a list of ints"; })
      .Case<DenseF32ArrayAttr>([](Attribute) { return "a list of floats"; })
      .Case<ElementsAttr>([](Attribute) { return "a tensor"; })
      .Case<TypeAttr>([](Attribute) { return "a type"; })
      .Case<DictionaryAttr>([](Attribute) { return "a sparse tensor"; })
      .Case<ArrayAttr>([](ArrayAttr list) {
        bool isStrings = llvm::all_of(list, llvm::IsaPred<StringAttr>);
        return isStrings ? "a list of strings" : "a list";
      })
      .Default([](Attribute) { return "another kind of value"; });
}

/// Returns the name of `kind` if `value` is of another kind, or else an empty
/// string.
static StringRef findOtherKind(Kind kind, Attribute value) {
  auto expect = [](bool isSo, StringRef name) {
    return isSo ? StringRef() : name;
  };
  switch (kind) {
  case Kind::Any:
    return "";
  case Kind::Int:
  case Kind::Flag:
  case Kind::DataType: {
    auto integer = dyn_cast<IntegerAttr>(value);
    return expect(integer && integer.getType().isSignlessInteger(64), "an int");
  }
  case Kind::Ints:
    return expect(isa<DenseI64ArrayAttr>(value), "a list of ints");
  case Kind::Float:
    return expect(isa<FloatAttr>(value), "a float");
  case Kind::Floats:
    return expect(isa<DenseF32ArrayAttr>(value), "a list of floats");
  case Kind::String:
  case Kind::Choice:
    return expect(isa<StringAttr>(value), "a string");
  case Kind::Tensor:
    return expect(isa<ElementsAttr>(value), "a tensor");
  case Kind::Boolean:
    return expect(isa<BoolAttr>(value), "a boolean");
  case Kind::ElementType:
    // A type that MLIR lacks is represented by its name.
    return expect(isa<TypeAttr, StringAttr>(value), "an element type");
  }
  return "";
}

static SmallVector<StringRef> splitChoices(const AttributeRow &row) {
  return llvm::to_vector(llvm::split(row.choices, '|'));
}

/// Returns "'up', 'down' or 'nearest'".
static std::string listChoices(ArrayRef<StringRef> choices) {
  if (choices.back().empty())
    choices = choices.drop_back();
  std::string list;
  for (auto [index, choice] : llvm::enumerate(choices)) {
    if (index != 0)
      list += index + 1 == choices.size() ? " or " : ", ";
    list += ("'" + choice + "'").str();
  }
  return list;
}

/// Returns the index of the choice, or none if `spelling` is not a choice.
/// OpenVINO ignores case.
static std::optional<size_t> findChoice(NodeOp node, const AttributeRow &row,
                                        StringRef spelling) {
  bool ignoresCase = node.getDomain() == kOpenVinoDomain;
  SmallVector<StringRef> choices = splitChoices(row);
  auto *found = llvm::find_if(choices, [&](StringRef choice) {
    return ignoresCase ? choice.equals_insensitive(spelling)
                       : choice == spelling;
  });
  if (found == choices.end())
    return std::nullopt;
  return found->empty() ? 0 : found - choices.begin();
}

static Type findDataType(NodeOp node, int64_t number) {
  return llvm::isInt<32>(number)
             ? getTypeFromOnnxDataType(node->getContext(), number)
             : Type();
}

std::optional<std::string> NodeAttributes::findError(const AttributeRow &row,
                                                     Attribute value) const {
  auto refuse = [&](const Twine &expected, const Twine &found) {
    return ("attribute '" + row.name + "': expected " + expected +
            ", but got " + found)
        .str();
  };
  StringRef otherKind = findOtherKind(row.kind, value);
  if (!otherKind.empty())
    return refuse(otherKind, getKindName(value));
  auto integer = dyn_cast<IntegerAttr>(value);
  if (row.kind == Kind::Flag && integer.getInt() != 0 && integer.getInt() != 1)
    return refuse("0 or 1", Twine(integer.getInt()));
  if (row.kind == Kind::DataType && (row.isRequired || integer.getInt() != 0) &&
      !findDataType(node, integer.getInt()))
    return refuse("the number of an element type", Twine(integer.getInt()));
  if (row.kind == Kind::Choice) {
    StringRef spelling = cast<StringAttr>(value).getValue();
    if (!findChoice(node, row, spelling))
      return refuse(listChoices(splitChoices(row)),
                    "'" + Twine(printable(spelling)) + "'");
  }
  return std::nullopt;
}

/// The first opset without consumed_inputs, the hints which input's memory a
/// node may reuse.
static constexpr int64_t kNoConsumedInputs = 6;

/// Whether an ONNX attribute never changes the result of a node:
/// consumed_inputs, and the attributes that tools use for themselves.
static bool isHint(NodeOp node, StringRef name) {
  bool isOld = static_cast<int64_t>(node.getOpset()) < kNoConsumedInputs;
  return (name == "consumed_inputs" && isOld) ||
         (name.size() > 3 && name.starts_with("__") && name.ends_with("__"));
}

std::optional<std::string> NodeAttributes::read(ArrayRef<AttributeRow> newRows,
                                                bool ignoresUnknown) {
  rows = newRows;
  NodeOp op = node;
  SmallVector<StringRef> names(op.getBodyNames().getAsValueRange<StringAttr>());
  for (NamedAttribute attribute : op.getNodeAttributes())
    names.push_back(attribute.getName());
  for (StringRef name : names)
    if (!ignoresUnknown && !findRow(name) && !isHint(node, name))
      return "unknown attribute '" + printable(name) + "'";
  for (const AttributeRow &row : rows)
    if (Attribute value = getAttribute(row.name))
      if (std::optional<std::string> error = findError(row, value))
        return error;
  for (const AttributeRow &row : rows)
    if (row.isRequired && !has(row.name))
      return ("attribute '" + row.name + "' is missing").str();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

const AttributeRow *NodeAttributes::findRow(StringRef name) const {
  const auto *found = llvm::find_if(
      rows, [&](const AttributeRow &row) { return row.name == name; });
  return found == rows.end() ? nullptr : found;
}

int64_t NodeAttributes::getInt(StringRef name,
                               std::optional<int64_t> value) const {
  if (Attribute attribute = getAttribute(name))
    return cast<IntegerAttr>(attribute).getInt();
  const AttributeRow *row = findRow(name);
  return value.value_or(row ? static_cast<int64_t>(row->number) : 0);
}

double NodeAttributes::getFloat(StringRef name) const {
  if (Attribute attribute = getAttribute(name))
    return cast<FloatAttr>(attribute).getValueAsDouble();
  const AttributeRow *row = findRow(name);
  return row ? row->number : 0;
}

bool NodeAttributes::getFlag(StringRef name) const {
  if (auto boolean = dyn_cast_or_null<BoolAttr>(getAttribute(name)))
    return boolean.getValue();
  return getInt(name) != 0;
}

SmallVector<int64_t> NodeAttributes::getInts(StringRef name,
                                             ArrayRef<int64_t> value) const {
  if (Attribute attribute = getAttribute(name))
    value = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
  return SmallVector<int64_t>(value);
}

SmallVector<float> NodeAttributes::getFloats(StringRef name) const {
  Attribute attribute = getAttribute(name);
  if (!attribute)
    return {};
  return SmallVector<float>(cast<DenseF32ArrayAttr>(attribute).asArrayRef());
}

size_t NodeAttributes::getChoiceIndex(StringRef name) const {
  auto stringAttr = cast_or_null<StringAttr>(getAttribute(name));
  return stringAttr ? *findChoice(node, *findRow(name), stringAttr.getValue())
                    : 0;
}

StringRef NodeAttributes::getString(StringRef name) const {
  const AttributeRow *row = findRow(name);
  if (row && row->kind == Kind::Choice)
    return splitChoices(*row)[getChoiceIndex(name)];
  auto stringAttr = cast_or_null<StringAttr>(getAttribute(name));
  return stringAttr ? stringAttr.getValue() : StringRef();
}

Type NodeAttributes::getType(StringRef name) const {
  if (auto type = dyn_cast_or_null<TypeAttr>(getAttribute(name)))
    return type.getValue();
  const AttributeRow *row = findRow(name);
  bool isNumber = row && row->kind == Kind::DataType;
  return isNumber ? findDataType(node, getInt(name)) : Type();
}
