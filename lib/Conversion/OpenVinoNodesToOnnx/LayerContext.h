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

class LayerContext;

/// Builds the nodes and ops that do what the layer does, and returns what takes
/// the place of its only result; or says why it cannot (see
/// LayerContext::unsupported).
using LayerConversion = FailureOr<Value> (*)(LayerContext &);

/// A layer whose inputs are tensors of known element types, of which there are
/// as many as the table says.
class LayerContext : public NodeAttributes {
public:
  LayerContext(NodeOp node, ImplicitLocOpBuilder &b);

  ImplicitLocOpBuilder &b;
  SmallVector<Value> inputs;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  Type elementType(size_t index) const;
  /// The rank of an input as far as it is known.
  std::optional<int64_t> getRank(size_t index) const;
  /// The elements of a constant input of integers, flattened.
  std::optional<SmallVector<int64_t>> getConstantInts(size_t index) const;

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
  /// Converts the elements as ONNX Cast does; float8 not saturating.
  Value cast(Value input, Type elementType);
  Value makeConstant(ElementsAttr elements);
  /// A constant of rank 0 (one number), in a type that OpenVINO computes with.
  Value makeNumber(Type elementType, double value);

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
  Value build(StringRef opType, StringRef domain, int64_t opset,
              ValueRange operands, Type elementType,
              ArrayRef<NamedAttribute> attributes);

  std::string problem;
};

/// The type in quotes, as diagnostics have it.
std::string show(Type type);

// The conversions of all rows.
#define QUANT_FLOAT_LAYER(LayerType, Since, Fewest, Most, Elements,            \
                          Attributes, Conversion)                              \
  FailureOr<Value> Conversion(LayerContext &context);
#include "quant-float/Conversion/OpenVinoLayers.def"

} // namespace mlir::quant_float::openvino_layers

#endif // QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_LAYERCONTEXT_H
