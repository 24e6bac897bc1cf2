//===- VersionConverter.cpp - Nodes in other opsets -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VersionConverter.h"
#include "VersionAdapter.h"
#include <algorithm>
#include <onnx/defs/data_type_utils.h>
#include <onnx/defs/schema.h>
#include <set>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Schema = ::onnx::OpSchema;
using Attribute = ::onnx::AttributeProto;

static const Schema *findSchema(const std::string &opType, int64_t opset) {
  return ::onnx::OpSchemaRegistry::Schema(opType, static_cast<int>(opset), "");
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Whether the formal parameters accept the types. Unknown types are accepted.
static bool acceptsTypes(const std::vector<Schema::FormalParameter> &formals,
                         const std::vector<const ::onnx::TypeProto *> &types,
                         std::map<std::string, ::onnx::DataType> &bound,
                         std::string &problem) {
  using ::onnx::Utils::DataTypeUtils;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!types[i] || types[i]->value_case() == ::onnx::TypeProto::VALUE_NOT_SET)
      continue;
    if (formals.empty())
      return false;
    const Schema::FormalParameter &formal =
        formals[std::min(i, formals.size() - 1)];
    ::onnx::DataType type = DataTypeUtils::ToType(*types[i]);
    bool isBound =
        !formal.GetIsHomogeneous() ||
        bound.try_emplace(formal.GetTypeStr(), type).first->second == type;
    if (formal.GetTypes().count(type) && isBound)
      continue;
    problem = "'" + formal.GetName() + "' does not accept " + *type;
    return false;
  }
  return true;
}

static bool acceptsTypes(const Schema &schema, const VersionAdapter &traveller,
                         const std::vector<::onnx::TypeProto> &outputs,
                         std::string &problem) {
  std::vector<const ::onnx::TypeProto *> inputTypes, outputTypes;
  for (int i = 0; i < traveller.node.input_size(); ++i)
    inputTypes.push_back(traveller.findType(i));
  for (const ::onnx::TypeProto &output : outputs)
    outputTypes.push_back(&output);
  std::map<std::string, ::onnx::DataType> bound;
  return acceptsTypes(schema.inputs(), inputTypes, bound, problem) &&
         acceptsTypes(schema.outputs(), outputTypes, bound, problem);
}

bool onnx_import::isSameVersion(const std::string &opType, int64_t from,
                                int64_t to) {
  try {
    const Schema *old = findSchema(opType, from),
                 *other = findSchema(opType, to);
    return old && other && old->since_version() == other->since_version();
  } catch (...) {
    return false;
  }
}

/// Converts the graph to a function whose constants are nodes.
static std::unique_ptr<::onnx::FunctionProto>
makeBody(const KnownNode &known, ::onnx::GraphProto &graph, int64_t opset) {
  auto body = std::make_unique<::onnx::FunctionProto>();
  body->set_name("converted");
  body->add_opset_import()->set_version(opset);
  std::set<std::string> inputs;
  for (int i = 0; i < known.node.input_size(); ++i) {
    const std::string &name = known.node.input(i);
    body->add_input(name.empty() ? "absent" + std::to_string(i) : name);
    inputs.insert(body->input(i));
  }
  for (int i = 0; i < known.node.output_size(); ++i)
    body->add_output(known.node.output(i));
  for (::onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    if (inputs.count(tensor.name()))
      continue;
    ::onnx::NodeProto &node = *body->add_node();
    node.set_op_type("Constant");
    node.add_output(tensor.name());
    Attribute &value = *node.add_attribute();
    value.set_name("value");
    value.set_type(Attribute::TENSOR);
    *value.mutable_t() = std::move(tensor);
  }
  for (::onnx::NodeProto &node : *graph.mutable_node())
    *body->add_node() = std::move(node);
  return body;
}

/// Removes the source location with which exceptions of ONNX's library start,
/// and all lines after the first.
static std::string trim(std::string message) {
  if (size_t at = message.find(".h:"); at != std::string::npos && at < 200)
    if (size_t end = message.find(": ", at); end != std::string::npos)
      message.erase(0, end + 2);
  while (!message.empty() &&
         isspace(static_cast<unsigned char>(message.back())))
    message.pop_back();
  return message.substr(0, message.find('\n'));
}

//===----------------------------------------------------------------------===//
// Conversion of a node
//===----------------------------------------------------------------------===//

