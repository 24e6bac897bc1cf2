//===- VersionConverter.cpp - Nodes in other opsets -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VersionConverter.h"
#include <algorithm>
#include <onnx/defs/data_type_utils.h>
#include <onnx/defs/schema.h>
#include <onnx/defs/tensor_proto_util.h>
#include <onnx/shape_inference/implementation.h>
#include <onnx/version_converter/convert.h>
#include <set>
#include <stdexcept>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Schema = ::onnx::OpSchema;
using Attribute = ::onnx::AttributeProto;

//===----------------------------------------------------------------------===//
// What schemas do not tell
//===----------------------------------------------------------------------===//

namespace {
/// From this version on the same words mean something else; with an attribute,
/// those of nodes that have it.
struct ChangedMeaning {
  const char *opType;
  int version;
  const char *attribute = nullptr;
};
constexpr ChangedMeaning kChangedMeanings[] = {
    // Of one axis, where it was of all from that one on.
    {"Hardmax", 13},
    {"LogSoftmax", 13},
    {"Softmax", 13},
    // One scale for each channel, where it was one for each group.
    {"GroupNormalization", 21},
    // Half a pixel off.
    {"RoiAlign", 16},
    {"Resize", 11},
    {"Upsample", 9},
    {"BatchNormalization", 14},
    // Parts are counted by an attribute.
    {"Split", 18},
    {"GridSample", 20},
    {"Attention", 24},
    {"Attention", 25},
    {"DFT", 20},
    // Elements before the first one count from the end.
    {"Compress", 11},
    {"Gather", 11},
    {"NonMaxSuppression", 11},
    {"OneHot", 11},
    {"Scan", 9},
    {"Scan", 11},
    {"Slice", 11},
    {"Mod", 28},
    {"Range", 27},
    // Windows that hang over count what is there.
    {"AveragePool", 19, "ceil_mode"},
    // The odd element of padding is on the other side.
    {"ConvTranspose", 11, "auto_pad"},
    {"ConvTranspose", 11, "output_shape"},
};

/// A value of an attribute that came, or went, with a version.
struct AddedValue {
  const char *opType, *attribute, *value;
  int version;
};
/// One that went away.
constexpr AddedValue kRemovedValues[] = {
    {"Resize", "coordinate_transformation_mode", "tf_half_pixel_for_nn", 13},
};
constexpr AddedValue kAddedValues[] = {
    {"Pad", "mode", "wrap", 19},
    {"Resize", "coordinate_transformation_mode", "half_pixel_symmetric", 19},
    {"ScatterElements", "reduction", "max", 18},
    {"ScatterElements", "reduction", "min", 18},
    {"ScatterND", "reduction", "max", 18},
    {"ScatterND", "reduction", "min", 18},
};

/// Operators whose adapters do what they should, as the tests see by running
/// their nodes before and after. Others make models that are invalid, or mean
/// something else, and the version converter says nothing.
constexpr const char *kTrustedAdapters[] = {
    "ReduceL1",  "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp",
    "ReduceMax", "ReduceMean", "ReduceMin",    "ReduceProd",
    "ReduceSum", "Squeeze",    "Unsqueeze",
};

/// From this one on axes may count from the end.
constexpr int kFirstOpsetWithNegativeAxes = 11;
} // namespace

static const Schema *findSchema(const std::string &opType, int64_t opset) {
  return ::onnx::OpSchemaRegistry::Schema(opType, static_cast<int>(opset), "");
}

static bool hasAttribute(const ::onnx::NodeProto &node, const char *name) {
  return std::any_of(
      node.attribute().begin(), node.attribute().end(),
      [&](const Attribute &attribute) { return attribute.name() == name; });
}

static bool changesMeaning(const ::onnx::NodeProto &node, const Schema &from,
                           const Schema &to) {
  int low = std::min(from.since_version(), to.since_version());
  int high = std::max(from.since_version(), to.since_version());
  return std::any_of(std::begin(kChangedMeanings), std::end(kChangedMeanings),
                     [&](const ChangedMeaning &change) {
                       return from.Name() == change.opType &&
                              low < change.version && change.version <= high &&
                              (!change.attribute ||
                               hasAttribute(node, change.attribute));
                     });
}

/// Whether the version has that value of the attribute.
static bool hasValue(const std::string &opType, const Attribute &attribute,
                     int version) {
  if (attribute.name() == "axis" || attribute.name() == "axes") {
    bool isNegative = attribute.i() < 0 ||
                      std::any_of(
                          attribute.ints().begin(), attribute.ints().end(),
                          [](int64_t axis) { return axis < 0; });
    return !isNegative || version >= kFirstOpsetWithNegativeAxes;
  }
  auto isThat = [&](const AddedValue &value) {
    return opType == value.opType && attribute.name() == value.attribute &&
           attribute.s() == value.value;
  };
  return std::none_of(std::begin(kAddedValues), std::end(kAddedValues),
                      [&](const AddedValue &added) {
                        return isThat(added) && version < added.version;
                      }) &&
         std::none_of(std::begin(kRemovedValues), std::end(kRemovedValues),
                      [&](const AddedValue &removed) {
                        return isThat(removed) && version >= removed.version;
                      });
}

