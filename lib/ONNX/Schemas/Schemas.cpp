//===- Schemas.cpp - Queries of ONNX's library ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schemas.h"
#include "FunctionRows.h"
#include <algorithm>
#include <limits>
#include <map>
#include <onnx/defs/data_type_utils.h>
#include <onnx/defs/function.h>
#include <onnx/defs/schema.h>
#include <onnx/defs/shape_inference.h>
#include <onnx/shape_inference/implementation.h>
#include <set>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

static const ::onnx::OpSchema *findSchema(const std::string &opType,
                                          const std::string &domain,
                                          int64_t opset) {
  int newest = static_cast<int>(
      std::min<int64_t>(opset, std::numeric_limits<int>::max()));
  return ::onnx::OpSchemaRegistry::Schema(opType, newest, domain);
}

/// Throws if the node does not match its schema. Deprecated operators, which
/// verification would reject, are accepted, because they keep their meaning.
static void verify(const ::onnx::OpSchema &schema,
                   const ::onnx::NodeProto &node) {
  if (!schema.deprecated())
    schema.Verify(node);
}

bool onnx_import::isOperator(const std::string &opType,
                             const std::string &domain) {
  try {
    return ::onnx::OpSchemaRegistry::Schema(opType, domain);
  } catch (...) {
    return false;
  }
}

::onnx::AttributeProto::AttributeType
onnx_import::getAttributeKind(const std::string &opType,
                              const std::string &domain, int64_t opset,
                              const std::string &name) {
  try {
    const ::onnx::OpSchema *schema = findSchema(opType, domain, opset);
    if (schema)
      if (auto found = schema->attributes().find(name);
          found != schema->attributes().end())
        return found->second.type;
  } catch (...) {
  }
  return ::onnx::AttributeProto::UNDEFINED;
}

/// Whether the node matches the schema.
static bool fits(const ::onnx::OpSchema &schema,
                 const ::onnx::NodeProto &node) {
  try {
    verify(schema, node);
    return true;
  } catch (...) {
    return false;
  }
}

int64_t onnx_import::findFittingVersion(const ::onnx::NodeProto &node,
                                        int64_t opset) {
  try {
    for (int64_t version = opset; version > 0;) {
      const ::onnx::OpSchema *schema =
          findSchema(node.op_type(), node.domain(), version);
      if (!schema)
        break;
      if (fits(*schema, node))
        return version;
      version = schema->since_version() - 1;
    }
    const ::onnx::OpSchema *newest =
        ::onnx::OpSchemaRegistry::Schema(node.op_type(), node.domain());
    for (int64_t version = opset + 1;
         newest && version <= newest->since_version(); ++version) {
      const ::onnx::OpSchema *schema =
          findSchema(node.op_type(), node.domain(), version);
      if (schema && schema->since_version() == version && fits(*schema, node))
        return version;
    }
  } catch (...) {
  }
  return opset;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool hasFunction(const ::onnx::OpSchema *schema) {
  return schema &&
         (schema->HasFunction() || schema->HasContextDependentFunction());
}

bool onnx_import::hasFunction(const std::string &opType,
                              const std::string &domain, int64_t opset) {
  try {
    const ::onnx::OpSchema *schema = findSchema(opType, domain, opset);
    return ::hasFunction(schema) ||
           ((!schema || !domain.empty()) && hasFunctionRow(opType, domain));
  } catch (...) {
    return false;
  }
}

/// Adds the default values of absent attributes to the node.
static void addDefaults(const ::onnx::OpSchema &schema,
                        ::onnx::NodeProto &node) {
  for (const auto &[name, attribute] : schema.attributes()) {
    bool isSpecified =
        std::any_of(node.attribute().begin(), node.attribute().end(),
                    [name = &name](const auto &present) {
                      return present.name() == *name;
                    });
    if (!isSpecified && attribute.default_value.has_type())
      *node.add_attribute() = attribute.default_value;
  }
}

/// Returns the problem of the types of the inputs, or an empty string.
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
    std::string message =
        "input " + std::to_string(i) + " has the type " + *type;
    // Some versions lack bfloat16, for which the operator has the same meaning
    // as for float16.
    if (!formal.GetTypes().count(type) &&
        !(*type == "tensor(bfloat16)" &&
          formal.GetTypes().count(DataTypeUtils::ToType("tensor(float16)"))))
      return message;
    if (!formal.GetIsHomogeneous())
      continue;
    ::onnx::DataType other =
        bound.try_emplace(formal.GetTypeStr(), type).first->second;
    if (other != type)
      return message + " and another input has " + *other;
  }
  return {};
}

