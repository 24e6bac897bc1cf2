//===- LargeConstants.h - Large constants outside of LLVM -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM copies the bytes of a constant into its context and into fragments of
// the assembler, and emits them element by element. Large constants avoid this:
// their bytes stay in MLIR, LLVM's module contains externally initialized
// zeros, and after the object is written, the bytes overwrite these zeros.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_DRIVER_LARGECONSTANTS_H
#define QUANT_FLOAT_LIB_DRIVER_LARGECONSTANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mlir::quant_float {

/// The large constants of all modules (one per CPU) of an object, or of code
/// that runs in this process. The modules must outlive it.
class LargeConstants {
public:
  /// Code in this process uses the constants where the module has them. They
  /// are external symbols, see getSymbols().
  explicit LargeConstants(bool inProcess = false) : inProcess(inProcess) {}

  /// Removes the values from a module in the LLVM dialect before it is
  /// translated.
  void detach(ModuleOp module);
  /// Declares the constants of the last detach() in the module that was
  /// translated from it. Equal constants of several modules share a symbol.
  void declare(llvm::Module &module);
  /// Defines all constants in the module that the others were linked into, for
  /// an object. The object must have this machine's byte order.
  void define(llvm::Module &module);
  /// Writes the bytes into an object that the stream already contains.
  llvm::Error write(llvm::MemoryBufferRef object,
                    const llvm::DataLayout &layout,
                    llvm::raw_pwrite_stream &os) const;
  /// Returns the name and the bytes of each symbol that the code in this
  /// process refers to.
  ArrayRef<std::pair<std::string, ArrayRef<char>>> getSymbols() const {
    return constants;
  }

private:
  bool inProcess;
  /// The name in the object and the bytes.
  SmallVector<std::pair<std::string, ArrayRef<char>>> constants;
  /// Maps hash and size to indices in `constants`.
  DenseMap<std::pair<uint64_t, size_t>, SmallVector<size_t, 1>> places;
  /// The name of a global of the last module, and the index of its constant.
  SmallVector<std::pair<std::string, size_t>> detached;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_DRIVER_LARGECONSTANTS_H
