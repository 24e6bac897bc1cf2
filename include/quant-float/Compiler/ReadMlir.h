//===- ReadMlir.h - Robust MLIR parsing -------------------------*- C++ -*-===//
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

#ifndef QUANT_FLOAT_COMPILER_READMLIR_H
#define QUANT_FLOAT_COMPILER_READMLIR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::quant_float {

/// How deep the types, attributes, regions and locations of MLIR may be nested.
/// Text and bytecode that go deeper are refused before anything walks them.
constexpr unsigned kMaxNesting = 256;

/// Parses MLIR of either form. Errors are on the diagnostic engine.
OwningOpRef<ModuleOp> readMlir(std::unique_ptr<llvm::MemoryBuffer> buffer,
                               MLIRContext &context, bool verify);

/// Emits an error where MLIR of either form is nested deeper, or upstream's
/// readers would not survive it: for what reads it with them next. The text
/// between markers, if there is one, is read part by part.
LogicalResult checkMlir(llvm::MemoryBufferRef buffer, StringRef marker,
                        MLIRContext &context);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_READMLIR_H
