//===- QdqPair.h - A quantize and the dequantize after it -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_QDQPAIR_H
#define QUANT_FLOAT_LIB_TRANSFORMS_QDQPAIR_H

#include "quant-float/IR/QuantFloatOps.h"

namespace mlir::quant_float {

/// Returns the quantize that forms a qdq with `op`: it has the same opset and
/// parameters, and an input of the type of the result of `op`. Null if there is
/// none, or if the quantized value has other uses, because then it must be
/// computed anyway.
QuantizeOp findQuantizeOfPair(DequantizeOp op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_QDQPAIR_H
