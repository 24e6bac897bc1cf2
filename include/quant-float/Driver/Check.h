//===- Check.h - Opset checks of models -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_DRIVER_CHECK_H
#define QUANT_FLOAT_DRIVER_CHECK_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Support/ModelError.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::quant_float {

struct CheckOptions {
  /// The opset to verify against. By default each node uses its own.
  std::optional<int64_t> opset;
  /// Whether to verify against every known opset as well.
  bool everyOpset = false;
};

/// The result of a verifier.
struct Verdict {
  bool accepted = true;
  /// Why the node was rejected, and the attached notes.
  std::string reason;
  std::vector<std::string> notes;
};

/// The verdict that the opsets `first` to `last` have in common. The reason is
/// that of `last`, which is the closest to the newest.
struct OpsetVerdict {
  int64_t first;
  int64_t last;
  Verdict verdict;
};

enum class NodeStatus { Valid, Invalid, NotVerified };

/// The report of a quantization node.
struct NodeReport {
  Operation *op;
  FileLocation location;
  /// The name of the node in the model. May be empty.
  std::string name;
  /// The name of the operator in the source standard, e.g. "CastLike".
  std::string opName;
  /// The opset of the node. None if the IR lacks it, which is invalid.
  std::optional<int64_t> opset;
  NodeStatus status;
  /// The verdict of the requested opset.
  Verdict verdict;
  /// The verdicts of all opsets if CheckOptions::everyOpset is set. Empty if
  /// the node is not verified.
  std::vector<OpsetVerdict> opsets;
  /// Doubtful properties that are not errors: int32 zero points that may not be
  /// 0 (Q7), and results with a different declared type.
  std::vector<std::string> warnings;
};

/// Verifies every quantization node of `module`, which may be invalid. These
/// are the operations of the dialect that have an opset, and the nodes that
/// could become such operations. Nodes with missing types are reported as not
/// verified. Opsets are those of ONNX; nodes of com.microsoft are verified
/// against their own. Sets the opset of ONNX operations to CheckOptions::opset
/// if it is specified.
std::vector<NodeReport> checkModel(ModuleOp module,
                                   const CheckOptions &options);

/// Prints one line per node, and one per range of opsets that reject it.
void printReports(llvm::raw_ostream &os, llvm::ArrayRef<NodeReport> reports);

/// Prints the same as a JSON array of objects.
void printReportsAsJson(llvm::raw_ostream &os,
                        llvm::ArrayRef<NodeReport> reports);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_DRIVER_CHECK_H
