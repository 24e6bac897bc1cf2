//===- LoopShapes.h - Shapes of loop results --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_LOOPSHAPES_H
#define QUANT_FLOAT_IR_LOOPSHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::quant_float {

/// Returns the init tensor of an scf.for that has the same shape as `result`,
/// because every iteration only writes into its iteration argument. Null if
/// this cannot be shown.
Value findLoopShapeSource(Value result);

/// Populates patterns that replace sizes of such results by those of the init
/// tensors.
void populateLoopShapePatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_LOOPSHAPES_H
