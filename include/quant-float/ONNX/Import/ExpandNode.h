//===- ExpandNode.h - Function expansion of nodes ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ONNX_IMPORT_EXPANDNODE_H
#define QUANT_FLOAT_ONNX_IMPORT_EXPANDNODE_H

#include "mlir/IR/Builders.h"
#include "quant-float/IR/QuantFloatOps.h"

namespace mlir::quant_float {

/// Whether a function of other operators defines the node's operator in its
/// opset.
bool isDefinedByFunction(NodeOp node);

struct NodeExpansion {
  /// The values that replace the results of the node; null for unused results.
  /// Empty if the expansion fails.
  SmallVector<Value> results;
  /// The reason of a failure if the node contradicts its schema; empty if there
  /// is no function for it.
  std::string problem;
  /// Whether the reason is that the rank or size of an input is unknown.
  bool isUnknown = false;
};

/// Creates the nodes of the function that defines the node's operator, at the
/// insertion point of the builder. The node itself stays. All created ops are
/// `quant_float.node`, of the opset of the function, and constants. Their
/// locations are call sites at the location of the node. Some functions depend
/// on the types of the inputs. Of several versions of a function, selects the
/// newest one that `opset` (by default the node's) has, or the oldest one if
/// there is none.
NodeExpansion expandNode(OpBuilder &builder, NodeOp node,
                         std::optional<int64_t> opset = std::nullopt);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ONNX_IMPORT_EXPANDNODE_H
