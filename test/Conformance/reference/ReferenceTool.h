//===- ReferenceTool.h - Common to the tools of this folder -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool reads requests, one per line of tab-separated fields, and answers "ok"
// to each once the file that the request names is written.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_REFERENCE_REFERENCETOOL_H
#define QUANT_FLOAT_TEST_CONFORMANCE_REFERENCE_REFERENCETOOL_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace mlir::quant_float {

/// Prints the message behind the tool's name.
LogicalResult failRequest(const llvm::Twine &message);

/// An element type that the Reference supports.
LogicalResult parseElementType(StringRef text, MLIRContext &context,
                               Type &type);

size_t getSlotSize(Type elementType);

/// Null with a message where it cannot be read.
std::unique_ptr<llvm::MemoryBuffer> readFile(StringRef path);

inline ArrayRef<char> getBytes(const llvm::MemoryBuffer &buffer) {
  return ArrayRef<char>(buffer.getBufferStart(), buffer.getBufferSize());
}

LogicalResult writeFile(StringRef path, ArrayRef<char> bytes);

/// Answers the requests of the standard input until its end or the first that
/// fails; the exit status.
int serveRequests(
    StringRef tool,
    llvm::function_ref<LogicalResult(ArrayRef<StringRef> fields, MLIRContext &)>
        answer);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TEST_CONFORMANCE_REFERENCE_REFERENCETOOL_H
