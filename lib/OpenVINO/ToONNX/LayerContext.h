//===- LayerContext.h - Conversion of an OpenVINO layer ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_TOONNX_LAYERCONTEXT_H
#define QUANT_FLOAT_LIB_OPENVINO_TOONNX_LAYERCONTEXT_H

#include "quant-float/Conversion/NodeToQuantFloat/NodeRewriter.h"

namespace mlir::quant_float::openvino_layers {

/// The opset of the nodes. The ops that replace layers have the same meaning in
/// later opsets.
constexpr int64_t kOnnxOpset = 21;

class LayerContext;

/// The values that replace the layer's results.
using LayerResults = NodeResults;

/// Creates the nodes and ops that replace a layer. On failure, records the
/// reason (see NodeRewriter::unsupported).
using LayerConversion = LayerResults (*)(LayerContext &);

/// A layer whose inputs are tensors of known element types, and whose number of
/// inputs the table permits.
class LayerContext : public NodeRewriter {
public:
  LayerContext(NodeOp node, ImplicitLocOpBuilder &b);

  /// The operator in the layer's row of the table, if one node replaces the
  /// layer.
  StringRef onnxType;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  int64_t opset() const { return NodeOp(node).getOpset(); }
  /// Returns the integer type in an attribute, or `byDefault` if it is missing.
  /// Fails for other types.
  FailureOr<Type> getIntegerType(StringRef attribute, Type byDefault);
  /// Returns an input as i64, the type of shapes and indices in ONNX. Fails
  /// unless the elements are integers.
  FailureOr<Value> getAsInt64(size_t index);

  //===--------------------------------------------------------------------===//
  // Construction of nodes
  //===--------------------------------------------------------------------===//

  /// Returns the size of an input along an axis, as a tensor of one element.
  Value getSize(size_t index, int64_t axis);
  /// Converts f16 and bf16 to f32, for layers that OpenVINO computes in f32.
  Value widen(Value value);

  NamedAttribute floatAttr(StringRef name, double value) {
    return b.getNamedAttr(name, b.getF32FloatAttr(value));
  }
};

// Declares the conversions of all rows.
#define QUANT_FLOAT_LAYER(LayerType, Since, MinInputs, MaxInputs, Elements,    \
                          Attributes, Conversion)                              \
  LayerResults Conversion(LayerContext &context);
#include "quant-float/OpenVINO/Common/OpenVinoLayers.def"

} // namespace mlir::quant_float::openvino_layers

#endif // QUANT_FLOAT_LIB_OPENVINO_TOONNX_LAYERCONTEXT_H
