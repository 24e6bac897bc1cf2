//===- TravellingNode.h - Nodes between versions ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node goes to another opset by all versions of its operator in between, so
// that each change of an operator is told once, in a table.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_TRAVELLINGNODE_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_TRAVELLINGNODE_H

#include "Schemas.h"
#include <onnx/defs/schema.h>

namespace mlir::quant_float::onnx_import {

/// A node as the version of its operator says it that has been reached.
class TravellingNode {
public:
  explicit TravellingNode(const KnownNode &known)
      : node(known.node), known(known) {}

  /// Goes from a version of one of ONNX's own operators to that of an opset,
  /// which is returned; null, with the problem, where that cannot say what the
  /// node does.
  const ::onnx::OpSchema *travel(const ::onnx::OpSchema &from, int64_t opset);

  /// Null where the value is no constant.
  const ::onnx::TensorProto *findConstant(int input) const;
  /// Null where the input is absent or its type is not known.
  const ::onnx::TypeProto *findType(int input) const;
  /// Null where its rank is not known.
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
  /// Makes the input that constant; its name is that of `what` it is.
  void setConstant(int input, const std::string &what,
                   ::onnx::TensorProto tensor);
  /// Makes the input absent.
  void removeInput(int input);
  /// A node before this one, which reads its first input from it.
  void read(::onnx::NodeProto reader);
  /// A node behind this one, which makes the first output out of its own.
  void write(::onnx::NodeProto writer);
  bool fail(std::string why) {
    problem = std::move(why);
    return false;
  }

  ::onnx::NodeProto node;
  /// Nodes around it, which all opsets from 10 on have alike.
  std::vector<::onnx::NodeProto> before = {}, after = {};
  std::vector<::onnx::TensorProto> constants = {};
  /// Why it cannot go on.
  std::string problem = {};

private:
  bool step(const ::onnx::OpSchema &from, const ::onnx::OpSchema &to);
  bool fitAttributes(const ::onnx::OpSchema &from, const ::onnx::OpSchema &to,
                     bool isReworded);

  const KnownNode &known;
};

/// Gives the node an attribute of that name and type, instead of another one.
::onnx::AttributeProto &
replaceAttribute(TravellingNode &node, const std::string &name,
                 ::onnx::AttributeProto::AttributeType type);

std::vector<int64_t> getIntegers(const ::onnx::TensorProto &tensor);
::onnx::TensorProto makeIntegers(const std::vector<int64_t> &values);

/// A node that has one input, which is still to be named.
::onnx::NodeProto makeNode(const char *opType);

inline bool isNegative(int64_t value) { return value < 0; }

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_TRAVELLINGNODE_H
