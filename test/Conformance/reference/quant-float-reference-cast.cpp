//===- quant-float-reference-cast.cpp - Casts by the Reference ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program that casts any number of buffers in one process. Every line of
// standard input is a request of tab-separated fields,
//
//   FROM TO OPSET SATURATE ROUND_MODE INPUT OUTPUT
//
// with MLIR element types, 0 or 1, and up, down or nearest. INPUT and OUTPUT
// are files of unpacked elements, which have a whole number of bytes. The
// program answers every request with the line "ok" on standard output.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTool.h"
#include "quant-float/Reference/Cast.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <vector>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;

static LogicalResult answer(ArrayRef<StringRef> fields, MLIRContext &context) {
  if (fields.size() != 7)
    return failRequest("expected 7 fields, but got " +
                       llvm::Twine(fields.size()));
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
    return failRequest("expected opset, saturate and round mode, but got " +
                       llvm::join(fields.slice(2, 3), ", "));
  options.saturate = fields[3] == "1";
  options.scaleRounding = *mode;

  std::unique_ptr<llvm::MemoryBuffer> input = readFile(fields[5]);
  if (!input)
    return failure();
  ArrayRef<char> bytes = getBytes(*input);
  std::vector<char> output(bytes.size() / getSlotSize(from) * getSlotSize(to));
  if (failed(castBuffer(from, to, bytes, output, options)))
    return failRequest(fields[5] + ": expected whole elements of " + fields[0] +
                       ", but got " + llvm::Twine(bytes.size()) + " bytes");
  return writeFile(fields[6], output);
}

int main() { return serveRequests("quant-float-reference-cast", answer); }
