//===- NodeBuilder.h - New nodes of a model ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_NODEBUILDER_H
#define QUANT_FLOAT_LIB_TRANSFORMS_NODEBUILDER_H

#include "mlir/IR/Builders.h"
#include "quant-float/IR/QuantFloatOps.h"

namespace mlir::quant_float {

/// Makes nodes of one opset of ONNX in one place.
struct NodeBuilder {
  OpBuilder &builder;
  Location loc;
  int64_t opset;

  /// Each node has a name of its own where the model has names.
  Location getLoc(StringRef what);
  Value makeScalar(Type elementType, int64_t number);
  Value makeNode(StringRef opType, ValueRange inputs, Type result,
                 ArrayRef<NamedAttribute> attributes = {});
  /// An op of two integers of the same type, the second one for all elements.
  Value compute(StringRef opType, Value value, int64_t number);
  Value clip(Value value, int64_t least, int64_t greatest);
  /// The value itself where it has such elements.
  Value cast(Value value, Type elementType, StringRef what);
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_NODEBUILDER_H