//===----------------------------------------------------------------------===//
// Nodes that stay
//===----------------------------------------------------------------------===//

static bool areEqual(const Attribute &a, const Attribute &b) {
  return a.type() == b.type() && a.i() == b.i() && a.f() == b.f() &&
         a.s() == b.s() &&
         std::equal(a.ints().begin(), a.ints().end(), b.ints().begin(),
                    b.ints().end()) &&
         std::equal(a.floats().begin(), a.floats().end(), b.floats().begin(),
                    b.floats().end());
}

/// Whether the types are ones that the formal parameters have.
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
    problem = "'" + formal.GetName() + "' is no " + *type;
    return false;
  }
  return true;
}

static bool acceptsTypes(const Schema &schema, const KnownNode &known,
                         const std::vector<::onnx::TypeProto> &outputs,
                         std::string &problem) {
  std::vector<const ::onnx::TypeProto *> inputTypes, outputTypes;
  for (const KnownInput &input : known.inputs)
    inputTypes.push_back(input.isPresent ? &input.type : nullptr);
  for (const ::onnx::TypeProto &output : outputs)
    outputTypes.push_back(&output);
  std::map<std::string, ::onnx::DataType> bound;
  return acceptsTypes(schema.inputs(), inputTypes, bound, problem) &&
         acceptsTypes(schema.outputs(), outputTypes, bound, problem);
}

