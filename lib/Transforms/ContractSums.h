//===- ContractSums.h - Products rounded with their sums ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_CONTRACTSUMS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_CONTRACTSUMS_H

#include "mlir/IR/Operation.h"

namespace mlir::quant_float {

/// Lets products in `root` be rounded together with the sums they are added to,
/// outside of elementwise ops.
void contractSums(Operation *root);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_CONTRACTSUMS_H
