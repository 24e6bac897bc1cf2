//===- NodeRewriter.h - Node rewriting --------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The base class of the conversions between ONNX's nodes and OpenVINO's layers:
// inspects inputs, creates constants, and records why a node is not supported.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_NODEREWRITER_H
#define QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_NODEREWRITER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/Conversion/NodeToQuantFloat/NodeAttributes.h"

namespace mlir::quant_float {

/// The values that replace the results of a node, or failure.
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

class NodeRewriter : public NodeAttributes {
public:
  NodeRewriter(NodeOp node, ImplicitLocOpBuilder &b)
      : NodeAttributes(node), b(b) {}

  ImplicitLocOpBuilder &b;
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

  /// Requires values in [least, 2^31 - 1], so that the product of two values
  /// does not overflow.
  LogicalResult requireRange(StringRef what, ArrayRef<int64_t> values,
                             int64_t least);
  /// Requires that all inputs have the same element type.
  LogicalResult requireSameType();
  /// Requires an element type that ONNX's arithmetic supports: f16, bf16, f32,
  /// f64, or integers of at least 8 bits.
  LogicalResult requireNumbers();

  //===--------------------------------------------------------------------===//
  // Constants and attributes
  //===--------------------------------------------------------------------===//

  Value makeConstant(ElementsAttr elements);
  /// Creates a constant of rank 0. The type is a float or an integer of at
  /// least 8 bits.
  Value makeNumber(Type elementType, double value);
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
  LogicalResult unsupported(const Twine &why);
  const std::string &getProblem() const { return problem; }

private:
  std::string problem;
};

/// Erases the ops that a failed conversion has created between `begin` and the
/// node. They must have no uses outside of this range.
void eraseNewOps(NodeOp node, Operation *begin);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_NODEREWRITER_H
