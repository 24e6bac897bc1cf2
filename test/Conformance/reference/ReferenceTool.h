//===- ReferenceTool.h - Test program utilities -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program reads requests, one per line of tab-separated fields, and answers
// "ok" after it has written the output file of the request.
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

/// Prints the name of the tool and the message, and returns failure.
LogicalResult failRequest(const llvm::Twine &message);

/// Parses an element type that the Reference supports.
LogicalResult parseElementType(StringRef text, MLIRContext &context,
                               Type &type);

size_t getSlotSize(Type elementType);

/// Reads a file. Prints a message and returns null if that fails.
std::unique_ptr<llvm::MemoryBuffer> readFile(StringRef path);

inline ArrayRef<char> getBytes(const llvm::MemoryBuffer &buffer) {
  return ArrayRef<char>(buffer.getBufferStart(), buffer.getBufferSize());
}

LogicalResult writeFile(StringRef path, ArrayRef<char> bytes);

/// Answers the requests of standard input until its end or until one fails.
/// Returns the exit status.
int serveRequests(
    StringRef tool,
    llvm::function_ref<LogicalResult(ArrayRef<StringRef> fields, MLIRContext &)>
        answer);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TEST_CONFORMANCE_REFERENCE_REFERENCETOOL_H
