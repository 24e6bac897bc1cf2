//===- UnpackWeights.h - Matmuls with packed weights ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TRANSFORMS_UNPACKWEIGHTS_H
#define QUANT_FLOAT_TRANSFORMS_UNPACKWEIGHTS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::quant_float {

/// Rewrites MatMulBlockQuantizedFp4Weight and MatMulBlockQuantizedFp8Weight
/// with constant weights as `quant-float-unpack-weights` does, to ops of the
/// newest opset. Others stay.
void unpackFloatWeights(ModuleOp module);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TRANSFORMS_UNPACKWEIGHTS_H
