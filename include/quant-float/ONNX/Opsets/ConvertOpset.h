//===- ConvertOpset.h - Opset conversion ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts a model to a newer or older opset of ONNX's own domain. The
// converted model computes the same bits.
//
// - Quantization nodes keep their semantics, which the opset rules determine:
//   the default of one version becomes an attribute in another one.
// - Values of types that the opset, or the runtime of the model, lacks are
//   replaced: constants become bytes or table indices, and values that are only
//   rounded to float8 are rounded in f32.
// - A node that both opsets define identically is unchanged. All other nodes
//   are converted version by version, or become the functions that define them.
//   ONNX's schemas and shape inference check the result.
// - A function of the model is unchanged if all of its nodes are. The importer
//   expands all other functions (`targetOpset`).
//
// A node without an exact equivalent, for example because the opset lacks a
// type, is an error that names the node, the opset and the reason.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ONNX_OPSETS_CONVERTOPSET_H
#define QUANT_FLOAT_ONNX_OPSETS_CONVERTOPSET_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir::quant_float {

/// The oldest opset that a model can be converted to.
constexpr int64_t kOldestTargetOpset = 10;

/// The result of the conversion of a node or a constant.
enum class ConversionKind {
  /// Both opsets define it identically.
  Unchanged,
  /// The attributes or inputs are those of the other opset, or an equivalent
  /// expansion replaces a cast or a quantization.
  Restated,
  /// The conversion between versions, or the function that defines the
  /// operator, replaces the node. Or it is unused and was erased.
  Adapted,
  Refused,
};

/// Returns "unchanged", "restated", "adapted" or "refused".
StringRef stringifyConversionKind(ConversionKind kind);

struct ConvertedNode {
  std::string name, opType;
  ConversionKind kind;
  /// What was changed, or why the conversion is impossible; may be empty.
  std::string detail;
};

struct OpsetConversion {
  /// The opsets of ONNX's domain; 0 if the model has no node of it.
  int64_t from = 0, to = 0;
  SmallVector<ConvertedNode> nodes = {};
};

struct OpsetOptions {
  /// The target opset; 0 keeps that of the model.
  int64_t opset = 0;
  /// Element types, by ONNX's names, that the converted model must not have
  /// even if the opset does, because a runtime lacks them.
  std::vector<std::string> without = {};
  /// Element types, by ONNX's names, to which the model must not round, even if
  /// it may have values of them.
  std::vector<std::string> withoutRounding = {};
  /// The ONNX name of a wider float type, float16 or bfloat16. Constants of
  /// unavailable float types are converted to it if it represents all of their
  /// values. If empty, they become bytes and a table.
  std::string wideFloat = {};
  /// Whether quantization that the opset lacks can become QuantizeLinear and
  /// DequantizeLinear of com.microsoft.
  bool usesMicrosoft = false;
  /// Whether a later stage handles the dequantize in any opset, so that it is
  /// not converted.
  std::function<bool(DequantizeOp)> keepsDequantize = {};
  /// Whether a later stage lacks the operator of a node that the opset has.
  /// Such a node becomes the function that defines it, if there is one.
  std::function<bool(NodeOp)> lacksOperator = {};
};

/// Converts a module that importOnnx created with `keepsSource`. Fails after an
/// error for each node that has no exact equivalent; the module is then
/// invalid. `conversion` is complete in both cases.
LogicalResult convertOpset(ModuleOp module, const OpsetOptions &options,
                           OpsetConversion &conversion);

/// Prints a line with counts, and a line for each node that changed.
void printConversion(raw_ostream &os, const OpsetConversion &conversion);
/// Prints all nodes as a JSON object.
void printConversionAsJson(raw_ostream &os, const OpsetConversion &conversion);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ONNX_OPSETS_CONVERTOPSET_H
