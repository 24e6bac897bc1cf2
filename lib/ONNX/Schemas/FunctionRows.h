//===- FunctionRows.h - Operators defined by functions ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with exceptions, like Schemas.cpp, which catches them.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_SCHEMAS_FUNCTIONROWS_H
#define QUANT_FLOAT_LIB_ONNX_SCHEMAS_FUNCTIONROWS_H

#include "quant-float/Support/NodeKind.h"
#include <algorithm>
#include <map>
#include <onnx/defs/function.h>
#include <onnx/onnx_pb.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// The first opset that has all operators that most bodies consist of.
inline constexpr int kBodyOpset = 23;

/// The newest opset that bodies need. It has BitCast.
inline constexpr int kBitCastOpset = 26;

/// A node has no function body because the type, rank or size of an input is
/// unknown.
struct UnknownInput : std::invalid_argument {
  using invalid_argument::invalid_argument;
};

/// A node, and the function body that is built for it.
struct Definition {
  const ::onnx::NodeProto &node;
  const std::vector<::onnx::TypeProto> &types;
  ::onnx::FunctionBuilder &body;
  /// The function that `body` builds.
  ::onnx::FunctionProto &function;
  /// The opset of the body.
  int opset = kBodyOpset;

  bool hasInput(int index) const {
    return index >= 0 && index < node.input_size() &&
           !node.input(index).empty();
  }
  bool hasOutput(int index) const {
    return index < node.output_size() && !node.output(index).empty();
  }
  const ::onnx::AttributeProto *find(const std::string &name) const {
    auto found = std::find_if(node.attribute().begin(), node.attribute().end(),
                              [&](const auto &a) { return a.name() == name; });
    return found == node.attribute().end() ? nullptr : &*found;
  }
  int64_t getInt(const std::string &name, int64_t defaultValue) const {
    const auto *attribute = find(name);
    return attribute ? attribute->i() : defaultValue;
  }
  float getFloat(const std::string &name, float defaultValue) const {
    const auto *attribute = find(name);
    return attribute ? attribute->f() : defaultValue;
  }
  /// Returns the element type of the input; UNDEFINED if it is unknown.
  int getElement(int index) const {
    return hasInput(index) ? types.at(index).tensor_type().elem_type()
                           : ::onnx::TensorProto::UNDEFINED;
  }
  /// Returns the rank of the input. Throws if it is unknown.
  int getRank(int index) const {
    if (!hasInput(index))
      throw std::invalid_argument("input " + std::to_string(index) +
                                  " is missing");
    const auto &type = types.at(index);
    if (!type.has_tensor_type() || !type.tensor_type().has_shape())
      throw UnknownInput("the rank of input " + std::to_string(index) +
                         " is not known");
    return type.tensor_type().shape().dim_size();
  }
  std::optional<int64_t> findSize(int index, int axis) const {
    if (axis >= getRank(index) ||
        !types[index].tensor_type().shape().dim(axis).has_dim_value())
      return std::nullopt;
    return types[index].tensor_type().shape().dim(axis).dim_value();
  }
  /// Returns the size of the dimension. Throws if it is unknown.
  int64_t getSize(int index, int axis) const {
    if (std::optional<int64_t> size = findSize(index, axis))
      return *size;
    throw UnknownInput("the size of axis " + std::to_string(axis) +
                       " of input " + std::to_string(index) + " is not known");
  }
  void refuseOutput(int index) const {
    if (hasOutput(index))
      throw std::invalid_argument("output " + std::to_string(index) +
                                  " is not computed");
  }
  /// Copies these attributes of the node to the last node of the body.
  void copyAttributes(const std::vector<std::string> &names) {
    for (const std::string &name : names)
      if (const auto *attribute = find(name))
        *function.mutable_node()->rbegin()->add_attribute() = *attribute;
  }
  void expectInt(const std::string &name, int64_t only) const {
    if (getInt(name, only) != only)
      throw std::invalid_argument("attribute '" + name + "': expected " +
                                  std::to_string(only) + ", but got " +
                                  std::to_string(getInt(name, only)));
  }
};

struct FunctionRow {
  std::vector<std::string> inputs, outputs, attributes;
  void (*define)(Definition &);
  /// The input with the element type of the first output; -1 for none.
  int like = 0;
};
using FunctionRows = std::map<NodeKind, FunctionRow>;

/// The operators of ONNX Runtime, QONNX, ai.onnx.ml, TensorRT and Quark.
const FunctionRows &getMicrosoftRows();
const FunctionRows &getQonnxRows();
const FunctionRows &getMachineLearningRows();
const FunctionRows &getTensorRtRows();
const FunctionRows &getQuarkRows();

/// Whether this project defines the operator by a function of ONNX's operators.
/// It belongs to another domain, or to older or newer versions of ONNX.
bool hasFunctionRow(const std::string &opType, const std::string &domain);

/// Returns the input with the element type of the operator's first output; -1
/// for none.
int getInputLikeOutput(const std::string &opType, const std::string &domain);

/// Builds the function for the node, in the opset that its body needs. Throws
/// if the node has parts for which there is no definition.
::onnx::FunctionProto
buildFunctionOfRow(const ::onnx::NodeProto &node,
                   const std::vector<::onnx::TypeProto> &inputTypes);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_SCHEMAS_FUNCTIONROWS_H
