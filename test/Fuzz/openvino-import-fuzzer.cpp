//===- openvino-import-fuzzer.cpp - Fuzzer of the OpenVINO importer -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any byte sequence, beside a .bin file of some size, has to give a module or a
// diagnostic. What was imported is also printed, because a broken module often
// shows only there.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "quant-float/Target/OpenVINO/Import.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;

/// A file of constants.
static std::string makeWeights() {
  SmallString<128> path;
  int descriptor;
  if (llvm::sys::fs::createTemporaryFile("openvino-import-fuzzer", "bin",
                                         descriptor, path))
    return {};
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << std::string(4096, 'd');
  return path.str().str();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::string weights = [] {
    std::string made = makeWeights();
    static std::string toRemove = made;
    std::atexit([] { (void)llvm::sys::fs::remove(toRemove); });
    return made;
  }();

  MLIRContext context(MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  OwningOpRef<ModuleOp> module =
      quant_float::importOpenVinoBytes(bytes, "fuzzed.xml", weights, &context);
  // Failure without a message, or a message without failure, is a bug as well.
  if (!module != (errors != 0))
    std::abort();
  if (module)
    module->print(llvm::nulls());
  return 0;
}
