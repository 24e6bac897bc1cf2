//===- VersionConverter.h - Nodes in other opsets ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts nodes of ONNX's own domain to other opsets with ONNX's schemas. As
// in Schemas.cpp, no exception escapes.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_VERSIONS_VERSIONCONVERTER_H
#define QUANT_FLOAT_LIB_ONNX_VERSIONS_VERSIONCONVERTER_H

#include "../Schemas/Schemas.h"

namespace mlir::quant_float::onnx_import {

struct NodeConversion {
  /// The node is valid in the other opset, without the attributes in `dropped`
  /// and with those in `set`.
  bool stays = false;
  /// Both opsets have the same version of the operator.
  bool isSameVersion = false;
  /// Attributes that the other version lacks and whose values it implies.
  std::vector<std::string> dropped = {};
  /// Attributes with other values, and attributes that the node did not have.
  std::vector<::onnx::AttributeProto> set = {};
  /// An equivalent node with other inputs or with nodes around it, verified by
  /// the schemas. Null if there is none.
  std::unique_ptr<::onnx::FunctionProto> body = nullptr;
  /// Why neither is possible.
  std::string problem = {};
};

/// Converts the node, with the types of its outputs, to the opset `to`.
/// All inputs have distinct names; inputs with data are constants. Graphs in
/// attributes are not converted, so a node with graphs stays or is refused.
NodeConversion convertNode(const KnownNode &known,
                           const std::vector<::onnx::TypeProto> &outputs,
                           int64_t to);

/// Whether both opsets have the operator in the same version.
bool isSameVersion(const std::string &opType, int64_t from, int64_t to);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_VERSIONS_VERSIONCONVERTER_H
