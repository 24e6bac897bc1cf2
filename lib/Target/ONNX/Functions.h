//===- Functions.h - Model-local functions ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_FUNCTIONS_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_FUNCTIONS_H

#include "Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <onnx/onnx_pb.h>
#include <optional>
#include <vector>

namespace mlir::quant_float::onnx_import {

using NodeList = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

struct NodeInput;

struct Function {
  ::onnx::FunctionProto *proto;
  /// "domain::name", for diagnostics.
  std::string shownName;
  llvm::StringMap<int64_t> opsets;
  /// Its nodes take the place of a call; else it stays a function of the model.
  bool isExpanded = true;
};

/// Whether the call has at most the inputs and outputs of the function.
LogicalResult checkCall(const NodeInput &input, const Function &function);

/// Whether that holds for one of the nodes or of those in their graphs.
bool anyNode(const NodeList &nodes,
             llvm::function_ref<bool(const ::onnx::NodeProto &)> holds);

/// The functions of a model, by domain, name and overload.
class FunctionTable {
public:
  LogicalResult build(::onnx::ModelProto &model, const Subject &file);
  /// Has all functions stay but those with nodes that are others in the opset,
  /// if there is one, and those that call such functions.
  void keep(std::optional<int64_t> targetOpset);
  const Function *lookup(const ::onnx::NodeProto &node) const;
  std::vector<std::unique_ptr<Function>> &getFunctions() { return functions; }

private:
  std::vector<std::unique_ptr<Function>> functions;
  llvm::StringMap<const Function *> byKey;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_FUNCTIONS_H
