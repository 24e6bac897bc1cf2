//===- KernelLaunches.h - Launches of kernels in a function -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_KERNELLAUNCHES_H
#define QUANT_FLOAT_LIB_TRANSFORMS_KERNELLAUNCHES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::quant_float {

/// Ends what a launch does: it gets whole buffers alone from outside, and makes
/// views of them by itself.
void sinkViews(RewriterBase &rewriter, gpu::LaunchOp launch);

/// What kernels of a function are named after.
std::string getKernelPrefix(StringRef function);

/// Makes the launches of one function, one after the other, each on a grid of
/// one dimension.
class KernelLaunches {
public:
  KernelLaunches(FunctionOpInterface function, StringRef module)
      : rewriter(function.getContext()), module(module),
        name(getKernelPrefix(function.getName())) {}

  /// A launch of so many blocks, one at least; what is built next is what each
  /// thread does. Returns the block's number.
  Value beginBlocks(Value blocks, int64_t threads);
  /// Ends it: what was built gets whole buffers alone from outside.
  void endLaunch() { sinkViews(rewriter, launch); }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  Value add(Value left, Value right) {
    return rewriter.createOrFold<arith::AddIOp>(loc, left, right);
  }
  Value multiply(Value left, Value right) {
    return rewriter.createOrFold<arith::MulIOp>(loc, left, right);
  }
  /// The indices of loops of these extents at `number`, the last fastest.
  SmallVector<Value> delinearize(Value number, ArrayRef<Value> extents);

  IRRewriter rewriter;
  Location loc = UnknownLoc::get(rewriter.getContext());
  gpu::LaunchOp launch;

private:
  StringRef module;
  std::string name;
  unsigned numLaunches = 0;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_KERNELLAUNCHES_H