bool onnx_import::acceptsFirstInput(const std::string &opType,
                                    const std::string &domain, int64_t opset,
                                    const ::onnx::TypeProto &type) {
  try {
    const ::onnx::OpSchema *schema = findSchema(opType, domain, opset);
    return schema && checkTypes(*schema, {type}).empty();
  } catch (...) {
    return false;
  }
}

/// Selects one of the opsets for which the schema has a function: the newest
/// one up to `maxVersion`, or else the oldest one. Ignores opsets above
/// `opset`. Returns 0 if there is none.
static int findVersion(const std::vector<int> &versions, int64_t opset,
                       int64_t maxVersion) {
  int newest = 0, oldest = 0;
  for (int version : versions) {
    if (version <= std::min(opset, maxVersion))
      newest = std::max(newest, version);
    if (version <= opset && (oldest == 0 || version < oldest))
      oldest = version;
  }
  return newest != 0 ? newest : oldest;
}

/// Builds a function for MeanVarianceNormalization of 16-bit floats that
/// computes in f32. The function of ONNX adds a f32 constant to elements of any
/// type. Returns null for all other nodes.
static std::unique_ptr<::onnx::FunctionProto>
buildNarrowNormalization(const ::onnx::OpSchema &schema,
                         const ::onnx::NodeProto &node,
                         const std::vector<::onnx::TypeProto> &types) {
  if (findNodeKind(schema.domain(), schema.Name()) !=
          NodeKind::MeanVarianceNormalization ||
      types.empty())
    return nullptr;
  int32_t element = types[0].tensor_type().elem_type();
  if (element != ::onnx::TensorProto::FLOAT16 &&
      element != ::onnx::TensorProto::BFLOAT16)
    return nullptr;
  std::vector<int64_t> axes;
  for (const auto &attribute : node.attribute())
    axes.assign(attribute.ints().begin(), attribute.ints().end());
  auto function = std::make_unique<::onnx::FunctionProto>();
  function->set_name(node.op_type());
  function->add_attribute("axes");
  function->add_input("X");
  function->add_output("Y");
  ::onnx::FunctionBuilder body(*function);
  body.AddOpset("", schema.since_version());
  body.Add("Wide = Cast <to = 1> (X)")
      .Add("Normal = MeanVarianceNormalization (Wide)", "axes", axes)
      .Add("Y = Cast (Normal)", "to", static_cast<int64_t>(element));
  return function;
}

