//===- Stages.h - The stages of code generation -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generation runs in stages. Each stage has a function that adds its
// passes to a pass manager, and a pipeline of the same name in quant-float-opt.
// docs/pipeline.md shows one layer after each stage.
//
// clang-format off
//   stage                 | input                  | output
//   ----------------------+------------------------+-------------------------
//   normalize-import      | imported model         | ONNX nodes, quant_float
//   rewrite-quantization  | ONNX nodes, ...        | the same, rewritten
//   lower-nodes-to-linalg | ONNX nodes, ...        | kernels: linalg on tensors
//   optimize-tensors      | linalg on tensors      | linalg on tensors
//   bufferize             | linalg on tensors      | linalg on memrefs
//   generate-cpu-code     | linalg on memrefs      | LLVM dialect
//   generate-gpu-code     | linalg on memrefs      | LLVM dialect, gpu.binary
//   emit-abi              | LLVM dialect           | LLVM dialect, C functions
// clang-format on
//
// The file of a stage documents its invariant, on which the next one relies.
// VerifyStage.cpp checks the ops and types that each stage allows.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_PIPELINES_STAGES_H
#define QUANT_FLOAT_PIPELINES_STAGES_H

#include "mlir/Pass/PassManager.h"
#include "quant-float/Pipelines/Accumulation.h"
#include "quant-float/Pipelines/Activations.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include <functional>

namespace mlir::quant_float {

/// The name of the gpu.module that holds all kernels.
constexpr llvm::StringLiteral kKernelModuleName = "quant_float_kernels";

enum class Stage {
  NormalizeImport,
  RewriteQuantization,
  LowerNodesToLinalg,
  OptimizeTensors,
  Bufferize,
  GenerateCPUCode,
  GenerateGPUCode,
  EmitABI
};

/// The output format of GPU kernels; the values follow the names of upstream's
/// gpu-module-to-binary in Stages.cpp.
enum class KernelFormat { ISA, Bin, FatBin, LLVM };

struct StageOptions {
  /// Whether the code runs on an NVIDIA GPU. If not, it runs on `cpu`.
  bool onGPU = false;
  TargetCpu cpu;
  /// The number of threads on a CPU. 1: no threading, 0: OpenMP's default.
  unsigned threads = 1;
  /// The NVIDIA chip, such as "sm_90", and the PTX version, such as "+ptx80".
  /// Without a version, it is the lowest that has all instructions of the chip.
  std::string chip;
  std::string ptx;
  KernelFormat format = KernelFormat::ISA;
  /// The directory of the CUDA toolkit. If empty, it is found through the
  /// environment.
  std::string toolkit;
  Accumulation accumulation = Accumulation::Ordered;
  /// The type of the activations in matmuls with low-bit weights, on CPUs.
  Activations activations = Activations::Float;
  /// Whether to compile only the subgraphs around quantization ops.
  bool partition = false;
  /// Emit a remark for each conversion. Remarks name the source op of a
  /// conversion, so no code is shared between ops.
  bool explains = false;
  /// Add quant-float-verify-stage after each stage.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
  /// Called with the module after each stage, if set. Failure ends the
  /// pipeline.
  std::function<LogicalResult(Stage, Operation *)> onStage;
};

/// The name of the stage in diagnostics and pipelines, "normalize-import".
StringRef getStageName(Stage stage);
/// The stage of this name, if there is one.
std::optional<Stage> findStage(StringRef name);
/// Returns the stages of the target in `options`, in order.
SmallVector<Stage> getStages(const StageOptions &options);

/// Converts ops of other compilers to ONNX nodes, quant_float ops and linalg.
void buildImportOps(OpPassManager &manager);
/// Does the same, converts upstream casts of narrow floats to quant_float ops
/// and OpenVINO layers to ONNX nodes, and inlines all calls.
void buildNormalizeImport(OpPassManager &manager, const StageOptions &options);
/// Eliminates dequantize-quantize pairs, moves quantize and dequantize ops, and
/// converts QDQ matmuls and convolutions to integer arithmetic. Results keep
/// their bits, except that these matmuls and convolutions follow rule R7, with
/// the same bits on every target.
void buildRewriteQuantization(OpPassManager &manager,
                              const StageOptions &options);
/// Converts ONNX nodes and tensor ops of quant_float to linalg, and functions
/// to kernels.
void buildLowerNodesToLinalg(OpPassManager &manager,
                             const StageOptions &options);
/// Fuses, tiles and packs linalg ops on tensors.
void buildOptimizeTensors(OpPassManager &manager, const StageOptions &options);
/// Converts tensors to memrefs and inserts allocations.
void buildBufferize(OpPassManager &manager, const StageOptions &options);
/// Vectorizes, expands conversions to instructions of the CPU, and converts to
/// the LLVM dialect.
void buildGenerateCPUCode(OpPassManager &manager, const StageOptions &options);
/// Maps linalg ops to GPU kernels, and compiles them to PTX or a cubin.
void buildGenerateGPUCode(OpPassManager &manager, const StageOptions &options);
/// Emits the C functions that check arguments and call kernels.
void buildEmitABI(OpPassManager &manager, const StageOptions &options);

/// Adds one stage, its verifier and the callback of `options`.
void buildStage(OpPassManager &manager, Stage stage,
                const StageOptions &options);
/// Adds all stages.
void buildStages(OpPassManager &manager, const StageOptions &options);

/// Converts ONNX nodes to linalg where there is a lowering, and outlines the
/// subgraphs around quantization ops that can be compiled.
void buildPartition(OpPassManager &manager, const StageOptions &options);

/// Converts ONNX nodes and quant_float ops to upstream dialects on tensors, and
/// strips the attributes of quant_float, so that tools of other LLVM versions
/// continue from the generic textual form.
void buildLowerToUpstream(OpPassManager &manager, const StageOptions &options);

/// Registers each stage as quant-float-<name>, the pipelines
/// quant-float-lower-to-cpu and quant-float-lower-to-nvvm, which run all of
/// them, and quant-float-lower-to-upstream.
void registerPipelines();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_PIPELINES_STAGES_H
