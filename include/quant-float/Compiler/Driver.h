//===- Driver.h - The compiler as a library ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_COMPILER_DRIVER_H
#define QUANT_FLOAT_COMPILER_DRIVER_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Compiler/Activations.h"
#include "quant-float/Compiler/Sums.h"
#include "quant-float/EntryPoint/Link.h"
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

/// What the stages below make, in the order of the way.
enum class EmitKind {
  MLIR,
  LLVMDialect,
  LLVMIR,
  Assembly,
  Object,
  Shared,
  Header,
  /// With Target::NVVM, as are LLVMIR and Assembly then: the device code of all
  /// kernels.
  Ptx,
  Cubin,
  /// As text a line for each conversion: where it is, the instruction that does
  /// it or that it becomes arith ops, and what better instructions need.
  Plan
};

/// What entry points run on.
enum class Target { CPU, NVVM };

/// No machine has more; OpenMP's runtimes end the program for want of memory.
constexpr unsigned kMostThreads = 4096;

struct CompileOptions {
  Target target = Target::CPU;
  /// With Target::NVVM: the NVIDIA chip to compile kernels for, "sm_90", and
  /// the version of PTX, "+ptx80"; without one, the least that has all of the
  /// chip's instructions.
  std::string chip;
  std::string features;
  /// Of the host's code. Empty: this machine's.
  std::string triple;
  /// A name LLVM knows; "host" is this machine's with all its features. Of
  /// several, "x86-64-v3,x86-64-v4", the code takes the best that the machine
  /// it runs on is.
  std::string cpu = "host";
  /// 0 to 3: what kernels gain from is level 1 and 2, the whole of LLVM's
  /// pipeline 3.
  unsigned optimizationLevel = 2;
  /// 1: no threads; 0: as many as OpenMP gives; else so many, at most
  /// kMostThreads.
  unsigned threads = 1;
  /// Of code for CPUs.
  Sums sums = Sums::Stated;
  Activations activations = Activations::Float;
  /// Whether the code stays in this process and is for its CPU: JitModule gives
  /// it the process's own entry runtime, which saves most of the time.
  bool inProcess = false;
  /// Compile what surrounds quantization ops, each group an entry point of its
  /// own, where nodes have no lowering.
  bool islands = false;
  /// Is given the passes that lower to a CPU before they run, to add
  /// instrumentation.
  std::function<void(PassManager &)> instrument;
  /// Is told how long each stage takes, if there is one.
  TimingScope *timing = nullptr;
};

/// Of passes that compile models. Each is checked by those who write it, the
/// model by its reader, and what comes out once more when it is translated:
/// without assertions nothing is verified between them. A pass that fails
/// without an error is named by one.
void prepareToCompile(PassManager &manager);

/// Lowers, translates, links the entry runtime and optimizes: the host's code,
/// which for kernels on a GPU needs the functions of QuantFloatCudaRuntime.
FailureOr<CpuLevel> compileToLLVM(ModuleOp module,
                                  const CompileOptions &options,
                                  llvm::LLVMContext &llvmContext);

/// The suffix of the file that goes beside an output of this kind: the C header
/// of an object or library; empty if there is none.
StringRef getSuffixBeside(EmitKind kind);

/// What a stream has been given so far, if it can be read: the bytes of large
/// constants are then written into objects at last, and need not be in memory
/// several times. Null after an error of the stream.
using ReadBack = llvm::function_ref<std::unique_ptr<llvm::MemoryBuffer>()>;

/// Compiles and writes one kind of output; `baseName` is that of the output
/// file, for the header's include guard. `beside` gets the text of the file
/// that goes beside it, if there is one. `Shared` gives the object for
/// linkShared, which holds the library's description besides.
LogicalResult compileTo(ModuleOp module, EmitKind kind,
                        const CompileOptions &options, StringRef baseName,
                        llvm::raw_pwrite_stream &os,
                        std::string *beside = nullptr,
                        ReadBack readBack = nullptr);

/// Links an object that `writeObject` writes, unless that fails, into a shared
/// library. The linker is lld, or the one that the environment variable LLD
/// names.
llvm::Error linkShared(llvm::function_ref<bool(OutputFile &)> writeObject,
                       OutputFile &output, const CompileOptions &options);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_DRIVER_H
