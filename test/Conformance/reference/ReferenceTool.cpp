//===- ReferenceTool.cpp - Common code of the test programs ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceTool.h"
#include "mlir/AsmParser/AsmParser.h"
#include "quant-float/Reference/Cast.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>
#include <string>

using namespace mlir;
using namespace mlir::quant_float;

static std::string toolName;

LogicalResult quant_float::failRequest(const llvm::Twine &message) {
  llvm::errs() << toolName << ": error: " << message << "\n";
  return failure();
}

LogicalResult quant_float::parseElementType(StringRef text,
                                            MLIRContext &context, Type &type) {
  type = parseType(text, &context);
  if (!type || !reference::isSupported(type))
    return failRequest("expected a supported element type, but got " + text);
  return success();
}

size_t quant_float::getSlotSize(Type elementType) {
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

std::unique_ptr<llvm::MemoryBuffer> quant_float::readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (buffer)
    return std::move(*buffer);
  (void)failRequest(path + ": " + buffer.getError().message());
  return nullptr;
}

LogicalResult quant_float::writeFile(StringRef path, ArrayRef<char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return failRequest(path + ": " + error.message());
  stream.write(bytes.data(), bytes.size());
  return success();
}

int quant_float::serveRequests(
    StringRef tool,
    llvm::function_ref<LogicalResult(ArrayRef<StringRef>, MLIRContext &)>
        answer) {
  toolName = tool.str();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string request;
  while (std::getline(std::cin, request)) {
    SmallVector<StringRef, 16> fields;
    StringRef(request).split(fields, '\t');
    if (failed(answer(fields, context)))
      return 1;
    llvm::outs() << "ok\n";
    llvm::outs().flush();
  }
  return 0;
}
