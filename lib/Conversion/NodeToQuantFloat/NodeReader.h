//===- NodeReader.h - Reader of quantization nodes --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_NODETOQUANTFLOAT_NODEREADER_H
#define QUANT_FLOAT_LIB_CONVERSION_NODETOQUANTFLOAT_NODEREADER_H

#include "quant-float/Conversion/NodeToQuantFloat/NodeAttributes.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/IR/OpsetRules.h"

namespace mlir::quant_float {

/// Reads a node and emits an error for everything that its op does not allow.
/// The node need not have been verified.
class NodeReader : public NodeAttributes {
public:
  NodeReader(NodeOp node, NodeErrorFn emitError);

  NodeOp getNode() const { return node; }
  int64_t getOpset() const { return getNode().getOpset(); }
  /// Whether the node belongs to com.microsoft (V9) instead of ONNX.
  bool isMicrosoft() const { return getNode().getDomain() == kMicrosoftDomain; }
  InFlightDiagnostic emitError() const { return errorFn(); }

  /// Returns the input at this index of the source node; null if it is absent.
  Value getInput(unsigned index) const;
  /// Returns the element type of an input; null if its type is unknown.
  Type getElementType(unsigned index) const;

  /// Verifies that there are `min` to `max` inputs, that the first `min`
  /// ones are present, that all inputs with a known type are tensors, and that
  /// there are `outputs` outputs.
  LogicalResult checkValues(size_t min, size_t max, size_t outputs = 1) const;
  /// Verifies the attributes against `rows`. Other attributes are errors.
  LogicalResult checkAttributes(ArrayRef<AttributeRow> rows);
  /// Returns `saturate`; null if it is absent.
  BoolAttr getSaturate() const;

private:
  NodeErrorFn errorFn;
  SmallVector<Value> inputs;
};

/// Create the op of a node. `like` selects CastLike.
FailureOr<NodeResolution> resolveCast(OpBuilder &builder, NodeReader &node,
                                      bool like);
FailureOr<NodeResolution>
resolveQuantization(OpBuilder &builder, NodeReader &node, bool isQuantize);
FailureOr<NodeResolution> resolveFakeConvert(OpBuilder &builder,
                                             NodeReader &node);
/// Verifies a node that remains a node.
FailureOr<NodeResolution> verifyNode(NodeReader &node, OpKind kind);

/// Returns the type of a result that has the input's shape (V8).
Type getResultType(Type input, Type elementType);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_NODETOQUANTFLOAT_NODEREADER_H
