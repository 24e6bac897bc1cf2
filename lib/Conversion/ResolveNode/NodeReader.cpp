//===- NodeReader.cpp - What a quantization node says ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeReader.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;

NodeReader::NodeReader(NodeOp node, NodeErrorFn emitError)
    : node(node), errorFn(emitError) {
  // N2 may not hold; a place out of order only shifts the others.
  ArrayRef<int64_t> absent = node.getAbsentInputs();
  for (Value input : node.getInputs()) {
    while (!absent.empty() && absent.front() == int64_t(inputs.size())) {
      inputs.push_back(Value());
      absent = absent.drop_front();
    }
    inputs.push_back(input);
  }
  inputs.resize(inputs.size() + absent.size());
}

Value NodeReader::getInput(unsigned index) const {
  return index < inputs.size() ? inputs[index] : Value();
}

Type NodeReader::getElementType(unsigned index) const {
  Value input = getInput(index);
  auto tensor = input ? dyn_cast<TensorType>(input.getType()) : TensorType();
  return tensor ? tensor.getElementType() : Type();
}

LogicalResult NodeReader::checkValues(size_t least, size_t most,
                                      size_t outputs) const {
  if (inputs.size() < least || inputs.size() > most) {
    std::string range = std::to_string(least);
    if (most != least)
      range += (most == least + 1 ? " or " : " to ") + std::to_string(most);
    return emitError() << "expected " << range << " input(s), but got "
                       << inputs.size();
  }
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (!input && index < least)
      return emitError() << "input " << index << " is absent";
    if (input && !isa<TensorType, UnknownType>(input.getType()))
      return emitError() << "input " << index << ": expected a tensor, but got "
                         << input.getType();
  }
  if (node->getNumResults() != outputs)
    return emitError() << "expected " << outputs << " output"
                       << (outputs == 1 ? "" : "s") << ", but got "
                       << node->getNumResults();
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// "an int", "a list of floats", as the model has them.
static StringRef getKindName(Attribute value) {
  return llvm::TypeSwitch<Attribute, StringRef>(value)
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

LogicalResult NodeReader::reportKind(StringRef name, StringRef expected,
                                     Attribute value) const {
  return emitError() << "attribute '" << name << "': expected " << expected
                     << ", but got " << getKindName(value);
}

LogicalResult NodeReader::checkAttributes(ArrayRef<StringRef> known) const {
  auto refuse = [&](StringRef name) -> LogicalResult {
    return emitError() << "unknown attribute '" << printable(name) << "'";
  };
  for (NamedAttribute attribute : getNode().getNodeAttributes())
    if (!llvm::is_contained(known, attribute.getName().strref()))
      return refuse(attribute.getName());
  for (StringRef name : getNode().getBodyNames().getAsValueRange<StringAttr>())
    return refuse(name);
  return success();
}

FailureOr<std::optional<int64_t>> NodeReader::getInt(StringRef name) const {
  Attribute value = getNode().getNodeAttributes().get(name);
  if (!value)
    return std::optional<int64_t>();
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || !integer.getType().isSignlessInteger(64))
    return reportKind(name, "an int", value);
  return std::optional(integer.getInt());
}

FailureOr<std::optional<StringRef>>
NodeReader::getString(StringRef name) const {
  Attribute value = getNode().getNodeAttributes().get(name);
  if (!value)
    return std::optional<StringRef>();
  auto string = dyn_cast<StringAttr>(value);
  if (!string)
    return reportKind(name, "a string", value);
  return std::optional(string.getValue());
}

FailureOr<BoolAttr> NodeReader::getSaturate() const {
  FailureOr<std::optional<int64_t>> value = getInt("saturate");
  if (failed(value))
    return failure();
  if (!*value)
    return BoolAttr();
  // V6
  if (**value != 0 && **value != 1)
    return emitError() << "attribute 'saturate': expected 0 or 1, but got "
                       << **value;
  return BoolAttr::get(node->getContext(), **value == 1);
}

FailureOr<Type> NodeReader::getElementTypeAttribute(StringRef name) const {
  FailureOr<std::optional<int64_t>> number = getInt(name);
  if (failed(number))
    return failure();
  if (!*number)
    return Type();
  Type type = llvm::isInt<32>(**number)
                  ? getTypeFromOnnxDataType(node->getContext(), **number)
                  : Type();
  if (!type)
    return emitError() << "attribute '" << name
                       << "': expected the number of an element type, but got "
                       << **number;
  return type;
}
