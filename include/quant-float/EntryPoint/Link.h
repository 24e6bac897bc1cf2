//===- Link.h - Finishing a module with entry points ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ENTRYPOINT_LINK_H
#define QUANT_FLOAT_ENTRYPOINT_LINK_H

#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

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

/// Links the entry runtime into `module`, whose entry points come from
/// quant-float-emit-c-wrappers, before optimization. Everything that is linked
/// becomes internal.
///
/// Functions that name no CPU are given `target`'s; the runtime and the entry
/// points themselves stay at the architecture's baseline, so that they can
/// report a CPU that lacks what the kernels need.
///
/// Fails for architectures that have no entry runtime.
llvm::Error linkEntryRuntime(llvm::Module &module,
                             const llvm::TargetMachine &target,
                             const LinkEntryRuntimeOptions &options = {});

/// What a shared library says of itself beside its entry points.
struct LibraryDescription {
  /// "cpu" or "nvvm", and of that the chip.
  llvm::StringRef target;
  llvm::StringRef chip;
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
