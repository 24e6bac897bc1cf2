//===- Driver.h - The compiler as a library ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_DRIVER_DRIVER_H
#define QUANT_FLOAT_DRIVER_DRIVER_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/EntryPoint/Link.h"
#include "quant-float/Pipelines/Accumulation.h"
#include "quant-float/Pipelines/Activations.h"
#include "quant-float/Support/OutputFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir {
class PassManager;
class TimingScope;
} // namespace mlir

namespace mlir::quant_float {

/// The kinds of output, in the order of the compilation stages.
enum class EmitKind {
  MLIR,
  LLVMDialect,
  LLVMIR,
  Assembly,
  Object,
  Shared,
  Header,
  /// The device code of all kernels. Requires Target::NVVM, for which LLVMIR
  /// and Assembly also refer to the device code.
  Ptx,
  Cubin,
  /// A report with one line per conversion: the location, the instruction that
  /// implements it or that it is expanded to arith operations, and the features
  /// that better instructions require.
  Plan
};

/// The device that entry points run on.
enum class Target { CPU, NVVM };

/// The maximum number of threads. OpenMP runtimes abort for lack of memory if
/// the number is excessive.
constexpr unsigned kMaxThreads = 4096;

struct CompileOptions {
  Target target = Target::CPU;
  /// For Target::NVVM: the NVIDIA chip, such as "sm_90", and the PTX version,
  /// such as "+ptx80". By default the lowest version that has all instructions
  /// of the chip.
  std::string chip;
  std::string features;
  /// The target triple of host code. Empty selects this machine's.
  std::string triple;
  /// A CPU name that LLVM supports, or "host" for this machine with all its
  /// features. For a list such as "x86-64-v3,x86-64-v4", the code selects the
  /// best supported CPU at run time.
  std::string cpu = "host";
  /// The optimization level, 0 to 3. Levels 1 and 2 run the LLVM passes that
  /// kernels benefit from, level 3 runs LLVM's complete pipeline.
  unsigned optimizationLevel = 2;
  /// The number of threads, at most kMaxThreads. 1 disables threads, and 0
  /// leaves the number to OpenMP.
  unsigned threads = 1;
  /// The accumulation order of reductions. `Reassociate` has no effect on CPUs.
  Accumulation accumulation = Accumulation::Ordered;
  /// The type of the activations in matmuls with low-bit weights, on CPUs.
  Activations activations = Activations::Float;
  /// Whether the code runs in this process on its CPU. JitModule then provides
  /// the entry runtime of the process, which saves most of the compile time.
  bool inProcess = false;
  /// Whether to partition models that have nodes without a lowering. The
  /// subgraphs around quantization operations become separate entry points.
  bool partition = false;
  /// The folder to which the module is written after each stage of code
  /// generation, as `1-normalize-import.mlir` and so on; none if empty.
  /// Constants of more than 16 elements are elided.
  std::string dumpFolder;
  /// Called with the pass manager of the CPU pipeline before it runs, to add
  /// instrumentation.
  std::function<void(PassManager &)> instrument;
  /// Receives the time of each stage. May be null.
  TimingScope *timing = nullptr;
};

/// Configures a pass manager that compiles models. Without assertions, the IR
/// is not verified between passes: the reader verified the model, and the
/// translation to LLVM IR verifies the result. If a pass fails without an
/// error, emits one that names the pass.
void prepareToCompile(PassManager &manager);

/// The names of symbols and the bytes that they refer to.
using ExternalConstants =
    std::vector<std::pair<std::string, llvm::ArrayRef<char>>>;

/// Lowers, translates to LLVM IR, links the entry runtime, and optimizes. For
/// GPUs this is the host code, which requires the functions of
/// QuantFloatCudaRuntime. Leaves only the declarations of the module's
/// functions. With `constants`, code for this process declares large constants
/// as external symbols, whose bytes stay in the context of the module. LLVM
/// would copy them several times.
FailureOr<CpuLevel> compileToLLVM(ModuleOp module,
                                  const CompileOptions &options,
                                  llvm::LLVMContext &llvmContext,
                                  ExternalConstants *constants = nullptr);

/// Returns the extension of the sidecar file for this kind of output: the C
/// header of an object or library. Empty if there is none.
StringRef getSidecarSuffix(EmitKind kind);

/// Reads back the bytes that a stream has received. If a stream supports this,
/// large constants are written into the object last, which avoids several
/// copies in memory. Returns null after an error of the stream.
using ReadBack = llvm::function_ref<std::unique_ptr<llvm::MemoryBuffer>()>;

/// Compiles and writes one kind of output. `baseName` is the name of the output
/// file, for the header's include guard. `sidecar` receives the contents of the
/// sidecar file, if there is one. For `Shared`, writes the object for
/// linkShared, which includes the description of the library.
LogicalResult compileTo(ModuleOp module, EmitKind kind,
                        const CompileOptions &options, StringRef baseName,
                        llvm::raw_pwrite_stream &os,
                        std::string *sidecar = nullptr,
                        ReadBack readBack = nullptr);

/// Links the object that `writeObject` writes to a shared library with lld, or
/// the linker in the environment variable LLD. Fails if `writeObject` returns
/// false.
llvm::Error linkShared(llvm::function_ref<bool(OutputFile &)> writeObject,
                       OutputFile &output, const CompileOptions &options);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_DRIVER_DRIVER_H
