//===- NodeRewriter.h - Rewriting of nodes ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the conversions between ONNX's nodes and OpenVINO's layers share: how
// they look at inputs, make constants, and say why they cannot.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_NODEREWRITER_H
#define QUANT_FLOAT_CONVERSION_NODEREWRITER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/Conversion/NodeAttributes.h"

namespace mlir::quant_float {

/// What takes the place of a node's results.
class NodeResults : public FailureOr<SmallVector<Value>> {
public:
  using Base = FailureOr<SmallVector<Value>>;
  NodeResults(LogicalResult failure) : Base(failure) {}
  NodeResults(Value value) : Base(SmallVector<Value>{value}) {}
  NodeResults(ValueRange values) : Base(llvm::to_vector(values)) {}
  NodeResults(FailureOr<Value> value)
      : Base(failed(value) ? Base(failure()) : SmallVector<Value>{*value}) {}
};

/// The type in quotes, as diagnostics have it.
std::string showType(Type type);

class NodeRewriter : public NodeAttributes {
public:
  NodeRewriter(NodeOp node, ImplicitLocOpBuilder &b)
      : NodeAttributes(node), b(b) {}

  ImplicitLocOpBuilder &b;
  /// Null where absent.
  SmallVector<Value> inputs;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  Type elementType(size_t index) const;
  /// The rank of an input as far as it is known.
  std::optional<int64_t> getRank(size_t index) const;
  /// The elements of a constant input of integers, flattened.
  std::optional<SmallVector<int64_t>> getConstantInts(size_t index) const;
  /// The same; a reason where there is none.
  FailureOr<SmallVector<int64_t>> requireConstantInts(size_t index);
  FailureOr<int64_t> requireConstantInt(size_t index);
  FailureOr<int64_t> requireRank(size_t index);

  /// Requires values to have 32 bits, and to be `least` or more: then no
  /// product of two overflows.
  LogicalResult requireRange(StringRef what, ArrayRef<int64_t> values,
                             int64_t least);
  /// Requires the elements of all inputs to be of the first one's type.
  LogicalResult requireSameType();
  /// Requires elements that ONNX's arithmetic takes: floats from f16 on and
  /// integers of whole bytes.
  LogicalResult requireNumbers();

  //===--------------------------------------------------------------------===//
  // Constants and attributes
  //===--------------------------------------------------------------------===//

  Value makeConstant(ElementsAttr elements);
  /// A constant of rank 0 (one number), of floats or integers of whole bytes.
  Value makeNumber(Type elementType, double value);
  /// A constant of rank 1 of 64 bits.
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

  /// Remembers the first reason; who converts reports it.
  LogicalResult unsupported(const Twine &why);
  const std::string &getProblem() const { return problem; }

private:
  std::string problem;
};

/// Erases what a conversion that failed has made before the node, behind
/// `begin`; nothing uses it.
void eraseNewOps(NodeOp node, Operation *begin);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_NODEREWRITER_H