/// Stores the adapted node in `result`: as changes of attributes, or as a body
/// if its inputs changed or there are nodes around it.
static void takeOver(const KnownNode &known, VersionAdapter &traveller,
                     int64_t to, NodeConversion &result) {
  const ::onnx::NodeProto &before = known.node;
  ::onnx::NodeProto &node = traveller.node;
  if (node.op_type() != before.op_type() || !traveller.after.empty() ||
      !std::equal(before.input().begin(), before.input().end(),
                  node.input().begin(), node.input().end())) {
    ::onnx::GraphProto graph;
    for (::onnx::TensorProto &constant : traveller.constants)
      *graph.add_initializer() = std::move(constant);
    for (::onnx::NodeProto &reader : traveller.before)
      *graph.add_node() = std::move(reader);
    *graph.add_node() = std::move(node);
    for (::onnx::NodeProto &writer : traveller.after)
      *graph.add_node() = std::move(writer);
    result.body = makeBody(known, graph, to);
    return;
  }
  result.stays = true;
  for (const Attribute &attribute : before.attribute())
    if (!traveller.findAttribute(attribute.name()))
      result.dropped.push_back(attribute.name());
  for (const Attribute &attribute : node.attribute())
    if (std::none_of(before.attribute().begin(), before.attribute().end(),
                     [&](const Attribute &old) {
                       return old.name() == attribute.name() &&
                              old.SerializeAsString() ==
                                  attribute.SerializeAsString();
                     }))
      result.set.push_back(attribute);
}

/// Returns how the types that the version infers differ from the types of the
/// outputs; empty if they may be equal.
static std::string
findOtherType(const KnownNode &known, const VersionAdapter &traveller,
              int64_t to, const std::vector<::onnx::TypeProto> &outputs) {
  KnownNode other{traveller.node, to};
  // The values of other attributes are unknown.
  static const std::set<int> kPlainKinds = {Attribute::FLOAT, Attribute::FLOATS,
                                            Attribute::INT, Attribute::INTS,
                                            Attribute::STRING};
  for (const Attribute &attribute : other.node.attribute())
    if (!kPlainKinds.count(attribute.type()))
      return {};
  for (int i = 0; i < other.node.input_size(); ++i) {
    KnownInput &input = other.inputs.emplace_back();
    input.isPresent = traveller.hasInput(i);
    if (const ::onnx::TensorProto *constant = traveller.findConstant(i)) {
      input.data = *constant;
      auto &type = *input.type.mutable_tensor_type();
      type.set_elem_type(constant->data_type());
      for (int64_t size : constant->dims())
        type.mutable_shape()->add_dim()->set_dim_value(size);
    } else if (const ::onnx::TypeProto *type = traveller.findType(i)) {
      input.type = *type;
    }
    // Inference needs the types of all inputs.
    if (input.isPresent &&
        input.type.value_case() == ::onnx::TypeProto::VALUE_NOT_SET)
      return {};
  }
  NodeInference inference = inferOutputs(other);
  if (!inference.problem.empty())
    return trim(inference.problem);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto &inferred = inference.types[i].tensor_type();
    const auto &type = outputs[i].tensor_type();
    if (inferred.elem_type() != 0 && type.elem_type() != 0 &&
        inferred.elem_type() != type.elem_type())
      return "its result has another type in that version";
    if (!inferred.has_shape() || !type.has_shape())
      continue;
    bool isOther = inferred.shape().dim_size() != type.shape().dim_size();
    for (int dim = 0; !isOther && dim < type.shape().dim_size(); ++dim)
      isOther = inferred.shape().dim(dim).has_dim_value() &&
                type.shape().dim(dim).has_dim_value() &&
                inferred.shape().dim(dim).dim_value() !=
                    type.shape().dim(dim).dim_value();
    if (isOther)
      return "its result has another shape in that version";
  }
  return {};
}

NodeConversion
onnx_import::convertNode(const KnownNode &known,
                         const std::vector<::onnx::TypeProto> &outputs,
                         int64_t to) {
  NodeConversion result;
  const ::onnx::NodeProto &node = known.node;
  try {
    const Schema *old = findSchema(node.op_type(), known.opset);
    if (!old) {
      result.problem = "ONNX has no such operator";
      return result;
    }
    VersionAdapter traveller(known);
    const Schema *other = traveller.travel(*old, to);
    result.problem = traveller.problem;
    result.isSameVersion = other == old;
    result.stays = result.isSameVersion;
    if (!other || result.stays ||
        !acceptsTypes(*other, traveller, outputs, result.problem))
      return result;
    other->Verify(traveller.node);
    // Nodes around it change the types of its inputs and outputs.
    if (traveller.before.empty() && traveller.after.empty())
      result.problem = findOtherType(known, traveller, to, outputs);
    if (result.problem.empty())
      takeOver(known, traveller, to, result);
  } catch (const std::exception &error) {
    result.body = nullptr;
    result.stays = false;
    if (result.problem.empty())
      result.problem = trim(error.what());
  } catch (...) {
    result.body = nullptr;
    result.stays = false;
  }
  if (!result.body && !result.stays && result.problem.empty())
    result.problem = "the versions of the operator differ";
  return result;
}
