//===- ExpandNode.h - Function expansion of nodes ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_ONNX_EXPANDNODE_H
#define QUANT_FLOAT_TARGET_ONNX_EXPANDNODE_H

#include "mlir/IR/Builders.h"
#include "quant-float/IR/QuantFloatOps.h"

namespace mlir::quant_float {

/// Whether ONNX defines the node's operator by a function of others, in its
/// opset.
bool isDefinedByFunction(NodeOp node);

struct NodeExpansion {
  /// What takes the place of the node's results; null for those that nothing
  /// uses.
  SmallVector<Value> results;
  /// Why there are none, where the node contradicts its schema; empty where
  /// ONNX has no function for it.
  std::string problem;
};

/// Makes the nodes that ONNX defines the node by at the builder's insertion
/// point; the node stays. All are `quant_float.node`, save constants, in the
/// opset that the definition is written in; their locations are calls at the
/// node's. Some definitions depend on the types of the inputs. Of several the
/// newest one is taken that `opset`, which is the node's if there is none, has;
/// the oldest one, if none has it.
NodeExpansion expandNode(OpBuilder &builder, NodeOp node,
                         std::optional<int64_t> opset = std::nullopt);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_ONNX_EXPANDNODE_H
