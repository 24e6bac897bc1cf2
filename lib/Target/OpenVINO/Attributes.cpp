//===- Attributes.cpp - Attributes of layers ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "Types.h"
#include "mlir/IR/Builders.h"
#include "quant-float/Conversion/NodeAttributes.h"
#include "quant-float/IR/QuantFloatTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

using Kind = AttributeKind;

namespace {
struct LayerType {
  StringRef name;
  /// Of all versions.
  SmallVector<AttributeRow, 2> attributes;
};
} // namespace

/// What is known of an operator; null for none. Files spell types in several
/// ways ("Relu", "ReLU").
static const LayerType *findLayerType(StringRef type) {
  using namespace attribute_rows;
  static const llvm::StringMap<LayerType> table = [] {
    llvm::StringMap<LayerType> result;
    auto add = [&](StringRef name, ArrayRef<AttributeRow> attributes) {
      LayerType &known = result[name.lower()];
      known.name = name;
      known.attributes.append(attributes.begin(), attributes.end());
    };
#define QUANT_FLOAT_LIST(...) {__VA_ARGS__}
#define QUANT_FLOAT_KEPT_LAYER(LayerType, Elements, Attributes)                \
  add(#LayerType, QUANT_FLOAT_LIST Attributes);
#define QUANT_FLOAT_LAYER(LayerType, Since, Fewest, Most, Elements,            \
                          Attributes, Conversion)                              \
  QUANT_FLOAT_KEPT_LAYER(LayerType, Elements, Attributes)
#include "quant-float/Conversion/OpenVinoLayers.def"
#undef QUANT_FLOAT_LIST
    return result;
  }();
  auto found = table.find(type.lower());
  return found == table.end() ? nullptr : &found->second;
}

StringRef openvino_import::getCanonicalType(StringRef type) {
  const LayerType *known = findLayerType(type);
  return known ? known->name : type;
}

/// A string where nothing else is known.
static Kind getKind(StringRef layerType, StringRef name) {
  if (const LayerType *known = findLayerType(layerType))
    for (const AttributeRow &row : known->attributes)
      if (row.name == name)
        return row.kind;
  return Kind::String;
}

static std::optional<bool> parseBool(StringRef text) {
  if (text.equals_insensitive("true") || text == "1")
    return true;
  if (text.equals_insensitive("false") || text == "0")
    return false;
  return std::nullopt;
}

static std::optional<SmallVector<int64_t>> parseInts(StringRef text) {
  SmallVector<int64_t> numbers;
  SmallVector<StringRef> parts;
  if (!text.trim().empty())
    text.split(parts, ',');
  for (StringRef part : parts)
    if (part.trim().getAsInteger(10, numbers.emplace_back()))
      return std::nullopt;
  return numbers;
}

static FailureOr<Attribute> importAttribute(Kind kind, StringRef name,
                                            StringRef text,
                                            const Subject &subject) {
  Builder builder(subject.loc.getContext());
  auto refuse = [&](StringRef expected) {
    return diagnose(subject, Diag::AttributeValue, name, expected,
                    printable(text));
  };
  switch (kind) {
  case Kind::Int:
    if (int64_t number; !text.trim().getAsInteger(10, number))
      return Attribute(builder.getI64IntegerAttr(number));
    return refuse("an integer");
  case Kind::Float:
    if (double number; !text.trim().getAsDouble(number))
      return Attribute(builder.getF64FloatAttr(number));
    return refuse("a number");
  case Kind::Boolean:
    if (std::optional<bool> value = parseBool(text.trim()))
      return Attribute(builder.getBoolAttr(*value));
    return refuse("true or false");
  case Kind::Ints:
    if (std::optional<SmallVector<int64_t>> numbers = parseInts(text))
      return Attribute(builder.getDenseI64ArrayAttr(*numbers));
    return refuse("integers and commas");
  case Kind::ElementType:
    break;
  default:
    return Attribute(builder.getStringAttr(text));
  }
  FailureOr<ElementType> element = parseElementType(name, text, subject);
  if (failed(element))
    return failure();
  // What MLIR has no type for keeps its name.
  bool isKept = element->type && !isa<UnknownType>(element->type) &&
                element->storage != Storage::Nf4 &&
                element->storage != Storage::HighFirst;
  return isKept ? Attribute(TypeAttr::get(element->type))
                : builder.getStringAttr(element->name);
}

FailureOr<DictionaryAttr>
openvino_import::importAttributes(StringRef layerType, pugi::xml_node data,
                                  const Subject &subject) {
  NamedAttrList attributes;
  llvm::StringSet<> names;
  for (pugi::xml_attribute attribute : data.attributes()) {
    StringRef name = attribute.name();
    FailureOr<Attribute> value = importAttribute(getKind(layerType, name), name,
                                                 attribute.value(), subject);
    if (failed(value))
      return failure();
    // Of one given twice the first counts, as OpenVINO has it.
    if (names.insert(name).second)
      attributes.append(name, *value);
  }
  return attributes.getDictionary(subject.loc.getContext());
}
