//===- NodeReader.h - What a quantization node says -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_RESOLVENODE_NODEREADER_H
#define QUANT_FLOAT_LIB_CONVERSION_RESOLVENODE_NODEREADER_H

#include "quant-float/Conversion/NodeAttributes.h"
#include "quant-float/Conversion/ResolveNode.h"
#include "quant-float/IR/OpsetRules.h"

namespace mlir::quant_float {

/// Reads a node, with an error for whatever is not as its op has it. Nothing
/// about the node is taken for granted: it need not have been verified.
class NodeReader : public NodeAttributes {
public:
  NodeReader(NodeOp node, NodeErrorFn emitError);

  NodeOp getNode() const { return node; }
  int64_t getOpset() const { return getNode().getOpset(); }
  /// Whether the node is of com.microsoft (V9), not of ONNX.
  bool isMicrosoft() const { return getNode().getDomain() == kMicrosoftDomain; }
  InFlightDiagnostic emitError() const { return errorFn(); }

  /// The input at that place of the source node; null where it is left out.
  Value getInput(unsigned index) const;
  /// The element type of an input; null where its type is not known.
  Type getElementType(unsigned index) const;

  /// There are `least` to `most` inputs, the first `least` are not left out,
  /// all are tensors as far as known, and there are so many outputs.
  LogicalResult checkValues(size_t least, size_t most,
                            size_t outputs = 1) const;
  /// The attributes are as these rows say, and there are no others.
  LogicalResult checkAttributes(ArrayRef<AttributeRow> rows);
  /// `saturate`; null where left out.
  BoolAttr getSaturate() const;

private:
  NodeErrorFn errorFn;
  SmallVector<Value> inputs;
};

/// The resolvers. CastLike is `like`.
FailureOr<NodeResolution> resolveCast(OpBuilder &builder, NodeReader &node,
                                      bool like);
FailureOr<NodeResolution>
resolveQuantization(OpBuilder &builder, NodeReader &node, bool isQuantize);
FailureOr<NodeResolution> resolveFakeConvert(OpBuilder &builder,
                                             NodeReader &node);
/// Ops that stay nodes.
FailureOr<NodeResolution> verifyNode(NodeReader &node, OpKind kind);

/// The type of a result with the input's shape (V8).
Type getResultType(Type input, Type elementType);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_RESOLVENODE_NODEREADER_H
