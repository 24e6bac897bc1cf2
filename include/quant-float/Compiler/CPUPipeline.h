//===- CPUPipeline.h - Lowering pipeline for CPUs ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_COMPILER_CPUPIPELINE_H
#define QUANT_FLOAT_COMPILER_CPUPIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "quant-float/Compiler/Activations.h"
#include "quant-float/Compiler/Sums.h"

namespace mlir::quant_float {

struct TargetCpu;

/// Options of quant-float-lower-to-cpu in textual form.
struct LowerToCPUOptions : public PassPipelineOptions<LowerToCPUOptions> {
  Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("target CPU; 'host' means that of this machine"),
      llvm::cl::init("host")};
  Option<std::string> triple{
      *this, "triple", llvm::cl::desc("target triple; empty means the host's"),
      llvm::cl::init("")};
  Option<unsigned> threads{
      *this, "threads",
      llvm::cl::desc("number of threads; 1: no threading, 0: OpenMP's default"),
      llvm::cl::init(1)};
  Option<Sums> sums{
      *this, "sums",
      llvm::cl::desc(
          "accumulation order and rounding of matmuls and convolutions"),
      llvm::cl::values(
          clEnumValN(Sums::Stated, "stated",
                     "the order of rule R7, on every CPU"),
          clEnumValN(Sums::Fast, "fast", "the fastest for the CPU")),
      llvm::cl::init(Sums::Stated)};
  Option<Activations> activations{
      *this, "activations",
      llvm::cl::desc("type of the activations in matmuls of few rows with "
                     "low-bit weights"),
      llvm::cl::values(
          clEnumValN(Activations::Float, "float", "keep the type of the model"),
          clEnumValN(Activations::Int16, "int16", "16-bit integers (rule R8)"),
          clEnumValN(Activations::Int8, "int8", "8-bit integers (rule R8)")),
      llvm::cl::init(Activations::Float)};
  Option<bool> islands{
      *this, "islands",
      llvm::cl::desc(
          "compile the subgraphs around quantization ops and drop the rest"),
      llvm::cl::init(false)};
};

/// Gives nodes of the source model their meaning; with `islands` only functions
/// around quantization ops are left of a model, without any node that has none
/// is an error.
void buildConvertNodesPipeline(OpPassManager &manager, bool islands,
                               bool onDevice = false);

/// From tensors to linalg on buffers of the caller: `quant-float-lower-to-cpu`
/// up to and with bufferization. Without a CPU buffers are those of a device,
/// which are not on the host's stack and have no loops around contractions. To
/// explain what becomes of each op, functions that are equal are kept apart.
/// `sums` are a device's.
void buildBufferizePipeline(OpPassManager &manager, bool islands,
                            const TargetCpu *cpu, unsigned threads = 1,
                            Activations activations = Activations::Float,
                            bool explains = false, Sums sums = Sums::Stated);

/// quant-float-lower-to-cpu: the whole way, to the LLVM dialect. To explain
/// conversions each of them is kept apart, too.
void buildLowerToCPUPipeline(OpPassManager &manager, const TargetCpu &cpu,
                             unsigned threads, bool islands = false,
                             Sums sums = Sums::Stated,
                             Activations activations = Activations::Float,
                             bool explains = false);

void registerCPUPipelines();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_CPUPIPELINE_H
