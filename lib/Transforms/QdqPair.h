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

/// The quantize that makes a qdq with `op`: of the same opset, with the same
/// parameters, and a result of the input's type. A quantized value with other
/// uses is needed anyway: null for such a pair.
QuantizeOp findQuantizeOfPair(DequantizeOp op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_QDQPAIR_H
