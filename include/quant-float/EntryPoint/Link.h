//===- Link.h - Linking of entry points -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ENTRYPOINT_LINK_H
#define QUANT_FLOAT_ENTRYPOINT_LINK_H

#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/Support/TargetCpu.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <string>

namespace mlir::quant_float {

struct LinkEntryRuntimeOptions {
  /// The code stays in this process: it is left to call the runtime of
  /// getProcessEntryRuntime, which does not look at the CPU. Code for another
  /// CPU than this machine's is an error.
  bool inProcess = false;
  /// The module becomes assembly or an object. For ELF the runtime then is in
  /// it as assembly: optimizing and compiling it anew would take more time than
  /// most models do.
  bool asAssembly = false;
};

/// Entry points and kernels for one CPU, and what makes code for it.
struct CpuLevel {
  TargetCpu cpu;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

/// Puts the kernels of all levels, in the order of TargetCpu::getLevels and all
/// of one model and LLVMContext, beside those of the first, whose entry points
/// then take the first level that the machine can run. The other levels are
/// left without modules.
llvm::Error linkCpuLevels(llvm::MutableArrayRef<CpuLevel> levels);

/// Links the entry runtime into the module of the first level, whose entry
/// points come from quant-float-emit-c-wrappers, after linkCpuLevels and before
/// optimization. Everything that is linked becomes internal.
///
/// The runtime, the entry points themselves and what computes sizes stay at the
/// architecture's baseline, so that they can report a CPU that lacks what the
/// kernels need.
///
/// Fails for architectures that have no entry runtime.
llvm::Error linkEntryRuntime(llvm::ArrayRef<CpuLevel> levels,
                             const LinkEntryRuntimeOptions &options = {});

/// What a shared library says of itself beside its entry points.
struct LibraryDescription {
  /// "cpu" or "nvvm", and of that the chip.
  llvm::StringRef target;
  llvm::StringRef chip;
  /// LLVM's names of the CPUs it is for.
  llvm::StringRef cpu;
  llvm::ArrayRef<EntryPointInfo> entryPoints;
};

/// Adds `qf_get_library` of quant-float-c/EntryPoint.h to a module that is
/// going to be a shared library, after linkEntryRuntime.
void addLibraryDescription(llvm::Module &module,
                           const llvm::TargetMachine &target,
                           const LibraryDescription &library);

/// A function of the entry runtime that this process has for itself.
struct EntryRuntimeFunction {
  llvm::StringLiteral name;
  void *address;
};
llvm::ArrayRef<EntryRuntimeFunction> getProcessEntryRuntime();

/// A self-contained C header that declares the entry points. `baseName` is that
/// of the file the header stands beside, for the include guard.
std::string emitCHeader(llvm::ArrayRef<EntryPointInfo> entryPoints,
                        llvm::StringRef baseName);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ENTRYPOINT_LINK_H
