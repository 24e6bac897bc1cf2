//===- Conversions.h - The conversions of all nodes -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_CONVERSIONS_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_CONVERSIONS_H

#include "NodeContext.h"

namespace mlir::quant_float::onnx_nodes {

#define QUANT_FLOAT_NODE(OpType, Since, Fewest, Most, Kinds, Conversion)       \
  NodeResults Conversion(NodeContext &context);
#include "Nodes.def"

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_CONVERSIONS_H
