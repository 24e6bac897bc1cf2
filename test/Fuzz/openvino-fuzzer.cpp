//===- openvino-fuzzer.cpp - Fuzzer of the OpenVINO importer --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any byte sequence, beside a .bin file of some size, has to give a module or a
// diagnostic.
//
//===----------------------------------------------------------------------===//

#include "ImportFuzzer.h"
#include "quant-float/Target/OpenVINO/Import.h"

using namespace mlir;
using namespace mlir::quant_float;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SmallString<128> weights(test::makeDataFolder("fuzzed.bin"));
  llvm::sys::path::append(weights, "fuzzed.bin");
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  test::fuzzImport([&](MLIRContext *context) {
    return importOpenVinoBytes(bytes, "fuzzed.xml", weights, context);
  });
  return 0;
}
