//===- Link.h - Link entry points -------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ENTRYPOINT_LINK_H
#define QUANT_FLOAT_ENTRYPOINT_LINK_H

#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <string>

namespace mlir::quant_float {

struct LinkEntryRuntimeOptions {
  /// The code runs in this process: it calls the functions of
  /// `getProcessEntryRuntime`, which do not check the CPU. Linking fails if the
  /// host lacks features that the code requires.
  bool inProcess = false;
  /// The module becomes assembly or an object. For ELF, the runtime is then
  /// added as assembly, because optimizing and compiling it would take more
  /// time than most models do.
  bool asAssembly = false;
};

/// The entry points and kernels for one CPU, and the target machine that
/// compiles them.
struct CpuLevel {
  TargetCpu cpu;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

/// Links the kernels of all levels into the module of the first level, whose
/// entry points then call the kernels of the first level that the machine can
/// run. All modules are of the same model and LLVMContext, in the order of
/// TargetCpu::getLevels. Consumes the modules of the other levels.
llvm::Error linkCpuLevels(llvm::MutableArrayRef<CpuLevel> levels);

/// Links the entry runtime into the module of the first level, whose entry
/// points come from `quant-float-emit-c-wrappers`. Runs after `linkCpuLevels`
/// and before optimization. All linked functions become internal.
///
/// The runtime, the entry points and the functions that compute sizes are
/// compiled for the baseline of the architecture, so that they can report that
/// a CPU lacks features that the kernels need.
///
/// Returns an error if the architecture has no entry runtime.
llvm::Error linkEntryRuntime(llvm::ArrayRef<CpuLevel> levels,
                             const LinkEntryRuntimeOptions &options = {});

/// The description of a shared library that `qf_get_library` returns.
struct LibraryDescription {
  /// The target, "cpu" or "nvvm", and the chip if it is "nvvm".
  llvm::StringRef target;
  llvm::StringRef chip;
  /// LLVM's names of the CPUs that the library is compiled for.
  llvm::StringRef cpu;
  llvm::ArrayRef<EntryPointInfo> entryPoints;
};

/// Adds `qf_get_library` of quant-float-c/EntryPoint.h to a module that becomes
/// a shared library. Runs after `linkEntryRuntime`.
void addLibraryDescription(llvm::Module &module,
                           const llvm::TargetMachine &target,
                           const LibraryDescription &library);

/// A function of the entry runtime that is compiled into this process.
struct EntryRuntimeFunction {
  llvm::StringLiteral name;
  void *address;
};
llvm::ArrayRef<EntryRuntimeFunction> getProcessEntryRuntime();

/// Returns a self-contained C header that declares the entry points. `baseName`
/// is the base name of the compiled file, for the include guard.
std::string emitCHeader(llvm::ArrayRef<EntryPointInfo> entryPoints,
                        llvm::StringRef baseName);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ENTRYPOINT_LINK_H
