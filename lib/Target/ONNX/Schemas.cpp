//===- Schemas.cpp - What ONNX's own library says -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schemas.h"
#include <algorithm>
#include <limits>
#include <map>
#include <onnx/defs/data_type_utils.h>
#include <onnx/defs/function.h>
#include <onnx/defs/schema.h>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

static const ::onnx::OpSchema *findSchema(const std::string &opType,
                                          const std::string &domain,
                                          int64_t opset) {
  int newest = static_cast<int>(
      std::min<int64_t>(opset, std::numeric_limits<int>::max()));
  const ::onnx::OpSchema *schema =
      ::onnx::OpSchemaRegistry::Schema(opType, newest, domain);
  bool hasFunction = schema && (schema->HasFunction() ||
                                schema->HasContextDependentFunction());
  return hasFunction ? schema : nullptr;
}

bool onnx_import::hasFunction(const std::string &opType,
                              const std::string &domain, int64_t opset) {
  try {
    return findSchema(opType, domain, opset);
  } catch (...) {
    return false;
  }
}

/// Gives the node the values of attributes that it leaves out.
static void addDefaults(const ::onnx::OpSchema &schema,
                        ::onnx::NodeProto &node) {
  for (const auto &[name, attribute] : schema.attributes()) {
    bool isGiven = std::any_of(
        node.attribute().begin(), node.attribute().end(),
        [name = &name](const auto &given) { return given.name() == *name; });
    if (!isGiven && attribute.default_value.has_type())
      *node.add_attribute() = attribute.default_value;
  }
}

/// What is wrong with the types of the inputs; empty if nothing.
static std::string checkTypes(const ::onnx::OpSchema &schema,
                              const std::vector<::onnx::TypeProto> &types) {
  using ::onnx::Utils::DataTypeUtils;
  std::map<std::string, ::onnx::DataType> bound;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].value_case() == ::onnx::TypeProto::VALUE_NOT_SET)
      continue;
    const auto &formal =
        schema.inputs()[std::min(i, schema.inputs().size() - 1)];
    ::onnx::DataType type = DataTypeUtils::ToType(types[i]);
    std::string text = "input " + std::to_string(i) + " has the type " + *type;
    if (!formal.GetTypes().count(type))
      return text;
    if (!formal.GetIsHomogeneous())
      continue;
    ::onnx::DataType other =
        bound.try_emplace(formal.GetTypeStr(), type).first->second;
    if (other != type)
      return text + ", and another one " + *other;
  }
  return {};
}

/// The version of the operators in the body that counts: `opset` or the newest
/// one below that the schema has a body for.
static int findVersion(const std::vector<int> &versions, int64_t opset) {
  int found = 0;
  for (int version : versions)
    if (version <= opset)
      found = std::max(found, version);
  return found;
}

NodeFunction
onnx_import::findFunction(::onnx::NodeProto &node, int64_t opset,
                          const std::vector<::onnx::TypeProto> &inputTypes) {
  NodeFunction result;
  try {
    const ::onnx::OpSchema *schema =
        findSchema(node.op_type(), node.domain(), opset);
    if (!schema)
      return result;
    schema->Verify(node);
    result.problem = checkTypes(*schema, inputTypes);
    if (!result.problem.empty())
      return result;
    addDefaults(*schema, node);
    auto function = std::make_unique<::onnx::FunctionProto>();
    // A body is made of the operators of its own version, whatever the model's
    // is: newer ones may have other inputs.
    if (int version = findVersion(schema->function_opset_versions(), opset)) {
      *function = *schema->GetFunction(version);
    } else if ((version = findVersion(
                    schema->context_dependent_function_opset_versions(),
                    opset))) {
      ::onnx::FunctionBodyBuildContextImpl context(node, inputTypes);
      if (!schema->BuildContextDependentFunction(context, *function, version))
        return result;
    } else {
      return result;
    }
    result.function = std::move(function);
  } catch (const std::exception &error) {
    result.problem = error.what();
  } catch (...) {
    result.problem = "ONNX's schema does not allow it";
  }
  return result;
}
