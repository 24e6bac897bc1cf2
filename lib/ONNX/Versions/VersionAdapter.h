//===- VersionAdapter.h - Nodes between versions ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts a node to another opset through all versions of its operator in
// between, so that each change of an operator is described once, in a table.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_VERSIONS_VERSIONADAPTER_H
#define QUANT_FLOAT_LIB_ONNX_VERSIONS_VERSIONADAPTER_H

#include "../Schemas/Schemas.h"
#include <onnx/defs/schema.h>

namespace mlir::quant_float::onnx_import {

/// A node in the version of its operator that the conversion has reached.
class VersionAdapter {
public:
  explicit VersionAdapter(const KnownNode &known)
      : node(known.node), known(known) {}

  /// Converts the node from a version of one of ONNX's own operators to the
  /// version of an opset. Returns the schema of that version; null, with
  /// `problem` set, if it cannot represent the node.
  const ::onnx::OpSchema *travel(const ::onnx::OpSchema &from, int64_t opset);

  /// Returns the value of the input; null if it is not constant.
  const ::onnx::TensorProto *findConstant(int input) const;
  /// Returns the type of the input; null if it is absent or its type is
  /// unknown.
  const ::onnx::TypeProto *findType(int input) const;
  /// Returns the shape of the input; null if its rank is unknown.
  const ::onnx::TensorShapeProto *findShape(int input) const;
  bool hasInput(int input) const {
    return input < node.input_size() && !node.input(input).empty();
  }
  ::onnx::AttributeProto *findAttribute(const std::string &name);
  int64_t getInt(const std::string &name, int64_t byDefault);
  void removeAttribute(const std::string &name);
  void setAttribute(const std::string &name, int64_t value);
  void setAttribute(const std::string &name, const std::string &value);
  void setAttribute(const std::string &name,
                    const std::vector<int64_t> &values);
  /// Replaces the input with a constant. `what` becomes part of its name.
  void setConstant(int input, const std::string &what,
                   ::onnx::TensorProto tensor);
  /// Makes the input absent.
  void removeInput(int input);
  /// Adds a node before this one, between this node and its first input.
  void read(::onnx::NodeProto reader);
  /// Adds a node after this one, between this node and its first output.
  void write(::onnx::NodeProto writer);
  bool fail(std::string reason) {
    problem = std::move(reason);
    return false;
  }

  ::onnx::NodeProto node;
  /// The nodes around this one. All opsets from 10 on define them identically.
  std::vector<::onnx::NodeProto> before = {}, after = {};
  std::vector<::onnx::TensorProto> constants = {};
  /// Why the conversion is impossible.
  std::string problem = {};

private:
  bool step(const ::onnx::OpSchema &from, const ::onnx::OpSchema &to);
  bool fitAttributes(const ::onnx::OpSchema &from, const ::onnx::OpSchema &to,
                     bool isRewritten);

  const KnownNode &known;
};

/// Returns a new attribute of that name and type, which replaces an existing
/// one.
::onnx::AttributeProto &
replaceAttribute(VersionAdapter &node, const std::string &name,
                 ::onnx::AttributeProto::AttributeType type);

std::vector<int64_t> getIntegers(const ::onnx::TensorProto &tensor);
::onnx::TensorProto makeIntegers(const std::vector<int64_t> &values);

/// Returns a node with one input without a name.
::onnx::NodeProto makeNode(const char *opType);

inline bool isNegative(int64_t value) { return value < 0; }

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_VERSIONS_VERSIONADAPTER_H
