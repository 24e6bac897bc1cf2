//===- quant-float-reference-cast.cpp - Run the Reference on files --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program: one process casts as many buffers as it is asked to. Every
// line of standard input is a request of tab-separated fields,
//
//   FROM TO OPSET SATURATE ROUND_MODE INPUT OUTPUT
//
// with MLIR element types, 0 or 1, and up, down or nearest; INPUT and OUTPUT
// are files of raw elements, one per byte-rounded slot. Every request is
// answered with the line "ok" on standard output.
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "quant-float/Reference/Cast.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>
#include <string>
#include <vector>

using namespace mlir;
using namespace mlir::quant_float::reference;

static LogicalResult fail(const llvm::Twine &message) {
  llvm::errs() << "quant-float-reference-cast: error: " << message << "\n";
  return failure();
}

static size_t getSlotSize(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

static LogicalResult parseElementType(StringRef text, MLIRContext &context,
                                      Type &type) {
  type = parseType(text, &context);
  if (!type || !isSupported(type))
    return fail("expected a supported element type, but got " + text);
  return success();
}

static LogicalResult writeFile(StringRef path, ArrayRef<char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return fail(path + ": " + error.message());
  stream.write(bytes.data(), bytes.size());
  return success();
}

static LogicalResult answer(StringRef request, MLIRContext &context) {
  SmallVector<StringRef, 8> fields;
  request.split(fields, '\t');
  if (fields.size() != 7)
    return fail("expected 7 fields, but got " + llvm::Twine(fields.size()) +
                ": " + request);

  Type from, to;
  if (failed(parseElementType(fields[0], context, from)) ||
      failed(parseElementType(fields[1], context, to)))
    return failure();

  CastOptions options;
  auto mode = llvm::StringSwitch<std::optional<ScaleRounding>>(fields[4])
                  .Case("up", ScaleRounding::Up)
                  .Case("down", ScaleRounding::Down)
                  .Case("nearest", ScaleRounding::Nearest)
                  .Default(std::nullopt);
  if (fields[2].getAsInteger(10, options.opset) || !mode ||
      (fields[3] != "0" && fields[3] != "1"))
    return fail("expected opset, saturate and round mode, but got " + request);
  options.saturate = fields[3] == "1";
  options.scaleRounding = *mode;

  auto input = llvm::MemoryBuffer::getFile(fields[5], /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!input)
    return fail(fields[5] + ": " + input.getError().message());
  StringRef bytes = (*input)->getBuffer();
  std::vector<char> output(bytes.size() / getSlotSize(from) * getSlotSize(to));
  if (failed(castBuffer(from, to, ArrayRef<char>(bytes.data(), bytes.size()),
                        output, options)))
    return fail(fields[5] + ": expected whole elements of " + fields[0] +
                ", but got " + llvm::Twine(bytes.size()) + " bytes");
  return writeFile(fields[6], output);
}

int main() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string request;
  while (std::getline(std::cin, request)) {
    if (failed(answer(request, context)))
      return 1;
    llvm::outs() << "ok\n";
    llvm::outs().flush();
  }
  return 0;
}
