//===- LargeConstants.h - Weights that LLVM never holds ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM copies a constant's bytes into its context, into the assembler's
// fragments, and emits them number by number. The bytes of large constants stay
// where MLIR has them instead: in LLVM's module they are zeros that nothing may
// rely on, and once the object is written, their bytes are written over these.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_COMPILER_LARGECONSTANTS_H
#define QUANT_FLOAT_LIB_COMPILER_LARGECONSTANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mlir::quant_float {

/// Those of the modules for all CPUs of one object, which outlive it.
class LargeConstants {
public:
  /// Takes the values of a module in the LLVM dialect before it is translated.
  void detach(ModuleOp module);
  /// Declares what has been detached last in the module that was translated
  /// since: equal constants of several modules are one.
  void declare(llvm::Module &module);
  /// Defines all of them, in the module that all others were linked into, which
  /// is for an object of this byte order.
  void define(llvm::Module &module);
  /// Writes the bytes into an object that is in the stream already.
  llvm::Error write(llvm::MemoryBufferRef object,
                    const llvm::DataLayout &layout,
                    llvm::raw_pwrite_stream &os) const;

private:
  /// By their names in the object.
  SmallVector<std::pair<std::string, ArrayRef<char>>> constants;
  /// Constants by hash and size.
  DenseMap<std::pair<uint64_t, size_t>, SmallVector<size_t, 1>> places;
  /// Of the last module: the name of a global, and its constant.
  SmallVector<std::pair<std::string, size_t>> detached;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_COMPILER_LARGECONSTANTS_H
