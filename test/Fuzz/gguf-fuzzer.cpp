//===- gguf-fuzzer.cpp - Fuzzer of the GGUF importer ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any byte sequence must give a module or a diagnostic. The module must give a
// file that can be imported again, or a diagnostic.
//
//===----------------------------------------------------------------------===//

#include "ExportWeights.h"
#include "ImportFuzzer.h"
#include "quant-float/Weights/GGUF/Import.h"

using namespace mlir;
using namespace mlir::quant_float;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  test::fuzzImport(
      [&](MLIRContext *context) {
        return importGgufBytes(bytes, "fuzzed.gguf", context);
      },
      test::exportWeights);
  return 0;
}
