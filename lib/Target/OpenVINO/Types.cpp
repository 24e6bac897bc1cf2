//===- Types.cpp - OpenVINO types to MLIR types ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Types.h"
#include "quant-float/IR/QuantFloatTypes.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"

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

/// How Const stores the elements of a type that is ONNX's, too.
static constexpr Storage getStorage(ElementClass elementClass, unsigned bits) {
  if (elementClass == ElementClass::String)
    return Storage::None; // Const has a header of its own.
  return bits < 8 && elementClass != ElementClass::Bool ? Storage::LowFirst
                                                        : Storage::Whole;
}

/// Attributes of layers have the name, ports the precision; both are read
/// anywhere, in any letter case.
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
    // Two values, as boolean.
    ROW("u1", "BIN", Storage::HighFirst, getInteger(context, 1, Signless))
    // Their layout depends on OpenVINO's release.
    ROW("u3", "U3", Storage::None, Type())
        ROW("u6", "U6", Storage::None, Type())
    // MLIR has no such type. Each of the 16 values is one of f32, and all that
    // OpenVINO does with nf4 is to convert it.
    ROW("nf4", "NF4", Storage::Nf4, Float32Type::get(context))
#undef ROW
};

FailureOr<ElementType>
openvino_import::parseElementType(StringRef attribute, StringRef text,
                                  const Subject &subject) {
  for (const ElementRow &row : kRows)
    if (!row.name.empty() && (text.equals_insensitive(row.name) ||
                              text.equals_insensitive(row.precision)))
      return ElementType{row.name, row.storage,
                         row.getType(subject.loc.getContext())};
  return diagnose(subject, Diag::UnknownElementType, attribute,
                  printable(text));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// A number of digits only; none where it is too large, too.
static std::optional<int64_t> parseSize(StringRef text) {
  int64_t size;
  if (text.empty() || !llvm::all_of(text, llvm::isDigit) ||
      text.getAsInteger(10, size))
    return std::nullopt;
  return size;
}

/// "1..10", "1..", "..10": the size or dynamic; none where it is none of them.
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

FailureOr<Shape> openvino_import::parseShape(StringRef text,
                                             const Subject &subject) {
  Shape shape;
  StringRef rest = text.trim();
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
      return diagnose(subject, Diag::BadShape, printable(text));
    shape.dims.push_back(*dim);
  }
  return shape;
}

FailureOr<int64_t> openvino_import::checkShape(ArrayRef<int64_t> dims,
                                               const Subject &subject) {
  if (int64_t(dims.size()) > kMostDimensions)
    return diagnose(subject, Diag::HighRank, kMostDimensions, dims.size());
  std::optional<int64_t> count = countElements(dims);
  if (!count)
    return diagnose(subject, Diag::HugeShape, spellShape(dims));
  return *count;
}

FailureOr<Type> openvino_import::makeTensorType(Type elementType,
                                                const Shape &shape,
                                                const Subject &subject) {
  if (isa<UnknownType>(elementType))
    return elementType;
  if (!shape.isRanked)
    return Type(UnrankedTensorType::get(elementType));
  if (failed(checkShape(shape.dims, subject)))
    return failure();
  return Type(RankedTensorType::get(shape.dims, elementType));
}
