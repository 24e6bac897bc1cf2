//===- Schemas.h - What ONNX's own library says --------------- -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schemas.cpp alone is compiled with exceptions, which ONNX's library throws;
// none gets out of it.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_SCHEMAS_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_SCHEMAS_H

#include <map>
#include <memory>
#include <onnx/onnx_pb.h>
#include <optional>
#include <string>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// Whether ONNX has an operator of that name, in any version.
bool isOperator(const std::string &opType, const std::string &domain);

/// The kind that the operator's schema has for an attribute; UNDEFINED where it
/// has none of that name.
::onnx::AttributeProto::AttributeType
getAttributeKind(const std::string &opType, const std::string &domain,
                 int64_t opset, const std::string &name);

/// The version of the operator that has the node's inputs, outputs and
/// attributes: the newest one not above `opset`, else the oldest one above;
/// `opset` where none has, or ONNX does not know the operator.
int64_t findFittingVersion(const ::onnx::NodeProto &node, int64_t opset);

/// Whether the operator of that opset may have such a first input.
bool acceptsFirstInput(const std::string &opType, const std::string &domain,
                       int64_t opset, const ::onnx::TypeProto &type);

/// Whether the operator of the node is one that ONNX defines by a function.
bool hasFunction(const std::string &opType, const std::string &domain,
                 int64_t opset);

struct NodeFunction {
  /// Null where the node has none.
  std::unique_ptr<::onnx::FunctionProto> function;
  /// What the node has that its schema does not allow; empty if nothing.
  std::string problem;
};

/// The function that ONNX defines the node's operator by, for the types of its
/// inputs (no value where one is absent or not known). The node gets the
/// attributes that it leaves out and its schema has defaults for. Of several
/// functions it is the newest one that `bodyOpset` has, or else the oldest one.
NodeFunction findFunction(::onnx::NodeProto &node, int64_t opset,
                          const std::vector<::onnx::TypeProto> &inputTypes,
                          int64_t bodyOpset);

//===----------------------------------------------------------------------===//
// Types and shapes
//===----------------------------------------------------------------------===//

/// What is known of an input before the model runs.
struct KnownInput {
  bool isPresent = false;
  /// No value where it is not known.
  ::onnx::TypeProto type = {};
  /// Of a constant of few elements.
  std::optional<::onnx::TensorProto> data = {};
  /// Integers of a list, of which some may be open: no dim_value.
  std::optional<::onnx::TensorShapeProto> integers = {};
};

struct KnownNode {
  /// With a normalized domain; attributes need no more than their kinds and
  /// what types depend on.
  ::onnx::NodeProto node;
  int64_t opset;
  std::vector<KnownInput> inputs = {};
  /// The types that graphs in attributes yield, all of them known.
  std::map<std::string, std::vector<::onnx::TypeProto>> bodies = {};
};

struct NodeInference {
  /// One for each output; no value where it is not known.
  std::vector<::onnx::TypeProto> types;
  /// As for inputs.
  std::vector<std::optional<::onnx::TensorShapeProto>> integers;
  /// What the node's schema does not allow of its inputs; empty if nothing.
  std::string problem;
};

/// What the operator's schema infers of its outputs.
NodeInference inferOutputs(const KnownNode &known);

/// The type that ONNX spells so, "seq(tensor(int64))"; no value if none is.
::onnx::TypeProto parseType(const std::string &text);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_SCHEMAS_H
