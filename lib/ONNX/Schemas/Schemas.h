//===- Schemas.h - Queries of ONNX's library --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX's library throws exceptions. Schemas.cpp is compiled with exceptions,
// and no exception escapes from it.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_SCHEMAS_SCHEMAS_H
#define QUANT_FLOAT_LIB_ONNX_SCHEMAS_SCHEMAS_H

#include <map>
#include <memory>
#include <onnx/onnx_pb.h>
#include <optional>
#include <string>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// Whether ONNX has an operator of that name in any version.
bool isOperator(const std::string &opType, const std::string &domain);

/// Returns the kind of an attribute in the operator's schema; UNDEFINED if the
/// schema lacks it.
::onnx::AttributeProto::AttributeType
getAttributeKind(const std::string &opType, const std::string &domain,
                 int64_t opset, const std::string &name);

/// Returns the version of the operator that accepts the inputs, outputs and
/// attributes of the node: the newest one up to `opset`, or else the oldest one
/// above. Returns `opset` if there is none.
int64_t findFittingVersion(const ::onnx::NodeProto &node, int64_t opset);

/// Whether the operator in that opset accepts the type as its first input.
bool acceptsFirstInput(const std::string &opType, const std::string &domain,
                       int64_t opset, const ::onnx::TypeProto &type);

/// Whether a function defines the operator.
bool hasFunction(const std::string &opType, const std::string &domain,
                 int64_t opset);

struct NodeFunction {
  /// The function; null if there is none.
  std::unique_ptr<::onnx::FunctionProto> function;
  /// How the node violates its schema; empty if it does not.
  std::string problem;
  /// Whether the problem is that the rank or size of an input is unknown.
  bool isUnknown = false;
};

/// Returns the function that defines the node's operator for the types of
/// its inputs (without a value if an input is absent or its type is unknown).
/// Adds default attributes to the node. Of several functions, selects the
/// newest one up to `bodyOpset`, or else the oldest one.
NodeFunction findFunction(::onnx::NodeProto &node, int64_t opset,
                          const std::vector<::onnx::TypeProto> &inputTypes,
                          int64_t bodyOpset);

//===----------------------------------------------------------------------===//
// Types and shapes
//===----------------------------------------------------------------------===//

/// Static information about an input.
struct KnownInput {
  bool isPresent = false;
  /// The type; without a value if it is unknown.
  ::onnx::TypeProto type = {};
  /// The elements of a small constant.
  std::optional<::onnx::TensorProto> data = {};
  /// The elements of a list of integers. An unknown element has no dim_value.
  std::optional<::onnx::TensorShapeProto> integers = {};
};

struct KnownNode {
  /// The node with a normalized domain. Attributes need only their kinds and
  /// values that affect types.
  ::onnx::NodeProto node;
  int64_t opset;
  std::vector<KnownInput> inputs = {};
  /// The types that graphs in attributes yield. All of them are known.
  std::map<std::string, std::vector<::onnx::TypeProto>> bodies = {};
};

struct NodeInference {
  /// The type of each output; without a value if it is unknown.
  std::vector<::onnx::TypeProto> types;
  /// The elements of each output, as for inputs.
  std::vector<std::optional<::onnx::TensorShapeProto>> integers;
  /// How the inputs violate the schema; empty if they do not.
  std::string problem;
};

/// Infers the types and elements of the outputs with the operator's schema.
NodeInference inferOutputs(const KnownNode &known);

/// Parses a type in ONNX's spelling, such as "seq(tensor(int64))". Returns no
/// value if it is invalid.
::onnx::TypeProto parseType(const std::string &text);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_SCHEMAS_SCHEMAS_H
