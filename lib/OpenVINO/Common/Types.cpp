//===- Types.cpp - Types and attributes in files --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Types.h"
#include "../../Interchange/Shapes.h"
#include "Network.h"
#include "mlir/IR/Builders.h"
#include "quant-float/Conversion/NodeToQuantFloat/NodeAttributes.h"
#include "quant-float/IR/QuantFloatTypes.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
struct ElementRow {
  StringLiteral name;
  StringLiteral precision;
  Storage storage;
  Type (*getType)(MLIRContext *);
};
} // namespace

static constexpr auto Signless = IntegerType::Signless;
static constexpr auto Unsigned = IntegerType::Unsigned;

/// Returns how Const stores elements of a type that ONNX has too.
static constexpr Storage getStorage(ElementClass elementClass, unsigned bits) {
  if (elementClass == ElementClass::String)
    return Storage::Strings;
  return bits < 8 && elementClass != ElementClass::Bool ? Storage::LowFirst
                                                        : Storage::Unpacked;
}

/// Files use the name in attributes of layers and the precision in ports. Both
/// are accepted in both, case-insensitively.
static constexpr ElementRow kRows[] = {
#define ROW(Name, Precision, Storage, Getter)                                  \
  {Name, Precision, Storage, [](MLIRContext *context) -> Type {                \
     [[maybe_unused]] auto getInteger = [](MLIRContext *context,               \
                                           unsigned width, auto sign) {        \
       return IntegerType::get(context, width, sign);                          \
     };                                                                        \
     return Getter;                                                            \
   }},
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, Mlir, Getter, Class, Bits, C,  \
                            Npy, Numpy, Dlpack, Safetensors, OpenVino,         \
                            Precision)                                         \
  ROW(OpenVino, Precision, getStorage(ElementClass::Class, Bits), Getter)
#include "quant-float/Support/ElementTypes.def"
    ROW("dynamic", "UNSPECIFIED", Storage::None, UnknownType::get(context))
        ROW("undefined", "UNDEFINED", Storage::None, UnknownType::get(context))
    // u1 has two values, as boolean.
    ROW("u1", "BIN", Storage::HighFirst, getInteger(context, 1, Signless))
    // The layout depends on OpenVINO's release.
    ROW("u3", "U3", Storage::None, Type())
        ROW("u6", "U6", Storage::None, Type())
    // MLIR has no nf4. f32 represents all of its 16 values exactly, and
    // OpenVINO supports only conversions of nf4.
    ROW("nf4", "NF4", Storage::Nf4, Float32Type::get(context))
#undef ROW
};

FailureOr<ElementType>
openvino_import::parseElementType(StringRef attribute, StringRef spelling,
                                  const Subject &subject) {
  for (const ElementRow &row : kRows)
    if (!row.name.empty() && (spelling.equals_insensitive(row.name) ||
                              spelling.equals_insensitive(row.precision)))
      return ElementType{row.name, row.precision, row.storage,
                         row.getType(subject.loc.getContext())};
  return diagnose(subject, Diag::UnknownElementType, attribute,
                  printable(spelling));
}

