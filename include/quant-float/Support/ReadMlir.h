//===- ReadMlir.h - Robust MLIR parsing -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser, printer and walks recurse into nested IR, and its bytecode
// reader does not check the numbers that it reads. Malicious or damaged input
// therefore crashes them. These functions reject such input first.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_READMLIR_H
#define QUANT_FLOAT_SUPPORT_READMLIR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::quant_float {

/// The maximum nesting of types, attributes, regions and locations. Deeper MLIR
/// is rejected before it is parsed or walked.
constexpr unsigned kMaxNesting = 256;

/// Parses MLIR text or bytecode. Returns null after emitting an error.
OwningOpRef<ModuleOp> readMlir(std::unique_ptr<llvm::MemoryBuffer> buffer,
                               MLIRContext &context, bool verify);

/// Emits an error if MLIR text or bytecode exceeds kMaxNesting or would crash
/// MLIR's readers. Callers then pass the buffer to those. If `marker` is not
/// empty, checks the parts between markers separately.
LogicalResult checkMlir(llvm::MemoryBufferRef buffer, StringRef marker,
                        MLIRContext &context);

/// Emits an error for each op and type in MLIR text that only newer versions of
/// MLIR have. MLIR's parser reports them like misspelled names.
void reportNewerSyntax(llvm::MemoryBufferRef buffer, MLIRContext &context);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_READMLIR_H
