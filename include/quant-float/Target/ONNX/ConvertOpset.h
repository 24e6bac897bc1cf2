//===- ConvertOpset.h - Opset conversion ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says a model in another opset of ONNX's own domain, up or down, so that it
// computes the same bits.
//
// - Quantization nodes keep their meaning, which the opset rules resolve: what
//   a version has as a default another one has as an attribute.
// - Types that the opset, or what is to run the model, lacks are done without:
//   constants of codes become bytes, or places in a table, what is only rounded
//   to float8 is rounded in f32.
// - A node that both opsets define alike stays. Others are said in the words of
//   the other opset, version by version, or become the functions that define
//   them; ONNX's schemas and shape inference judge what comes out.
// - A function of the model stays where all of its nodes do. The importer
//   expands the others (`targetOpset`).
//
// What has no such form, as a type that the opset lacks, is an error that names
// the node, the opset and the reason.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_ONNX_CONVERTOPSET_H
#define QUANT_FLOAT_TARGET_ONNX_CONVERTOPSET_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir::quant_float {

/// The opsets that a model can be said in.
constexpr int64_t kOldestTargetOpset = 10;

/// What became of a node, or of a constant.
enum class ConversionKind {
  /// Both opsets define it alike.
  Unchanged,
  /// The same operator with the words of the other opset.
  Restated,
  /// By other inputs, nodes around it, or the function that defines it.
  Adapted,
  Refused,
};

/// "unchanged", "restated", ...
StringRef stringifyConversionKind(ConversionKind kind);

struct ConvertedNode {
  std::string name, opType;
  ConversionKind kind;
  /// What was done, or why it cannot be; may be empty.
  std::string detail;
};

struct OpsetConversion {
  /// Of ONNX's domain; 0 where the model has no node of it.
  int64_t from = 0, to = 0;
  SmallVector<ConvertedNode> nodes = {};
};

struct OpsetOptions {
  /// 0 for the model's own.
  int64_t opset = 0;
  /// ONNX's names of types of elements that the model is to have no values of,
  /// though the opset has them: of a runtime that lacks them.
  std::vector<std::string> without = {};
  /// Those that nothing is to be rounded to, though there may be values of
  /// them.
  std::vector<std::string> withoutRounding = {};
  /// ONNX's name of a wider type of floats, float16 or bfloat16, that constants
  /// of float types to do without become where it has all of their numbers;
  /// empty for codes and a table.
  std::string wideFloat = {};
  /// Whether quantization that the opset lacks may become com.microsoft's
  /// QuantizeLinear and DequantizeLinear.
  bool usesMicrosoft = false;
  /// Whether what comes next knows a dequantize, of whatever opset: it stays.
  std::function<bool(DequantizeOp)> keepsDequantize = {};
  /// Whether what comes next lacks the operator of a node, though the opset has
  /// it: it becomes the function that defines it, if there is one.
  std::function<bool(NodeOp)> lacksOperator = {};
};

/// Converts a module that importOnnx has made with `keepsSource`. Fails after
/// an error for each node that has no exact form; the module is no model then.
/// `conversion` is complete in both cases.
LogicalResult convertOpset(ModuleOp module, const OpsetOptions &options,
                           OpsetConversion &conversion);

/// A line for each node that did not stay as it was, after one with counts.
void printConversion(raw_ostream &os, const OpsetConversion &conversion);
/// All nodes, as one JSON object.
void printConversionAsJson(raw_ostream &os, const OpsetConversion &conversion);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_ONNX_CONVERTOPSET_H