/// Whether the node says the same by both versions. Attributes that only the
/// first one has, with what the other does anyway, go to `dropped`.
static bool saysTheSame(const ::onnx::NodeProto &node, const Schema &from,
                        const Schema &to, std::vector<std::string> &dropped) {
  if (changesMeaning(node, from, to))
    return false;
  std::set<std::string> given;
  for (const Attribute &attribute : node.attribute()) {
    given.insert(attribute.name());
    if (!hasValue(node.op_type(), attribute, to.since_version()))
      return false;
    if (to.attributes().count(attribute.name()))
      continue;
    auto old = from.attributes().find(attribute.name());
    if (old == from.attributes().end() ||
        to.since_version() > from.since_version() ||
        !areEqual(old->second.default_value, attribute))
      return false;
    dropped.push_back(attribute.name());
  }
  for (const auto &[name, old] : from.attributes()) {
    if (given.count(name) || !old.default_value.has_type())
      continue;
    auto other = to.attributes().find(name);
    // An attribute that went away is an input now.
    if (other == to.attributes().end()
            ? to.since_version() > from.since_version()
            : !areEqual(old.default_value, other->second.default_value))
      return false;
  }
  auto haveSameNames = [](const auto &a, const auto &b, int count) {
    for (int i = 0; i < count; ++i)
      if (a.empty() || b.empty() ||
          a[std::min<size_t>(i, a.size() - 1)].GetName() !=
              b[std::min<size_t>(i, b.size() - 1)].GetName())
        return false;
    return true;
  };
  // Only what is there has to be: the rest is optional in both.
  return haveSameNames(from.inputs(), to.inputs(), node.input_size());
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

//===----------------------------------------------------------------------===//
// Nodes that say it otherwise
//===----------------------------------------------------------------------===//

static const Attribute *findAttribute(const ::onnx::NodeProto &node,
                                      const char *name) {
  for (const Attribute &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

static int64_t getInt(const ::onnx::NodeProto &node, const char *name,
                      int64_t byDefault) {
  const Attribute *attribute = findAttribute(node, name);
  return attribute ? attribute->i() : byDefault;
}

/// The sizes of an input; null where its rank is not known.
static const ::onnx::TensorShapeProto *getShape(const KnownNode &known,
                                                size_t index) {
  if (index >= known.inputs.size() || !known.inputs[index].isPresent)
    return nullptr;
  const ::onnx::TypeProto &type = known.inputs[index].type;
  return type.has_tensor_type() && type.tensor_type().has_shape()
             ? &type.tensor_type().shape()
             : nullptr;
}

/// Of one axis, that is of all from it on where it is the last.
static bool rewordSoftmax(const KnownNode &known, bool isNewer,
                          NodeConversion &result) {
  const ::onnx::TensorShapeProto *shape = getShape(known, 0);
  if (!shape || shape->dim_size() == 0)
    return false;
  int64_t rank = shape->dim_size();
  int64_t axis = getInt(known.node, "axis", isNewer ? 1 : -1);
  if (axis != rank - 1 && axis != -1)
    return false;
  result.added["axis"] = rank - 1;
  return true;
}

/// The number of equal parts is that of results, or told.
static bool rewordSplit(const KnownNode &known, bool isNewer,
                        NodeConversion &result) {
  bool hasSizes = known.inputs.size() > 1 && known.inputs[1].isPresent;
  if (findAttribute(known.node, "split"))
    return false;
  if (hasSizes)
    return true;
  int64_t parts = known.node.output_size();
  if (isNewer) {
    result.added["num_outputs"] = parts;
    return true;
  }
  // Later versions may have a smaller one at the end.
  const ::onnx::TensorShapeProto *shape = getShape(known, 0);
  int64_t axis = getInt(known.node, "axis", 0);
  if (!shape || axis < -shape->dim_size() || axis >= shape->dim_size())
    return false;
  const auto &size = shape->dim(axis < 0 ? axis + shape->dim_size() : axis);
  result.dropped.push_back("num_outputs");
  return size.has_dim_value() && size.dim_value() % parts == 0;
}

/// Without training all versions do the same.
static bool rewordBatchNormalization(const KnownNode &known, bool isNewer,
                                     NodeConversion &result) {
  if (!isNewer)
    result.dropped.push_back("training_mode");
  return known.node.output_size() == 1 &&
         getInt(known.node, "training_mode", 0) == 0;
}

/// Without training it is its input, whatever the ratio.
static bool rewordDropout(const KnownNode &known, bool isNewer,
                          NodeConversion &result) {
  result.dropped.push_back(isNewer ? "ratio" : "seed");
  return known.node.output_size() == 1 && known.inputs.size() == 1;
}

/// Older versions do not count from the end.
static bool rewordGather(const KnownNode &known, bool isNewer,
                         NodeConversion &result) {
  if (isNewer)
    return true;
  if (known.inputs.size() != 2 || !known.inputs[1].data)
    return false;
  const ::onnx::TensorProto &data = *known.inputs[1].data;
  auto isThere = [](int64_t index) { return index >= 0; };
  if (data.data_type() == ::onnx::TensorProto::INT64) {
    std::vector<int64_t> indices = ::onnx::ParseData<int64_t>(&data);
    return std::all_of(indices.begin(), indices.end(), isThere);
  }
  std::vector<int32_t> indices = ::onnx::ParseData<int32_t>(&data);
  return std::all_of(indices.begin(), indices.end(), isThere);
}

namespace {
/// How a node says across a version what it means; false if it cannot.
struct Rewording {
  const char *opType;
  int version;
  bool (*reword)(const KnownNode &known, bool isNewer, NodeConversion &result);
};
constexpr Rewording kRewordings[] = {
    {"BatchNormalization", 14, rewordBatchNormalization},
    {"Dropout", 12, rewordDropout},
    {"Gather", 11, rewordGather},
    {"Hardmax", 13, rewordSoftmax},
    {"LogSoftmax", 13, rewordSoftmax},
    {"Softmax", 13, rewordSoftmax},
    {"Split", 18, rewordSplit},
};
} // namespace

/// Whether the only versions in between that matter have such a form of the
/// node.
static bool reword(const KnownNode &known, const Schema &from, const Schema &to,
                   NodeConversion &result) {
  int low = std::min(from.since_version(), to.since_version());
  int high = std::max(from.since_version(), to.since_version());
  for (const Rewording &row : kRewordings) {
    if (from.Name() != row.opType || row.version <= low || row.version > high)
      continue;
    NodeConversion reworded;
    bool isNewer = to.since_version() > from.since_version();
    if (!row.reword(known, isNewer, reworded))
      return false;
    ::onnx::NodeProto node = known.node;
    auto *attributes = node.mutable_attribute();
    for (int i = attributes->size(); i-- > 0;)
      if (reworded.added.count(attributes->Get(i).name()) ||
          std::count(reworded.dropped.begin(), reworded.dropped.end(),
                     attributes->Get(i).name()))
        attributes->DeleteSubrange(i, 1);
    for (const auto &[name, value] : reworded.added) {
      Attribute &added = *node.add_attribute();
      added.set_name(name);
      added.set_type(Attribute::INT);
      added.set_i(value);
    }
    for (const Attribute &attribute : node.attribute())
      if (!to.attributes().count(attribute.name()) ||
          !hasValue(node.op_type(), attribute, to.since_version()))
        return false;
    to.Verify(node);
    result.dropped = std::move(reworded.dropped);
    result.added = std::move(reworded.added);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// ONNX's version converter
//===----------------------------------------------------------------------===//

static ::onnx::ModelProto
makeModel(const KnownNode &known,
          const std::vector<::onnx::TypeProto> &outputs) {
  ::onnx::ModelProto model;
  model.set_ir_version(::onnx::Version::IR_VERSION);
  model.add_opset_import()->set_version(known.opset);
  ::onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("node");
  *graph.add_node() = known.node;
  for (size_t i = 0; i < known.inputs.size(); ++i) {
    const KnownInput &input = known.inputs[i];
    if (!input.isPresent)
      continue;
    if (input.data) {
      ::onnx::TensorProto &tensor = *graph.add_initializer();
      tensor = *input.data;
      tensor.set_name(known.node.input(i));
      continue;
    }
    ::onnx::ValueInfoProto &info = *graph.add_input();
    info.set_name(known.node.input(i));
    *info.mutable_type() = input.type;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (known.node.output(i).empty())
      continue;
    ::onnx::ValueInfoProto &info = *graph.add_output();
    info.set_name(known.node.output(i));
    *info.mutable_type() = outputs[i];
  }
  return model;
}

/// What the graph has that the opset does not; empty if nothing.
static std::string findMisfit(::onnx::ModelProto &model, int64_t opset,
                              const std::vector<::onnx::TypeProto> &outputs) {
  for (const ::onnx::NodeProto &node : model.graph().node()) {
    const Schema *schema = findSchema(node.op_type(), opset);
    if (!schema || schema->deprecated())
      return "opset " + std::to_string(opset) + " has no " + node.op_type();
    schema->Verify(node);
    for (const Attribute &attribute : node.attribute())
      if (!hasValue(node.op_type(), attribute, schema->since_version()))
        return "attribute '" + attribute.name() +
               "' has a value of another opset";
  }
  ::onnx::shape_inference::InferShapes(
      model, ::onnx::OpSchemaRegistry::Instance(),
      ::onnx::ShapeInferenceOptions(/*check_type=*/true, /*strict_mode=*/1,
                                    /*data_prop=*/false));
  for (const ::onnx::ValueInfoProto &output : model.graph().output())
    if (output.type().has_tensor_type() &&
        std::none_of(outputs.begin(), outputs.end(), [&](const auto &type) {
          return type.tensor_type().elem_type() ==
                 output.type().tensor_type().elem_type();
        }))
      return "the adapter changes a type";
  return {};
}

/// Wraps the graph in a function, with constants as nodes.
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

/// What ONNX's library throws begins with the place in its source.
static std::string trim(std::string text) {
  if (size_t at = text.find(".h:"); at != std::string::npos && at < 200)
    if (size_t end = text.find(": ", at); end != std::string::npos)
      text.erase(0, end + 2);
  while (!text.empty() && isspace(static_cast<unsigned char>(text.back())))
    text.pop_back();
  return text.substr(0, text.find('\n'));
}

NodeConversion
onnx_import::convertNode(const KnownNode &known,
                         const std::vector<::onnx::TypeProto> &outputs,
                         int64_t to) {
  NodeConversion result;
  const ::onnx::NodeProto &node = known.node;
  try {
    const Schema *old = findSchema(node.op_type(), known.opset);
    const Schema *other = findSchema(node.op_type(), to);
    if (!old) {
      result.problem = "ONNX has no such operator";
      return result;
    }
    result.isSameVersion =
        other && old->since_version() == other->since_version();
    if (result.isSameVersion) {
      result.stays = true;
      return result;
    }
    if (other && !other->deprecated() &&
        saysTheSame(node, *old, *other, result.dropped)) {
      ::onnx::NodeProto rest = node;
      auto *attributes = rest.mutable_attribute();
      for (int i = attributes->size(); i-- > 0;)
        if (std::count(result.dropped.begin(), result.dropped.end(),
                       attributes->Get(i).name()))
          attributes->DeleteSubrange(i, 1);
      other->Verify(rest);
      result.stays = acceptsTypes(*other, known, outputs, result.problem);
      if (result.stays)
        return result;
    }
    result.dropped.clear();
    if (other && !other->deprecated() && reword(known, *old, *other, result) &&
        acceptsTypes(*other, known, outputs, result.problem)) {
      result.stays = true;
      return result;
    }
    if (std::none_of(std::begin(kTrustedAdapters), std::end(kTrustedAdapters),
                     [&](const char *name) { return node.op_type() == name; }))
      throw std::runtime_error(other && !other->deprecated()
                                   ? "its versions differ"
                                   : "opset " + std::to_string(to) +
                                         " has no " + node.op_type());
    for (const Attribute &attribute : node.attribute())
      if (attribute.has_g() || attribute.graphs_size() != 0)
        return result;
    ::onnx::ModelProto model = ::onnx::version_conversion::ConvertVersion(
        makeModel(known, outputs), static_cast<int>(to));
    std::string misfit = findMisfit(model, to, outputs);
    if (misfit.empty())
      result.body = makeBody(known, *model.mutable_graph(), to);
    else
      result.problem = std::move(misfit);
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
    result.problem = "its versions differ";
  return result;
}
