//===- StablehloBuilder.h - Creation of StableHLO ops -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXTOSTABLEHLO_STABLEHLOBUILDER_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXTOSTABLEHLO_STABLEHLOBUILDER_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <string>

namespace mlir::quant_float::onnx_forms {

/// Creates ops of StableHLO, which is not registered, on tensors of static
/// shape.
class StablehloBuilder {
public:
  explicit StablehloBuilder(ImplicitLocOpBuilder &b) : b(b) {}

  ImplicitLocOpBuilder &b;

  Operation *create(StringRef name, TypeRange types, ValueRange operands,
                    ArrayRef<NamedAttribute> attributes = {},
                    unsigned regions = 0);
  /// Parses an attribute of StableHLO, such as `#stablehlo.dot<...>`.
  NamedAttribute attribute(StringRef name, const Twine &text);
  NamedAttribute ints(StringRef name, ArrayRef<int64_t> values) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
  }

  static RankedTensorType typeOf(Value value) {
    return llvm::cast<RankedTensorType>(value.getType());
  }
  static Type elementOf(Value value) { return typeOf(value).getElementType(); }

  /// Creates an elementwise op. Operands are broadcast to a common shape; null
  /// if they have none. The result has the element type of the last operand, or
  /// `elementType`.
  Value elementwise(StringRef name, ArrayRef<Value> operands,
                    Type elementType = {});
  /// Compares numbers, or floats in the total order.
  Value compare(StringRef direction, Value lhs, Value rhs,
                bool isTotal = false);
  Value select(Value condition, Value yes, Value no) {
    return elementwise("select", {condition, yes, no});
  }
  /// Converts elements as StableHLO's convert; see convert-stablehlo-to-onnx.
  Value convert(Value value, Type elementType);
  Value bitcast(Value value, Type elementType);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  /// Broadcasts as NumPy does; the shapes must be compatible.
  Value broadcastTo(Value value, ArrayRef<int64_t> shape);
  /// Divides. Compilers would multiply by the reciprocal of a divisor that is
  /// broadcast, unless a barrier hides that it is.
  Value divide(Value dividend, Value divisor);

  Value constant(ElementsAttr value);
  /// Constants of rank 0.
  Value number(Type elementType, const APFloat &value);
  Value integer(Type elementType, int64_t value);
};

} // namespace mlir::quant_float::onnx_forms

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXTOSTABLEHLO_STABLEHLOBUILDER_H
