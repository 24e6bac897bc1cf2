//===- JitModule.h - JIT-compiled modules -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EXECUTIONENGINE_JITMODULE_H
#define QUANT_FLOAT_EXECUTIONENGINE_JITMODULE_H

#include "quant-float-c/EntryPoint.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
namespace orc {
class LLJIT;
} // namespace orc
} // namespace llvm

namespace mlir::quant_float {

/// A module of entry points that is compiled into this process. Calls are
/// thread-safe.
class JitModule {
public:
  using EntryFunction = int (*)(const qf_tensor *inputs, qf_tensor *outputs,
                                char *error, size_t errorSize);
  using SizesFunction = int (*)(const qf_tensor *inputs,
                                int64_t *const *outputSizes, char *error,
                                size_t errorSize);

  /// Compiles `module`, into which the entry runtime has been linked. If the
  /// code calls the OpenMP runtime, loads it, and returns an error if there is
  /// none. Code that launches GPU kernels calls the CUDA runtime of this
  /// program. `machine` is the target machine for which the module was
  /// optimized; it is destroyed after compilation. `constants` are the symbols
  /// of the module's external constants; their bytes must outlive this object.
  static llvm::Expected<std::unique_ptr<JitModule>>
  create(std::unique_ptr<llvm::Module> module,
         std::unique_ptr<llvm::LLVMContext> context,
         std::unique_ptr<llvm::TargetMachine> machine,
         llvm::ArrayRef<std::pair<std::string, llvm::ArrayRef<char>>>
             constants = {});
  ~JitModule();

  /// Return the functions of an entry point, which are valid during the
  /// lifetime of this object.
  llvm::Expected<EntryFunction> getEntry(llvm::StringRef name);
  llvm::Expected<SizesFunction> getOutputSizes(llvm::StringRef name);

private:
  explicit JitModule(std::unique_ptr<llvm::orc::LLJIT> jit);
  template <typename Function>
  llvm::Expected<Function> lookup(const llvm::Twine &name);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  bool hasConstructors = false;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_JITMODULE_H
