//===- Rewrites.cpp - Rewrites across operator versions -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <onnx/defs/tensor_proto_util.h>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Schema = ::onnx::OpSchema;
using Attribute = ::onnx::AttributeProto;
using Tensor = ::onnx::TensorProto;

/// All versions are equal in inference mode.
static bool rewriteBatchNormalization(VersionAdapter &node, bool isNewer) {
  if (node.node.output_size() != 1 || node.getInt("training_mode", 0) != 0)
    return node.fail("it is in training mode");
  if (!isNewer)
    node.removeAttribute("training_mode");
  return true;
}

/// In inference mode the result is the input, for every ratio.
static bool rewriteDropout(VersionAdapter &node, bool isNewer) {
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
      return node.fail("it may be in training mode");
  }
  node.removeInput(2);
  node.removeInput(1);
  node.removeAttribute("seed");
  return true;
}

/// Makes the integers of an input nonnegative, based on the size of the axis
/// that they index. Returns false if they may be negative and cannot be
/// converted.
static bool makeCountFromFront(VersionAdapter &node, int input,
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

/// Older versions do not support negative indices.
static bool rewriteGather(VersionAdapter &node, bool isNewer) {
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
         node.fail("indices may be negative");
}
static bool rewriteSlice(VersionAdapter &node, bool isNewer) {
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  return isNewer || !node.hasInput(3) ||
         makeCountFromFront(node, 3,
                            shape ? std::optional(shape->dim_size())
                                  : std::nullopt) ||
         node.fail("axes may be negative");
}
static bool rewriteScan(VersionAdapter &node, bool isNewer) {
  for (const char *name : {"scan_input_axes", "scan_output_axes"})
    if (const Attribute *axes = node.findAttribute(name);
        axes && !isNewer &&
        std::any_of(axes->ints().begin(), axes->ints().end(), isNegative))
      return node.fail("axes are negative");
  return true;
}

/// From 13 on, Softmax applies to one axis; before, to all axes from it on,
/// which is the same for the last axis. For any other axis, Transpose makes it
/// the last, or Flatten merges all axes from it on.
static bool rewriteSoftmax(VersionAdapter &node, bool isNewer) {
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
  // The permutation swaps two axes, so it is its own inverse.
  node.read(transpose);
  node.write(std::move(transpose));
  return true;
}

/// From 18 on, `num_outputs` gives the number of parts. Before, it is the
/// number of outputs.
static bool rewriteSplit(VersionAdapter &node, bool isNewer) {
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
  // The last part is smaller. Older versions need explicit sizes for that.
  std::vector<int64_t> sizes(parts, (size + parts - 1) / parts);
  sizes.back() = size - sizes.front() * (parts - 1);
  if (sizes.back() < 0)
    return node.fail("there are more outputs than elements");
  node.setConstant(1, "split", makeIntegers(sizes));
  return true;
}

/// From 24 on, a mask that is shorter than the keys masks the remaining keys.
/// Before, it is broadcast if its size is 1.
static bool rewriteAttention(VersionAdapter &node, bool isNewer) {
  if (!isNewer && node.hasInput(6))
    return node.fail("it has the input 'nonpad_kv_seqlen'");
  if (!node.hasInput(3))
    return true;
  auto getSize = [&](int input) -> int64_t {
    const ::onnx::TensorShapeProto *shape = node.findShape(input);
    // The sequence length is the second dimension from the end in 3-D and 4-D
    // keys, and the last dimension of the mask.
    int dim = shape ? shape->dim_size() - (input == 3 ? 1 : 2) : -1;
    return dim >= 0 && shape->dim(dim).has_dim_value()
               ? shape->dim(dim).dim_value()
               : -1;
  };
  int64_t past = node.hasInput(4) ? getSize(4) : 0;
  if (past < 0 || getSize(1) < 0 || getSize(3) != past + getSize(1))
    return node.fail("its mask may be shorter than the keys");
  return true;
}

/// Version 20 renames the modes for images.
static bool rewriteGridSample(VersionAdapter &node, bool isNewer) {
  static constexpr const char *kNames[][2] = {{"bilinear", "linear"},
                                              {"bicubic", "cubic"}};
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  if (!isNewer && (!shape || shape->dim_size() != 4))
    return node.fail("its input may not be an image");
  if (const Attribute *mode = node.findAttribute("mode")) {
    std::string value = mode->s();
    for (const auto &names : kNames)
      if (value == names[!isNewer])
        node.setAttribute("mode", std::string(names[isNewer]));
  }
  return true;
}

/// Before 28, Mod of floats supports only the remainder of C's fmod.
static bool rewriteMod(VersionAdapter &node, bool isNewer) {
  const ::onnx::TypeProto *type = node.findType(0);
  if (isNewer || node.getInt("fmod", 0) == 1)
    return true;
  switch (type ? type->tensor_type().elem_type() : Tensor::FLOAT) {
  case Tensor::BFLOAT16:
  case Tensor::DOUBLE:
  case Tensor::FLOAT:
  case Tensor::FLOAT16:
    return node.fail("it divides floats and 'fmod' is not 1: the remainder of "
                     "-1.5 by 1 is 0.5, not -0.5");
  default:
    return true;
  }
}

/// Older versions lack the types that `stash_type` affects.
static bool rewriteRange(VersionAdapter &node, bool) {
  node.removeAttribute("stash_type");
  return true;
}

/// Before 16, "output_half_pixel" is the only mode.
static bool rewriteRoiAlign(VersionAdapter &node, bool isNewer) {
  constexpr const char *kName = "coordinate_transformation_mode";
  if (isNewer) {
    node.setAttribute(kName, std::string("output_half_pixel"));
    return true;
  }
  const Attribute *mode = node.findAttribute(kName);
  if (!mode || mode->s() != "output_half_pixel")
    return node.fail("its coordinates are offset by half a pixel");
  node.removeAttribute(kName);
  return true;
}

/// The shape of some dimensions is a slice of the full shape.
static bool rewriteShape(VersionAdapter &node, bool isNewer) {
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

/// Older versions pad all axes; axes that are not listed have no padding.
static bool rewritePad(VersionAdapter &node, bool isNewer) {
  if (isNewer || !node.hasInput(3))
    return true;
  const Tensor *pads = node.findConstant(1), *axes = node.findConstant(3);
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  if (!pads || !axes || !shape)
    return node.fail("it pads unknown axes");
  std::vector<int64_t> some = getIntegers(*pads),
                       axisValues = getIntegers(*axes);
  int64_t rank = shape->dim_size();
  std::vector<int64_t> all(2 * rank, 0);
  if (some.size() != 2 * axisValues.size())
    return node.fail("expected two pads for each axis");
  for (size_t i = 0; i < axisValues.size(); ++i) {
    int64_t axis = axisValues[i] < 0 ? axisValues[i] + rank : axisValues[i];
    if (axis < 0 || axis >= rank)
      return node.fail("an axis is out of range");
    all[axis] = some[i];
    all[axis + rank] = some[i + axisValues.size()];
  }
  node.removeInput(3);
  node.setConstant(1, "pads", makeIntegers(all));
  return true;
}

/// From 22 on, `ceil_mode` ignores windows that start after the last element.
/// Whether there are any follows from the size of the result, if the shape is
/// static.
static bool rewritePool(VersionAdapter &node, bool) {
  const ::onnx::TensorShapeProto *shape = node.findShape(0);
  bool isStatic =
      shape &&
      std::all_of(shape->dim().begin() + std::min(2, shape->dim_size()),
                  shape->dim().end(),
                  [](const auto &dim) { return dim.has_dim_value(); });
  return node.getInt("ceil_mode", 0) == 0 || isStatic ||
         node.fail("the number of windows with 'ceil_mode' is not known");
}

static Tensor makeFloats(const std::vector<float> &values) {
  Tensor tensor;
  tensor.set_data_type(Tensor::FLOAT);
  tensor.add_dims(values.size());
  tensor.mutable_float_data()->Add(values.begin(), values.end());
  return tensor;
}

/// Before 11, Resize supports only asymmetric coordinates with floor. Its
/// standard does not specify downsampling, and runtimes differ, so all scales
/// must be at least 1.
static bool rewriteOldResize(VersionAdapter &node, bool isNewer) {
  constexpr const char *kCoordinates = "coordinate_transformation_mode";
  constexpr const char *kNearest = "nearest_mode";
  int input = isNewer ? 1 : 2;
  const Tensor *found = node.findConstant(input);
  if (!found || found->data_type() != Tensor::FLOAT)
    return node.fail("its scales are not a constant");
  Tensor scales = *found;
  std::vector<float> values = ::onnx::ParseData<float>(&scales);
  if (values.empty() || std::any_of(values.begin(), values.end(),
                                    [](float scale) { return !(scale >= 1); }))
    return node.fail("its scales are less than 1");
  if (isNewer) {
    node.setAttribute(kCoordinates, std::string("asymmetric"));
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
  if (node.hasInput(3) || !is(kCoordinates, "asymmetric") ||
      !(isNearest ? is(kNearest, "floor") : is("mode", "linear")))
    return node.fail("Resize-10 only supports scales, with nearest mode floor "
                     "or mode linear");
  node.removeAttribute(kCoordinates);
  node.removeAttribute(kNearest);
  node.removeInput(2);
  node.removeInput(1);
  node.setConstant(1, "scales", std::move(scales));
  return true;
}

/// In older versions, empty lists stand for absent inputs.
static bool rewriteResize(VersionAdapter &node, bool isNewer) {
  if (isNewer)
    return true;
  for (auto [input, name] : {std::pair{1, "roi"}, {2, "scales"}})
    if (!node.hasInput(input))
      node.setConstant(input, name, makeFloats({}));
  return true;
}

/// Older versions resize all axes; axes that are not listed keep their sizes.
static bool rewriteResizeOfAxes(VersionAdapter &node, bool isNewer) {
  const Attribute *axesAttribute = node.findAttribute("axes");
  if (isNewer || !axesAttribute)
    return true;
  std::vector<int64_t> axes(axesAttribute->ints().begin(),
                            axesAttribute->ints().end());
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
  const Attribute *coordinates =
      node.findAttribute("coordinate_transformation_mode");
  if (coordinates && coordinates->s() == "tf_crop_and_resize")
    return node.fail("it crops some axes");
  // Only tf_crop_and_resize uses the input `roi`.
  node.removeInput(1);
  const Tensor *parameter = node.findConstant(hasSizes ? 3 : 2);
  if (!parameter)
    return node.fail("its sizes or scales are not constants");
  if (hasSizes) {
    std::vector<int64_t> some = getIntegers(*parameter), all(rank);
    for (int64_t i = 0; i < rank; ++i) {
      if (!shape->dim(i).has_dim_value())
        return node.fail("a size of its input is not known");
      all[i] = shape->dim(i).dim_value();
    }
    for (size_t i = 0; i < std::min(axes.size(), some.size()); ++i)
      all[axes[i]] = some[i];
    node.setConstant(3, "sizes", makeIntegers(all));
  } else {
    std::vector<float> some = ::onnx::ParseData<float>(parameter), all(rank, 1);
    for (size_t i = 0; i < std::min(axes.size(), some.size()); ++i)
      all[axes[i]] = some[i];
    node.setConstant(2, "scales", makeFloats(all));
  }
  node.removeAttribute("axes");
  return true;
}

static constexpr NodeRewrite kRewrites[] = {
    {NodeKind::Attention, 24, rewriteAttention},
    {NodeKind::AveragePool, 22, rewritePool},
    {NodeKind::BatchNormalization, 14, rewriteBatchNormalization},
    {NodeKind::Dropout, 12, rewriteDropout},
    {NodeKind::Gather, 11, rewriteGather},
    {NodeKind::GridSample, 20, rewriteGridSample},
    {NodeKind::Hardmax, 13, rewriteSoftmax},
    {NodeKind::LogSoftmax, 13, rewriteSoftmax},
    {NodeKind::MaxPool, 22, rewritePool},
    {NodeKind::Mod, 28, rewriteMod},
    {NodeKind::Pad, 18, rewritePad},
    {NodeKind::Range, 27, rewriteRange},
    {NodeKind::Resize, 11, rewriteOldResize},
    {NodeKind::Resize, 13, rewriteResize},
    {NodeKind::Resize, 18, rewriteResizeOfAxes},
    {NodeKind::RoiAlign, 16, rewriteRoiAlign},
    {NodeKind::Scan, 11, rewriteScan},
    {NodeKind::Shape, 15, rewriteShape},
    {NodeKind::Slice, 11, rewriteSlice},
    {NodeKind::Softmax, 13, rewriteSoftmax},
    {NodeKind::Split, 18, rewriteSplit},
};

llvm::ArrayRef<NodeRewrite> onnx_import::getRewrites() { return kRewrites; }
