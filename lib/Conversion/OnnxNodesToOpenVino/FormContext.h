//===- FormContext.h - An ONNX node on its way to OpenVINO ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOOPENVINO_FORMCONTEXT_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOOPENVINO_FORMCONTEXT_H

#include "quant-float/Conversion/NodeRewriter.h"

namespace mlir::quant_float::openvino_forms {

/// The opset of most layers: what it has, every OpenVINO from 2024 on reads.
constexpr int64_t kLayerOpset = 13;

class FormContext;

/// Builds the layers that do what the node does, or says why it cannot (see
/// NodeRewriter::unsupported).
using FormConversion = NodeResults (*)(FormContext &);

/// A node of ONNX whose inputs are tensors, of which there are as many as the
/// table says.
class FormContext : public NodeRewriter {
public:
  FormContext(NodeOp node, ImplicitLocOpBuilder &b);

  /// What the row says that the node becomes.
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
  /// The elements of a result; those of input 0 where it is not known.
  Type resultType(size_t index = 0) const;
  /// The number of a constant input of one float.
  std::optional<double> getConstantNumber(size_t index) const;
  /// The axis of input 0 that an attribute names, from the front.
  FailureOr<int64_t> requireAxis(StringRef name);

  //===--------------------------------------------------------------------===//
  // What takes the node's place
  //===--------------------------------------------------------------------===//

  /// A layer with results of these elements.
  ValueRange addLayers(StringRef type, ValueRange operands,
                       TypeRange elementTypes,
                       ArrayRef<NamedAttribute> attributes = {},
                       int64_t opset = kLayerOpset);
  Value addLayer(StringRef type, ValueRange operands, Type elementType,
                 ArrayRef<NamedAttribute> attributes = {},
                 int64_t opset = kLayerOpset) {
    return addLayers(type, operands, elementType, attributes, opset)[0];
  }
  /// One with elements of the first operand's type.
  Value apply(StringRef type, ValueRange operands,
              ArrayRef<NamedAttribute> attributes = {},
              int64_t opset = kLayerOpset);
  /// One on elements of operands that are broadcast; of booleans.
  Value broadcast(StringRef type, ValueRange operands);
  Value compare(StringRef type, ValueRange operands);
  /// Convert, or the value itself.
  Value convert(Value value, Type elementType);
  /// A constant of rank 0 of 64 bits.
  Value makeInt(int64_t value) { return makeNumber(b.getI64Type(), value); }
  Value reshape(Value value, ArrayRef<int64_t> shape);
  /// The one element of a tensor as a tensor of rank 0.
  Value makeScalar(size_t index);
  /// The sizes of an input.
  Value getShape(size_t index);
  /// One of them, as a tensor of rank 0.
  Value getSize(size_t index, int64_t axis);
  /// Positions that count from the end, from the front: `size` is how many
  /// there are.
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

// The conversions of all rows.
#define QUANT_FLOAT_FORM(OpType, Layer, Fewest, Most, Conversion)              \
  NodeResults Conversion(FormContext &context);
#include "quant-float/Conversion/OpenVinoForms.def"

/// The layers that do what the quantization op does; null, and a reason, where
/// there are none. Of quantize, dequantize and cast.
FailureOr<Value> convertQuantization(Operation *op, ImplicitLocOpBuilder &b,
                                     std::string &problem);

} // namespace mlir::quant_float::openvino_forms

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOOPENVINO_FORMCONTEXT_H
