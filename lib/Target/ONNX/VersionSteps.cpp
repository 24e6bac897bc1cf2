//===- VersionSteps.cpp - From one version to the next --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VersionSteps.h"
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

//===----------------------------------------------------------------------===//
// What a node has
//===----------------------------------------------------------------------===//

Attribute *TravellingNode::findAttribute(const std::string &name) {
  for (Attribute &attribute : *node.mutable_attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

int64_t TravellingNode::getInt(const std::string &name, int64_t byDefault) {
  const Attribute *attribute = findAttribute(name);
  return attribute ? attribute->i() : byDefault;
}

void TravellingNode::removeAttribute(const std::string &name) {
  auto *attributes = node.mutable_attribute();
  for (int i = attributes->size(); i-- > 0;)
    if (attributes->Get(i).name() == name)
      attributes->DeleteSubrange(i, 1);
}

static Attribute &replaceAttribute(TravellingNode &node,
                                   const std::string &name,
                                   Attribute::AttributeType type) {
  node.removeAttribute(name);
  Attribute &added = *node.node.add_attribute();
  added.set_name(name);
  added.set_type(type);
  return added;
}

void TravellingNode::setAttribute(const std::string &name, int64_t value) {
  replaceAttribute(*this, name, Attribute::INT).set_i(value);
}

void TravellingNode::setAttribute(const std::string &name,
                                  const std::string &value) {
  replaceAttribute(*this, name, Attribute::STRING).set_s(value);
}

void TravellingNode::setAttribute(const std::string &name,
                                  const std::vector<int64_t> &values) {
  replaceAttribute(*this, name, Attribute::INTS)
      .mutable_ints()
      ->Add(values.begin(), values.end());
}

static bool isNamed(const std::string &name, const Tensor &tensor) {
  return tensor.name() == name;
}

/// What the model knows of the input of that name.
static const KnownInput *findKnown(const KnownNode &known,
                                   const std::string &name) {
  for (int i = 0; i < known.node.input_size(); ++i)
    if (known.node.input(i) == name)
      return &known.inputs[i];
  return nullptr;
}

const Tensor *TravellingNode::findConstant(int input) const {
  if (!hasInput(input))
    return nullptr;
  for (const Tensor &tensor : constants)
    if (isNamed(node.input(input), tensor))
      return &tensor;
  const KnownInput *found = findKnown(known, node.input(input));
  return found && found->data ? &*found->data : nullptr;
}

const ::onnx::TypeProto *TravellingNode::findType(int input) const {
  if (!hasInput(input))
    return nullptr;
  // What is read by way of other nodes has the type of what they read.
  const KnownInput *found =
      input == 0 ? &known.inputs[0] : findKnown(known, node.input(input));
  return found && found->type.value_case() != ::onnx::TypeProto::VALUE_NOT_SET
             ? &found->type
             : nullptr;
}

const ::onnx::TensorShapeProto *TravellingNode::findShape(int input) const {
  const ::onnx::TypeProto *type = findType(input);
  return type && type->has_tensor_type() && type->tensor_type().has_shape()
             ? &type->tensor_type().shape()
             : nullptr;
}

static std::vector<int64_t> getIntegers(const Tensor &tensor) {
  if (tensor.data_type() == Tensor::INT64)
    return ::onnx::ParseData<int64_t>(&tensor);
  std::vector<int32_t> values = ::onnx::ParseData<int32_t>(&tensor);
  return {values.begin(), values.end()};
}

static Tensor makeIntegers(const std::vector<int64_t> &values) {
  Tensor tensor;
  tensor.set_data_type(Tensor::INT64);
  tensor.add_dims(values.size());
  tensor.mutable_int64_data()->Add(values.begin(), values.end());
  return tensor;
}

void TravellingNode::setConstant(int input, const std::string &what,
                                 Tensor tensor) {
  while (node.input_size() <= input)
    node.add_input("");
  // No other value is called so.
  tensor.set_name("constant_" + what);
  constants.erase(std::remove_if(constants.begin(), constants.end(),
                                 [&](const Tensor &other) {
                                   return isNamed(tensor.name(), other);
                                 }),
                  constants.end());
  node.set_input(input, tensor.name());
  constants.push_back(std::move(tensor));
}

void TravellingNode::removeInput(int input) {
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

void TravellingNode::read(::onnx::NodeProto reader) {
  std::string name = "read" + std::to_string(before.size());
  reader.set_input(0, node.input(0));
  reader.add_output(name);
  node.set_input(0, name);
  before.push_back(std::move(reader));
}

void TravellingNode::write(::onnx::NodeProto writer) {
  std::string name = "written" + std::to_string(after.size());
  writer.set_input(0, name);
  writer.add_output(node.output(0));
  node.set_output(0, name);
  after.insert(after.begin(), std::move(writer));
}

static ::onnx::NodeProto makeNode(const char *opType) {
  ::onnx::NodeProto node;
  node.set_op_type(opType);
  node.add_input("");
  return node;
}

//===----------------------------------------------------------------------===//
// Changes of meaning
//===----------------------------------------------------------------------===//

namespace {
/// From this version on the same words mean something else; with an attribute,
/// those of nodes where it is not what it is without.
struct ChangedMeaning {
  const char *opType;
  int version;
  const char *attribute = nullptr;
};
constexpr ChangedMeaning kChangedMeanings[] = {
    // One scale for each channel, where it was one for each group.
    {"GroupNormalization", 21},
    // An attribute that became an input.
    {"Upsample", 9},
    // A batch of sequences, where there is one.
    {"Scan", 9},
    // Places before the first one count from the end, and are none before.
    {"OneHot", 11},
    // Windows that hang over count what is there.
    {"AveragePool", 19, "ceil_mode"},
    // The odd element of padding is on the other side.
    {"ConvTranspose", 11, "auto_pad"},
    {"ConvTranspose", 11, "output_shape"},
};

/// A value of an attribute that came with a version, or went.
struct AddedValue {
  const char *opType, *attribute, *value;
  int version;
};
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

/// From this one on axes may count from the end.
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

static bool changesMeaning(const ::onnx::NodeProto &node, const Schema &from,
                           int version) {
  auto hasOther = [&](const char *name) {
    return std::any_of(node.attribute().begin(), node.attribute().end(),
                       [&](const Attribute &attribute) {
                         return attribute.name() == name &&
                                !isDefault(attribute, from);
                       });
  };
  return std::any_of(std::begin(kChangedMeanings), std::end(kChangedMeanings),
                     [&](const ChangedMeaning &change) {
                       return node.op_type() == change.opType &&
                              version == change.version &&
                              (!change.attribute || hasOther(change.attribute));
                     });
}

static bool isAxis(const Attribute &attribute) {
  return attribute.name() == "axis" || attribute.name() == "axes";
}

static bool isNegative(int64_t value) { return value < 0; }

/// Whether the version has that value of the attribute.
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
    return schema.Name() == value.opType &&
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

/// Why the version lacks the value of an attribute; empty if it has them all.
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
  /// A list of integers.
  List,
  /// An integer: a list of it.
  Only,
  /// An integer: a scalar.
  Integer,
  /// A float: a scalar of the type of the first input.
  Number,
};

/// What is an attribute before the version, and from there on an input.
struct MovedParameter {
  const char *opType;
  int version;
  const char *attribute;
  int input;
  ParameterForm form;
  /// What an absent input means; for lists, nothing that numbers say.
  double absent = 0;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr MovedParameter kMovedParameters[] = {
    {"Clip", 11, "max", 2, ParameterForm::Number, kInfinity},
    {"Clip", 11, "min", 1, ParameterForm::Number, -kInfinity},
    {"DFT", 20, "axis", 2, ParameterForm::Integer, -2},
    {"Pad", 11, "value", 2, ParameterForm::Number},
    {"Pad", 11, "pads", 1, ParameterForm::List},
    {"ReduceL1", 18, "axes", 1, ParameterForm::List},
    {"ReduceL2", 18, "axes", 1, ParameterForm::List},
    {"ReduceLogSum", 18, "axes", 1, ParameterForm::List},
    {"ReduceLogSumExp", 18, "axes", 1, ParameterForm::List},
    {"ReduceMax", 18, "axes", 1, ParameterForm::List},
    {"ReduceMean", 18, "axes", 1, ParameterForm::List},
    {"ReduceMin", 18, "axes", 1, ParameterForm::List},
    {"ReduceProd", 18, "axes", 1, ParameterForm::List},
    {"ReduceSum", 13, "axes", 1, ParameterForm::List},
    {"ReduceSumSquare", 18, "axes", 1, ParameterForm::List},
    {"Slice", 10, "axes", 3, ParameterForm::List},
    {"Slice", 10, "ends", 2, ParameterForm::List},
    {"Slice", 10, "starts", 1, ParameterForm::List},
    {"Split", 13, "split", 1, ParameterForm::List},
    {"Squeeze", 13, "axes", 1, ParameterForm::List},
    {"TopK", 10, "k", 1, ParameterForm::Only},
    {"Unsqueeze", 13, "axes", 1, ParameterForm::List},
};
} // namespace

/// The number as a scalar of the type of the first input, rounded to it; no
/// value where that is not known, or no type that the attributes were for.
static std::optional<Tensor> makeNumber(const TravellingNode &node,
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

/// The number of a scalar constant, which an attribute holds; no value where
/// there is none.
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

/// The attribute becomes an input.
static bool moveToInput(TravellingNode &node, const MovedParameter &row,
                        const Schema &from) {
  const Attribute *given = node.findAttribute(row.attribute);
  if (!given) {
    auto formal = from.attributes().find(row.attribute);
    if (formal == from.attributes().end() ||
        !formal->second.default_value.has_type())
      return true;
    given = &formal->second.default_value;
  }
  Attribute attribute = *given;
  node.removeAttribute(row.attribute);
  switch (row.form) {
  case ParameterForm::List:
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
                     "' has no exact form in the type of the input");
  node.setConstant(row.input, row.attribute, std::move(*number));
  return true;
}

/// The input becomes an attribute.
static bool moveToAttribute(TravellingNode &node, const MovedParameter &row,
                            const Schema &to) {
  auto formal = to.attributes().find(row.attribute);
  if (formal == to.attributes().end())
    return node.fail("its versions differ");
  if (row.form == ParameterForm::Number) {
    auto number = static_cast<float>(row.absent);
    if (node.hasInput(row.input)) {
      std::optional<float> told = getNumber(node.findConstant(row.input));
      if (!told)
        return node.fail("input '" + std::string(row.attribute) +
                         "' is no constant that an f32 holds");
      number = *told;
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
                     "' is no constant");
  std::vector<int64_t> values = getIntegers(*constant);
  node.removeInput(row.input);
  if (row.form != ParameterForm::List) {
    node.setAttribute(row.attribute, values.at(0));
    return true;
  }
  // Reductions of no axes in particular are of all; others are not sure.
  bool isReduction = node.node.op_type().rfind("Reduce", 0) == 0;
  if (values.empty() && !isReduction)
    return node.fail("input '" + std::string(row.attribute) + "' is empty");
  if (!values.empty())
    node.setAttribute(row.attribute, values);
  return true;
}

//===----------------------------------------------------------------------===//
// Other words for the same
//===----------------------------------------------------------------------===//

/// Without training all versions do the same.
static bool rewordBatchNormalization(TravellingNode &node, bool isNewer) {
  if (node.node.output_size() != 1 || node.getInt("training_mode", 0) != 0)
    return node.fail("it trains");
  if (!isNewer)
    node.removeAttribute("training_mode");
  return true;
}

/// Without training it is its input, whatever the ratio.
static bool rewordDropout(TravellingNode &node, bool isNewer) {
  if (isNewer) {
    node.removeAttribute("ratio");
    return true;
  }
  if (node.hasInput(2)) {
    const Tensor *trains = node.findConstant(2);
    if (!trains || trains->data_type() != Tensor::BOOL ||
        std::any_of(trains->raw_data().begin(), trains->raw_data().end(),
                    [](char byte) { return byte != 0; }) ||
        std::any_of(trains->int32_data().begin(), trains->int32_data().end(),
                    [](int32_t value) { return value != 0; }))
      return node.fail("it may train");
  }
  node.removeInput(2);
  node.removeInput(1);
  node.removeAttribute("seed");
  return true;
}

/// Makes integers of an input count from the front of `size`, if they are
/// known; false where they may count from the end.
static bool makeCountFromFront(TravellingNode &node, int input,
                               std::optional<int64_t> size) {
  const Tensor *constant = node.findConstant(input);
  if (!constant)
    return false;
  std::vector<int64_t> values = getIntegers(*constant);
  if (std::none_of(values.begin(), values.end(), isNegative))
    return true;
  if (!size)
    return false;
  for (int64_t &value : values)
    value += value < 0 ? *size : 0;
  Tensor tensor = makeIntegers(values);
  *tensor.mutable_dims() = constant->dims();
  node.setConstant(input, "front", std::move(tensor));
  return true;
}

/// Older versions do not count from the end.
static bool rewordGather(TravellingNode &node, bool isNewer) {
  if (isNewer)
    return true;
  std::optional<int64_t> size;
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  int64_t axis = node.getInt("axis", 0);
  if (shape && axis >= -shape->dim_size() && axis < shape->dim_size()) {
    const auto &dim = shape->dim(axis < 0 ? axis + shape->dim_size() : axis);
    if (dim.has_dim_value())
      size = dim.dim_value();
  }
  return makeCountFromFront(node, 1, size) ||
         node.fail("places may count from the end");
}
static bool rewordSlice(TravellingNode &node, bool isNewer) {
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  return isNewer || !node.hasInput(3) ||
         makeCountFromFront(node, 3,
                            shape ? std::optional(shape->dim_size())
                                  : std::nullopt) ||
         node.fail("axes may count from the end");
}
static bool rewordScan(TravellingNode &node, bool isNewer) {
  for (const char *name : {"scan_input_axes", "scan_output_axes"})
    if (const Attribute *axes = node.findAttribute(name);
        axes && !isNewer &&
        std::any_of(axes->ints().begin(), axes->ints().end(), isNegative))
      return node.fail("axes count from the end");
  return true;
}

/// Of one axis, that is of all from it on where it is the last. Any other one
/// is made the last, or all from it on one.
static bool rewordSoftmax(TravellingNode &node, bool isNewer) {
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  if (!shape || shape->dim_size() == 0)
    return node.fail("the rank of its input is not known");
  int64_t rank = shape->dim_size();
  int64_t axis = node.getInt("axis", isNewer ? 1 : -1);
  axis = axis < 0 ? axis + rank : axis;
  node.setAttribute("axis", rank - 1);
  if (axis == rank - 1)
    return true;
  if (isNewer) {
    ::onnx::NodeProto sizes = makeNode("Shape");
    sizes.set_input(0, node.node.input(0));
    sizes.add_output("sizes");
    node.before.push_back(std::move(sizes));
    ::onnx::NodeProto flatten = makeNode("Flatten");
    Attribute &from = *flatten.add_attribute();
    from.set_name("axis");
    from.set_type(Attribute::INT);
    from.set_i(axis);
    node.read(std::move(flatten));
    node.setAttribute("axis", 1);
    ::onnx::NodeProto reshape = makeNode("Reshape");
    reshape.add_input("sizes");
    node.write(std::move(reshape));
    return true;
  }
  ::onnx::NodeProto transpose = makeNode("Transpose");
  Attribute &order = *transpose.add_attribute();
  order.set_name("perm");
  order.set_type(Attribute::INTS);
  for (int64_t i = 0; i < rank; ++i)
    order.add_ints(i == axis ? rank - 1 : i == rank - 1 ? axis : i);
  // Two axes change places, so that it is its own inverse.
  node.read(transpose);
  node.write(std::move(transpose));
  return true;
}

/// The number of parts is that of results, or told.
static bool rewordSplit(TravellingNode &node, bool isNewer) {
  int64_t parts = node.node.output_size();
  if (node.hasInput(1))
    return true;
  if (isNewer) {
    node.setAttribute("num_outputs", parts);
    return true;
  }
  node.removeAttribute("num_outputs");
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  int64_t axis = node.getInt("axis", 0);
  if (!shape || axis < -shape->dim_size() || axis >= shape->dim_size())
    return node.fail("the size of the axis is not known");
  const auto &dim = shape->dim(axis < 0 ? axis + shape->dim_size() : axis);
  if (!dim.has_dim_value())
    return node.fail("the size of the axis is not known");
  int64_t size = dim.dim_value();
  if (size % parts == 0)
    return true;
  // The last one is smaller, which older versions want to be told.
  std::vector<int64_t> sizes(parts, (size + parts - 1) / parts);
  sizes.back() = size - sizes.front() * (parts - 1);
  if (sizes.back() < 0)
    return node.fail("there are more parts than elements");
  node.setConstant(1, "split", makeIntegers(sizes));
  return true;
}

/// A mask that has fewer places than there are keys leaves the others out from
/// 24 on; before, one place counts for all.
static bool rewordAttention(TravellingNode &node, bool isNewer) {
  if (!isNewer && node.hasInput(6))
    return node.fail("it has the input 'nonpad_kv_seqlen'");
  if (!node.hasInput(3))
    return true;
  auto getSize = [&](int input) -> int64_t {
    const ::onnx::TensorShapeProto *shape = node.findShape(input);
    // Keys are the second axis from the end; three axes have heads in the last.
    int place = shape ? shape->dim_size() - (input == 3 ? 1 : 2) : -1;
    return place >= 0 && shape->dim(place).has_dim_value()
               ? shape->dim(place).dim_value()
               : -1;
  };
  int64_t past = node.hasInput(4) ? getSize(4) : 0;
  if (past < 0 || getSize(1) < 0 || getSize(3) != past + getSize(1))
    return node.fail("its mask may have fewer places than there are keys");
  return true;
}

/// Images have modes of other names.
static bool rewordGridSample(TravellingNode &node, bool isNewer) {
  static constexpr const char *kNames[][2] = {{"bilinear", "linear"},
                                              {"bicubic", "cubic"}};
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  if (!isNewer && (!shape || shape->dim_size() != 4))
    return node.fail("its input may be no image");
  if (const Attribute *mode = node.findAttribute("mode")) {
    std::string value = mode->s();
    for (const auto &names : kNames)
      if (value == names[!isNewer])
        node.setAttribute("mode", std::string(names[isNewer]));
  }
  return true;
}

/// Floats have remainders only of the kind of C's fmod before.
static bool rewordMod(TravellingNode &node, bool isNewer) {
  const ::onnx::TypeProto *type = node.findType(0);
  if (isNewer || node.getInt("fmod", 0) == 1)
    return true;
  switch (type ? type->tensor_type().elem_type() : Tensor::FLOAT) {
  case Tensor::BFLOAT16:
  case Tensor::DOUBLE:
  case Tensor::FLOAT:
  case Tensor::FLOAT16:
    return node.fail("it divides floats and 'fmod' is not 1");
  default:
    return true;
  }
}

/// Older versions have no type for which it matters.
static bool rewordRange(TravellingNode &node, bool) {
  node.removeAttribute("stash_type");
  return true;
}

/// Before, only this was there.
static bool rewordRoiAlign(TravellingNode &node, bool isNewer) {
  constexpr const char *kName = "coordinate_transformation_mode";
  if (isNewer) {
    node.setAttribute(kName, std::string("output_half_pixel"));
    return true;
  }
  const Attribute *mode = node.findAttribute(kName);
  if (!mode || mode->s() != "output_half_pixel")
    return node.fail("its places are half a pixel off");
  node.removeAttribute(kName);
  return true;
}

/// A part of the sizes is a slice of all.
static bool rewordShape(TravellingNode &node, bool isNewer) {
  if (isNewer)
    return true;
  int64_t start = node.getInt("start", 0);
  int64_t end = node.getInt("end", std::numeric_limits<int64_t>::max());
  node.removeAttribute("start");
  node.removeAttribute("end");
  if (start == 0 && end == std::numeric_limits<int64_t>::max())
    return true;
  ::onnx::NodeProto slice = makeNode("Slice");
  for (auto [name, value] : {std::pair{"start", start}, {"end", end}}) {
    Tensor bound = makeIntegers({value});
    bound.set_name(std::string("constant_") + name);
    slice.add_input(bound.name());
    node.constants.push_back(std::move(bound));
  }
  node.write(std::move(slice));
  return true;
}

/// Some axes are padded, and the others by nothing.
static bool rewordPad(TravellingNode &node, bool isNewer) {
  if (isNewer || !node.hasInput(3))
    return true;
  const Tensor *pads = node.findConstant(1), *axes = node.findConstant(3);
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  if (!pads || !axes || !shape)
    return node.fail("it pads axes that are not known");
  std::vector<int64_t> some = getIntegers(*pads), places = getIntegers(*axes);
  int64_t rank = shape->dim_size();
  std::vector<int64_t> all(2 * rank, 0);
  if (some.size() != 2 * places.size())
    return node.fail("expected two pads for each axis");
  for (size_t i = 0; i < places.size(); ++i) {
    int64_t axis = places[i] < 0 ? places[i] + rank : places[i];
    if (axis < 0 || axis >= rank)
      return node.fail("an axis is out of range");
    all[axis] = some[i];
    all[axis + rank] = some[i + places.size()];
  }
  node.removeInput(3);
  node.setConstant(1, "pads", makeIntegers(all));
  return true;
}

/// Windows that start behind the last element are none from 22 on, which the
/// sizes of the result tell.
static bool rewordPool(TravellingNode &node, bool) {
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  bool isStatic =
      shape &&
      std::all_of(shape->dim().begin() + std::min(2, shape->dim_size()),
                  shape->dim().end(),
                  [](const auto &dim) { return dim.has_dim_value(); });
  return node.getInt("ceil_mode", 0) == 0 || isStatic ||
         node.fail("how many windows 'ceil_mode' makes is not known");
}

static Tensor makeFloats(const std::vector<float> &values) {
  Tensor tensor;
  tensor.set_data_type(Tensor::FLOAT);
  tensor.add_dims(values.size());
  tensor.mutable_float_data()->Add(values.begin(), values.end());
  return tensor;
}

/// Only this was there before 11, with scales that enlarge: what happens to
/// elements in between where they do not is not written, and runtimes differ.
static bool rewordOldResize(TravellingNode &node, bool isNewer) {
  constexpr const char *kPlaces = "coordinate_transformation_mode";
  constexpr const char *kNearest = "nearest_mode";
  int place = isNewer ? 1 : 2;
  const Tensor *found = node.findConstant(place);
  if (!found || found->data_type() != Tensor::FLOAT)
    return node.fail("its scales are no constant");
  Tensor scales = *found;
  std::vector<float> values = ::onnx::ParseData<float>(&scales);
  if (values.empty() || std::any_of(values.begin(), values.end(),
                                    [](float scale) { return !(scale >= 1); }))
    return node.fail("its scales do not enlarge");
  if (isNewer) {
    node.setAttribute(kPlaces, std::string("asymmetric"));
    node.setAttribute(kNearest, std::string("floor"));
    node.removeInput(1);
    node.setConstant(1, "roi", makeFloats({}));
    node.setConstant(2, "scales", std::move(scales));
    return true;
  }
  auto is = [&](const char *name, const char *value) {
    const Attribute *attribute = node.findAttribute(name);
    return attribute && attribute->s() == value;
  };
  bool isNearest = !node.findAttribute("mode") || is("mode", "nearest");
  if (node.hasInput(3) || !is(kPlaces, "asymmetric") ||
      !(isNearest ? is(kNearest, "floor") : is("mode", "linear")))
    return node.fail("Resize-10 has only floor of places, or what is linear, "
                     "by scales");
  node.removeAttribute(kPlaces);
  node.removeAttribute(kNearest);
  node.removeInput(2);
  node.removeInput(1);
  node.setConstant(1, "scales", std::move(scales));
  return true;
}

/// Inputs that are absent are empty lists before.
static bool rewordResize(TravellingNode &node, bool isNewer) {
  if (isNewer)
    return true;
  for (auto [input, name] : {std::pair{1, "roi"}, {2, "scales"}})
    if (!node.hasInput(input))
      node.setConstant(input, name, makeFloats({}));
  return true;
}

/// Some axes are resized, and the others keep their sizes.
static bool rewordResizeOfAxes(TravellingNode &node, bool isNewer) {
  const Attribute *given = node.findAttribute("axes");
  if (isNewer || !given)
    return true;
  std::vector<int64_t> axes(given->ints().begin(), given->ints().end());
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  if (!shape)
    return node.fail("the rank of its input is not known");
  int64_t rank = shape->dim_size();
  for (int64_t &axis : axes) {
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank)
      return node.fail("an axis is out of range");
  }
  bool hasSizes = node.hasInput(3);
  const Attribute *places =
      node.findAttribute("coordinate_transformation_mode");
  if (places && places->s() == "tf_crop_and_resize")
    return node.fail("it crops some axes");
  // Nobody else reads it.
  node.removeInput(1);
  const Tensor *told = node.findConstant(hasSizes ? 3 : 2);
  if (!told)
    return node.fail("it resizes axes by what is no constant");
  if (hasSizes) {
    std::vector<int64_t> some = getIntegers(*told), all(rank);
    for (int64_t i = 0; i < rank; ++i) {
      if (!shape->dim(i).has_dim_value())
        return node.fail("a size of its input is not known");
      all[i] = shape->dim(i).dim_value();
    }
    for (size_t i = 0; i < std::min(axes.size(), some.size()); ++i)
      all[axes[i]] = some[i];
    node.setConstant(3, "sizes", makeIntegers(all));
  } else {
    std::vector<float> some = ::onnx::ParseData<float>(told), all(rank, 1);
    for (size_t i = 0; i < std::min(axes.size(), some.size()); ++i)
      all[axes[i]] = some[i];
    node.setConstant(2, "scales", makeFloats(all));
  }
  node.removeAttribute("axes");
  return true;
}

namespace {
/// How a node says across a version what it means; false if it cannot.
struct Rewording {
  const char *opType;
  int version;
  bool (*reword)(TravellingNode &node, bool isNewer);
};
constexpr Rewording kRewordings[] = {
    {"Attention", 24, rewordAttention},
    {"AveragePool", 22, rewordPool},
    {"BatchNormalization", 14, rewordBatchNormalization},
    {"Dropout", 12, rewordDropout},
    {"Gather", 11, rewordGather},
    {"GridSample", 20, rewordGridSample},
    {"Hardmax", 13, rewordSoftmax},
    {"LogSoftmax", 13, rewordSoftmax},
    {"MaxPool", 22, rewordPool},
    {"Mod", 28, rewordMod},
    {"Pad", 18, rewordPad},
    {"Range", 27, rewordRange},
    {"Resize", 11, rewordOldResize},
    {"Resize", 13, rewordResize},
    {"Resize", 18, rewordResizeOfAxes},
    {"RoiAlign", 16, rewordRoiAlign},
    {"Scan", 11, rewordScan},
    {"Shape", 15, rewordShape},
    {"Slice", 11, rewordSlice},
    {"Softmax", 13, rewordSoftmax},
    {"Split", 18, rewordSplit},
};

/// From this version on an operator is another one's, of the same inputs.
struct RenamedOperator {
  const char *before;
  int version;
  const char *after;
};
constexpr RenamedOperator kRenamedOperators[] = {
    {"Scatter", 11, "ScatterElements"},
    {"Upsample", 10, "Resize"},
};
} // namespace

static const Schema *findSchema(const std::string &opType, int64_t opset) {
  return ::onnx::OpSchemaRegistry::Schema(opType, static_cast<int>(opset), "");
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

/// Axes count from the front where they count from the end and older versions
/// do not have that.
static void countFromFront(TravellingNode &node) {
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  if (!shape)
    return;
  int64_t rank = shape->dim_size();
  if (node.node.op_type() == "OneHot")
    ++rank;
  if (const Attribute *axes = node.findAttribute("axes");
      axes && node.node.op_type() == "Unsqueeze")
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

/// Whether the inputs that are there have the names of those of the other.
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

/// Makes the attributes say by the one version what they say by the other.
bool TravellingNode::fitAttributes(const Schema &from, const Schema &to,
                                   bool isReworded) {
  bool isNewer = to.since_version() > from.since_version();
  std::set<std::string> given, dropped;
  for (const Attribute &attribute : node.attribute()) {
    given.insert(attribute.name());
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
  if (isReworded)
    return true;
  for (const auto &[name, old] : from.attributes()) {
    if (given.count(name) || !old.default_value.has_type())
      continue;
    auto other = to.attributes().find(name);
    if (other == to.attributes().end()) {
      // One that went away was not there for nothing.
      if (isNewer)
        return fail(spell(to) + " has no attribute '" + name + "'");
    } else if (!areEqual(old.default_value, other->second.default_value)) {
      *node.add_attribute() = old.default_value;
    }
  }
  return true;
}

bool TravellingNode::step(const Schema &from, const Schema &to) {
  bool isNewer = to.since_version() > from.since_version();
  int version = std::max(from.since_version(), to.since_version());
  auto applies = [&](const auto &row) {
    return node.op_type() == row.opType && version == row.version;
  };
  bool isReworded = false;
  for (const Rewording &row : kRewordings) {
    if (!applies(row))
      continue;
    isReworded = true;
    if (!row.reword(*this, isNewer))
      return false;
  }
  for (const MovedParameter &row : kMovedParameters) {
    if (!applies(row))
      continue;
    isReworded = true;
    if (!(isNewer ? moveToInput(*this, row, from)
                  : moveToAttribute(*this, row, to)))
      return false;
  }
  if (version == kFirstOpsetWithNegativeAxes && !isNewer)
    countFromFront(*this);
  if (!isReworded &&
      (changesMeaning(node, from, version) || !haveSameInputs(node, from, to)))
    return fail(spell(from) + " and " + spell(to) + " differ");
  return fitAttributes(from, to, isReworded);
}

/// The next version on the way to the opset; null if there is none.
static const Schema *findNext(const Schema &from, int64_t opset) {
  if (opset < from.since_version())
    return findSchema(from.Name(), from.since_version() - 1);
  for (int64_t at = from.since_version() + 1; at <= opset; ++at)
    if (const Schema *next = findSchema(from.Name(), at);
        next && next->since_version() == at)
      return next;
  return nullptr;
}

const Schema *TravellingNode::travel(const Schema &from, int64_t opset) {
  const Schema *at = &from;
  while (findSchema(at->Name(), opset) != at) {
    const Schema *next = findNext(*at, opset);
    if (next && next->deprecated()) {
      next = nullptr;
      for (const RenamedOperator &renamed : kRenamedOperators)
        if (at->Name() == renamed.before) {
          node.set_op_type(renamed.after);
          next = findSchema(renamed.after, renamed.version);
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
