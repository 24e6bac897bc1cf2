//===- KernelLaunches.h - Create kernel launches ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_KERNELLAUNCHES_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_KERNELLAUNCHES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::quant_float {

/// The number of threads of a warp.
constexpr int64_t kWarpSize = 32;
/// The size of the widest memory access in bytes.
constexpr int64_t kMaxAccessBytes = 16;

/// Moves the views of buffers that the launch uses into it, so that its
/// operands are entire buffers only.
void sinkViews(RewriterBase &rewriter, gpu::LaunchOp launch);

/// Returns the common prefix of the names of the kernels of a function.
std::string getKernelPrefix(StringRef function);

/// Returns a view of workgroup memory with scalar or vector elements.
Value viewWorkgroupMemory(OpBuilder &builder, Location loc, Value memory,
                          ArrayRef<int64_t> shape, Type element);

/// Builds the launches of one function in program order, each with a
/// one-dimensional grid.
class KernelLaunches {
public:
  /// `kind` distinguishes the names of kernels that different passes create.
  KernelLaunches(FunctionOpInterface function, StringRef module,
                 StringRef kind = "kernel")
      : rewriter(function.getContext()), module(module),
        name((getKernelPrefix(function.getName()) + "_" + kind + "_").str()) {}

  /// Creates a launch with `blocks` thread blocks, or one if `blocks` is zero,
  /// and workgroup memory of a dynamic size, and sets the insertion point to
  /// its body. Returns the block index.
  Value beginBlocks(Value blocks, int64_t threads, int64_t dynamicBytes = 0);
  /// Completes the launch that beginBlocks() created.
  void endLaunch() { sinkViews(rewriter, launch); }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return rewriter.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value multiply(Value lhs, Value rhs) {
    return rewriter.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  }
  /// Allocates `bytes` bytes of workgroup memory.
  Value allocateWorkgroupMemory(int64_t bytes);
  /// Converts a linear index to indices of loops with these extents. The
  /// last one varies fastest.
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

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_KERNELLAUNCHES_H
