//===- Elementwise.h - Ops on one element at a time -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_ELEMENTWISE_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_ELEMENTWISE_H

#include "NodeContext.h"

namespace mlir::quant_float::onnx_nodes {

/// Where an element is computed.
struct ElementContext {
  ImplicitLocOpBuilder &b;
  NodeContext &node;
  /// The element type of the inputs, and the type that they are computed in.
  Type elementType;
  Type type;

  bool isFloat() const { return isa<FloatType>(type); }
  bool isUnsigned() const {
    return elementType.isUnsignedInteger() || elementType.isInteger(1);
  }
  /// A number in `type`.
  Value number(double value) const;
};

/// Computes one element; operands and result are in the compute type, or i1.
using ElementFn = Value (*)(ElementContext &, ValueRange);

/// The sizes of tensors broadcast together; an input's size is 1 or that of the
/// result. A size that is not known is taken to be no 1; that it equals the
/// others is asserted.
FailureOr<SmallVector<OpFoldResult>>
broadcastSizes(NodeContext &context,
               ArrayRef<SmallVector<OpFoldResult>> inputSizes);

/// Tensors broadcast together into a tensor of `elementType` by `body`, which
/// works on elements as the tensors have them. Small tensors of scalars stay
/// such.
NodeResults buildBroadcast(
    NodeContext &context, ArrayRef<Value> inputs, Type elementType,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_ELEMENTWISE_H
