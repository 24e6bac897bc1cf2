//===- GpuLaunches.h - Launches of kernels ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_GPULAUNCHES_H
#define QUANT_FLOAT_LIB_TRANSFORMS_GPULAUNCHES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::quant_float {

/// Ends what a launch does: it gets whole buffers alone from outside, and makes
/// views of them by itself.
void sinkViews(RewriterBase &rewriter, gpu::LaunchOp launch);

/// What kernels of a function are named after.
std::string getKernelPrefix(StringRef function);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_GPULAUNCHES_H
