//===- OpenVinoConvert.h - What OpenVINO converts to what -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of `quant_float.cast` in the mode openvino: OpenVINO's Convert-1 as
// its CPU plugin computes it with the precision hint f32, or Model.evaluate
// where the plugin lacks a pair. Its specification leaves open what a value
// becomes that the destination does not hold.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_OPENVINOCONVERT_H
#define QUANT_FLOAT_IR_OPENVINOCONVERT_H

#include "mlir/IR/Builders.h"

namespace mlir::quant_float {

/// How OpenVINO converts elements of one type to another.
enum class OpenVinoConversion {
  /// Not at all.
  None,
  /// As ONNX's casts do, one after the other.
  Casts,
  /// As no cast of ONNX does.
  Own
};
OpenVinoConversion getOpenVinoConversion(Type from, Type to);

/// The types that one cast after the other goes to, the last one `to`: f64 goes
/// through f32, everything to float8 through f16.
SmallVector<Type> getOpenVinoSteps(Type from, Type to);

/// One of these casts, of a scalar, vector or tensor. To float8 it does not
/// saturate.
Value createOnnxCast(OpBuilder &builder, Location loc, Value value,
                     Type elementType);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_OPENVINOCONVERT_H
