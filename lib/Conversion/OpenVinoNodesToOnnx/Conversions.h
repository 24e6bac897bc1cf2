//===- Conversions.h - The conversions of all layers ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_CONVERSIONS_H
#define QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_CONVERSIONS_H

#include "LayerContext.h"

namespace mlir::quant_float::openvino_layers {

#define QUANT_FLOAT_LAYER(LayerType, Since, Fewest, Most, Conversion)          \
  FailureOr<Value> Conversion(LayerContext &context);
#include "Layers.def"

} // namespace mlir::quant_float::openvino_layers

#endif // QUANT_FLOAT_LIB_CONVERSION_OPENVINONODESTOONNX_CONVERSIONS_H
