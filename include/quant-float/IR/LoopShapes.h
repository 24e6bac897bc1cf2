//===- LoopShapes.h - Shapes that loops keep --------------------*- C++ -*-===//
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

/// The tensor outside of an scf.for that a result of it has the shape of, since
/// every iteration only writes into what it gets; null otherwise.
Value findLoopShapeSource(Value result);

/// Makes sizes of such results those of the tensors outside.
void populateLoopShapePatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_LOOPSHAPES_H
