//===- OpenVinoConvert.h - OpenVINO's Convert -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of `quant_float.cast` with `mode openvino`: OpenVINO's Convert-1 as
// its CPU plugin computes it with the precision hint f32, or as Model.evaluate
// does for pairs of types that the plugin lacks. The specification does not
// define the result for values that the destination type cannot represent.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_OPENVINOCONVERT_H
#define QUANT_FLOAT_IR_OPENVINOCONVERT_H

#include "quant-float/IR/QuantFloatAttributes.h"

namespace mlir::quant_float {

/// How OpenVINO converts elements from one type to another.
enum class OpenVinoConversion {
  /// The conversion is not supported.
  None,
  /// The conversion is equivalent to a sequence of ONNX casts.
  Casts,
  /// The conversion is not equivalent to any sequence of ONNX casts.
  Own
};
OpenVinoConversion getOpenVinoConversion(Type from, Type to);

/// Returns the destination types of the sequence of casts; the last one is
/// `to`. Casts from and to f64 go through f32, casts to float8 go through f16.
SmallVector<Type> getOpenVinoSteps(Type from, Type to);

/// Creates a cast of a scalar, vector or tensor, with the semantics of the
/// newest ONNX opset (F1 for types that ONNX lacks). Casts to float8 do not
/// saturate.
Value createOnnxCast(OpBuilder &builder, Location loc, Value value,
                     Type elementType, RoundModeAttr roundMode = {});

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_OPENVINOCONVERT_H