NodeFunction
onnx_import::findFunction(::onnx::NodeProto &node, int64_t opset,
                          const std::vector<::onnx::TypeProto> &inputTypes,
                          int64_t bodyOpset) {
  NodeFunction result;
  try {
    const ::onnx::OpSchema *schema =
        findSchema(node.op_type(), node.domain(), opset);
    // If ONNX's own domain has a schema, the rows of this project are not used.
    bool hasRow = (!schema || !node.domain().empty()) &&
                  hasFunctionRow(node.op_type(), node.domain());
    if (schema) {
      if (!hasRow && !::hasFunction(schema))
        return result;
      verify(*schema, node);
      result.problem = checkTypes(*schema, inputTypes);
      if (!result.problem.empty())
        return result;
      addDefaults(*schema, node);
    }
    if (hasRow)
      result.function = std::make_unique<::onnx::FunctionProto>(
          buildFunctionOfRow(node, inputTypes));
    if (!schema || hasRow)
      return result;
    result.function = buildNarrowNormalization(*schema, node, inputTypes);
    if (result.function)
      return result;
    auto function = std::make_unique<::onnx::FunctionProto>();
    // A function consists of operators of its own opset, not of the model's:
    // newer versions can have other inputs.
    if (int version =
            findVersion(schema->function_opset_versions(), opset, bodyOpset)) {
      *function = *schema->GetFunction(version);
    } else if ((version = findVersion(
                    schema->context_dependent_function_opset_versions(), opset,
                    bodyOpset))) {
      ::onnx::FunctionBodyBuildContextImpl context(node, inputTypes);
      if (!schema->BuildContextDependentFunction(context, *function, version))
        return result;
    } else {
      return result;
    }
    result.function = std::move(function);
  } catch (const UnknownInput &error) {
    result.problem = error.what();
    result.isUnknown = true;
  } catch (const std::exception &error) {
    result.problem = error.what();
  } catch (...) {
    result.problem = "ONNX's schema does not allow it";
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Types and shapes
//===----------------------------------------------------------------------===//

namespace {
/// Returns the types that an imported body yields, for all inputs.
struct BodyInferencer final : ::onnx::GraphInferencer {
  explicit BodyInferencer(const std::vector<::onnx::TypeProto> &yields) {
    for (const ::onnx::TypeProto &type : yields)
      types.push_back(&type);
  }

  std::vector<const ::onnx::TypeProto *>
  doInferencing(const std::vector<const ::onnx::TypeProto *> &,
                const std::vector<const ::onnx::TensorProto *> &) override {
    return types;
  }

  std::vector<const ::onnx::TypeProto *> types;
};

/// The queries that both kinds of inference have in common.
template <typename ContextT> struct NodeContext : ContextT {
  NodeContext(const KnownNode &known, NodeInference &result)
      : known(known), result(result) {}

  const ::onnx::AttributeProto *
  getAttribute(const std::string &name) const override {
    const auto &attributes = known.node.attribute();
    auto found = std::find_if(
        attributes.begin(), attributes.end(),
        [&](const auto &attribute) { return attribute.name() == name; });
    return found == attributes.end() ? nullptr : &*found;
  }
  size_t getNumInputs() const override { return known.inputs.size(); }
  const ::onnx::TypeProto *getInputType(size_t index) const override {
    const ::onnx::TypeProto &type = known.inputs.at(index).type;
    return type.value_case() == ::onnx::TypeProto::VALUE_NOT_SET ? nullptr
                                                                 : &type;
  }
  size_t getNumOutputs() const override { return result.types.size(); }

  const KnownNode &known;
  NodeInference &result;
};

template <typename T> const T *getPointer(const std::optional<T> &value) {
  return value ? &*value : nullptr;
}

struct TypeContext final : NodeContext<::onnx::InferenceContext> {
  TypeContext(const KnownNode &known, NodeInference &result)
      : NodeContext(known, result) {
    for (const auto &[name, yields] : known.bodies)
      inferencers.try_emplace(name, yields);
  }

  bool hasInput(size_t index) const override {
    return index < known.inputs.size() && known.inputs[index].isPresent;
  }
  const ::onnx::TensorProto *getInputData(size_t index) const override {
    return getPointer(known.inputs.at(index).data);
  }
  const ::onnx::SparseTensorProto *getInputSparseData(size_t) const override {
    return nullptr;
  }
  const ::onnx::TensorShapeProto *
  getSymbolicInput(size_t index) const override {
    return getPointer(known.inputs.at(index).integers);
  }
  ::onnx::TypeProto *getOutputType(size_t index) override {
    return &result.types.at(index);
  }
  ::onnx::GraphInferencer *
  getGraphAttributeInferencer(const std::string &name) override {
    auto found = inferencers.find(name);
    return found == inferencers.end() ? nullptr : &found->second;
  }
  std::string getDisplayName() const override { return known.node.name(); }

  std::map<std::string, BodyInferencer> inferencers;
};

struct IntegerContext final : NodeContext<::onnx::DataPropagationContext> {
  using NodeContext::NodeContext;

  const ::onnx::TypeProto *getOutputType(size_t index) const override {
    return &result.types.at(index);
  }
  const ::onnx::TensorShapeProto *getInputData(size_t index) override {
    return getPointer(known.inputs.at(index).integers);
  }
  void addOutputData(size_t index,
                     ::onnx::TensorShapeProto &&integers) override {
    result.integers.at(index) = std::move(integers);
  }
};
} // namespace

/// Whether the type inference of the operator reads out of bounds if the node
/// is malformed or the type of an input is unknown.
static bool isUnsafe(const ::onnx::OpSchema &schema, const KnownNode &known) {
  static const std::set<NodeKind> readTypes = {
      NodeKind::MachineLearningDictVectorizer, NodeKind::EyeLike,
      NodeKind::MachineLearningLabelEncoder, NodeKind::RegexFullMatch,
      NodeKind::MachineLearningTreeEnsemble};
  std::optional<NodeKind> kind = findNodeKind(schema.domain(), schema.Name());
  auto isUnknown = [](const KnownInput &input) {
    return input.type.value_case() == ::onnx::TypeProto::VALUE_NOT_SET;
  };
  return kind == NodeKind::Einsum ||
         (kind && readTypes.count(*kind) &&
          std::any_of(known.inputs.begin(), known.inputs.end(), isUnknown));
}

/// Infers the outputs of an operator that a row defines: from its function, or
/// else the element type of the first output. The lowering of the node reports
/// an error if the function cannot be built.
static void inferByRow(const KnownNode &known, NodeInference &result) {
  const ::onnx::NodeProto &node = known.node;
  std::vector<::onnx::TypeProto> types;
  for (const KnownInput &input : known.inputs)
    types.push_back(input.type);
  try {
    ::onnx::FunctionProto function = buildFunctionOfRow(node, types);
    result.types = ::onnx::shape_inference::InferFunctionOutputTypes(
        function, types, {node.attribute().begin(), node.attribute().end()});
  } catch (...) {
  }
  result.types.resize(node.output_size());
  int like = getInputLikeOutput(node.op_type(), node.domain());
  bool isKnown = result.types.empty() || result.types[0].value_case() !=
                                             ::onnx::TypeProto::VALUE_NOT_SET;
  if (!isKnown && like >= 0 && like < static_cast<int>(types.size()) &&
      types[like].has_tensor_type())
    result.types[0].mutable_tensor_type()->set_elem_type(
        types[like].tensor_type().elem_type());
}

NodeInference onnx_import::inferOutputs(const KnownNode &known) {
  const ::onnx::NodeProto &node = known.node;
  NodeInference result;
  auto forget = [&] {
    result.types.assign(node.output_size(), {});
    result.integers.assign(node.output_size(), std::nullopt);
  };
  forget();
  try {
    const ::onnx::OpSchema *schema =
        findSchema(node.op_type(), node.domain(), known.opset);
    if (!schema && hasFunctionRow(node.op_type(), node.domain()))
      inferByRow(known, result);
    if (!schema || isUnsafe(*schema, known))
      return result;
    // Type inference relies on a valid node.
    verify(*schema, node);
    TypeContext types(known, result);
    schema->GetTypeAndShapeInferenceFunction()(types);
    IntegerContext integers(known, result);
    schema->GetDataPropagationFunction()(integers);
  } catch (const std::exception &error) {
    forget();
    result.problem = error.what();
  } catch (...) {
    forget();
    result.problem = "ONNX's schema does not allow it";
  }
  return result;
}

::onnx::TypeProto onnx_import::parseType(const std::string &spelling) {
  using ::onnx::Utils::DataTypeUtils;
  try {
    return DataTypeUtils::ToTypeProto(DataTypeUtils::ToType(spelling));
  } catch (...) {
    return {};
  }
}
