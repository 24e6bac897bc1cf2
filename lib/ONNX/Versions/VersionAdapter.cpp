//===- VersionAdapter.cpp - Nodes between versions ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VersionAdapter.h"
#include <algorithm>
#include <onnx/defs/tensor_proto_util.h>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Attribute = ::onnx::AttributeProto;
using Tensor = ::onnx::TensorProto;

Attribute *VersionAdapter::findAttribute(const std::string &name) {
  for (Attribute &attribute : *node.mutable_attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

int64_t VersionAdapter::getInt(const std::string &name, int64_t byDefault) {
  const Attribute *attribute = findAttribute(name);
  return attribute ? attribute->i() : byDefault;
}

void VersionAdapter::removeAttribute(const std::string &name) {
  auto *attributes = node.mutable_attribute();
  for (int i = attributes->size(); i-- > 0;)
    if (attributes->Get(i).name() == name)
      attributes->DeleteSubrange(i, 1);
}

Attribute &onnx_import::replaceAttribute(VersionAdapter &node,
                                         const std::string &name,
                                         Attribute::AttributeType type) {
  node.removeAttribute(name);
  Attribute &added = *node.node.add_attribute();
  added.set_name(name);
  added.set_type(type);
  return added;
}

void VersionAdapter::setAttribute(const std::string &name, int64_t value) {
  replaceAttribute(*this, name, Attribute::INT).set_i(value);
}

void VersionAdapter::setAttribute(const std::string &name,
                                  const std::string &value) {
  replaceAttribute(*this, name, Attribute::STRING).set_s(value);
}

void VersionAdapter::setAttribute(const std::string &name,
                                  const std::vector<int64_t> &values) {
  replaceAttribute(*this, name, Attribute::INTS)
      .mutable_ints()
      ->Add(values.begin(), values.end());
}

static bool isNamed(const std::string &name, const Tensor &tensor) {
  return tensor.name() == name;
}

/// Returns what is known about the input of that name; null if there is none.
static const KnownInput *findKnown(const KnownNode &known,
                                   const std::string &name) {
  for (int i = 0; i < known.node.input_size(); ++i)
    if (known.node.input(i) == name)
      return &known.inputs[i];
  return nullptr;
}

const Tensor *VersionAdapter::findConstant(int input) const {
  if (!hasInput(input))
    return nullptr;
  for (const Tensor &tensor : constants)
    if (isNamed(node.input(input), tensor))
      return &tensor;
  const KnownInput *found = findKnown(known, node.input(input));
  return found && found->data ? &*found->data : nullptr;
}

const ::onnx::TypeProto *VersionAdapter::findType(int input) const {
  if (!hasInput(input))
    return nullptr;
  // Nodes that are inserted before the first input preserve its type.
  const KnownInput *found =
      input == 0 ? &known.inputs[0] : findKnown(known, node.input(input));
  return found && found->type.value_case() != ::onnx::TypeProto::VALUE_NOT_SET
             ? &found->type
             : nullptr;
}

const ::onnx::TensorShapeProto *VersionAdapter::findShape(int input) const {
  const ::onnx::TypeProto *type = findType(input);
  return type && type->has_tensor_type() && type->tensor_type().has_shape()
             ? &type->tensor_type().shape()
             : nullptr;
}

std::vector<int64_t> onnx_import::getIntegers(const Tensor &tensor) {
  if (tensor.data_type() == Tensor::INT64)
    return ::onnx::ParseData<int64_t>(&tensor);
  std::vector<int32_t> values = ::onnx::ParseData<int32_t>(&tensor);
  return {values.begin(), values.end()};
}

Tensor onnx_import::makeIntegers(const std::vector<int64_t> &values) {
  Tensor tensor;
  tensor.set_data_type(Tensor::INT64);
  tensor.add_dims(values.size());
  tensor.mutable_int64_data()->Add(values.begin(), values.end());
  return tensor;
}

void VersionAdapter::setConstant(int input, const std::string &what,
                                 Tensor tensor) {
  while (node.input_size() <= input)
    node.add_input("");
  // No other value has this name.
  tensor.set_name("constant_" + what);
  constants.erase(std::remove_if(constants.begin(), constants.end(),
                                 [&](const Tensor &other) {
                                   return isNamed(tensor.name(), other);
                                 }),
                  constants.end());
  node.set_input(input, tensor.name());
  constants.push_back(std::move(tensor));
}

void VersionAdapter::removeInput(int input) {
  if (!hasInput(input))
    return;
  constants.erase(std::remove_if(constants.begin(), constants.end(),
                                 [&](const Tensor &tensor) {
                                   return isNamed(node.input(input), tensor);
                                 }),
                  constants.end());
  node.set_input(input, "");
  while (node.input_size() != 0 && node.input(node.input_size() - 1).empty())
    node.mutable_input()->RemoveLast();
}

void VersionAdapter::read(::onnx::NodeProto reader) {
  std::string name = "read" + std::to_string(before.size());
  reader.set_input(0, node.input(0));
  reader.add_output(name);
  node.set_input(0, name);
  before.push_back(std::move(reader));
}

void VersionAdapter::write(::onnx::NodeProto writer) {
  std::string name = "written" + std::to_string(after.size());
  writer.set_input(0, name);
  writer.add_output(node.output(0));
  node.set_output(0, name);
  after.insert(after.begin(), std::move(writer));
}

::onnx::NodeProto onnx_import::makeNode(const char *opType) {
  ::onnx::NodeProto node;
  node.set_op_type(opType);
  node.add_input("");
  return node;
}
