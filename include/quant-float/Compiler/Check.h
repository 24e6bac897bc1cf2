//===- Check.h - Opset checks of models -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_COMPILER_CHECK_H
#define QUANT_FLOAT_COMPILER_CHECK_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Support/ModelError.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::quant_float {

struct CheckOptions {
  /// The opset to verify against; without one, each node's own.
  std::optional<int64_t> opset;
  /// Find out as well what every known opset says.
  bool everyOpset = false;
};

/// What a verifier said.
struct Verdict {
  bool accepted = true;
  /// Why not, and its notes.
  std::string reason;
  std::vector<std::string> notes;
};

/// What the opsets `first` to `last` say alike; the words are those of `last`,
/// the one closest to the newest.
struct OpsetVerdict {
  int64_t first;
  int64_t last;
  Verdict verdict;
};

enum class NodeStatus { Valid, Invalid, NotVerified };

/// One quantization node of a model.
struct NodeReport {
  Operation *op;
  Place place;
  /// The model's name of the node; empty where it has none.
  std::string name;
  /// The source standard's name of the op, e.g. "CastLike".
  std::string opName;
  /// The node's own opset; none where the IR lacks it, which is invalid.
  std::optional<int64_t> opset;
  NodeStatus status;
  /// Of the opset that was asked for.
  Verdict verdict;
  /// With CheckOptions::everyOpset; empty where the node is not verified.
  std::vector<OpsetVerdict> opsets;
  /// What is doubtful, but no error: int32 zero points that may not be 0 (Q7),
  /// results that are declared otherwise.
  std::vector<std::string> warnings;
};

/// Verifies every quantization node of `module`, which need not be valid: any
/// op of the dialect that has an opset, and kept nodes that could be such ops,
/// each by itself. A kept node whose types are missing is reported as not
/// verified. The opsets are ONNX's: nodes of com.microsoft are verified against
/// their own. With CheckOptions::opset the ops are left at that opset.
std::vector<NodeReport> checkModel(ModuleOp module,
                                   const CheckOptions &options);

/// One line per node, and one per group of opsets that refuse it.
void printReports(llvm::raw_ostream &os, llvm::ArrayRef<NodeReport> reports);

/// The same as an array of objects.
void printReportsAsJson(llvm::raw_ostream &os,
                        llvm::ArrayRef<NodeReport> reports);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_CHECK_H
