//===- Functions.h - Model-local functions ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_IMPORT_FUNCTIONS_H
#define QUANT_FLOAT_LIB_ONNX_IMPORT_FUNCTIONS_H

#include "../Common/Diagnostics.h"
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
  /// "domain::name" in diagnostics.
  std::string shownName;
  llvm::StringMap<int64_t> opsets;
  /// Whether the nodes of the function replace its calls. Otherwise, the model
  /// keeps the function.
  bool isExpanded = true;
};

/// Fails after an error if the call has more inputs or outputs than the
/// function.
LogicalResult checkCall(const NodeInput &input, const Function &function);

/// Whether `holds` returns true for any of the nodes, including the nodes of
/// their graphs.
bool anyNode(const NodeList &nodes,
             llvm::function_ref<bool(const ::onnx::NodeProto &)> holds);

/// The functions of a model. The key is the domain, the name and the overload.
class FunctionTable {
public:
  LogicalResult build(::onnx::ModelProto &model, const Subject &file);
  /// Keeps all functions as functions, except functions with nodes that
  /// `targetOpset`, if there is one, defines differently, and functions that
  /// call such functions.
  void keep(std::optional<int64_t> targetOpset);
  const Function *lookup(const ::onnx::NodeProto &node) const;
  std::vector<std::unique_ptr<Function>> &getFunctions() { return functions; }

private:
  std::vector<std::unique_ptr<Function>> functions;
  llvm::StringMap<const Function *> byKey;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_IMPORT_FUNCTIONS_H
