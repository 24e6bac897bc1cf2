//===- LayerContext.h - An OpenVINO layer on its way to ONNX ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_LAYERCONTEXT_H
#define QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_LAYERCONTEXT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/Conversion/NodeAttributes.h"
#include <optional>
#include <string>

namespace mlir::quant_float::openvino_layers {

/// The ops that layers become mean the same from here on.
constexpr int64_t kOnnxOpset = 21;

class LayerContext;

/// What takes the place of the layer's results.
class LayerResults : public FailureOr<SmallVector<Value>> {
public:
  using Base = FailureOr<SmallVector<Value>>;
  LayerResults(LogicalResult failure) : Base(failure) {}
  LayerResults(Value value) : Base(SmallVector<Value>{value}) {}
  LayerResults(ValueRange values) : Base(llvm::to_vector(values)) {}
  LayerResults(FailureOr<Value> value)
      : Base(failed(value) ? Base(failure()) : SmallVector<Value>{*value}) {}
};

/// Builds the nodes and ops that do what the layer does, or says why it cannot
/// (see LayerContext::unsupported).
using LayerConversion = LayerResults (*)(LayerContext &);

/// A layer whose inputs are tensors of known element types, of which there are
/// as many as the table says.
class LayerContext : public NodeAttributes {
public:
  LayerContext(NodeOp node, ImplicitLocOpBuilder &b);

  ImplicitLocOpBuilder &b;
  /// What the row says that the layer becomes, where it becomes one node.
  StringRef onnxType;
  SmallVector<Value> inputs;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  Type elementType(size_t index) const;
  int64_t opset() const { return NodeOp(node).getOpset(); }
  /// The rank of an input as far as it is known.
  std::optional<int64_t> getRank(size_t index) const;
  /// The elements of a constant input of integers, flattened.
  std::optional<SmallVector<int64_t>> getConstantInts(size_t index) const;
  /// The same; a reason where there is none.
  FailureOr<SmallVector<int64_t>> requireConstantInts(size_t index);
  FailureOr<int64_t> requireConstantInt(size_t index);
  FailureOr<int64_t> requireRank(size_t index);
  /// The integers that an attribute names.
  FailureOr<Type> getIntegerType(StringRef attribute, Type byDefault);
  /// ONNX has shapes and indices of 64 bits.
  FailureOr<Value> getAsInt64(size_t index);

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
  // What takes the layer's place
  //===--------------------------------------------------------------------===//

  /// A node of ONNX, of whose result only the element type is known.
  Value buildNode(StringRef opType, ValueRange operands, Type elementType,
                  ArrayRef<NamedAttribute> attributes = {});
  /// The same for several results, and operands that are left out where null.
  ValueRange buildNodes(StringRef opType, ArrayRef<Value> operands,
                        TypeRange elementTypes,
                        ArrayRef<NamedAttribute> attributes = {});
  /// A node whose result has elements of the first operand's type, or booleans.
  Value apply(StringRef opType, ValueRange operands,
              ArrayRef<NamedAttribute> attributes = {});
  Value compare(StringRef opType, ValueRange operands);
  /// Converts the elements as ONNX Cast does; float8 not saturating.
  Value cast(Value input, Type elementType);
  Value makeConstant(ElementsAttr elements);
  /// A constant of rank 0 (one number), in a type that OpenVINO computes with.
  Value makeNumber(Type elementType, double value);
  /// A constant of rank 1 of 64 bits.
  Value makeInts(ArrayRef<int64_t> values);
  /// The size of an input along an axis, as a tensor of one element.
  Value getSize(size_t index, int64_t axis);
  /// Puts tensors of rank 1 together, such as sizes to a shape.
  Value concatenate(ArrayRef<Value> values);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  Value unsqueeze(Value value, ArrayRef<int64_t> axes);
  Value transpose(Value value, ArrayRef<int64_t> order);

  /// What OpenVINO computes in f32 though elements are f16 or bf16.
  Value widen(Value value);

  NamedAttribute floatAttr(StringRef name, double value) {
    return b.getNamedAttr(name, b.getF32FloatAttr(value));
  }
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

  /// Remembers the first reason; the pass reports it.
  LogicalResult unsupported(const Twine &why);
  const std::string &getProblem() const { return problem; }

private:
  std::string problem;
};

/// The type in quotes, as diagnostics have it.
std::string show(Type type);

// The conversions of all rows.
#define QUANT_FLOAT_LAYER(LayerType, Since, Fewest, Most, Elements,            \
                          Attributes, Conversion)                              \
  LayerResults Conversion(LayerContext &context);
#include "quant-float/Conversion/OpenVinoLayers.def"

} // namespace mlir::quant_float::openvino_layers

#endif // QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_LAYERCONTEXT_H
