//===- Rewordings.h - Other words for the same ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_REWORDINGS_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_REWORDINGS_H

#include "TravellingNode.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::quant_float::onnx_import {

/// How a node says across a version what it means; false if it cannot.
struct Rewording {
  const char *opType;
  int version;
  bool (*reword)(TravellingNode &node, bool isNewer);
};
llvm::ArrayRef<Rewording> getRewordings();

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_REWORDINGS_H
