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
#include "quant-float/IR/QuantFloatTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

namespace {
enum class Kind { Int, Float, Bool, Ints, ElementType };

struct AttributeRow {
  StringLiteral layers;
  StringLiteral name;
  Kind kind;
};
} // namespace

static constexpr StringLiteral kWindows =
    "AvgPool BinaryConvolution Convolution ConvolutionBackpropData "
    "GroupConvolution GroupConvolutionBackpropData MaxPool";

/// Layers (several apart by spaces) whose attributes are numbers.
static constexpr AttributeRow kAttributes[] = {
    {"AvgPool MaxPool", "kernel", Kind::Ints},
    {"AvgPool", "exclude-pad", Kind::Bool},
    {"BatchNormInference MVN NormalizeL2", "eps", Kind::Float},
    {"BatchNormInference", "epsilon", Kind::Float},
    {"Clamp", "max", Kind::Float},
    {"Clamp", "min", Kind::Float},
    {"Concat Softmax LogSoftmax MaxPool", "axis", Kind::Int},
    {"Convert", "destination_type", Kind::ElementType},
    {kWindows, "dilations", Kind::Ints},
    {"ConvolutionBackpropData GroupConvolutionBackpropData", "output_padding",
     Kind::Ints},
    {kWindows, "pads_begin", Kind::Ints},
    {kWindows, "pads_end", Kind::Ints},
    {kWindows, "strides", Kind::Ints},
    {"CumSum", "exclusive", Kind::Bool},
    {"CumSum", "reverse", Kind::Bool},
    {"Divide", "m_pythondiv", Kind::Bool},
    {"Elu", "alpha", Kind::Float},
    {"FakeQuantize", "levels", Kind::Int},
    {"Gather", "batch_dims", Kind::Int},
    {"MatMul", "transpose_a", Kind::Bool},
    {"MatMul", "transpose_b", Kind::Bool},
    {"MVN", "normalize_variance", Kind::Bool},
    {"ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum",
     "keep_dims", Kind::Bool},
    {"Reshape", "special_zero", Kind::Bool},
    {"ScaledDotProductAttention", "causal", Kind::Bool},
    {"ShapeOf", "output_type", Kind::ElementType},
    {"Split", "num_splits", Kind::Int},
    {"StridedSlice", "begin_mask", Kind::Ints},
    {"StridedSlice", "ellipsis_mask", Kind::Ints},
    {"StridedSlice", "end_mask", Kind::Ints},
    {"StridedSlice", "new_axis_mask", Kind::Ints},
    {"StridedSlice", "shrink_axis_mask", Kind::Ints},
    {"TopK", "index_element_type", Kind::ElementType},
};

/// Operators whose attributes are strings, or that have none, and those that
/// the importer itself knows.
static constexpr StringLiteral kOtherTypes[] = {
    "Abs",         "Add",      "Const",     "ConvertLike", "Exp",
    "FakeConvert", "Gelu",     "HSwish",    "Log",         "Maximum",
    "Minimum",     "Multiply", "Parameter", "Power",       "PRelu",
    "Relu",        "Result",   "Sigmoid",   "Sqrt",        "Squeeze",
    "Subtract",    "Swish",    "Tanh",      "Transpose",   "Unsqueeze",
};

StringRef openvino_import::getCanonicalType(StringRef type) {
  for (StringRef other : kOtherTypes)
    if (type.equals_insensitive(other))
      return other;
  for (const AttributeRow &row : kAttributes) {
    StringRef rest = row.layers;
    while (!rest.empty()) {
      auto [layer, others] = rest.split(' ');
      if (type.equals_insensitive(layer))
        return layer;
      rest = others;
    }
  }
  return type;
}

static std::optional<Kind> getKind(StringRef layerType, StringRef name) {
  for (const AttributeRow &row : kAttributes)
    if (row.name == name &&
        llvm::is_contained(llvm::split(row.layers, ' '), layerType))
      return row.kind;
  return std::nullopt;
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

static FailureOr<Attribute> importAttribute(std::optional<Kind> kind,
                                            StringRef name, StringRef text,
                                            const Subject &subject) {
  Builder builder(subject.loc.getContext());
  auto refuse = [&](StringRef expected) {
    return diagnose(subject, Diag::AttributeValue, name, expected,
                    printable(text));
  };
  if (!kind)
    return Attribute(builder.getStringAttr(text));
  switch (*kind) {
  case Kind::Int:
    if (int64_t number; !text.trim().getAsInteger(10, number))
      return Attribute(builder.getI64IntegerAttr(number));
    return refuse("an integer");
  case Kind::Float:
    if (double number; !text.trim().getAsDouble(number))
      return Attribute(builder.getF64FloatAttr(number));
    return refuse("a number");
  case Kind::Bool:
    if (std::optional<bool> value = parseBool(text.trim()))
      return Attribute(builder.getBoolAttr(*value));
    return refuse("true or false");
  case Kind::Ints:
    if (std::optional<SmallVector<int64_t>> numbers = parseInts(text))
      return Attribute(builder.getDenseI64ArrayAttr(*numbers));
    return refuse("integers and commas");
  case Kind::ElementType:
    break;
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
