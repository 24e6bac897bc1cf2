//===- VersionSteps.cpp - Conversion between adjacent versions ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <limits>
#include <onnx/defs/tensor_proto_util.h>
#include <set>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Schema = ::onnx::OpSchema;
using Attribute = ::onnx::AttributeProto;
using Tensor = ::onnx::TensorProto;

static std::optional<NodeKind> getKind(const ::onnx::NodeProto &node) {
  return findNodeKind(/*domain=*/"", node.op_type());
}

static std::optional<NodeKind> getKind(const Schema &schema) {
  return findNodeKind(/*domain=*/"", schema.Name());
}

//===----------------------------------------------------------------------===//
// Semantic changes
//===----------------------------------------------------------------------===//

namespace {
/// An operator whose meaning changes in this version. If `attribute` is not
/// null, only nodes where it has a value other than the default are affected.
struct ChangedMeaning {
  NodeKind kind;
  int version;
  /// A description of the change, with an example.
  const char *what;
  const char *attribute = nullptr;
};
constexpr ChangedMeaning kChangedMeanings[] = {
    {NodeKind::GroupNormalization, 21,
     "from opset 21 on there is one scale per channel, before one per group"},
    {NodeKind::Upsample, 9,
     "scales are an input from opset 9 on, and an attribute before"},
    {NodeKind::Scan, 9, "before opset 9 the first axis is the batch"},
    {NodeKind::OneHot, 11,
     "index -1 is the last class from opset 11 on, and out of bounds before"},
    {NodeKind::AveragePool, 19,
     "from opset 19 on the divisor of a window that extends past the padding "
     "is the number of its elements, which is unspecified before",
     "ceil_mode"},
    {NodeKind::ConvTranspose, 11,
     "odd padding is added at the other end from opset 11 on", "auto_pad"},
    {NodeKind::ConvTranspose, 11,
     "odd padding is added at the other end from opset 11 on", "output_shape"},
};

/// A value of an attribute that a version adds or removes.
struct AddedValue {
  NodeKind kind;
  const char *attribute, *value;
  int version;
};
constexpr AddedValue kRemovedValues[] = {
    {NodeKind::Resize, "coordinate_transformation_mode", "tf_half_pixel_for_nn",
     13},
};
constexpr AddedValue kAddedValues[] = {
    {NodeKind::Pad, "mode", "wrap", 19},
    {NodeKind::Resize, "coordinate_transformation_mode", "half_pixel_symmetric",
     19},
    {NodeKind::ScatterElements, "reduction", "max", 18},
    {NodeKind::ScatterElements, "reduction", "min", 18},
    {NodeKind::ScatterND, "reduction", "max", 18},
    {NodeKind::ScatterND, "reduction", "min", 18},
};

/// The first opset in which axes can be negative, that is, count from the end.
constexpr int kFirstOpsetWithNegativeAxes = 11;
} // namespace

static bool areEqual(const Attribute &a, const Attribute &b) {
  return a.type() == b.type() && a.i() == b.i() && a.f() == b.f() &&
         a.s() == b.s() &&
         std::equal(a.ints().begin(), a.ints().end(), b.ints().begin(),
                    b.ints().end()) &&
         std::equal(a.floats().begin(), a.floats().end(), b.floats().begin(),
                    b.floats().end());
}

static bool isDefault(const Attribute &attribute, const Schema &schema) {
  auto formal = schema.attributes().find(attribute.name());
  return formal != schema.attributes().end() &&
         areEqual(formal->second.default_value, attribute);
}

/// Returns how the meaning of the node changes in the version; null if it does
/// not.
static const char *findChangedMeaning(const ::onnx::NodeProto &node,
                                      const Schema &from, int version) {
  auto hasOther = [&](const char *name) {
    return std::any_of(node.attribute().begin(), node.attribute().end(),
                       [&](const Attribute &attribute) {
                         return attribute.name() == name &&
                                !isDefault(attribute, from);
                       });
  };
  for (const ChangedMeaning &change : kChangedMeanings)
    if (getKind(node) == change.kind && version == change.version &&
        (!change.attribute || hasOther(change.attribute)))
      return change.what;
  return nullptr;
}

static bool isAxis(const Attribute &attribute) {
  return attribute.name() == "axis" || attribute.name() == "axes";
}

