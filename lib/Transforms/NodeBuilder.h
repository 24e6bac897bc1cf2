//===- NodeBuilder.h - Builder of ONNX nodes --------------------*- C++ -*-===//
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

/// Creates ONNX nodes of one opset at one location.
struct NodeBuilder {
  OpBuilder &builder;
  Location loc;
  int64_t opset;

  /// Returns a location for the node `what`. Its name is unique if the model
  /// has names.
  Location getLoc(StringRef what);
  Value makeScalar(Type elementType, int64_t number);
  Value makeNode(StringRef opType, ValueRange inputs, Type result,
                 ArrayRef<NamedAttribute> attributes = {});
  /// Creates an elementwise op on `value` and the scalar `number` of the same
  /// integer type.
  Value compute(StringRef opType, Value value, int64_t number);
  Value clip(Value value, int64_t min, int64_t max);
  /// Returns the value itself if it already has the element type.
  Value cast(Value value, Type elementType, StringRef what);
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_NODEBUILDER_H
