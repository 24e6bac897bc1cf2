//===- NVVMPipeline.h - Lowering pipeline for GPUs --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_COMPILER_NVVMPIPELINE_H
#define QUANT_FLOAT_COMPILER_NVVMPIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "quant-float/Compiler/Sums.h"

namespace mlir::quant_float {

/// The symbol of the module of a program's kernels.
constexpr llvm::StringLiteral kKernelModuleName = "quant_float_kernels";

/// What kernels become.
enum class KernelFormat { ISA, Bin, FatBin, LLVM };

/// Options of quant-float-lower-to-nvvm in textual form.
struct LowerToNVVMOptions : public PassPipelineOptions<LowerToNVVMOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("NVIDIA chip, such as sm_90"),
                           llvm::cl::init("")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("PTX version, such as +ptx80; empty means the lowest that "
                     "supports all of the chip's instructions"),
      llvm::cl::init("")};
  Option<KernelFormat> format{
      *this, "format", llvm::cl::desc("output format of the kernels"),
      llvm::cl::init(KernelFormat::ISA),
      llvm::cl::values(
          clEnumValN(KernelFormat::ISA, "isa", "PTX"),
          clEnumValN(KernelFormat::Bin, "bin", "a cubin, by ptxas"),
          clEnumValN(KernelFormat::FatBin, "fatbin",
                     "both, by ptxas and fatbinary"),
          clEnumValN(KernelFormat::LLVM, "llvm", "bitcode"))};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("directory of the CUDA toolkit; if empty, it is found "
                     "through CUDA_ROOT, CUDA_HOME, CUDA_PATH and PATH"),
      llvm::cl::init("")};
  Option<bool> islands{
      *this, "islands",
      llvm::cl::desc(
          "compile the subgraphs around quantization ops and drop the rest"),
      llvm::cl::init(false)};
  Option<Sums> sums{
      *this, "sums",
      llvm::cl::desc(
          "accumulation order and rounding of matmuls and convolutions"),
      llvm::cl::values(
          clEnumValN(Sums::Stated, "stated",
                     "in the order of the reduction dimension"),
          clEnumValN(Sums::Fast, "fast", "the fastest for the chip")),
      llvm::cl::init(Sums::Stated)};
};

/// From tensors to a `gpu.module` of kernels on memrefs, and functions of the
/// host that launch them: the first half of quant-float-lower-to-nvvm.
void buildOutlineKernelsPipeline(OpPassManager &manager,
                                 const LowerToNVVMOptions &options,
                                 bool explains = false);

/// From there to LLVM: the kernels to a `gpu.binary`, what launches them to the
/// LLVM dialect with C entry points.
void buildLowerKernelsPipeline(OpPassManager &manager,
                               const LowerToNVVMOptions &options);

/// quant-float-lower-to-nvvm.
void registerNVVMPipelines();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_NVVMPIPELINE_H
