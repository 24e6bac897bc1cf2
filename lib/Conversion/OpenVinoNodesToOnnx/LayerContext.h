//===- LayerContext.h - An OpenVINO layer on its way to ONNX ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_LAYERCONTEXT_H
#define QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_LAYERCONTEXT_H

#include "quant-float/Conversion/NodeRewriter.h"

namespace mlir::quant_float::openvino_layers {

/// The ops that layers become mean the same from here on.
constexpr int64_t kOnnxOpset = 21;

class LayerContext;

/// What takes the place of the layer's results.
using LayerResults = NodeResults;

/// Builds the nodes and ops that do what the layer does, or says why it cannot
/// (see NodeRewriter::unsupported).
using LayerConversion = LayerResults (*)(LayerContext &);

/// A layer whose inputs are tensors of known element types, of which there are
/// as many as the table says.
class LayerContext : public NodeRewriter {
public:
  LayerContext(NodeOp node, ImplicitLocOpBuilder &b);

  /// What the row says that the layer becomes, where it becomes one node.
  StringRef onnxType;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  int64_t opset() const { return NodeOp(node).getOpset(); }
  /// The integers that an attribute names.
  FailureOr<Type> getIntegerType(StringRef attribute, Type byDefault);
  /// ONNX has shapes and indices of 64 bits.
  FailureOr<Value> getAsInt64(size_t index);

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
};

// The conversions of all rows.
#define QUANT_FLOAT_LAYER(LayerType, Since, Fewest, Most, Elements,            \
                          Attributes, Conversion)                              \
  LayerResults Conversion(LayerContext &context);
#include "quant-float/Conversion/OpenVinoLayers.def"

} // namespace mlir::quant_float::openvino_layers

#endif // QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_LAYERCONTEXT_H