/// Whether the version has the value of the attribute.
static bool hasValue(const Schema &schema, const Attribute &attribute) {
  int version = schema.since_version();
  if (isAxis(attribute)) {
    bool countsFromEnd =
        attribute.i() < 0 || std::any_of(attribute.ints().begin(),
                                         attribute.ints().end(), isNegative);
    return !countsFromEnd || version >= kFirstOpsetWithNegativeAxes ||
           isDefault(attribute, schema);
  }
  auto isThat = [&](const AddedValue &value) {
    return getKind(schema) == value.kind &&
           attribute.name() == value.attribute && attribute.s() == value.value;
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

/// Returns why the version lacks the value of an attribute; empty if it has all
/// values.
static std::string findForeignValue(const ::onnx::NodeProto &node,
                                    const Schema &schema) {
  for (const Attribute &attribute : node.attribute())
    if (!hasValue(schema, attribute))
      return "attribute '" + attribute.name() + "' has a value that " +
             schema.Name() + "-" + std::to_string(schema.since_version()) +
             " lacks";
  return {};
}

//===----------------------------------------------------------------------===//
// Attributes that became inputs
//===----------------------------------------------------------------------===//

namespace {
enum class ParameterForm {
  /// The attribute and the input are lists of integers.
  List,
  /// The same for the axes of a reduction, where an empty list means all axes.
  Axes,
  /// The attribute is an int, the input is a list of one integer.
  Only,
  /// The attribute is an int, the input is a scalar.
  Integer,
  /// The attribute is a float, the input is a scalar of the type of the first
  /// input.
  Number,
};

/// A parameter that is an attribute before the version and an input from it on.
struct MovedParameter {
  NodeKind kind;
  int version;
  const char *attribute;
  int input;
  ParameterForm form;
  /// The value that an absent input implies. Not used for lists.
  double absent = 0;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr MovedParameter kMovedParameters[] = {
    {NodeKind::Clip, 11, "max", 2, ParameterForm::Number, kInfinity},
    {NodeKind::Clip, 11, "min", 1, ParameterForm::Number, -kInfinity},
    {NodeKind::DFT, 20, "axis", 2, ParameterForm::Integer, -2},
    {NodeKind::Pad, 11, "value", 2, ParameterForm::Number},
    {NodeKind::Pad, 11, "pads", 1, ParameterForm::List},
    {NodeKind::ReduceL1, 18, "axes", 1, ParameterForm::Axes},
    {NodeKind::ReduceL2, 18, "axes", 1, ParameterForm::Axes},
    {NodeKind::ReduceLogSum, 18, "axes", 1, ParameterForm::Axes},
    {NodeKind::ReduceLogSumExp, 18, "axes", 1, ParameterForm::Axes},
    {NodeKind::ReduceMax, 18, "axes", 1, ParameterForm::Axes},
    {NodeKind::ReduceMean, 18, "axes", 1, ParameterForm::Axes},
    {NodeKind::ReduceMin, 18, "axes", 1, ParameterForm::Axes},
    {NodeKind::ReduceProd, 18, "axes", 1, ParameterForm::Axes},
    {NodeKind::ReduceSum, 13, "axes", 1, ParameterForm::Axes},
    {NodeKind::ReduceSumSquare, 18, "axes", 1, ParameterForm::Axes},
    {NodeKind::Slice, 10, "axes", 3, ParameterForm::List},
    {NodeKind::Slice, 10, "ends", 2, ParameterForm::List},
    {NodeKind::Slice, 10, "starts", 1, ParameterForm::List},
    {NodeKind::Split, 13, "split", 1, ParameterForm::List},
    {NodeKind::Squeeze, 13, "axes", 1, ParameterForm::List},
    {NodeKind::TopK, 10, "k", 1, ParameterForm::Only},
    {NodeKind::Unsqueeze, 13, "axes", 1, ParameterForm::List},
};
} // namespace

/// Returns the number as a scalar of the type of the first input, rounded to
/// that type. Returns nullopt if the type is unknown, or if attributes did not
/// support it.
static std::optional<Tensor> makeNumber(const VersionAdapter &node,
                                        float number) {
  const ::onnx::TypeProto *type = node.findType(0);
  Tensor tensor;
  if (!type || !type->has_tensor_type())
    return std::nullopt;
  tensor.set_data_type(type->tensor_type().elem_type());
  switch (tensor.data_type()) {
  case Tensor::FLOAT:
    tensor.add_float_data(number);
    return tensor;
  case Tensor::DOUBLE:
    tensor.add_double_data(number);
    return tensor;
  case Tensor::FLOAT16: {
    llvm::APFloat half(number);
    bool losesInfo;
    half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
    tensor.add_int32_data(
        static_cast<int32_t>(half.bitcastToAPInt().getZExtValue()));
    return tensor;
  }
  default:
    return std::nullopt;
  }
}

/// Returns the value of a scalar constant as an f32; nullopt if it is not
/// constant or f32 does not represent it.
static std::optional<float> getNumber(const Tensor *scalar) {
  if (!scalar)
    return std::nullopt;
  switch (scalar->data_type()) {
  case Tensor::FLOAT:
    return ::onnx::ParseData<float>(scalar).at(0);
  case Tensor::DOUBLE: {
    double wide = ::onnx::ParseData<double>(scalar).at(0);
    auto narrow = static_cast<float>(wide);
    return narrow == wide ? std::optional(narrow) : std::nullopt;
  }
  case Tensor::FLOAT16: {
    const std::string &raw = scalar->raw_data();
    if (raw.size() < 2 && scalar->int32_data_size() == 0)
      return std::nullopt;
    uint64_t bits =
        raw.size() >= 2
            ? static_cast<uint8_t>(raw[0]) | static_cast<uint8_t>(raw[1]) << 8
            : static_cast<uint16_t>(scalar->int32_data(0));
    return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits))
        .convertToFloat();
  }
  default:
    return std::nullopt;
  }
}

/// Converts the attribute to an input.
static bool moveToInput(VersionAdapter &node, const MovedParameter &row,
                        const Schema &from) {
  const Attribute *found = node.findAttribute(row.attribute);
  if (!found) {
    auto formal = from.attributes().find(row.attribute);
    if (formal == from.attributes().end() ||
        !formal->second.default_value.has_type())
      return true;
    found = &formal->second.default_value;
  }
  Attribute attribute = *found;
  node.removeAttribute(row.attribute);
  switch (row.form) {
  case ParameterForm::List:
  case ParameterForm::Axes:
    node.setConstant(
        row.input, row.attribute,
        makeIntegers({attribute.ints().begin(), attribute.ints().end()}));
    return true;
  case ParameterForm::Only:
    node.setConstant(row.input, row.attribute, makeIntegers({attribute.i()}));
    return true;
  case ParameterForm::Integer: {
    if (attribute.i() == row.absent)
      return true;
    Tensor scalar = makeIntegers({attribute.i()});
    scalar.clear_dims();
    node.setConstant(row.input, row.attribute, std::move(scalar));
    return true;
  }
  case ParameterForm::Number:
    break;
  }
  if (attribute.f() == row.absent)
    return true;
  std::optional<Tensor> number = makeNumber(node, attribute.f());
  if (!number)
    return node.fail("attribute '" + attribute.name() +
                     "' is not representable in the type of the input");
  node.setConstant(row.input, row.attribute, std::move(*number));
  return true;
}

/// Converts the input to an attribute.
static bool moveToAttribute(VersionAdapter &node, const MovedParameter &row,
                            const Schema &to) {
  auto formal = to.attributes().find(row.attribute);
  if (formal == to.attributes().end())
    return node.fail("the versions of the operator differ");
  if (row.form == ParameterForm::Number) {
    auto number = static_cast<float>(row.absent);
    if (node.hasInput(row.input)) {
      std::optional<float> parsed = getNumber(node.findConstant(row.input));
      if (!parsed)
        return node.fail("input '" + std::string(row.attribute) +
                         "' is not a constant that is representable in f32");
      number = *parsed;
      node.removeInput(row.input);
    }
    if (formal->second.default_value.f() != number)
      replaceAttribute(node, row.attribute, Attribute::FLOAT).set_f(number);
    return true;
  }
  if (!node.hasInput(row.input)) {
    if (row.form == ParameterForm::Integer)
      node.setAttribute(row.attribute, static_cast<int64_t>(row.absent));
    return true;
  }
  const Tensor *constant = node.findConstant(row.input);
  if (!constant)
    return node.fail("input '" + std::string(row.attribute) +
                     "' is not a constant");
  std::vector<int64_t> values = getIntegers(*constant);
  node.removeInput(row.input);
  if (row.form != ParameterForm::List && row.form != ParameterForm::Axes) {
    node.setAttribute(row.attribute, values.at(0));
    return true;
  }
  // Only for reductions, no attribute means the same as an empty list.
  if (values.empty() && row.form != ParameterForm::Axes)
    return node.fail("input '" + std::string(row.attribute) + "' is empty");
  if (!values.empty())
    node.setAttribute(row.attribute, values);
  return true;
}

namespace {
/// An operator that another operator with the same inputs replaces from this
/// version on.
struct RenamedOperator {
  NodeKind before;
  int version;
  NodeKind after;
};
constexpr RenamedOperator kRenamedOperators[] = {
    {NodeKind::Scatter, 11, NodeKind::ScatterElements},
    {NodeKind::Upsample, 10, NodeKind::Resize},
};
} // namespace

static const Schema *findSchema(const std::string &opType, int64_t opset) {
  return ::onnx::OpSchemaRegistry::Schema(opType, static_cast<int>(opset), "");
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

/// Makes negative axes nonnegative, because versions before 11 do not support
/// them.
static void countFromFront(VersionAdapter &node) {
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  if (!shape)
    return;
  int64_t rank = shape->dim_size();
  std::optional<NodeKind> kind = getKind(node.node);
  if (kind == NodeKind::OneHot)
    ++rank;
  if (const Attribute *axes = node.findAttribute("axes");
      axes && kind == NodeKind::Unsqueeze)
    rank += axes->ints_size();
  for (Attribute &attribute : *node.node.mutable_attribute()) {
    if (!isAxis(attribute))
      continue;
    if (attribute.i() < 0)
      attribute.set_i(attribute.i() + rank);
    for (int64_t &axis : *attribute.mutable_ints())
      axis += axis < 0 ? rank : 0;
  }
}

/// Whether the inputs of the node have the same names in both schemas.
static bool haveSameInputs(const ::onnx::NodeProto &node, const Schema &a,
                           const Schema &b) {
  auto getName = [](const Schema &schema, size_t input) {
    const auto &inputs = schema.inputs();
    return inputs.empty()
               ? ""
               : inputs[std::min(input, inputs.size() - 1)].GetName();
  };
  for (int i = 0; i < node.input_size(); ++i)
    if (a.inputs().empty() || b.inputs().empty() ||
        getName(a, i) != getName(b, i))
      return false;
  return true;
}

static std::string spell(const Schema &schema) {
  return schema.Name() + "-" + std::to_string(schema.since_version());
}

/// Converts the attributes from one version to the other, including defaults
/// that differ.
bool VersionAdapter::fitAttributes(const Schema &from, const Schema &to,
                                   bool isRewritten) {
  bool isNewer = to.since_version() > from.since_version();
  std::set<std::string> names, dropped;
  for (const Attribute &attribute : node.attribute()) {
    names.insert(attribute.name());
    if (to.attributes().count(attribute.name()))
      continue;
    if (isNewer || !isDefault(attribute, from))
      return fail(spell(to) + " has no attribute '" + attribute.name() + "'");
    dropped.insert(attribute.name());
  }
  for (const std::string &name : dropped)
    removeAttribute(name);
  if (std::string foreign = findForeignValue(node, to); !foreign.empty())
    return fail(std::move(foreign));
  if (isRewritten)
    return true;
  for (const auto &[name, old] : from.attributes()) {
    if (names.count(name) || !old.default_value.has_type())
      continue;
    auto other = to.attributes().find(name);
    if (other == to.attributes().end()) {
      // The default of a removed attribute has no equivalent.
      if (isNewer)
        return fail(spell(to) + " has no attribute '" + name + "'");
    } else if (!areEqual(old.default_value, other->second.default_value)) {
      *node.add_attribute() = old.default_value;
    }
  }
  return true;
}

bool VersionAdapter::step(const Schema &from, const Schema &to) {
  bool isNewer = to.since_version() > from.since_version();
  int version = std::max(from.since_version(), to.since_version());
  auto applies = [&](const auto &row) {
    return getKind(node) == row.kind && version == row.version;
  };
  bool isRewritten = false;
  for (const NodeRewrite &row : getRewrites()) {
    if (!applies(row))
      continue;
    isRewritten = true;
    if (!row.rewrite(*this, isNewer))
      return false;
  }
  for (const MovedParameter &row : kMovedParameters) {
    if (!applies(row))
      continue;
    isRewritten = true;
    if (!(isNewer ? moveToInput(*this, row, from)
                  : moveToAttribute(*this, row, to)))
      return false;
  }
  if (version == kFirstOpsetWithNegativeAxes && !isNewer)
    countFromFront(*this);
  if (!isRewritten) {
    std::string versions = spell(from) + " and " + spell(to) + " differ";
    if (const char *what = findChangedMeaning(node, from, version))
      return fail(versions + ": " + what);
    if (!haveSameInputs(node, from, to))
      return fail(versions);
  }
  return fitAttributes(from, to, isRewritten);
}

/// Returns the next version on the way to the opset; null if there is none.
static const Schema *findNext(const Schema &from, int64_t opset) {
  if (opset < from.since_version())
    return findSchema(from.Name(), from.since_version() - 1);
  for (int64_t at = from.since_version() + 1; at <= opset; ++at)
    if (const Schema *next = findSchema(from.Name(), at);
        next && next->since_version() == at)
      return next;
  return nullptr;
}

const Schema *VersionAdapter::travel(const Schema &from, int64_t opset) {
  const Schema *at = &from;
  while (findSchema(at->Name(), opset) != at) {
    const Schema *next = findNext(*at, opset);
    if (next && next->deprecated()) {
      next = nullptr;
      for (const RenamedOperator &renamed : kRenamedOperators)
        if (getKind(*at) == renamed.before) {
          node.set_op_type(getNodeKindName(renamed.after).str());
          next = findSchema(node.op_type(), renamed.version);
        }
    }
    if (!next) {
      fail("opset " + std::to_string(opset) + " has no " + at->Name());
      return nullptr;
    }
    if (!step(*at, *next))
      return nullptr;
    at = next;
  }
  return at;
}
