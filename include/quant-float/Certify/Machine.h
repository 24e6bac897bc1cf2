//===- Machine.h - Machines that run compiled code --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_MACHINE_H
#define QUANT_FLOAT_CERTIFY_MACHINE_H

#include "mlir/Support/LLVM.h"
#include "quant-float-c/EntryPoint.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::quant_float {
class CompiledModel;
class Model;
} // namespace mlir::quant_float

namespace mlir::quant_float::certify {

/// A compiled library on the machine that runs it.
class Code {
public:
  virtual ~Code() = default;
  /// Returns the index of a function.
  virtual llvm::Expected<size_t> find(StringRef name) = 0;
  /// Calls the function with this index on host memory.
  virtual llvm::Error run(size_t function, ArrayRef<qf_tensor> inputs,
                          qf_tensor output) = 0;

  /// The SHA-256 of the library.
  std::string hash;
};

/// Returns the code of a model in this process. `model` must outlive it.
std::unique_ptr<Code> viewCode(const CompiledModel &model);

/// Compiles as quant-float-compile does, and runs the code. Threads may share a
/// Machine, but not a Code.
class Machine {
public:
  virtual ~Machine() = default;

  /// Returns the machine of this name: the host if the name is empty, "nvidia"
  /// for the first GPU, or an architecture to emulate. Fails if an emulator, a
  /// toolchain or a driver is missing.
  static llvm::Expected<std::shared_ptr<const Machine>> find(StringRef name);
  /// Returns the nonempty names that `find` accepts.
  static std::vector<std::string> getNames();

  llvm::Expected<std::unique_ptr<Code>> compile(Model &model,
                                                StringRef cpu) const;

  /// The name that `find` accepts.
  std::string name;
  /// LLVM's name of the host CPU or the GPU, or the emulator's name.
  std::string description;
  /// The CPUs to compile for by default.
  std::vector<std::string> cpus;

protected:
  virtual llvm::Expected<std::unique_ptr<Code>>
  compileToFile(Model &model, StringRef path, StringRef cpu) const = 0;
};

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_MACHINE_H
