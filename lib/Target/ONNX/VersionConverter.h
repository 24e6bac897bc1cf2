//===- VersionConverter.h - Nodes in other opsets ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ONNX's schemas and its version converter make of a node of ONNX's own
// domain in another opset. As in Schemas.cpp no exception gets out.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_VERSIONCONVERTER_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_VERSIONCONVERTER_H

#include "Schemas.h"

namespace mlir::quant_float::onnx_import {

struct NodeConversion {
  /// The node can stay, without `dropped`.
  bool stays = false;
  /// Both opsets have the same version of the operator.
  bool isSameVersion = false;
  /// Attributes that the other version lacks and that say what it does anyway.
  std::vector<std::string> dropped = {};
  /// Those that say it otherwise, or what the first one did without.
  std::vector<::onnx::AttributeProto> set = {};
  /// Other inputs and nodes that do the same, which fit the schemas.
  std::unique_ptr<::onnx::FunctionProto> body = nullptr;
  /// Why there is neither.
  std::string problem = {};
};

/// The node, and the types of its outputs, in the opset `to`. Inputs are named
/// each for itself; those with data are constants. A node with graphs as
/// attributes stays or is refused: the graphs are not looked at.
NodeConversion convertNode(const KnownNode &known,
                           const std::vector<::onnx::TypeProto> &outputs,
                           int64_t to);

/// Whether both opsets have the same version of the operator, of which they
/// know.
bool isSameVersion(const std::string &opType, int64_t from, int64_t to);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_VERSIONCONVERTER_H
