//===- quant-float-reference-quantize.cpp - Quantize by the Reference -----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program that quantizes and dequantizes any number of buffers in one
// process. Every line of standard input is a request of tab-separated fields,
//
//   OP X SCALE Y PRECISION SATURATE SIZES AXIS BLOCK X_FILE SCALE_FILE
//   ZERO_POINT_FILE Y_FILE
//
//   dynamic X_FILE Y_FILE SCALE_FILE ZERO_POINT_FILE
//
// with quantize or dequantize, MLIR element types, 0 or 1, and sizes such as
// 2x3. "-" stands for an absent value: the sizes of a scalar, axis, block size,
// zero point, and the precision of a dequantize. Files contain unpacked
// elements, which have a whole number of bytes. The program answers every
// request with the line "ok" on standard output.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTool.h"
#include "quant-float/Reference/Quantize.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;

/// Parses an optional integer; "-" is nullopt.
static LogicalResult parseInteger(StringRef text,
                                  std::optional<int64_t> &value) {
  if (text == "-")
    return success();
  int64_t parsed;
  if (text.getAsInteger(10, parsed))
    return failRequest("expected an integer, but got " + text);
  value = parsed;
  return success();
}

static LogicalResult parseSizes(StringRef text, SmallVector<int64_t> &sizes) {
  if (text == "-")
    return success();
  for (StringRef size : llvm::split(text, 'x')) {
    std::optional<int64_t> parsed;
    if (failed(parseInteger(size, parsed)) || !parsed)
      return failure();
    sizes.push_back(*parsed);
  }
  return success();
}

static LogicalResult answerDynamic(ArrayRef<StringRef> files) {
  if (files.size() != 4)
    return failRequest("expected 4 files, but got " +
                       llvm::Twine(files.size()));
  std::unique_ptr<llvm::MemoryBuffer> in = readFile(files[0]);
  if (!in)
    return failure();
  std::vector<char> out(in->getBufferSize() / 4), scale(4), zeroPoint(1);
  if (failed(dynamicQuantizeLinear(getBytes(*in), out, scale, zeroPoint)))
    return failRequest(files[0] + ": expected whole elements of f32");
  return success(succeeded(writeFile(files[1], out)) &&
                 succeeded(writeFile(files[2], scale)) &&
                 succeeded(writeFile(files[3], zeroPoint)));
}

static LogicalResult answer(ArrayRef<StringRef> fields, MLIRContext &context) {
  if (fields[0] == "dynamic")
    return answerDynamic(fields.drop_front());
  if (fields.size() != 13)
    return failRequest("expected 13 fields, but got " +
                       llvm::Twine(fields.size()));
  bool isQuantize = fields[0] == "quantize";
  Type x, scale, y;
  QuantizeOptions options;
  options.saturate = fields[5] == "1";
  SmallVector<int64_t> sizes;
  Granularity granularity;
  if (failed(parseElementType(fields[1], context, x)) ||
      failed(parseElementType(fields[2], context, scale)) ||
      failed(parseElementType(fields[3], context, y)) ||
      (isQuantize &&
       failed(parseElementType(fields[4], context, options.precision))) ||
      failed(parseSizes(fields[6], sizes)) ||
      failed(parseInteger(fields[7], granularity.axis)) ||
      failed(parseInteger(fields[8], granularity.blockSize)))
    return failure();

  std::unique_ptr<llvm::MemoryBuffer> in = readFile(fields[9]);
  std::unique_ptr<llvm::MemoryBuffer> scales = readFile(fields[10]);
  if (!in || !scales)
    return failure();
  std::unique_ptr<llvm::MemoryBuffer> zeroPointFile;
  std::optional<ArrayRef<char>> zeroPoints;
  if (fields[11] != "-") {
    zeroPointFile = readFile(fields[11]);
    if (!zeroPointFile)
      return failure();
    zeroPoints = getBytes(*zeroPointFile);
  }

  std::vector<char> out(in->getBufferSize() / getSlotSize(x) * getSlotSize(y));
  LogicalResult result =
      isQuantize
          ? quantizeBuffer(x, scale, y, sizes, granularity, getBytes(*in),
                           getBytes(*scales), zeroPoints, out, options)
          : dequantizeBuffer(x, scale, y, sizes, granularity, getBytes(*in),
                             getBytes(*scales), zeroPoints, out);
  if (failed(result))
    return failRequest("no such quantization: " + llvm::join(fields, ", "));
  return writeFile(fields[12], out);
}

int main() { return serveRequests("quant-float-reference-quantize", answer); }
