//===- Interpolation.h - Resizing along axes --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_INTERPOLATION_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_INTERPOLATION_H

#include "NodeContext.h"

namespace mlir::quant_float::onnx_nodes {

/// The attribute coordinate_transformation_mode.
enum class Coordinates {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNn,
  TfCropAndResize
};
/// The attribute nearest_mode; Simple is what Resize 10 does: toward zero, or
/// up where the result is smaller.
enum class Nearest { RoundPreferFloor, RoundPreferCeil, Floor, Ceil, Simple };
enum class ResizeMode { Nearest, Linear, Cubic };

/// What a node asks for on every axis.
struct ResizeOptions {
  ResizeMode mode = ResizeMode::Nearest;
  Coordinates coordinates = Coordinates::HalfPixel;
  Nearest nearest = Nearest::RoundPreferFloor;
  float cubicCoefficient = -0.75f;
  bool excludeOutside = false, antialias = false;
  float extrapolation = 0;
};

/// An axis that is resized. Values are f32.
struct ResizeAxis {
  int64_t axis;
  OpFoldResult input, output;
  Value scale;
  /// The length of the result that coordinates count with, which may have a
  /// fraction.
  Value length;
  /// Of TfCropAndResize.
  Value roiStart, roiEnd;
};

/// `tensor` resized along the axes.
Value buildResize(NodeContext &context, Value tensor, ArrayRef<ResizeAxis> axes,
                  const ResizeOptions &options);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_INTERPOLATION_H
