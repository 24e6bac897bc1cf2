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

/// A compiled library, where it runs.
class Code {
public:
  virtual ~Code() = default;
  /// The number of a function.
  virtual llvm::Expected<size_t> find(StringRef name) = 0;
  /// Calls a function that was found on memory of this process.
  virtual llvm::Error run(size_t function, ArrayRef<qf_tensor> inputs,
                          qf_tensor output) = 0;

  /// The SHA-256 of the library.
  std::string hash;
};

/// Code of a model in this process, which must live as long.
std::unique_ptr<Code> viewCode(const CompiledModel &model);

/// Compiles as quant-float-compile does, and runs. Any number of threads may
/// use it at once, each its own code.
class Machine {
public:
  virtual ~Machine() = default;

  /// This one if the name is empty, "nvidia" for the first GPU, or an
  /// architecture to emulate. Fails where what that takes is missing.
  static llvm::Expected<std::shared_ptr<const Machine>> find(StringRef name);
  /// The names that `find` knows, but the empty one.
  static std::vector<std::string> getNames();

  llvm::Expected<std::unique_ptr<Code>> compile(Model &model,
                                                StringRef cpu) const;

  /// As `find` knows it.
  std::string name;
  /// Of this one and a GPU LLVM's name, else that of the emulator.
  std::string description;
  /// What to compile for unless told otherwise.
  std::vector<std::string> cpus;

protected:
  virtual llvm::Expected<std::unique_ptr<Code>>
  compileToFile(Model &model, StringRef path, StringRef cpu) const = 0;
};

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_MACHINE_H