std::optional<ElementType> openvino_import::findElementType(Type type) {
  // A null type means that MLIR has no such type.
  if (type)
    for (const ElementRow &row : kRows)
      if (!row.name.empty() && row.getType(type.getContext()) == type)
        return ElementType{row.name, row.precision, row.storage, type};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Parses a number of digits only. Returns nullopt for others, and for numbers
/// that are too large.
static std::optional<int64_t> parseSize(StringRef spelling) {
  int64_t size;
  if (spelling.empty() || !llvm::all_of(spelling, llvm::isDigit) ||
      spelling.getAsInteger(10, size))
    return std::nullopt;
  return size;
}

/// Parses an interval "1..10", "1.." or "..10". Returns the size, or kDynamic,
/// or nullopt if the interval is invalid.
static std::optional<int64_t> parseInterval(StringRef lower, StringRef upper,
                                            bool &hasBounds) {
  std::optional<int64_t> first = lower.empty() ? 0 : parseSize(lower);
  std::optional<int64_t> last =
      upper.empty() ? std::numeric_limits<int64_t>::max() : parseSize(upper);
  if (!first || !last || *first > *last)
    return std::nullopt;
  if (*first == *last)
    return first;
  hasBounds |= *first != 0 || !upper.empty();
  return ShapedType::kDynamic;
}

FailureOr<Shape> openvino_import::parseShape(StringRef spelling,
                                             const Subject &subject) {
  Shape shape;
  StringRef rest = spelling.trim();
  if (rest.consume_front("["))
    rest.consume_back("]");
  rest = rest.trim();
  if (rest == "...") {
    shape.isRanked = false;
    return shape;
  }
  SmallVector<StringRef> parts;
  if (!rest.empty())
    rest.split(parts, ',');
  for (StringRef part : parts) {
    part = part.trim();
    std::optional<int64_t> dim;
    if (part == "?" || part == "-1")
      dim = ShapedType::kDynamic;
    else if (auto [lower, upper] = part.split(".."); part.contains(".."))
      dim = parseInterval(lower, upper, shape.hasBounds);
    else
      dim = parseSize(part);
    if (!dim)
      return diagnose(subject, Diag::BadShape, printable(spelling));
    shape.dims.push_back(*dim);
  }
  return shape;
}

FailureOr<Type> openvino_import::makeTensorType(Type elementType,
                                                const Shape &shape,
                                                const Subject &subject) {
  if (isa<UnknownType>(elementType))
    return elementType;
  if (!shape.isRanked)
    return Type(UnrankedTensorType::get(elementType));
  if (failed(checkShape<Diag>(shape.dims, subject)))
    return failure();
  return Type(RankedTensorType::get(shape.dims, elementType));
}

std::string openvino_import::writeShape(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return isa<UnknownType, UnrankedTensorType>(type) ? "..." : "";
  return llvm::join(llvm::map_range(ranked.getShape(),
                                    [](int64_t dim) {
                                      return ShapedType::isDynamic(dim)
                                                 ? std::string("?")
                                                 : std::to_string(dim);
                                    }),
                    ",");
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

FailureOr<DataType> openvino_import::readDataType(pugi::xml_node data,
                                                  const Subject &subject) {
  FailureOr<StringRef> elementSpelling =
      readAttribute(data, "element_type", subject);
  if (failed(elementSpelling))
    return failure();
  FailureOr<StringRef> shapeSpelling = readAttribute(data, "shape", subject);
  if (failed(shapeSpelling))
    return failure();
  FailureOr<ElementType> element =
      parseElementType("element_type", *elementSpelling, subject);
  if (failed(element))
    return failure();
  FailureOr<Shape> shape = parseShape(*shapeSpelling, subject);
  if (failed(shape))
    return failure();
  return DataType{*element, *shape, *shapeSpelling};
}

FailureOr<Type> openvino_import::convertPort(pugi::xml_node port,
                                             bool knowsRank,
                                             const Subject &subject) {
  pugi::xml_attribute precision = port.attribute("precision");
  if (!precision)
    return Type(UnknownType::get(subject.loc.getContext()));
  FailureOr<ElementType> element =
      parseElementType("precision", precision.value(), subject);
  if (failed(element))
    return failure();
  if (!element->type || element->storage == Storage::Nf4)
    return Type(UnknownType::get(subject.loc.getContext()));
  Shape shape;
  for (auto [index, node] : llvm::enumerate(port.children("dim"))) {
    StringRef spelling = StringRef(node.child_value()).trim();
    int64_t dim;
    if (spelling.getAsInteger(10, dim) || dim < -1)
      return diagnose(subject, Diag::BadDim, index, printable(spelling));
    shape.dims.push_back(dim == -1 ? ShapedType::kDynamic : dim);
  }
  shape.isRanked = !shape.dims.empty() || knowsRank;
  return makeTensorType(element->type, shape, subject);
}

//===----------------------------------------------------------------------===//
// Attributes of layers
//===----------------------------------------------------------------------===//

using Kind = AttributeKind;

namespace {
struct LayerType {
  StringRef name;
  /// The attributes of all versions.
  SmallVector<AttributeRow, 2> attributes;
};
} // namespace

/// Returns the known properties of an operator, or null if it is unknown. Names
/// are case-insensitive, because files have both "Relu" and "ReLU".
static const LayerType *findLayerType(StringRef type) {
  using namespace attribute_rows;
  static const llvm::StringMap<LayerType> table = [] {
    llvm::StringMap<LayerType> result;
    auto add = [&](NodeKind kind, ArrayRef<AttributeRow> attributes) {
      StringRef name = getNodeKindName(kind);
      LayerType &known = result[name.lower()];
      known.name = name;
      known.attributes.append(attributes.begin(), attributes.end());
    };
#define QUANT_FLOAT_LIST(...) {__VA_ARGS__}
#define QUANT_FLOAT_KEPT_LAYER(LayerType, Elements, Attributes)                \
  add(NodeKind::OpenVino##LayerType, QUANT_FLOAT_LIST Attributes);
#define QUANT_FLOAT_LAYER(LayerType, Since, MinInputs, MaxInputs, Elements,    \
                          Attributes, Conversion)                              \
  QUANT_FLOAT_KEPT_LAYER(LayerType, Elements, Attributes)
#include "quant-float/OpenVINO/Common/OpenVinoLayers.def"
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

/// Returns the kind of an attribute, which is a string unless it is known.
static Kind getKind(StringRef layerType, StringRef name) {
  if (const LayerType *known = findLayerType(layerType))
    for (const AttributeRow &row : known->attributes)
      if (row.name == name)
        return row.kind;
  return Kind::String;
}

static std::optional<bool> parseBool(StringRef spelling) {
  if (spelling.equals_insensitive("true") || spelling == "1")
    return true;
  if (spelling.equals_insensitive("false") || spelling == "0")
    return false;
  return std::nullopt;
}

static SmallVector<StringRef> splitList(StringRef spelling) {
  SmallVector<StringRef> parts;
  if (!spelling.trim().empty())
    spelling.split(parts, ',');
  return parts;
}

static std::optional<SmallVector<int64_t>> parseInts(StringRef spelling) {
  SmallVector<int64_t> numbers;
  for (StringRef part : splitList(spelling))
    if (part.trim().getAsInteger(10, numbers.emplace_back()))
      return std::nullopt;
  return numbers;
}

static std::optional<SmallVector<float>> parseFloats(StringRef spelling) {
  SmallVector<float> numbers;
  for (StringRef part : splitList(spelling)) {
    double number;
    if (part.trim().getAsDouble(number))
      return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

static FailureOr<Attribute> importAttribute(Kind kind, StringRef name,
                                            StringRef spelling,
                                            const Subject &subject) {
  Builder builder(subject.loc.getContext());
  auto refuse = [&](StringRef expected) {
    return diagnose(subject, Diag::AttributeValue, name, expected,
                    printable(spelling));
  };
  switch (kind) {
  case Kind::Int:
    if (int64_t number; !spelling.trim().getAsInteger(10, number))
      return Attribute(builder.getI64IntegerAttr(number));
    return refuse("an integer");
  case Kind::Float:
    if (double number; !spelling.trim().getAsDouble(number))
      return Attribute(builder.getF64FloatAttr(number));
    return refuse("a number");
  case Kind::Boolean:
    if (std::optional<bool> value = parseBool(spelling.trim()))
      return Attribute(builder.getBoolAttr(*value));
    return refuse("true or false");
  case Kind::Ints:
    if (std::optional<SmallVector<int64_t>> numbers = parseInts(spelling))
      return Attribute(builder.getDenseI64ArrayAttr(*numbers));
    return refuse("comma-separated integers");
  case Kind::Floats:
    if (std::optional<SmallVector<float>> numbers = parseFloats(spelling))
      return Attribute(builder.getDenseF32ArrayAttr(*numbers));
    return refuse("comma-separated numbers");
  case Kind::ElementType:
    break;
  default:
    return Attribute(builder.getStringAttr(spelling));
  }
  FailureOr<ElementType> element = parseElementType(name, spelling, subject);
  if (failed(element))
    return failure();
  // A type that MLIR lacks is stored as a string.
  bool isTypeAttr = element->type && !isa<UnknownType>(element->type) &&
                    element->storage != Storage::Nf4 &&
                    element->storage != Storage::HighFirst;
  return isTypeAttr ? Attribute(TypeAttr::get(element->type))
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
    // If an attribute is specified twice, OpenVINO uses the first one.
    if (names.insert(name).second)
      attributes.append(name, *value);
  }
  return attributes.getDictionary(subject.loc.getContext());
}

/// Writes as many digits as are required to parse the same number.
static std::string writeNumber(double number) {
  SmallString<32> spelling;
  if (std::isfinite(number))
    APFloat(number).toString(spelling);
  else
    spelling = std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
  return spelling.str().str();
}

std::optional<std::string> openvino_import::writeAttribute(Attribute value) {
  auto writeList = [](auto numbers, auto write) {
    return llvm::join(llvm::map_range(numbers, write), ", ");
  };
  if (auto spelling = dyn_cast<StringAttr>(value))
    return spelling.str();
  if (auto boolean = dyn_cast<BoolAttr>(value))
    return boolean.getValue() ? "true" : "false";
  if (auto number = dyn_cast<IntegerAttr>(value);
      number && number.getType().isSignlessInteger(64))
    return std::to_string(number.getInt());
  if (auto number = dyn_cast<FloatAttr>(value);
      number && number.getType().isF64())
    return writeNumber(number.getValueAsDouble());
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(value))
    return writeList(numbers.asArrayRef(),
                     [](int64_t number) { return std::to_string(number); });
  if (auto numbers = dyn_cast<DenseF32ArrayAttr>(value))
    return writeList(numbers.asArrayRef(), writeNumber);
  if (auto type = dyn_cast<TypeAttr>(value))
    if (std::optional<ElementType> element = findElementType(type.getValue()))
      return element->name.str();
  return std::nullopt;
}
