//===- OnnxNodeBuilder.h - Creation of ONNX nodes ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The base class of the conversions to ONNX's nodes and OpenVINO's layers:
// creates nodes and constants, and records why an op is not supported.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_ONNXNODEBUILDER_H
#define QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_ONNXNODEBUILDER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/IR/QuantFloatOps.h"
#include <string>

namespace mlir::quant_float {

/// The values that replace the results of an op, or failure.
class NodeResults : public FailureOr<SmallVector<Value>> {
public:
  using Base = FailureOr<SmallVector<Value>>;
  NodeResults(LogicalResult failure) : Base(failure) {}
  NodeResults(Value value) : Base(SmallVector<Value>{value}) {}
  NodeResults(ValueRange values) : Base(llvm::to_vector(values)) {}
  NodeResults(FailureOr<Value> value)
      : Base(failed(value) ? Base(failure()) : SmallVector<Value>{*value}) {}
};

/// Returns the type in quotes, as in diagnostics.
std::string showType(Type type);

class OnnxNodeBuilder {
public:
  /// `opset` is the opset of the nodes that are created, `nodeName` their name
  /// or null.
  OnnxNodeBuilder(ImplicitLocOpBuilder &b, int64_t opset,
                  StringAttr nodeName = {})
      : b(b), nodeOpset(opset), nodeName(nodeName) {}

  ImplicitLocOpBuilder &b;

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//

  /// Creates an ONNX node with several results. Null operands are absent
  /// inputs. A type is a tensor type, or an element type if the shape is
  /// unknown.
  ValueRange buildNodes(StringRef opType, ArrayRef<Value> operands,
                        TypeRange types,
                        ArrayRef<NamedAttribute> attributes = {});
  /// The same with one result.
  Value buildNode(StringRef opType, ValueRange operands, Type type,
                  ArrayRef<NamedAttribute> attributes = {});
  /// Create a node whose result has the element type of the first operand, or
  /// booleans.
  Value apply(StringRef opType, ValueRange operands,
              ArrayRef<NamedAttribute> attributes = {});
  Value compare(StringRef opType, ValueRange operands);
  /// Create an elementwise node. Its shape is that of the operands, if they
  /// have the same shape or rank 0. The element type is that of the last
  /// operand.
  Value applyElementwise(StringRef opType, ValueRange operands,
                         ArrayRef<NamedAttribute> attributes = {});
  Value compareElementwise(StringRef opType, ValueRange operands);
  /// Converts the elements as ONNX Cast does; casts to float8 do not saturate.
  Value cast(Value input, Type elementType);
  /// Converts floats to integers of at least 2 bits: toward zero, saturating to
  /// the range of the type; NaN gives 0.
  Value castSaturating(Value input, IntegerType elementType);
  /// Limits integers to a range that lies in the range of their type.
  Value clampIntegers(Value value, int64_t lowest, int64_t highest);
  /// Concatenates tensors of rank 1, such as sizes to a shape.
  Value concatenate(ArrayRef<Value> values);
  /// A size of 0 keeps the size of the operand, -1 is computed.
  Value reshape(Value value, ArrayRef<int64_t> shape);
  Value unsqueeze(Value value, ArrayRef<int64_t> axes);
  Value transpose(Value value, ArrayRef<int64_t> order);

  //===--------------------------------------------------------------------===//
  // Constants and attributes
  //===--------------------------------------------------------------------===//

  Value makeConstant(ElementsAttr elements);
  /// Creates a constant of rank 0. The type is a float or an integer of at
  /// least 8 bits.
  Value makeNumber(Type elementType, double value);
  /// Creates a constant of rank 0, rounded to a float type of MLIR.
  Value makeScalar(Type elementType, const APFloat &value);
  /// Creates a constant of rank 1 with elements of type i64.
  Value makeInts(ArrayRef<int64_t> values);

  NamedAttribute intAttr(StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  }
  NamedAttribute intsAttr(StringRef name, ArrayRef<int64_t> values) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
  }
  NamedAttribute stringAttr(StringRef name, StringRef value) {
    return b.getNamedAttr(name, b.getStringAttr(value));
  }

  //===--------------------------------------------------------------------===//
  // Failure
  //===--------------------------------------------------------------------===//

  /// Records the reason unless one is recorded already, and fails. The caller
  /// of the conversion reports it.
  LogicalResult unsupported(const Twine &reason);
  const std::string &getProblem() const { return problem; }

private:
  /// Returns the type of an elementwise result.
  Type getElementwiseType(ValueRange operands, Type elementType);

  int64_t nodeOpset;
  StringAttr nodeName;
  std::string problem;
};

/// Erases the ops that a failed conversion has created between `begin` and
/// `end`. They must have no uses outside of this range.
void eraseNewOps(Operation *end, Operation *begin);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_ONNXNODEBUILDER_H
