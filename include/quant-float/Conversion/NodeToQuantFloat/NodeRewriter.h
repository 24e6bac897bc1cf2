//===- NodeRewriter.h - Node rewriting --------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The base class of the conversions between ONNX's nodes and OpenVINO's layers:
// inspects the inputs of a node.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_NODEREWRITER_H
#define QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_NODEREWRITER_H

#include "quant-float/Conversion/NodeToQuantFloat/NodeAttributes.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"

namespace mlir::quant_float {

/// `opset` is the opset of the nodes that are created.
class NodeRewriter : public NodeAttributes, public OnnxNodeBuilder {
public:
  NodeRewriter(NodeOp node, ImplicitLocOpBuilder &b, int64_t opset)
      : NodeAttributes(node),
        OnnxNodeBuilder(b, opset, node.getNodeNameAttr()) {}

  /// The inputs of the node; null if an optional input is absent.
  SmallVector<Value> inputs;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  Type elementType(size_t index) const;
  /// Returns the rank of an input, or none if it is unknown.
  std::optional<int64_t> getRank(size_t index) const;
  /// Returns the elements of a constant integer input in row-major order, or
  /// none if the input is not such a constant.
  std::optional<SmallVector<int64_t>> getConstantInts(size_t index) const;
  /// As above, but fails with `unsupported` if the value is not known.
  FailureOr<SmallVector<int64_t>> requireConstantInts(size_t index);
  FailureOr<int64_t> requireConstantInt(size_t index);
  FailureOr<int64_t> requireRank(size_t index);

  /// Requires values in [min, 2^31 - 1], so that the product of two values
  /// does not overflow.
  LogicalResult requireRange(StringRef what, ArrayRef<int64_t> values,
                             int64_t min);
  /// Requires that all inputs have the same element type.
  LogicalResult requireSameType();
  /// Requires an element type that ONNX's arithmetic supports: f16, bf16, f32,
  /// f64, or integers of at least 8 bits.
  LogicalResult requireNumbers();
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_NODEREWRITER_H
