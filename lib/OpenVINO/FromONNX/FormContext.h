//===- FormContext.h - Conversion of an ONNX node ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_FROMONNX_FORMCONTEXT_H
#define QUANT_FLOAT_LIB_OPENVINO_FROMONNX_FORMCONTEXT_H

#include "quant-float/Conversion/NodeToQuantFloat/NodeRewriter.h"

namespace mlir::quant_float::openvino_forms {

/// The opset of most layers. All releases of OpenVINO since 2024 support it.
constexpr int64_t kLayerOpset = 13;

class FormContext;

/// Creates the layers that replace a node. On failure, records the reason (see
/// NodeRewriter::unsupported).
using FormConversion = NodeResults (*)(FormContext &);

/// An ONNX node whose inputs are tensors, and whose number of inputs the table
/// permits.
class FormContext : public NodeRewriter {
public:
  FormContext(NodeOp node, ImplicitLocOpBuilder &b);

  /// The layer in the node's row of the table.
  StringRef layerType;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  bool hasInput(size_t index) const {
    return index < inputs.size() && inputs[index];
  }
  RankedTensorType getRanked(size_t index) const {
    return dyn_cast<RankedTensorType>(inputs[index].getType());
  }
  /// Returns the element type of a result, or that of input 0 if it is unknown.
  Type resultType(size_t index = 0) const;
  /// Returns the value of a constant input with one float.
  std::optional<double> getConstantNumber(size_t index) const;
  /// Returns the axis of input 0 in an attribute, counted from the front.
  FailureOr<int64_t> requireAxis(StringRef name);

  //===--------------------------------------------------------------------===//
  // Construction of layers
  //===--------------------------------------------------------------------===//

  /// Creates a layer with results of these element types.
  ValueRange addLayers(StringRef type, ValueRange operands,
                       TypeRange elementTypes,
                       ArrayRef<NamedAttribute> attributes = {},
                       int64_t opset = kLayerOpset);
  Value addLayer(StringRef type, ValueRange operands, Type elementType,
                 ArrayRef<NamedAttribute> attributes = {},
                 int64_t opset = kLayerOpset) {
    return addLayers(type, operands, elementType, attributes, opset)[0];
  }
  /// Creates a layer whose element type is that of the first operand.
  Value apply(StringRef type, ValueRange operands,
              ArrayRef<NamedAttribute> attributes = {},
              int64_t opset = kLayerOpset);
  /// Create a layer with broadcast operands. The result of `compare` is
  /// boolean.
  Value broadcast(StringRef type, ValueRange operands);
  Value compare(StringRef type, ValueRange operands);
  /// Creates a Convert, or returns the value if it has the type.
  Value convert(Value value, Type elementType);
  /// Creates a 64-bit constant of rank 0.
  Value makeInt(int64_t value) { return makeNumber(b.getI64Type(), value); }
  Value reshape(Value value, ArrayRef<int64_t> shape);
  /// Returns an input with one element as a tensor of rank 0.
  Value makeScalar(size_t index);
  /// Returns the shape of an input.
  Value getShape(size_t index);
  /// Returns the size of an axis as a tensor of rank 0.
  Value getSize(size_t index, int64_t axis);
  /// Converts negative indices, which count from the end, to indices from the
  /// front. `size` is the size of the axis.
  Value countFromFront(Value positions, Value size);

  NamedAttribute floatAttr(StringRef name, double value) {
    return b.getNamedAttr(name, b.getF64FloatAttr(value));
  }
  NamedAttribute flagAttr(StringRef name, bool value) {
    return b.getNamedAttr(name, b.getBoolAttr(value));
  }
  NamedAttribute typeAttr(StringRef name, Type value) {
    return b.getNamedAttr(name, TypeAttr::get(value));
  }
};

// Declares the conversions of all rows.
#define QUANT_FLOAT_FORM(OpType, Layer, MinInputs, MaxInputs, Conversion)      \
  NodeResults Conversion(FormContext &context);
#include "quant-float/OpenVINO/FromONNX/OpenVinoForms.def"

/// Creates the layers that replace a quantize, dequantize or cast. If there are
/// none, fails and sets `problem` to the reason.
FailureOr<Value> convertQuantization(Operation *op, ImplicitLocOpBuilder &b,
                                     std::string &problem);

} // namespace mlir::quant_float::openvino_forms

#endif // QUANT_FLOAT_LIB_OPENVINO_FROMONNX_FORMCONTEXT_H
