//===- LinalgUtils.h - Classification of linalg ops -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_LINALGUTILS_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_LINALGUTILS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::quant_float {

/// Whether the op has loops and all of them are parallel.
inline bool isElementwise(linalg::GenericOp op) {
  return op.getNumLoops() > 0 && op.getNumParallelLoops() == op.getNumLoops();
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_LINALGUTILS_H
