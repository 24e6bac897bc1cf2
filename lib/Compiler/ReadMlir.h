//===- ReadMlir.h - MLIR from strangers -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's parser, printer and walks go down into what is nested by calling
// themselves, and its reader of bytecode believes the numbers it finds: both
// end the program on input that was made or damaged to that end.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_COMPILER_READMLIR_H
#define QUANT_FLOAT_LIB_COMPILER_READMLIR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::quant_float {

/// Emits an error where text or, read from bytecode, a module is nested deeper
/// than kMaxNesting. Neither calls itself.
LogicalResult checkNesting(llvm::MemoryBufferRef text, MLIRContext &context);
LogicalResult checkNesting(ModuleOp module);

/// Parses MLIR of either form. Errors are on the diagnostic engine.
OwningOpRef<ModuleOp> readMlir(std::unique_ptr<llvm::MemoryBuffer> buffer,
                               MLIRContext &context, bool verify);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_COMPILER_READMLIR_H
