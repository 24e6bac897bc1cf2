//===- safetensors-fuzzer.cpp - Fuzzer of the safetensors importer --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any byte sequence must give a module or a diagnostic. The module must give a
// file that can be imported again, or a diagnostic. The data before the first
// '#' is config.json.
//
//===----------------------------------------------------------------------===//

#include "ExportWeights.h"
#include "ImportFuzzer.h"
#include "quant-float/Weights/Safetensors/Import.h"

using namespace mlir;
using namespace mlir::quant_float;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [config, bytes] =
      StringRef(reinterpret_cast<const char *>(data), size).split('#');
  test::fuzzImport(
      [&, config = config, bytes = bytes](MLIRContext *context) {
        return importSafetensorsBytes(bytes, "fuzzed.safetensors", context,
                                      config);
      },
      test::exportWeights);
  return 0;
}
