//===- UnregisteredOp.cpp - Ops of unregistered dialects ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/OpImport/UnregisteredOp.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The maximum number of elements of a dense tensor that is read as a list.
static constexpr int64_t kMaxListSize = int64_t(1) << 16;

UnregisteredOp::UnregisteredOp(Operation *op)
    : op(op), attributes(op->getAttrDictionary()) {
  // The inherent attributes of unregistered ops are uninterpreted properties.
  if (auto properties =
          dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
    for (NamedAttribute attribute : properties)
      if (!attributes.get(attribute.getName()))
        attributes.append(attribute);
}

Attribute UnregisteredOp::getUnreadableProperties() const {
  Attribute properties = op->getPropertiesAsAttribute();
  return isa_and_present<DictionaryAttr>(properties) ? Attribute() : properties;
}

StringRef UnregisteredOp::getName() const {
  return op->getName().stripDialect();
}

std::optional<int64_t> UnregisteredOp::getInt(StringRef name) const {
  auto integer = dyn_cast_or_null<IntegerAttr>(getAttribute(name));
  if (!integer || integer.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

std::optional<bool> UnregisteredOp::getFlag(StringRef name) const {
  if (auto flag = dyn_cast_or_null<BoolAttr>(getAttribute(name)))
    return flag.getValue();
  return std::nullopt;
}

std::optional<double> UnregisteredOp::getFloat(StringRef name) const {
  if (auto number = dyn_cast_or_null<FloatAttr>(getAttribute(name)))
    return number.getValueAsDouble();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>>
UnregisteredOp::getInts(StringRef name) const {
  Attribute value = getAttribute(name);
  SmallVector<int64_t> result;
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(value))
    return llvm::to_vector(array.asArrayRef());
  if (auto array = dyn_cast_or_null<DenseI32ArrayAttr>(value)) {
    llvm::append_range(result, array.asArrayRef());
    return result;
  }
  if (auto array = dyn_cast_or_null<DenseBoolArrayAttr>(value)) {
    llvm::append_range(result, array.asArrayRef());
    return result;
  }
  if (auto elements = dyn_cast_or_null<DenseIntElementsAttr>(value)) {
    if (elements.getNumElements() > kMaxListSize ||
        elements.getElementType().getIntOrFloatBitWidth() > 64)
      return std::nullopt;
    for (const APInt &element : elements.getValues<APInt>())
      result.push_back(element.getSExtValue());
    return result;
  }
  auto list = dyn_cast_or_null<ArrayAttr>(value);
  if (!list)
    return std::nullopt;
  for (Attribute element : list) {
    auto integer = dyn_cast<IntegerAttr>(element);
    if (!integer || integer.getValue().getSignificantBits() > 64)
      return std::nullopt;
    result.push_back(integer.getValue().getSExtValue());
  }
  return result;
}

std::string quant_float::printAttribute(Attribute attribute) {
  std::string printed;
  llvm::raw_string_ostream os(printed);
  attribute.print(os, /*elideType=*/true);
  return printed;
}

std::optional<std::string> UnregisteredOp::getKeyword(StringRef name) const {
  Attribute value = getAttribute(name);
  if (!value)
    return std::nullopt;
  if (auto string = dyn_cast<StringAttr>(value))
    return string.getValue().str();
  std::string printed = printAttribute(value);
  StringRef text = printed;
  if (!text.starts_with("#") || !text.consume_back(">"))
    return std::nullopt;
  size_t begin = text.find_last_of("< ");
  if (begin == StringRef::npos)
    return std::nullopt;
  return text.drop_front(begin + 1).str();
}

std::optional<std::string> UnregisteredOp::getText(StringRef name,
                                                   StringRef mnemonic) const {
  Attribute value = getAttribute(name);
  if (!value)
    return std::nullopt;
  std::string printed = printAttribute(value);
  StringRef text = printed;
  if (!text.consume_front("#") ||
      !text.consume_front(op->getName().getDialectNamespace()) ||
      !text.consume_front(".") || !text.consume_front(mnemonic) ||
      !text.consume_front("<") || !text.consume_back(">"))
    return std::nullopt;
  return text.str();
}

std::optional<SmallVector<int64_t>>
quant_float::readIntsFromString(StringRef text, StringRef name) {
  SmallVector<int64_t> result;
  size_t found = 0;
  // Find the name as a whole word.
  while ((found = text.find(name, found)) != StringRef::npos) {
    bool isWord = found == 0 ||
                  (!llvm::isAlnum(text[found - 1]) && text[found - 1] != '_');
    found += name.size();
    StringRef rest = text.drop_front(found).ltrim();
    if (!isWord || !rest.consume_front("="))
      continue;
    rest = rest.ltrim();
    if (!rest.consume_front("["))
      return std::nullopt;
    auto [list, after] = rest.split(']');
    SmallVector<StringRef> words;
    list.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef word : words) {
      int64_t value;
      if (word.trim().empty())
        continue;
      if (word.trim().getAsInteger(10, value))
        return std::nullopt;
      result.push_back(value);
    }
    return result;
  }
  return result;
}
